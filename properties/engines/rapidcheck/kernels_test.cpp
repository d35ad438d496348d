// The algebra of the kernels: what sums, windows, jitter and the wide integer obey, whatever the numbers. Closed forms
// are computed in integers without an end, which the kernels know nothing of.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "backoff/kernels/jitter.hpp"
#include "backoff/kernels/proportional.hpp"
#include "backoff/kernels/saturating.hpp"
#include "backoff/kernels/wide.hpp"
#include "backoff/kernels/window.hpp"
#include "engines/rapidcheck/values.hpp"

namespace {

using namespace backoff;
using engines::rapidcheck::values::any;
using engines::rapidcheck::values::at_some_width;
using engines::rapidcheck::values::between;
using engines::rapidcheck::values::top;
using exact = boost::multiprecision::cpp_int;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class Property>
void at_any_width(Property const& property) {
  at_some_width<u8, u16, u32, u64>(property);
}

// ---- Windows ----

RC_GTEST_PROP(properties_kernels, first_window_is_the_smaller_of_base_and_cap, ()) {
  at_any_width([]<class W>() {
    auto const cap = *any<W>().as("cap");
    auto const base = *any<W>({cap}).as("base");
    RC_ASSERT(window_first(base, cap) == std::min(base, cap));
  });
}

RC_GTEST_PROP(properties_kernels, capping_a_window_twice_caps_it_once, ()) {
  at_any_width([]<class W>() {
    auto const cap = *any<W>().as("cap");
    auto const once = window_first(*any<W>({cap}), cap);
    RC_ASSERT(window_first(once, cap) == once);
  });
}

RC_GTEST_PROP(properties_kernels, jittered_window_is_the_sum_up_to_the_cap, ()) {
  at_any_width([]<class W>() {
    auto const cap = *any<W>().as("cap");
    auto const base = *any<W>({cap}).as("base");
    auto const jitter = *any<W>({static_cast<W>(cap - base)}).as("jitter");
    RC_ASSERT(window_first_jittered(base, jitter, cap) == std::min(exact(base) + jitter, exact(cap)));
  });
}

RC_GTEST_PROP(properties_kernels, window_without_jitter_is_the_first_window, ()) {
  at_any_width([]<class W>() {
    auto const cap = *any<W>().as("cap");
    auto const base = *any<W>({cap}).as("base");
    RC_ASSERT(window_first_jittered(base, W{0}, cap) == window_first(base, cap));
  });
}

RC_GTEST_PROP(properties_kernels, window_doubles_up_to_the_cap, ()) {
  at_any_width([]<class W>() {
    auto const cap = *any<W>().as("cap");
    auto const window = *between<W>(0, cap, {static_cast<u64>(cap) / 2U}).as("window");
    RC_ASSERT(window_next(window, cap) == std::min(2 * exact(window), exact(cap)));
  });
}

RC_GTEST_PROP(properties_kernels, window_never_shrinks_and_never_exceeds_the_cap, ()) {
  at_any_width([]<class W>() {
    auto const cap = *any<W>().as("cap");
    auto const window = *between<W>(0, cap, {static_cast<u64>(cap) / 2U}).as("window");
    auto const next = window_next(window, cap);
    RC_ASSERT(next >= window);
    RC_ASSERT(next <= cap);
  });
}

RC_GTEST_PROP(properties_kernels, cap_is_a_fixed_point_of_the_window, ()) {
  at_any_width([]<class W>() {
    auto const cap = *any<W>().as("cap");
    RC_ASSERT(window_next(cap, cap) == cap);
  });
}

RC_GTEST_PROP(properties_kernels, window_after_n_doublings_is_base_times_2_to_the_n, ()) {
  at_any_width([]<class W>() {
    auto const cap = *any<W>().as("cap");
    auto const base = *any<W>({cap}).as("base");
    auto const n = *between(0U, 70U).as("n");
    auto window = window_first(base, cap);
    for (unsigned k = 0; k < n; ++k) window = window_next(window, cap);
    RC_ASSERT(window == std::min(exact(base) << n, exact(cap)));
  });
}

// ---- Full jitter ----

template <class W, class D>
void jitter_is_the_remainder() {
  auto const window = *any<W>().as("window");
  auto const draw = *any<D>({window, static_cast<D>(D{window} + 1U), static_cast<D>(2U * D{window} + 2U)}).as("draw");
  RC_ASSERT(jitter_full(window, draw) == exact(draw) % (exact(window) + 1));
}

RC_GTEST_PROP(properties_kernels, jitter_is_the_remainder_by_one_more_than_the_window, ()) {
  jitter_is_the_remainder<u8, u8>();
  jitter_is_the_remainder<u8, u32>();
  jitter_is_the_remainder<u16, u32>();
  jitter_is_the_remainder<u32, u32>();
  jitter_is_the_remainder<u32, u64>();
  jitter_is_the_remainder<u64, u64>();
}

RC_GTEST_PROP(properties_kernels, jitter_never_exceeds_its_window, ()) {
  at_any_width([]<class W>() {
    auto const window = *any<W>().as("window");
    RC_ASSERT(jitter_full(window, *any<u64>({window})) <= window);
  });
}

RC_GTEST_PROP(properties_kernels, jitter_of_a_delay_is_that_delay, ()) {
  at_any_width([]<class W>() {
    auto const window = *any<W>().as("window");
    auto const delay = *between<W>(0, window).as("delay");
    RC_ASSERT(jitter_full(window, delay) == delay);
  });
}

RC_GTEST_PROP(properties_kernels, widest_window_takes_every_draw_as_it_is, ()) {
  at_any_width([]<class W>() {
    auto const draw = *any<W>().as("draw");
    RC_ASSERT(jitter_full(top<W>, draw) == draw);
  });
}

// ---- Proportional jitter ----

template <class Wide, class W>
void part_is_the_quotient_rounded_down() {
  auto const whole = *any<W>({100, 101, 200}).as("whole");
  auto const percent = *between<W>(0, 100, {1, 50, 99}).as("percent");
  auto const rand_max = *between<W>(1, top<W>, {top<W> / 2U}).as("rand_max");
  auto const r = *between<W>(0, rand_max, {static_cast<u64>(rand_max) / 2U}).as("r");
  RC_ASSERT((jitter_proportional<Wide>(whole, percent, r, rand_max)) ==
            exact(whole) * percent * r / (exact(100) * rand_max));
}

RC_GTEST_PROP(properties_kernels, part_of_a_whole_is_the_exact_quotient_rounded_down, ()) {
  part_is_the_quotient_rounded_down<u16, u8>();
  part_is_the_quotient_rounded_down<u32, u16>();
  part_is_the_quotient_rounded_down<u64, u16>();
  part_is_the_quotient_rounded_down<u64, u32>();
}

// Draws close to where whole · percent · r is a multiple of 100 · rand_max: there a quotient that is off by the
// smallest part is off by one.
RC_GTEST_PROP(properties_kernels, part_of_a_whole_steps_where_the_quotient_does, ()) {
  auto const whole = *between<u32>(1, top<u32>).as("whole");
  auto const percent = *between<u32>(1, 100).as("percent");
  auto const rand_max = *between<u32>(1, top<u32>).as("rand_max");
  auto const part = *between<u64>(0, u64{whole} * percent / 100U).as("part");
  exact const step = (exact(part) * 100 * rand_max + exact(whole) * percent - 1) / (exact(whole) * percent);
  RC_PRE(step <= rand_max);
  auto const r = static_cast<u32>(step);  // the least that gives at least this part
  RC_ASSERT((jitter_proportional<u64>(whole, percent, r, rand_max)) >= part);
  if (r > 0) RC_ASSERT((jitter_proportional<u64>(whole, percent, r - 1U, rand_max)) < part);
}

RC_GTEST_PROP(properties_kernels, greatest_draw_gives_the_whole_percentage, ()) {
  auto const whole = *any<u32>().as("whole");
  auto const percent = *between<u32>(0, 100).as("percent");
  auto const rand_max = *between<u32>(1, top<u32>).as("rand_max");
  RC_ASSERT((jitter_proportional<u64>(whole, percent, rand_max, rand_max)) == u64{whole} * percent / 100U);
}

RC_GTEST_PROP(properties_kernels, part_of_a_whole_never_shrinks_with_the_draw, ()) {
  auto const whole = *any<u32>().as("whole");
  auto const percent = *between<u32>(0, 100).as("percent");
  auto const rand_max = *between<u32>(1, top<u32>).as("rand_max");
  auto const greater = *between<u32>(0, rand_max).as("greater");
  auto const r = *between<u32>(0, greater).as("r");
  RC_ASSERT((jitter_proportional<u64>(whole, percent, r, rand_max)) <=
            (jitter_proportional<u64>(whole, percent, greater, rand_max)));
}

// ---- What stops at the top ----

RC_GTEST_PROP(properties_kernels, sum_stops_at_the_top, ()) {
  at_any_width([]<class W>() {
    auto const a = *any<W>().as("a");
    auto const b = *any<W>({static_cast<W>(top<W> - a)}).as("b");
    RC_ASSERT(add_saturating(a, b) == std::min(exact(a) + b, exact(top<W>)));
    RC_ASSERT(add_saturating(a, b) == add_saturating(b, a));
  });
}

RC_GTEST_PROP(properties_kernels, product_stops_at_the_top, ()) {
  auto const holds = []<class W, class Wide>(W, Wide) {
    auto const a = *any<W>().as("a");
    auto const b = *any<W>({a == 0 ? 0 : top<W> / u64{a}}).as("b");
    RC_ASSERT((multiply_saturating<Wide>(a, b)) == std::min(exact(a) * b, exact(top<W>)));
    RC_ASSERT((multiply_saturating<Wide>(a, b)) == (multiply_saturating<Wide>(b, a)));
  };
  holds(u8{}, u16{});
  holds(u16{}, u32{});
  holds(u16{}, u64{});
  holds(u32{}, u64{});
}

RC_GTEST_PROP(properties_kernels, doublings_stop_at_the_top, ()) {
  at_any_width([]<class W>() {
    auto const doublings = *any<W>({word_bits<W>, word_bits<W> / 2U}).as("doublings");
    auto const base = *any<W>({doublings < word_bits<W> ? static_cast<u64>(top<W>) >> doublings : 1U}).as("base");
    auto const shift = std::min<unsigned>(static_cast<unsigned>(std::min<u64>(doublings, 200)), 200);
    RC_ASSERT(double_saturating(base, doublings) == std::min(exact(base) << shift, exact(top<W>)));
  });
}

RC_GTEST_PROP(properties_kernels, one_doubling_more_is_the_sum_with_itself, ()) {
  at_any_width([]<class W>() {
    auto const base = *any<W>().as("base");
    auto const doublings = *between<W>(0, top<W> - 1, {word_bits<W>}).as("doublings");
    auto const before = double_saturating(base, doublings);
    RC_ASSERT(double_saturating(base, static_cast<W>(doublings + 1U)) == add_saturating(before, before));
  });
}

// ---- The wide integer ----

// A product of 64-bit factors, as long as it fits; as a wide integer and exactly.
template <class Wide>
struct product {
  Wide made{0};
  exact value = 0;
};

template <class Wide>
constexpr unsigned width = 0;
template <unsigned Limbs, unsigned RegisterBits>
constexpr unsigned width<wide<Limbs, RegisterBits>> = 32U * Limbs;

template <class Wide>
product<Wide> product_of(std::vector<u64> const& factors, unsigned bits = width<Wide>) {
  u64 const first = bits < 64U ? factors.front() % (u64{1} << bits) : factors.front();
  product<Wide> of{Wide(first), first};
  for (std::size_t k = 1; k < factors.size() && of.value > 0; ++k) {
    exact const longer = of.value * factors[k];
    if (longer >= exact(1) << bits) break;
    of.made.times(factors[k]);
    of.value = longer;
  }
  return of;
}

// 0 only in the first place: what is multiplied by is above 0.
rc::Gen<std::vector<u64>> factors() {
  auto const rest = engines::rapidcheck::values::up_to(17, between<u64>(1, top<u64>, {top<u32>, u64{1} << 32U}));
  return rc::gen::apply(
      [](u64 first, std::vector<u64> more) {
        more.insert(more.begin(), first);
        return more;
      },
      any<u64>({top<u32>}), rest);
}

template <class Wide>
Wide power_of_two(unsigned exponent) {
  Wide power(1);
  for (; exponent > 31; exponent -= 31) power.times(u64{1} << 31U);
  power.times(u64{1} << exponent);
  return power;
}

// Whether the wide integer is that number: of its length, and nothing is left of it after its bits are taken away.
template <class Wide>
bool is(Wide number, exact value) {
  while (value > 0) {
    auto const highest = static_cast<unsigned>(msb(value));
    if (number.is_zero() || number.bits() != highest + 1) return false;
    number.minus(power_of_two<Wide>(highest), 1);
    bit_unset(value, highest);
  }
  return number.is_zero() && number.bits() == 0;
}

template <class Property>
void of_some_wide(Property const& property) {
  auto const limbs = *rc::gen::element(4, 16).as("limbs");
  auto const by_64_bits = *rc::gen::arbitrary<bool>().as("by 64 bits");
  if (limbs == 4 && by_64_bits) return property.template operator()<wide<4, 64>>();
  if (limbs == 4) return property.template operator()<wide<4, 32>>();
  if (by_64_bits) return property.template operator()<wide<16, 64>>();
  property.template operator()<wide<16, 32>>();
}

RC_GTEST_PROP(properties_kernels, wide_product_is_exact, ()) {
  of_some_wide([]<class Wide>() {
    auto const of = product_of<Wide>(*factors());
    RC_ASSERT(is(of.made, of.value));
  });
}

RC_GTEST_PROP(properties_kernels, wide_difference_is_exact, ()) {
  of_some_wide([]<class Wide>() {
    auto from = product_of<Wide>(*factors());
    auto const less = product_of<Wide>(*factors());
    exact const most = less.value == 0 ? exact(top<u64>) : std::min(exact(from.value / less.value), exact(top<u64>));
    auto const times = *between<u64>(0, static_cast<u64>(most)).as("times");
    from.made.minus(less.made, times);
    RC_ASSERT(is(from.made, from.value - less.value * times));
  });
}

// Numbers that differ in one place, or in none: x and x - y, for a y that may be far smaller.
RC_GTEST_PROP(properties_kernels, wide_comparison_is_that_of_the_numbers, ()) {
  of_some_wide([]<class Wide>() {
    auto const one = product_of<Wide>(*factors());
    auto other = product_of<Wide>(*factors());
    if (*rc::gen::arbitrary<bool>() && other.value <= one.value) {
      other.value = one.value - other.value;
      auto difference = one.made;
      difference.minus(other.made, 1);
      other.made = difference;
    }
    RC_ASSERT(one.made.below(other.made) == (one.value < other.value));
    RC_ASSERT(other.made.below(one.made) == (other.value < one.value));
    RC_ASSERT(!one.made.below(one.made));
  });
}

RC_GTEST_PROP(properties_kernels, wide_comparison_after_doublings_is_that_of_the_numbers, ()) {
  of_some_wide([]<class Wide>() {
    auto const doublings = *between(1U, 64U).as("doublings");
    auto const other = product_of<Wide>(*factors(), width<Wide> - 64U);
    RC_PRE(other.value > 0);
    exact const end = other.value << doublings;
    auto number = product_of<Wide>(*factors());
    if (*rc::gen::arbitrary<bool>() && number.value <= end) {  // close to the end, from below
      auto near = other.made;
      for (unsigned k = 0; k < doublings; ++k) near.times(2);
      near.minus(number.made, 1);
      number = {near, end - number.value};
    }
    RC_ASSERT(number.made.below(other.made, doublings) == (number.value < end));
  });
}

// Powers of two: the least that have their length, of which the length alone tells least.
RC_GTEST_PROP(properties_kernels, wide_number_is_below_its_doublings_and_they_are_not_below_themselves, ()) {
  of_some_wide([]<class Wide>() {
    auto const doublings = *between(1U, 64U, {31, 63}).as("doublings");
    auto const limbs_below = *between(0U, width<Wide> / 32U - 3U).as("limbs below");
    auto const exponent = 32U * limbs_below + *between(0U, 31U).as("bits below");
    auto const number = power_of_two<Wide>(exponent);
    auto doubled = power_of_two<Wide>(exponent + doublings);
    RC_ASSERT(number.below(number, doublings));
    RC_ASSERT(!doubled.below(number, doublings));
    doubled.minus(Wide(1), 1);
    RC_ASSERT(doubled.below(number, doublings));
  });
}

// number = divisor · (quotient + 1) - less, for a quotient of every length and a remainder of every kind.
RC_GTEST_PROP(properties_kernels, wide_quotient_is_rounded_to_the_nearest, ()) {
  of_some_wide([]<class Wide>() {
    auto const divisor = product_of<Wide>(*factors(), width<Wide> - 65U);
    RC_PRE(divisor.value > 0);
    auto number = product<Wide>{divisor.made, divisor.value};
    auto const upper = *between<u64>(1, top<u64>).as("upper");
    number.made.times(upper);
    number.value *= upper;
    auto const less =
        *rc::gen::oneOf(factors(), rc::gen::just(std::vector<u64>{0}), rc::gen::just(std::vector<u64>{1}));
    auto const taken = product_of<Wide>(less);
    auto const half = *rc::gen::arbitrary<bool>().as("half");
    if (half && divisor.value > 1) {  // half a divisor away from a whole one, or next to that
      auto twice = number;
      twice.made.times(2);
      twice.value *= 2;
      RC_PRE(twice.value >= divisor.value + taken.value);
      twice.made.minus(divisor.made, 1);
      twice.made.minus(taken.made, 1);
      number = {twice.made, twice.value - divisor.value - taken.value};
      auto by = divisor;
      by.made.times(2);
      by.value *= 2;
      exact const nearest = (2 * number.value + by.value) / (2 * by.value);
      RC_ASSERT(number.made.nearest_quotient(by.made) == std::min(nearest, exact(top<u64>)));
    } else {
      RC_PRE(number.value >= taken.value);
      number.made.minus(taken.made, 1);
      number.value -= taken.value;
      exact const nearest = (2 * number.value + divisor.value) / (2 * divisor.value);
      RC_ASSERT(number.made.nearest_quotient(divisor.made) == std::min(nearest, exact(top<u64>)));
    }
  });
}

// The quotient that rounds to 2^64 is the only one that a word cannot hold.
RC_GTEST_PROP(properties_kernels, wide_quotient_stops_at_the_top, ()) {
  of_some_wide([]<class Wide>() {
    auto const divisor = product_of<Wide>(*factors(), width<Wide> - 66U);
    RC_PRE(divisor.value > 1);
    auto number = divisor.made;
    number.times(u64{1} << 32U);
    number.times(u64{1} << 32U);
    number.minus(Wide(1), 1);  // below 2^64 divisors, by less than half of one
    RC_ASSERT(number.nearest_quotient(divisor.made) == top<u64>);
  });
}

template <class Reg>
void estimate_is_not_too_large() {
  constexpr unsigned bits = word_bits<Reg>;
  auto const of_divisor = *between<Reg>(Reg{1} << (bits - 1U), top<Reg>).as("of_divisor");
  auto const more = *between(0U, 63U).as("more");
  auto const leading =
      *between<Reg>(more == 0 ? of_divisor : Reg{1} << (bits - 1U), top<Reg>, {of_divisor}).as("leading");
  // The number is at least leading · 2^more, the divisor at most what begins so and has ones behind.
  exact const least = (exact(leading) << more) / (exact(of_divisor) + 1);
  u64 const estimate = quotient_estimate(leading, of_divisor, more);
  RC_ASSERT(estimate >= 1U);
  RC_ASSERT(estimate <= std::max(least, exact(1)));
  RC_ASSERT(estimate + (exact(1) << more >> (bits / 2U - 4U)) + 1 >= least);
}

RC_GTEST_PROP(properties_kernels, quotient_is_never_estimated_too_large_nor_far_too_small, ()) {
  estimate_is_not_too_large<u32>();
  estimate_is_not_too_large<u64>();
}

}  // namespace
