#include "judge/judged_system.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "histories/systems.hpp"
#include "judge/nearest_decimal.hpp"

namespace backoff::systems {

// Makes the system, for the life of the program.
#define BACKOFF_SYSTEM(stem) judged_system const* stem##_judged() noexcept;
#include "systems.def"
#undef BACKOFF_SYSTEM

}  // namespace backoff::systems

namespace backoff::judge {

namespace {

auto every_system() {
  return std::array{
#define BACKOFF_SYSTEM(stem) systems::stem##_judged(),
#include "systems.def"
#undef BACKOFF_SYSTEM
  };
}

constinit std::vector<judged_system const*> declared;

judged_system const* find_known(std::string_view stem) {
  for (auto const* s : judged_systems()) {
    if (s->shape().stem == stem) return s;
  }
  for (auto const* s : declared) {
    if (s->shape().stem == stem) return s;
  }
  return nullptr;
}

}  // namespace

std::span<judged_system const* const> judged_systems() {
  static auto const all = every_system();
  return all;
}

judged_system const* find_judged_system(std::string_view stem) {
  if (auto const* known = find_known(stem)) return known;
  static_cast<void>(find_shape(stem));  // which may declare it
  return find_known(stem);
}

void add_judged_system(judged_system const& system) { declared.push_back(&system); }

std::span<judged_system const* const> declared_systems() noexcept { return declared; }

std::vector<assignment_outcome> judged_system::judge(history const& h, std::span<answer const> answers,
                                                     draw_source const& draws, std::span<spec::cube const> alive,
                                                     claim_mask selected, claim_mask killing) const {
  examiner once(*this);
  auto const outcomes = once.judge(h, answers, draws, alive, selected, killing);
  return {outcomes.begin(), outcomes.end()};
}

claim_report judged_system::broken_claims(history const& h, std::span<answer const> answers, draw_source const& draws,
                                          spec::cube assignment) const {
  return examiner(*this).broken_claims(h, answers, draws, assignment);
}

std::vector<spec::expectation> judged_system::admitted(history const& h, std::span<answer const> answers,
                                                       draw_source const& draws, spec::cube assignment) const {
  return examiner(*this).admitted(h, answers, draws, assignment);
}

played judged_system::play(history const& h, draw_source const& draws, spec::cube assignment,
                           random_bits& random) const {
  return examiner(*this).play(h, draws, assignment, random);
}

// Integers throughout: rationals would look for common factors at every digit.
spec::decimal nearest_decimal(spec::rational const& x) {
  using whole = spec::big_integer;
  constexpr std::int64_t end = 1'000'000'000'000'000'000;
  whole num = abs(numerator(x));
  whole const den = denominator(x);
  std::int32_t exponent = 0;
  for (; den != 1 && num < den * end; --exponent) num *= 10;
  whole digits = num / den;
  for (; digits >= end || (exponent < 0 && digits % 10 == 0); ++exponent) digits /= 10;
  auto const mantissa = static_cast<spec::integer>(digits);
  return {x < 0 ? -mantissa : mantissa, exponent, false};
}

namespace {

// An answer that is fixed consumes no random bits.
observed choose(spec::admissible const& from, random_bits& random) {
  using kind = spec::admissible_kind;
  switch (from.kind()) {
    case kind::keyword: {
      auto left = from.words();
      if (std::has_single_bit(left)) return observed::word(from.word());
      for (auto skip = random.between(0, std::popcount(left) - 1); skip > 0; --skip) left &= left - 1;
      return observed::word(static_cast<std::uint8_t>(std::countr_zero(left)));
    }
    case kind::not_zero:
      return observed::of(random.one_in(2) ? 1 : -1);
    case kind::lattice: {
      auto const k = random.between(0, from.has_ends() ? from.count() : from.count() - 1);
      return k < from.count() ? observed::of(from.first() + from.step() * k)
                              : observed::of(nearest_decimal(from.ends().low));
    }
    case kind::interval: {
      constexpr std::int64_t parts = 1 << 20;
      spec::rational const part(random.between(0, parts), parts);
      return observed::of(nearest_decimal(from.ends().low + (from.ends().high - from.ends().low) * part));
    }
    case kind::either:
      return observed::of(nearest_decimal(random.one_in(2) ? from.ends().low : from.ends().high));
    case kind::not_finite:
      return {observed_kind::not_a_number, {}, {}};
    default:
      return {};
  }
}

}  // namespace

answer play(spec::expectation const& admitted, random_bits& random) {
  answer a;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = choose(admitted[i], random);
  return a;
}

}  // namespace backoff::judge
