// One run of a watched program, and what bounds it. Checked by: watch_runs_test.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "watch/attempt.hpp"

namespace backoff::watch {

struct run_limits {
  std::chrono::milliseconds most_time{60000};
  // So many attempts, unused connections counted too, are noted; one more ends the run.
  std::size_t most_attempts = 100;
  // After a failure: the longest delay before the retry and so long more without an attempt, and the program has not
  // come back.
  std::chrono::milliseconds idle{30000};
  std::vector<std::chrono::milliseconds> longest_delays{};  // before each retry; the last one before all further ones
  // After a success that is the last word of the script: so long, and the program is ended.
  std::chrono::milliseconds calm{2000};
  // Between SIGTERM and SIGKILL for a program that is ended.
  std::chrono::milliseconds stop_grace{2000};
};

struct run {
  enum class ending {
    exited,             // by itself, with `status`
    killed_by_signal,   // by `signal`, not by us
    cannot_start,       // `trouble` says why; nothing else is known
    took_too_long,      // most_time passed
    too_many_attempts,  // a flood
    never_came_back,    // idle passed after a failure, and the program still ran
    succeeded,          // and lived on until `calm` had passed
    interrupted,        // by a signal to this process
  };

  std::uint64_t index = 0;
  ending ended = ending::exited;
  int status = 0;
  int signal = 0;
  std::string trouble;
  // Nanoseconds of the monotonic clock. The end is when the exit was seen, or when it was decided to end the program.
  std::int64_t started_ns = 0;
  std::int64_t ended_ns = 0;
  server_notes notes;
  // Of the program's output, the last 2048 bytes each.
  std::string standard_output;
  std::string standard_error;
};

}  // namespace backoff::watch
