#include "judge/judged_draws.hpp"

#include <algorithm>

#include "histories/present.hpp"

namespace backoff::judge {
namespace {

constexpr std::uint64_t samples_for_hazards = 40;  // by then most hazards are refuted; testing the others costs time

// A port whose calls draw nothing has nothing to hide.
bool hides_draws(terms const& held_to) {
  auto const& takes = held_to.about().takes;
  return takes.draws.kind == spec::draw_kind::hidden &&
         std::ranges::any_of(held_to.system().claims(), [&](claim_text const& c) {
           return c.draws && (c.possible == nullptr || c.possible(takes));
         });
}

}  // namespace

// Tests hidden draws where a claim about them is judged. Given draws are tested in the same way unless the port maps
// them exactly. Where two tests can fail the port, each may fail a right one with half of alpha.
judged_draws::judged_draws(terms const& held_to, mapped how, readings_left const& left)
    : held_to_(&held_to),
      grade_(hides_draws(held_to) || how != mapped::exactly ? grade::membership : grade::exact),
      alpha_of_a_test_(held_to.options().alpha) {
  if (grade_ == grade::exact) return;
  which_ = tests_where(true);
  // Draws that are coarser than a float of 32 bits leave most values of a wide window out.
  constexpr std::uint64_t fine = 1U << 24U;
  bool const is_coarse = how != mapped::exactly && held_to.draws().size < fine;
  if (is_coarse) which_ &= ~(bit(draw_test::fine_digits) | bit(draw_test::low_bit));
  if (!any(which_)) return;
  grade_ = grade::distribution;
  auto const advised = tests_where(false);
  bool const can_fail_twice = any(held_to.claims_about_draws() & held_to.failing_claims() & ~held_to.must_claims());
  if (can_fail_twice) alpha_of_a_test_ /= 2;
  tests_.emplace(held_to.system(), alpha_of_a_test_, which_, left.with_hazards());
  if (any(advised)) of_two_.emplace(held_to.system(), alpha_of_a_test_, advised, left.with_hazards());
}

// The tests of the judged claims about draws: of those claims that refute readings, or of the others.
draw_tests_mask judged_draws::tests_where(bool refutes_readings) const {
  draw_tests_mask tests = 0;
  for_each_bit(held_to_->claims_about_draws(), [&](unsigned i) {
    if (held_to_->refutes_readings(i) == refutes_readings)
      tests |= tests_of(present(held_to_->system().claims()[i].draws));
  });
  return tests;
}

// After answers have refuted all readings, draws are still tested: under the blamed reading, on samples whose answers
// are as documented. What this finds is a fault of its own only if nearly all samples are answered as documented.
// Answers that are wrong everywhere make draws look uneven too.
judged_draws::shown judged_draws::judge(judged_history const& seen, std::span<answer const> elsewhere, sample_kind kind,
                                        bool is_clean, readings_left const& left, explanation const& by) {
  auto& tests = present(tests_);
  bool const by_answers = by.blamed && !refute_all();
  if (++samples_ == samples_for_hazards && !by_answers) tests.keep_testing(left.initial_with_one_hazard());
  wrong_samples_ += static_cast<std::uint64_t>(!is_clean);
  constexpr std::uint64_t few = 8;
  bool const goes_on = by_answers && 8 * wrong_samples_ <= samples_ + 8 * few;
  if (goes_on && !is_clean) return {};
  auto tested = left.with_hazards();
  if (goes_on) tested.push_back(by.reading);
  tests.narrow_to(tested);
  auto const before = tests.drawn(by.reading);
  bool const refutes_some = tests.absorb(seen.tried, seen.got.answers, elsewhere, kind == sample_kind::repeated);
  bool const tells = tests.drawn(by.reading) > before;
  if (!refutes_some) return {tells, false, false};
  bool const refutes_blamed = goes_on && !are_broken_too() && tests.refutes(by.reading);
  bool const is_found = by_answers ? refutes_blamed && 8 * wrong_samples_ <= samples_
                                   : !refute_all() && left.admitted_of(living(left.with_hazards())).empty();
  return {tells, true, is_found};
}

void judged_draws::find(explanation const& by) {
  present(tests_).follow(by.reading);
  found_ = by.blamed ? found::broken_too : found::refute_all;
}

void judged_draws::excuse() noexcept {
  tests_.reset();
  found_ = found::excused;
}

bool judged_draws::are_alike(judged_history const& seen, std::span<answer const> elsewhere, readings_left const& left,
                             spec::cube explained_by) {
  if (!of_two_) return false;
  auto tested = left.with_hazards();
  tested.push_back(explained_by);
  of_two_->narrow_to(tested);
  if (!of_two_->absorb(seen.tried, seen.got.answers, elsewhere)) return false;
  return of_two_->living({explained_by}).empty();
}

bool judged_draws::are_settled() const {
  return refute_all() && samples_ >= samples_for_hazards && !present(tests_).awaits_repetition();
}

claim_mask judged_draws::broken_under(spec::cube assignment) const {
  auto const how = present(tests_).draws_of(assignment)->broken();
  return held_to_->claims_where(
      [&](claim_text const& c, unsigned i) { return held_to_->selected(i) && c.draws == how; });
}

sampled_draws const* judged_draws::samples_under(spec::cube assignment) const {
  return tests_ ? tests_->draws_of(assignment) : nullptr;
}

sampled_draws const* judged_draws::of_two_processes(spec::cube assignment) const {
  return present(of_two_).draws_of(assignment);
}

void judged_draws::settle_power(spec::cube explained_by) {
  auto const& samples = *present(tests_).draws_of(explained_by);
  powers_ = power_on(samples, alpha_of_a_test_, which_);
  attempts_ = late_power_on(samples, alpha_of_a_test_, which_);
}

bool judged_draws::exclude_gross_faults() const noexcept {
  constexpr std::uint32_t usual_attempts = 40;
  return attempts_.tested >= std::min(attempts_.drawn, usual_attempts) && !powers_.empty() &&
         std::ranges::all_of(powers_, [](power const& p) { return !p.fault->gross || p.caught == p.tried; });
}

}  // namespace backoff::judge
