// A program as it was watched, and what it is held to: all that the verdict on it is made of. `watch --results` writes
// it, and `report` judges it again. Checked by: watched_program_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "waits/judged_waits.hpp"
#include "watch/failure_script.hpp"
#include "watch/slack.hpp"

namespace backoff::waits {

struct watched_program {
  // As it was asked for.
  std::string system;                // the stem of its document
  std::string document;              // which version of it
  std::vector<std::string> params;   // NAME=VALUE
  std::vector<std::string> command;  // and its arguments
  std::string failures = "503";
  std::optional<std::uint32_t> retry_after_s;
  double faster = 1;
  std::optional<double> slack_ms;  // in place of what was measured
  std::string known_failing_name;
  std::vector<std::string> known_failing;  // lines of that file

  // As it was seen.
  std::vector<failed_cycle> cycles;
  std::vector<watch::slack_sample> slack;
  std::uint64_t runs = 0;
  std::uint64_t attempts = 0;
  std::uint64_t overlaps = 0;  // attempts that came before the failure of the one before
  std::uint64_t silent = 0;    // runs without an attempt
  std::uint64_t cut = 0;       // runs that were ended, by their time or the number of attempts
  std::uint64_t killed = 0;    // by a signal of their own
  std::uint64_t unused = 0;    // connections
  bool hung = false;           // clients were left to hang: when they gave up is known less well
  bool interrupted = false;
};

// How its server fails. Throws usage_error.
[[nodiscard]] watch::script script_of(watched_program const& p);

[[nodiscard]] std::string to_results(watched_program const& seen);
// Whether a text begins as to_results begins.
[[nodiscard]] bool are_results_of_watch(std::string_view text);
// Throws usage_error, naming the path, where the text is not what to_results made.
[[nodiscard]] watched_program read_results(std::string const& text, std::string const& path);
// Adds the runs of another record. Throws usage_error where it was asked for something else.
void add_runs(watched_program& to, watched_program const& more, std::string const& path);

}  // namespace backoff::waits
