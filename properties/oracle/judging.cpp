#include "oracle/judging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "history/shrink.hpp"
#include "judge/plan.hpp"
#include "oracle/forms.hpp"
#include "oracle/live_groups.hpp"
#include "oracle/sequence.hpp"

namespace backoff::oracle {
namespace {

using namespace conformance;

constexpr std::size_t restarts_to_shrink = 200;

std::chrono::milliseconds timeout(judging_options const& options) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_s * 1000));
}

}  // namespace

namespace {

// The port as the judge asks it, which knows no exceptions: once it fails, it breaks on every history. So it does on
// those on which the claim is known to fail: what is shown is another failure.
class asked_port final : public subject {
 public:
  asked_port(port_session& port, known_failing const& known, unsigned claim) noexcept
      : port_(&port), known_(&known), claim_(claim == breach::no_answer ? run::no_answer : claim_mask{1} << claim) {}
  [[nodiscard]] capabilities const& describes() const noexcept override { return port_->describes(); }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) noexcept override {
    try {
      if (!failure_) {
        auto results = port_->run(histories);
        for (std::size_t i = 0; i < results.size(); ++i) {
          if ((known_->excused(histories[i]) & claim_) != 0) results[i] = {result::kind::broke, {}, "known to fail"};
        }
        return results;
      }
    } catch (session_failure const& e) {
      failure_ = e;
    }
    return std::vector<result>(histories.size(), {result::kind::broke, {}, failure_->what()});
  }
  // Throws the failure, if there was one.
  void demand_unbroken() const {
    if (failure_) throw session_failure(*failure_);
  }

 private:
  port_session* port_;
  known_failing const* known_;
  claim_mask claim_;
  std::optional<session_failure> failure_;
};

}  // namespace

namespace {

std::optional<results_writer> opened(std::string const& path) {
  return path.empty() ? std::nullopt : std::optional<results_writer>(std::in_place, path);
}

// Starts the port; where it does not start, the JSON form says so too.
port_pool start_port(judged_system const& system, std::vector<std::string> const& command,
                     judging_options const& options, std::optional<output_file>& junit) {
  try {
    return {system.shape(), command, timeout(options), options.jobs};
  } catch (session_failure const& e) {
    if (live_groups::interrupted()) throw;
    if (options.report.format == "json") std::fputs(failed_start_json(system.shape(), command, e).c_str(), stdout);
    end_junit(junit, failed_start_junit(system.shape(), e));
    throw;
  }
}

}  // namespace

judging::judging(judged_system const& system, std::vector<std::string> command, judging_options const& options,
                 std::uint64_t seed, std::uint64_t cases)
    : system_(&system),
      command_(std::move(command)),
      options_(options),
      seed_(seed),
      cases_(cases),
      parsed_(parse_judging(system, options)),
      results_(opened(options.results)),
      junit_(begun_file(options.report.junit, before_junit)),
      failing_(begun_file(options.write_known_failing, known_failing::about)),
      known_(options.known_failing.empty() ? known_failing() : known_failing::read(system, options.known_failing)),
      port_(start_port(system, command_, options, junit_)),
      intake_(make_run(system, port_.describes(), parsed_), known_, options.max_failures, !options.part.is_whole()),
      run_(intake_.judged()) {
  if (failing_) intake_.watch();
  if (results_) {
    results_->begin({std::string(system.shape().stem),
                     port_.first().said(),
                     options_.program,
                     command_,
                     seed_,
                     {options_.part, cases_},
                     options_,
                     known_.name(),
                     known_.text()});
  }
}

void judging::settle_mapping() {
  auto const probes = mapping_probes(run_, seed_);
  try {
    auto const answered = port_.probe(probes);
    if (results_) results_->probes(answered);
    run_.settle_mapping(probes, answered);
  } catch (session_failure const& e) {
    give_up(e);
  }
}

void judging::give_up(session_failure const& e) {
  if (live_groups::interrupted()) {
    ended_ = how_ended::interrupted;
    return;
  }
  gave_up_ = breakdown{std::string("the rest was not judged: ") + e.what(), {}, {}, false, ""};
  if (port_.breakdowns().empty()) gave_up_->stderr_tail = e.stderr_tail;
}

bool judging::feed(std::span<history const> histories, plan const* planned) {
  if (live_groups::interrupted()) ended_ = how_ended::interrupted;
  if (gave_up_ || ended_ == how_ended::interrupted) return false;
  try {
    auto const results = port_.run(histories);
    remember(histories);
    if (results_ && planned != nullptr) results_->answers(planned->given() - histories.size(), histories, results);
    for (std::size_t i = 0; i < histories.size(); ++i) {
      bool const is_sample = planned != nullptr && planned->samples(planned->given() - histories.size() + i);
      if (intake_.take(histories[i], results[i], is_sample)) continue;
      ended_ = how_ended::enough;
      return false;
    }
  } catch (session_failure const& e) {
    give_up(e);
    return false;
  }
  return true;
}

void judging::compare_processes(std::span<history const> samples) {
  if (gave_up_ || ended_ == how_ended::interrupted || !intake_.wants_two_processes() ||
      !takes().offers(feature::fresh_process))
    return;
  try {
    port_.first().restart(restarts_to_shrink);
    auto const one = port_.first().run(samples);
    port_.first().restart(restarts_to_shrink);
    auto const other = port_.first().run(samples);
    if (results_) results_->twice(one, other);
    for (std::size_t i = 0; i < samples.size(); ++i) intake_.take_twice(samples[i], one[i], other[i]);
  } catch (session_failure const& e) {
    give_up(e);
  }
}

// Keeps what the process was sent, as long as nothing is broken: a port that remembers is shown by what it remembers.
void judging::remember(std::span<history const> histories) {
  constexpr std::size_t kept = 8'192;
  if (!run_.breaches().empty()) return;
  sent_.insert(sent_.end(), histories.begin(), histories.end());
  if (sent_.size() <= kept) return;
  std::size_t const old = sent_.size() - kept;
  sent_.erase(sent_.begin(), sent_.begin() + static_cast<std::ptrdiff_t>(old));
  counted_before_sent_ += old;
}

// The broken claim on its smallest history, which must break it again in a fresh process. If it does not, the port
// remembers other histories.
counterexample judging::shown_breach(breach const& b) {
  if (b.claim != breach::no_answer && system_->claims()[b.claim].draws) {
    asked_port never_asked(port_.first(), known_, b.claim);
    return minimise(run_, never_asked, b);
  }
  try {
    port_.first().restart(restarts_to_shrink);
    if (breaks_claim(run_, b, b.first.tried, port_.first().run(std::span(&b.first.tried, 1)).front())) {
      asked_port asked(port_.first(), known_, b.claim);
      auto const c = minimise(run_, asked, b);
      asked.demand_unbroken();
      port_.first().restart(restarts_to_shrink);
      std::vector<history> again;
      for (auto const& e : c.histories) again.push_back(e.tried);
      if (still_shown(run_, c, port_.first().run(again))) return c;
    }
  } catch (session_failure const&) {
    return {b, run_.explained_by(), {b.first}, {}};  // it breaks while it is shrunk: shown as it was found
  }
  auto const first = b.first.index < counted_before_sent_
                         ? sent_.begin()
                         : sent_.begin() + static_cast<std::ptrdiff_t>(b.first.index - counted_before_sent_);
  return minimise_sequence(run_, port_.first(), b, {sent_.begin(), first});
}

// The history shrunk while the port still breaks on it in the same way.
history judging::smallest_breaking(breakdown const& b) {
  history best = *b.culprit;
  try {
    port_.first().restart(restarts_to_shrink);
    static_cast<void>(shrink(system_->shape(), takes(), best, [&](std::vector<history> const& candidates) {
      std::vector<bool> fails(candidates.size());
      for (std::size_t i = 0; i < candidates.size(); ++i) {  // one by one: every break costs a process
        auto const got = port_.first().run(std::span(&candidates[i], 1));
        if (got.front().is != result::kind::broke || got.front().why != b.what) continue;
        best = candidates[i];
        fails[i] = true;
        break;
      }
      return fails;
    }));
  } catch (session_failure const&) {
    // Enough restarts: the smallest one so far will do.
  }
  return best;
}

// Each way of breaking once, the first on its smallest history; not a hang, which would cost a time-out for every try.
std::vector<broken_port> judging::shown_breakdowns() {
  std::vector<broken_port> shown;
  for (auto const& b : std::vector<breakdown>(port_.breakdowns())) {
    if (std::ranges::any_of(shown, [&](broken_port const& s) { return s.what.what == b.what; })) continue;
    bool const shrinks = shown.empty() && b.culprit && !b.timed_out;
    shown.push_back({b, shrinks ? smallest_breaking(b) : b.culprit});
  }
  if (gave_up_) shown.push_back({*gave_up_, {}});
  return shown;
}

exit_code judging::finish() {
  auto broken = shown_breakdowns();
  std::vector<counterexample> shown;
  if (!gave_up_) {
    shown = shown_breaches(run_, [this](breach const& b) { return shown_breach(b); });
    port_.stop();
  }
  intake_.settle(!gave_up_);
  if (results_) {
    for (auto const& c : shown) results_->shown(run_, c);
    for (auto const& b : broken) results_->broke(run_, b);
    results_->end(run_, gave_up_ ? how_ended::gave_up : ended_);
  }
  invocation called{options_.program, words_for_replay(options_), command_,     seed_,
                    cases_,           options_.library.empty(),   options_.part};
  called.interrupted = ended_ == how_ended::interrupted;
  called.cut_short = gave_up_ || ended_ != how_ended::done;
  called.known = intake_.known().lines();
  auto const r = make_report(run_, shown, std::move(broken), std::move(called));
  if (failing_) {
    failing_->write(intake_.seen().text(run_, intake_.known()));
    failing_->commit();
  }
  end_junit(junit_, to_junit(r));
  print(r, options_.report.format);
  return r.ends_with;
}

}  // namespace backoff::oracle
