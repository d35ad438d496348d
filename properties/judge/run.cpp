#include "judge/run.hpp"

#include <algorithm>
#include <utility>

#include "histories/present.hpp"
#include "judge/causes.hpp"

namespace backoff::judge {

std::variant<run, std::string> run::begin(judged_system const& system, capabilities const& about, run_options options) {
  auto found = terms::of(system, about, std::move(options));
  if (auto* const why = std::get_if<std::string>(&found)) return std::move(*why);
  auto held_to = std::make_shared<terms const>(std::get<terms>(std::move(found)));
  readings_left readings(*held_to);
  if (readings.initial().empty()) {
    std::string why = "no admitted reading fits the port's kind of draws";
    if (about.mapping) why.append(", which it maps by ").append(*about.mapping);
    return why;
  }
  return run(std::move(held_to), std::move(readings));
}

run::run(std::shared_ptr<terms const> held_to, readings_left readings)
    : held_to_(std::move(held_to)),
      examiner_(held_to_->system()),
      readings_(std::move(readings)),
      draws_(*held_to_, mapping(), readings_),
      blame_(*held_to_),
      broken_(*held_to_),
      counts_(held_to_->system()) {}

void run::settle_mapping(std::span<history const> probes, std::span<result const> results) {
  if (grade() != grade::exact || probes.empty()) return;
  readings_ = settled_by_probes(*held_to_, examiner_, std::move(readings_), probes, results);
  draws_ = judged_draws(*held_to_, mapping(), readings_);
}

bool run::counts_as_answered(result const& r) const noexcept {
  if (r.kind == result_kind::answered) return true;
  bool const says_so = r.kind == result_kind::rejected && !r.answers.empty();
  return says_so && all_declared(system().shape(), about().takes);
}

claim_mask run::judge(history const& h, result const& r, sample_kind sample, claim_mask known_failures) {
  judged_history const seen{counts_.all(), h, r, options().claims};
  counts_.take(h, r);
  if (r.kind == result_kind::broke) return 0;
  if (!counts_as_answered(r)) return note_refusal(seen, known_failures);
  auto const failing = failing_histories();
  claim_mask failed = judge_answers_but(known_failures, seen);
  bool const is_tested = r.kind == result_kind::answered && sample != sample_kind::none && draws_.are_tested();
  if (is_tested) failed |= judge_draws(seen, {}, sample, failing_histories() == failing, known_failures);
  return failed;
}

claim_mask run::judge_twice(history const& h, result const& one, result const& other, claim_mask known_failures) {
  auto const failing = failing_histories();
  claim_mask failed = judge(h, one, sample_kind::none, known_failures);
  bool const both = one.kind == result_kind::answered && other.kind == result_kind::answered;
  if (!both || !draws_.are_tested()) return failed;
  judged_history const seen{counts_.all() - 1, h, one, options().claims};
  bool const is_clean = failing_histories() == failing;
  failed |= judge_draws(seen, other.answers, sample_kind::repeated, is_clean, known_failures);
  // Processes that draw alike refute no reading here. The break is noted if they do so under the assignment that
  // explains the run.
  if (!draws_.are_alike(seen, other.answers, readings_, explained_by())) return failed;
  claim_mask const broken = held_to_->claims_about_draws() & ~held_to_->must_claims();
  broken_.note(broken & ~known_failures, seen);
  return failed | (broken & known_failures);
}

// Notes a history that was not answered. A port that declares all its ranges should have answered it.
claim_mask run::note_refusal(judged_history const& seen, claim_mask known_failures) {
  if (seen.got.kind == result_kind::unsent || !all_declared(system().shape(), about().takes)) return 0;
  if (any(known_failures & no_answer_mask)) return no_answer_mask;
  broken_.note(no_answer_mask, seen);
  return 0;
}

claim_report const& run::explained(judged_history const& seen) {
  return examiner_.broken_claims(seen.tried, seen.got.answers, held_to_->draws(), explained_by());
}

claim_report const& run::explained(evidence const& e) {
  return explained(judged_history{e.index, e.tried, e.got, options().claims});
}

// Judges the answers without the claims that are known to fail. Where one of these fails, the other claims refute
// readings only if they leave no admitted reading at all: only then is something else wrong.
claim_mask run::judge_answers_but(claim_mask known_failures, judged_history const& seen) {
  known_failures &= options().claims;
  if (!any(known_failures)) {
    judge_answers(seen);
    return 0;
  }
  auto const& report = explained(seen);
  claim_mask const failed = report.broken & known_failures;
  claim_mask const at_stake = report.at_stake;
  answers_excused_ |= any(failed);
  counts_.put_at_stake(at_stake & known_failures);
  judged_history const rest{seen.index, seen.tried, seen.got, options().claims & ~known_failures};
  if (any(failed)) {
    auto const outcomes = examiner_.judge(seen.tried, seen.got.answers, held_to_->draws(), readings_.with_hazards(),
                                          rest.selected, held_to_->must_claims());
    bool const some_left = std::ranges::any_of(
        outcomes, [&](assignment_outcome const& o) { return o.alive && readings_.admits(o.where); });
    if (some_left) {
      counts_.put_at_stake(at_stake & rest.selected);
      return failed;
    }
  }
  judge_answers(rest);
  return failed;
}

void run::judge_answers(judged_history const& seen) {
  auto const outcomes = examiner_.judge(seen.tried, seen.got.answers, held_to_->draws(), readings_.with_hazards(),
                                        seen.selected, held_to_->must_claims());
  claim_mask at_stake = 0;
  claim_mask broken = ~claim_mask{0};  // under every assignment that is still admitted
  bool refuted = false;
  for (auto const& o : outcomes) {
    at_stake |= o.at_stake;
    if (!readings_.admits(o.where)) continue;
    if (o.alive) {
      broken &= o.broken;
    } else {
      refuted = true;
    }
  }
  std::optional<spec::cube> before;
  if (refuted) {
    refuting_.push_back(seen.kept());
    before = explained_by();
  }
  readings_.narrow(outcomes);
  if (before && readings_.admitted().empty()) blame_.put_on(*before);
  if (blame_.on()) {
    bool const has_moved = blame_.moves_with(seen, examiner_);
    at_stake = note_all(seen);
    if (has_moved) blame_.was_at_stake(at_stake);
  } else if (any(broken)) {
    broken_.count_if_failing(broken_.note_by_call(explained(seen), seen, ~broken));
  }
  counts_.put_at_stake(at_stake);
  if (blame_.is_settled() || draws_.refute_all()) return;
  if (blame_.keep(seen, at_stake, refuted)) settle_blame();
}

// Notes what a history breaks under the assignment that explains the run; returns the claims at stake.
claim_mask run::note_all(judged_history const& seen) {
  auto const& report = explained(seen);
  broken_.count_if_failing(broken_.note_by_call(report, seen, 0));
  return report.at_stake & seen.selected;
}

claim_mask run::judge_draws(judged_history const& seen, std::span<answer const> elsewhere, sample_kind sample,
                            bool is_clean, claim_mask known_failures) {
  judged_draws::explanation const by{explained_by(), blame_.on().has_value()};
  auto const shown = draws_.judge(seen, elsewhere, sample, is_clean, readings_, by);
  if (shown.tells) {
    for_each_bit(held_to_->claims_about_draws(), [&](unsigned i) {
      bool const of_one_process = *system().claims()[i].draws != about_draws::seeded;
      if (of_one_process || !elsewhere.empty()) counts_.put_at_stake(claim_mask{1} << i);
    });
  }
  if (!shown.refutes_some) return 0;
  claim_mask const broken = shown.is_a_finding ? draws_.broken_under(by.reading) : 0;
  if (shown.is_a_finding && !any(broken & ~known_failures)) {
    draws_.excuse();
    return broken;
  }
  readings_.narrow_to(draws_.living(readings_.with_hazards()), draws_.living(readings_.never_broken()));
  if (!shown.is_a_finding) return 0;
  blame_.put_on(by.reading);
  draws_.find(by);
  broken_.note(broken, seen);
  return 0;
}

// Where another reading explains more, the histories kept are noted again under it. A replay keeps its reading: its
// earlier histories say under which reading the last one was shown, and are no sample of what the port does.
void run::settle_blame() {
  if (draws_.refute_all() || draws_.are_broken_too()) {
    // Draws that refute a port may be few. Those that came later tell better which claim they break.
    claim_mask const right = draws_.broken_under(present(blame_.on()));
    broken_.rename(held_to_->claims_about_draws() & held_to_->must_claims() & ~right, right);
    return;
  }
  if (!options().whole || !blame_.on() || blame_.is_settled()) return;
  if (!blame_.settle(examiner_, readings_, draws_)) return;
  broken_.forget_claims();
  for (auto const& w : blame_.kept()) {
    counts_.take_back(w.at_stake);
    counts_.put_at_stake(note_all({w.seen.index, w.seen.tried, w.seen.got, w.selected}));
  }
}

std::vector<evidence> run::witnesses_of(breach const& b) {
  std::vector all{b.first};
  for (auto const& w : witnesses()) {
    if (!includes(w.at_stake, b.claim) || w.seen.index == b.first.index) continue;
    if (includes(explained(w.seen).broken, b.claim)) all.push_back(w.seen);
  }
  return all;
}

void run::settle_dependence(std::span<compared const> all) {
  for (auto const& c : all) {  // the smallest of those that show it stands last
    if (!c.same) broken_.confirm(c.claim, c.seen, explained(c.seen).leads(c.claim, options().claims));
  }
  std::vector<breach> withdrawn;
  for (auto const& c : all) {
    if (!includes(broken_.dependent(), c.claim)) withdraw(c, withdrawn);
  }
  // A pinned reading may require more of a reset than the port does. No other claim is broken then, so the claim about
  // the reset stays broken.
  if (readings_.with_hazards().empty() && broken_.all().empty()) {
    for (auto const& b : withdrawn) {
      if (system().claims()[b.claim].compares == dependence::reset) broken_.put_back(b);
    }
  }
  not_compared_ &= ~broken_.broken();
}

// Withdraws a claim of dependence that the port does not break; notes in its place what the shorter history breaks.
void run::withdraw(compared const& c, std::vector<breach>& withdrawn) {
  if (auto const b = broken_.withdraw(c.claim)) withdrawn.push_back(*b);
  if (!c.asked) not_compared_ |= claim_mask{1} << c.claim;
  claim_mask const of_dependence =
      held_to_->claims_where([](claim_text const& text, unsigned) { return text.compares.has_value(); });
  bool const waived = !c.asked && !held_to_->fails(c.claim);
  claim_mask const asked = waived || c.explained ? 0 : options().claims & ~(c.excused | of_dependence);
  auto const& report = explained(c.seen);
  if (any(report.broken & ~of_dependence))
    std::erase_if(withdrawn, [&](breach const& b) { return b.claim == c.claim; });
  answers_excused_ |= any(report.broken & c.excused);
  counts_.put_at_stake(broken_.note_by_call(report, {c.seen.index, c.seen.tried, c.seen.got, asked}, broken_.broken()));
}

sampled_draws const& run::samples_against(unsigned claim) const {
  return held_to_->refutes_readings(claim) ? *samples() : *draws_.of_two_processes(explained_by());
}

void run::settle_power() {
  if (draws_.are_tested() && !blame_.on()) draws_.settle_power(explained_by());
}

spec::cube run::explained_by() const {
  auto const& blamed = blame_.on();
  return blamed ? *blamed : simplest_among(system().readings(), readings_.admitted());
}

std::vector<breach> run::breaches() const { return told_in_order(*held_to_, broken_, counts_); }

verdict run::verdict() const { return verdict_with_the_interface(verdict_by_the_document(), broken_); }

verdict run::verdict_by_the_document() const {
  return judge::verdict_by_the_document(*held_to_, broken_, counts_, draws_, is_unexplained());
}

bool run::is_unexplained() const {
  bool const all_are_judged = (held_to_->must_claims() & ~options().claims) == 0;
  bool const excused = answers_excused_ || draws_.are_excused();
  return all_are_judged && !excused && readings_.admitted().empty();
}

claim_mask run::unexercised_musts() const noexcept { return judge::unexercised_musts(*held_to_, counts_, grade()); }

}  // namespace backoff::judge
