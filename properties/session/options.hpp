// How a port is judged: turns the options that people give into a run.
// Checked by: properties/oracle/oracle_test.py, properties/conformance/conformance_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/run.hpp"

namespace backoff::session {

// Part `number` of `of` parts of a plan, from 1.
struct shard {
  unsigned number = 1;
  unsigned of = 1;
  [[nodiscard]] bool is_whole() const { return of == 1; }
  [[nodiscard]] static bool is_valid(std::int64_t number, std::int64_t of) noexcept {
    return number >= 1 && number <= of && of <= 1'000;
  }
  friend bool operator==(shard const&, shard const&) noexcept = default;
};

// The form of a report, and the files that have it besides standard output; empty: no file.
struct report_options {
  std::string format = "human";
  std::string color = "auto";  // always, never
  bool quiet = false;          // the verdict alone, without progress
  std::string junit;
  std::string certificate;
  std::string policy;  // of `report` alone: the file that declares the system of its results
  std::string page;    // an HTML file, of `report` alone; standard output then has one line for each run
};

struct judging_options {
  std::string program = "backoff-oracle";  // as it was called: replay lines can be pasted
  std::string policy;                      // the file that declares the system; empty: a document declares it
  std::vector<std::string> claims;         // globs; none: all
  std::vector<std::string> skips;          // globs
  std::vector<std::string> readings;       // NAME=VALUE
  std::vector<std::string> ranges;         // NAME=LOW..HIGH, beside those of the port
  std::string library;                     // a C library in place of a port
  std::vector<std::string> constants;      // NAME=VALUE that are compiled into it
  bool strict = false;
  bool document_only = false;
  bool whole = true;  // false for replay, because a few histories put only few claims at stake
  double timeout_s = 10;
  double alpha = 1e-9;  // probability that hidden draws refute a right port
  report_options report;
  std::string known_failing;        // a file
  std::string write_known_failing;  // a file
  std::string results;              // a file
  shard part;
  std::uint64_t max_failures = 0;  // 0: no end
  std::size_t jobs = 1;            // processes of the port
  double max_time_s = 0;           // 0: no end
};

// Throws usage_error, naming the systems there are.
[[nodiscard]] judge::judged_system const& named_system(std::string_view stem);

// Throws usage_error for a glob that matches no claim, or an unknown reading or alternative.
[[nodiscard]] judge::run_options parse_judging(judge::judged_system const& system, judging_options const& options);

// What the port takes, narrowed to the ranges of the options. Throws usage_error where nothing is left of a parameter
// or an argument.
[[nodiscard]] judge::capabilities narrowed(histories::shape const& s, judge::capabilities about,
                                           judging_options const& options);

// Begins the run. If there is none, throws session_failure where the mapping that the port names is the reason, else
// usage_error.
[[nodiscard]] judge::run make_run(judge::judged_system const& system, judge::capabilities const& about,
                                  judge::run_options const& options);

// The options that a replay needs too.
[[nodiscard]] std::vector<std::string> words_for_replay(judging_options const& options);

// How often a replay asks these histories of a port that draws for itself, which may fail on one try and not on the
// next; at least once.
[[nodiscard]] std::size_t tries_of_replay(std::span<histories::history const> cases);

// Throws usage_error where the port cannot take the history.
void demand_takeable(histories::history const& h, histories::shape const& s, histories::domain const& takes);

[[nodiscard]] constexpr std::uint64_t cases_of_level(int level) noexcept { return level == 2 ? 10'000'000 : 10'000; }

}  // namespace backoff::session
