// Feeds the results of a port or of a file to the judge, with the known failures, until it has seen enough.
// Checked by: properties/oracle/oracle_test.py, properties/oracle/results_test.py.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "explain/diagnosis.hpp"
#include "explain/where.hpp"
#include "histories/present.hpp"
#include "judge/counterexample.hpp"
#include "judge/plan.hpp"
#include "session/kept_draws.hpp"
#include "session/known_failing.hpp"

namespace backoff::session {

class result_feed;

// All results are judged, blame is settled, and the port was compared with itself: what is broken can be shown.
class settled_results {
 public:
  [[nodiscard]] judge::run& judged() const noexcept;
  [[nodiscard]] result_feed const& from() const noexcept { return *from_; }
  [[nodiscard]] std::vector<judge::compared> const& compared() const { return compared_; }

 private:
  friend result_feed;
  settled_results(result_feed& from, std::vector<judge::compared> compared)
      : from_(&from), compared_(std::move(compared)) {}

  result_feed* from_;
  std::vector<judge::compared> compared_;
};

class result_feed {
 public:
  // part: the results are a part of a run. Settled draws then do not end the feed, because only the whole run can tell.
  result_feed(judge::run judged, known_failing known, std::uint64_t max_failures, bool part)
      : run_(std::move(judged)), known_(std::move(known)), max_failures_(max_failures), part_(part) {}

  // Returns whether more results are wanted.
  [[nodiscard]] bool take(histories::history const& h, histories::result const& r,
                          judge::sample_kind sample = judge::sample_kind::none) {
    bool const is_sample = sample != judge::sample_kind::none;
    if (kept_ && is_sample && run_.draws().are_tested() && r.kind == histories::result_kind::answered)
      kept_->see({{run_.counts().all(), h, r}, {}});
    auto const excused = known_.excused(h);
    auto const failing = run_.failing_histories();
    known_.note(h, r, run_.judge(h, r, sample, excused));
    if (answers_) answers_->take(h, r, run_.failing_histories() != failing);
    if (log_) log_->add(r);
    bool const failed_enough = max_failures_ != 0 && run_.failing_histories() >= max_failures_;
    enough_ = failed_enough || (!part_ && run_.draws().are_settled());
    return !enough_;
  }
  void take_twice(histories::history const& h, histories::result const& one, histories::result const& other) {
    using enum histories::result_kind;
    if (kept_ && run_.draws().are_tested() && one.kind == answered && other.kind == answered)
      kept_->see({{run_.counts().all(), h, one}, other.answers});
    known_.note(h, one, run_.judge_twice(h, one, other, known_.excused(h)));
  }
  // Whether two processes should answer the same samples: the draws of one have not refuted all readings.
  [[nodiscard]] bool wants_two_processes() const noexcept { return !enough_ && (part_ || !run_.draws().refute_all()); }
  // Notes that the port broke on the history. Returns whether it is known to.
  bool note_break(histories::history const& h) { return known_.note_break(h); }
  // After the last history: settles blame. `compare` then asks the port again, to compare it with itself; empty: there
  // is no port to ask.
  using comparison = std::function<std::vector<judge::compared>(judge::run&)>;
  [[nodiscard]] settled_results settle_blame(comparison const& compare = {});
  // Call after settle_blame. Settles under which known failures something failed. all: whether all histories were
  // judged; then it also settles which faults of hidden draws the run would have caught.
  void settle(bool all) {
    if (all) run_.settle_power();
    known_.settle(run_);
  }

  // Keeps answers, to learn from them where claims break and which known fault explains them.
  void keep_answers() {
    answers_.emplace();
    log_.emplace(run_.system().shape());
  }
  // The known fault that explains all answers outside `elsewhere`, the regions of other faults. `whole` is the plan of
  // the run before its first history.
  [[nodiscard]] std::optional<explain::probable> diagnosed(
      judge::plan const& whole, std::vector<std::vector<explain::constraint>> const& elsewhere = {}) const {
    if (!answers_ || !log_) return {};
    auto const again = [&] { return [again = whole]() mutable { return again.next(batch); }; };
    return explain::diagnose(run_, answers_->failed(), *log_, again, elsewhere);
  }
  [[nodiscard]] explain::answers_kept const* answers() const noexcept { return answers_ ? &*answers_ : nullptr; }
  // Settles the mapping of draws by the system's probes, and keeps them.
  void settle_mapping(std::span<histories::history const> probes, std::span<histories::result const> results) {
    for (std::size_t i = 0; kept_ && i < probes.size(); ++i) probes_.push_back({i, probes[i], results[i]});
    run_.settle_mapping(probes, results);
  }
  // Keeps the samples, which the judge does not, for a certificate. Call before the first history.
  void keep() { kept_.emplace(); }
  [[nodiscard]] kept_draws const& kept() const { return histories::present(kept_); }
  [[nodiscard]] std::vector<judge::evidence> const& probes() const noexcept { return probes_; }

  [[nodiscard]] judge::run& judged() noexcept { return run_; }
  [[nodiscard]] judge::run const& judged() const noexcept { return run_; }
  [[nodiscard]] known_failing const& known() const noexcept { return known_; }

 private:
  judge::run run_;
  known_failing known_;
  std::uint64_t max_failures_;
  bool part_;
  bool enough_ = false;
  static constexpr std::size_t batch = 2'048;
  std::optional<explain::answers_kept> answers_;
  std::optional<explain::answers_log> log_;
  std::optional<kept_draws> kept_;
  std::vector<judge::evidence> probes_;  // of the mapping, where they are kept
};

// Which broken claims are shown: every one that refutes conformance to the document; where none does, those that fail
// the port otherwise; where none does, the others. The run is told which part of a rule a finding shows.
[[nodiscard]] std::vector<judge::counterexample> shown_breaches(
    settled_results const& settled, std::function<judge::counterexample(judge::breach const&)> const& shown_breach);

}  // namespace backoff::session
