// What check and replay share: a live port from its start to the printed report. Each step takes what the ones before
// it have made: prepared_session, started_port, port_feed and result_feed, settled_results, explained_findings, a
// report, files. Checked by: properties/oracle/oracle_test.py, properties/oracle/results_test.py.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/results.hpp"
#include "judge/plan.hpp"
#include "oracle/asked_again.hpp"
#include "oracle/asked_histories.hpp"
#include "oracle/explained_findings.hpp"
#include "oracle/port_feed.hpp"
#include "oracle/prepared_session.hpp"
#include "oracle/terminal.hpp"
#include "reports/report.hpp"
#include "session/exit_codes.hpp"
#include "session/result_feed.hpp"

namespace backoff::oracle {

class check_session {
 public:
  // Starts the port. asked_for: what is run; the constructor adds the port's description and the known failures.
  check_session(judge::judged_system const& system, results_header asked_for, prepared_session ready);

  // Judges the histories of the plan that belong to the part of the run.
  void judge_plan();
  // Judges these histories. Repeats them where the port may fail on one try and not on the next. Throws usage_error
  // where the port does not take them.
  void judge(std::vector<histories::history> cases);
  // Prints the report, with each finding on its smallest history. widen: tries a list of its failures on further runs
  // before the list is written; returns whether the port came to the end of a run under it.
  exit_code finish(std::function<bool(failing_list&)> const& widen = {});
  // In place of the report: adds what failed beyond the known failures to the list. Returns whether the list has
  // changed.
  [[nodiscard]] bool add_to(failing_list& list);
  [[nodiscard]] bool gave_up() const noexcept { return end_.gave_up.has_value(); }

 private:
  // When the run ends at the latest.
  [[nodiscard]] std::optional<restartable::time_point> until() const;
  void settle_mapping();
  // Histories that the port was asked; the first is number `from` of the run.
  struct asked_batch {
    std::span<histories::history const> histories;
    std::uint64_t from;
    port_feed::answered answered{};
  };
  // Judges them. Returns whether to go on. planned: the plan that they come from.
  bool take(asked_batch const& batch, judge::plan const* planned = nullptr);
  // Judges a batch while the port answers the next one.
  void judge_all_of(judge::plan& histories);
  // Asks these histories and judges them. Returns whether to go on.
  bool feed(std::span<histories::history const> histories);
  void compare_processes(std::vector<histories::history> samples);
  void judge_again(std::vector<histories::history> const& cases);

  [[nodiscard]] asked_again ask_again();
  // Takes out of `all` what the list knows of, and notes it.
  [[nodiscard]] std::vector<broken_port> take_known(std::vector<broken_port>& all);
  [[nodiscard]] explained_findings found(settled_results const& settled, asked_again const& again);
  void add_how_it_ended(std::vector<broken_port>& broken);
  void write_results(explained_findings const& found, std::span<broken_port const> broken,
                     std::span<broken_port const> known);
  void write_failing(explanations const& why, std::function<bool(failing_list&)> const& widen);

  judge::judged_system const* system_;
  results_header header_;
  prepared_session ready_;
  progress line_;
  port_feed port_;
  result_feed judged_;
  asked_histories asked_;
  run_end end_;
  restartable::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace backoff::oracle
