// What check and replay share: a live port from its start to the printed report.
#pragma once

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "explain/breaking.hpp"
#include "files/results.hpp"
#include "judge/plan.hpp"
#include "judge/run.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "reports/report.hpp"
#include "session/intake.hpp"
#include "session/options.hpp"
#include "transport/port_pool.hpp"

namespace backoff::oracle {

// Starts the port, hands histories to it batch by batch until `next` returns none, and prints the report. The mapping
// of draws is settled first, by the system's probes.
class judging {
 public:
  // resume: a results file of the same run, which was cut off; its answers are judged before the port is asked.
  // known: the known failures, in place of those of a file.
  judging(judge::judged_system const& system, std::vector<std::string> command, judging_options const& options,
          std::uint64_t seed, std::uint64_t cases = 0, std::string const& resume = {},
          known_failing const* known = nullptr);

  [[nodiscard]] histories::domain const& takes() const { return about_.takes; }
  void settle_mapping();
  // What is fed from now on comes from that plan, so many from its next history on.
  void begin(judge::plan const& histories, std::uint64_t count);
  // False once the failures asked for have been seen.
  [[nodiscard]] bool feed(std::span<histories::history const> histories,
                          judge::plan const* planned = nullptr);  // from which they come
  // Whether something broke that fails the port: advice does not.
  [[nodiscard]] bool fails() const { return std::ranges::any_of(run_.breaches(), &judge::breach::fails); }
  // Whether the port draws for itself: what fails on one try may not on the next. For given draws, whether it may.
  [[nodiscard]] bool draws() const { return run_.about().takes.draws.kind == spec::draw_kind::hidden; }
  [[nodiscard]] bool may_draw() const { return draws() || run_.mapping() == judge::mapped::otherwise; }
  [[nodiscard]] bool wants_samples() const { return intake_.judged().wants_samples(); }
  // Has two fresh processes answer the same samples, where the port says that it may be started twice.
  void compare_processes(std::span<histories::history const> samples);
  // On a terminal: what the port is asked from now on, and how many histories.
  void doing(std::string what, std::uint64_t histories) { progress_.begin(std::move(what), "histories", histories); }
  // For a line on standard error, before the report.
  void say(std::string const& line) { progress_.say(line); }
  // Prints the report, with every broken claim shown on its smallest history. widen: what a list of its failures is put
  // to before it is written; whether the port came to the end of a run under it.
  exit_code finish(std::function<bool(failing_list&)> const& widen = {});
  // In place of the report: what failed beyond the list that the run knows. Whether the list has changed.
  [[nodiscard]] bool add_to(failing_list& list);
  [[nodiscard]] bool gave_up() const noexcept { return gave_up_.has_value(); }

 private:
  void give_up(session_failure const& e);
  // The results of the next histories: those of the resumed run, then the port's.
  [[nodiscard]] std::vector<histories::result> answered(std::span<histories::history const> histories);
  [[nodiscard]] std::vector<histories::result> resumed(std::span<histories::history const> histories);
  // Why the port is not sent that history; empty: it is.
  [[nodiscard]] std::string_view held_back(histories::history const& h) const;
  enum class told : std::uint8_t { all_is_well, region, nothing };
  told learn_where_it_breaks(std::span<histories::history const> asked, std::span<histories::result const> results);
  void begin_shrinking();
  void compare_with_itself();
  // What the process had been asked before that history of the run, oldest first; the latest of it where it is much.
  [[nodiscard]] std::vector<histories::history> asked_before(std::uint64_t index) const;
  [[nodiscard]] judge::counterexample shown_breach(judge::breach const& b);
  [[nodiscard]] bool time_to_shrink_is_over() const { return std::chrono::steady_clock::now() >= shrink_until_; }
  // Of a claim that is broken by chance, and not again: whether chance explains that.
  [[nodiscard]] judge::how_shown never_again(judge::breach const& b);
  [[nodiscard]] std::vector<broken_port> shown_breakdowns();
  // Of histories on which the port is known to break: one that breaks it, for each line of the list.
  [[nodiscard]] std::vector<broken_port> known_breakdowns();
  [[nodiscard]] std::vector<histories::history> unknown_breaks() const;
  // Those that a line of the list is about, which is noted.
  [[nodiscard]] std::vector<broken_port> take_known(std::vector<broken_port>& all);
  // Whether it came to its end in its time.
  bool search_with(judge::claim_mask about, std::function<void(judge::subject&, explain::search_limits)> const& search);
  void find_regions_of(judge::breach const& b, bool parts, explanations& all);
  // The smallest histories in the other regions of the finding's claim, where no earlier finding accounts for what
  // breaks there.
  void show_parts(std::vector<judge::counterexample>& shown, std::size_t at, explanations& all);
  [[nodiscard]] std::optional<judge::counterexample> shown_part(judge::breach const& b,
                                                                std::span<explain::tested_region const> regions,
                                                                std::size_t part, judge::claim_mask accounted);
  [[nodiscard]] std::vector<std::vector<explain::constraint>> guessed_regions(
      std::vector<judge::counterexample> const& shown) const;
  // What becomes of the port outside the regions of all these; nothing where one of them has no region.
  void try_elsewhere(std::vector<judge::counterexample> const& shown, explanations& all);
  // Where each finding breaks, of other failures too where they are written to a file; what explains all answers. Of a
  // claim that breaks in several regions, a finding is added for each.
  [[nodiscard]] explanations explained(std::vector<judge::counterexample>& shown);
  [[nodiscard]] histories::history smallest_breaking(breakdown const& b);
  void write_failing(explanations const& explains, bool cut_short, std::function<bool(failing_list&)> const& widen);
  // The same for what ends when the time to shrink is over.
  void now(std::string what) { progress_.begin(std::move(what), "histories", 0, shrink_until_); }
  [[nodiscard]] std::string_view name_of(judge::breach const& b) const;

  judge::judged_system const* system_;
  std::vector<std::string> command_;
  judging_options options_;
  std::uint64_t seed_;
  std::uint64_t cases_;  // asked for
  judge::run_options parsed_;
  std::optional<results_file> resumed_;   // until all that it holds is judged
  std::vector<histories::result> taken_;  // from it, not judged yet
  plan_digest resumed_plan_;
  std::uint64_t resumed_count_ = 0;
  std::optional<results_writer> results_;  // before the port: what cannot be written is found before it is started
  std::optional<output_file> junit_;
  std::optional<output_file> certificate_;
  std::optional<output_file> failing_;
  known_failing known_;
  progress progress_;
  port_pool port_;
  judge::capabilities about_;  // of the port, narrowed to the ranges of the options
  explain::breaking breaking_;
  intake intake_;
  judge::run& run_;
  how_ended ended_ = how_ended::done;
  std::optional<breakdown> gave_up_;           // the port broke too often to go on
  std::optional<judge::plan> planned_;         // as it was before the first history was taken from it
  std::vector<histories::history> unplanned_;  // what was fed where there is no plan
  std::vector<histories::history> compared_;   // what two processes answered
  std::uint64_t fed_ = 0;
  port_session::time_point began_ = std::chrono::steady_clock::now();
  port_session::time_point shrink_until_;
};

}  // namespace backoff::oracle
