// Runs a program several times, each against a failing server of its own, and notes when it came.
// Checked by: watch_runs_test.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "watch/failure_script.hpp"
#include "watch/run.hpp"
#include "watch/slack.hpp"

namespace backoff::watch {

struct watch_plan {
  std::vector<std::string> command;      // and its arguments; client_command.hpp says what is put in
  std::vector<std::string> environment;  // NAME=VALUE, added to this process's
  script failures;
  run_limits limits;
  std::uint64_t runs = 1;
  std::uint64_t first = 0;                    // the index of the first of them
  std::size_t jobs = 1;                       // programs at a time, at most 256
  std::chrono::milliseconds stagger{0};       // at least so long from one start to the next
  std::size_t slack_samples = 200;            // before the first run
  std::chrono::milliseconds slack_pause{30};  // between those during the runs
};

struct watched {
  enum class ending {
    all_ran,
    stopped,       // by the sink
    interrupted,   // by a signal that live_groups.hpp noted
    cannot_watch,  // `trouble` says why
  };
  ending ended = ending::all_ran;
  struct slack slack;
  std::string trouble;  // also where only samples of slack are missing
};

// Gets each run once it has ended, in the order of their ends, and the samples so far. While it runs, no server
// answers. False: starts no more runs, ends the others and tells nothing of them.
using run_sink = std::function<bool(run const&, slack const&)>;

// When it returns, ports are closed and programs have ended, with their groups; the same when the sink throws. After a
// signal that live_groups.hpp noted, no run is started, and those that ran are told as interrupted.
[[nodiscard]] watched watch_runs(watch_plan const& plan, run_sink const& sink);

}  // namespace backoff::watch
