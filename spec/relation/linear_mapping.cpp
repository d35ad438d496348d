#include "relation/linear_mapping.hpp"

#include <algorithm>
#include <numeric>

#include "relation/rational.hpp"

namespace backoff::spec {
namespace {

rational const fineness(1, integer{1} << 40);  // as far as doubles may be off

// What all the whole delays are multiples of, beside the first; 0 where one has a fraction.
integer common_step(std::span<drawn_delay const> delays) {
  integer step = 0;
  for (auto const& d : delays) {
    if (!d.delay.value.integral()) return 0;
    step = std::gcd(step, d.delay.value.mantissa - delays.front().delay.value.mantissa);
  }
  return step;
}

// Between the smallest and the largest draw. Whole delays, and the ends of the line, are off by a step at most.
bool is_rising_line(std::span<drawn_delay const> delays, integer step) {
  auto const [first, last] = std::ranges::minmax(delays, {}, [](drawn_delay const& d) { return d.from.value; });
  rational const from = to_rational(first.delay.value);
  rational const slope = (to_rational(last.delay.value) - from) / rational(last.from.value - first.from.value);
  if (slope <= 0) return false;
  return std::ranges::all_of(delays, [&](drawn_delay const& d) {
    rational const delay = to_rational(d.delay.value);
    rational const gap = abs(from + slope * rational(d.from.value - first.from.value) - delay);
    return gap <= (step == 0 ? rational(4 * abs(delay) * fineness) : rational(2 * step));
  });
}

// d = low + step · (r mod n): every r - d / step is the same but for multiples of n, which exceeds every d / step.
bool is_modulo(std::span<drawn_delay const> delays, integer step) {
  if (step == 0 || delays.front().from.kind == draw_kind::unit) return false;
  auto const low =
      std::ranges::min(delays, {}, [](drawn_delay const& d) { return d.delay.value.mantissa; }).delay.value.mantissa;
  integer divisor = 0;
  integer largest = 0;
  integer before = 0;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    integer const part = (delays[i].delay.value.mantissa - low) / step;
    integer const rest = static_cast<integer>(delays[i].from.value) - part;
    if (i > 0) divisor = std::gcd(divisor, rest - before);
    before = rest;
    largest = std::max(largest, part);
  }
  return divisor > largest;
}

}  // namespace

bool follows_a_linear_mapping(std::span<drawn_delay const> delays) noexcept {
  return in_most_groups(delays, [](std::span<drawn_delay const> few) {
    integer const step = common_step(few);
    return is_rising_line(few, step) || is_modulo(few, step);
  });
}

}  // namespace backoff::spec
