// What check and replay share: a live port from its start to the printed report.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "judge/plan.hpp"
#include "judge/run.hpp"
#include "oracle/port_pool.hpp"
#include "oracle/results.hpp"
#include "oracle/verbs.hpp"
#include "report/intake.hpp"
#include "report/options.hpp"
#include "report/report.hpp"

namespace backoff::oracle {

// Starts the port, hands histories to it batch by batch until `next` returns none, and prints the report. The mapping
// of draws is settled first, by the system's probes.
class judging {
 public:
  judging(conformance::judged_system const& system, std::vector<std::string> command, judging_options const& options,
          std::uint64_t seed, std::uint64_t cases = 0);

  [[nodiscard]] conformance::domain const& takes() const { return port_.describes().takes; }
  void settle_mapping();
  // False once the failures asked for have been seen.
  [[nodiscard]] bool feed(std::span<conformance::history const> histories,
                          conformance::plan const* planned = nullptr);  // from which they come
  [[nodiscard]] bool wants_samples() const { return intake_.judged().wants_samples(); }
  // Goes on as part of a plan from that history on.
  void begin_at(std::uint64_t first) { port_.begin_at(first); }
  // Has two fresh processes answer the same samples, where the port says that it may be started twice.
  void compare_processes(std::span<conformance::history const> samples);
  // Prints the report, with every broken claim shown on its smallest history.
  exit_code finish();

 private:
  void give_up(session_failure const& e);
  void remember(std::span<conformance::history const> histories);
  [[nodiscard]] conformance::counterexample shown_breach(conformance::breach const& b);
  [[nodiscard]] std::vector<broken_port> shown_breakdowns();
  [[nodiscard]] conformance::history smallest_breaking(breakdown const& b);

  conformance::judged_system const* system_;
  std::vector<std::string> command_;
  judging_options options_;
  std::uint64_t seed_;
  std::uint64_t cases_;  // asked for
  conformance::run_options parsed_;
  std::optional<results_writer> results_;  // before the port: what cannot be written is found before it is started
  std::optional<output_file> junit_;
  std::optional<output_file> failing_;
  known_failing known_;
  port_pool port_;
  intake intake_;
  conformance::run& run_;
  how_ended ended_ = how_ended::done;
  std::optional<breakdown> gave_up_;        // the port broke too often to go on
  std::vector<conformance::history> sent_;  // to the port, the latest of them until something was broken
  std::uint64_t counted_before_sent_ = 0;   // how many were sent before these
};

}  // namespace backoff::oracle
