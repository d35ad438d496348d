// The wide integer against Boost's, on random numbers of every length and on those where carries and borrows run far.
#include "backoff/kernels/wide.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <random>

namespace backoff {
namespace {

using exact = boost::multiprecision::cpp_int;

constexpr std::uint64_t top = ~std::uint64_t{0};

static_assert([] {
  wide<4> x(6);
  x.times(7);
  x.minus(wide<4>(2), 20);
  return x.below(wide<4>(3)) && !x.below(wide<4>(2)) && x.bits() == 2 && x.nearest_quotient(wide<4>(4)) == 1;
}());

template <unsigned Limbs, unsigned RegisterBits>
concept has_width = requires { typename wide<Limbs, RegisterBits>; };
static_assert(!has_width<3, 64> && has_width<4, 64> && has_width<5, 32>);
static_assert(!has_width<4, 16> && !has_width<4, 48> && !has_width<4, 128>);

template <class Wide>
Wide power_of_two(unsigned exponent) {
  Wide power(1);
  for (; exponent > 32; exponent -= 32) power.times(0x1'0000'0000);
  power.times(std::uint64_t{1} << exponent);
  return power;
}

// What it holds, asked in the only way it answers: bit by bit from the highest, by comparison with a power of two.
template <class Wide>
exact value_of(Wide rest) {
  exact found = 0;
  while (!rest.is_zero()) {
    unsigned const highest = rest.bits() - 1;
    auto const power = power_of_two<Wide>(highest);
    EXPECT_FALSE(rest.below(power));
    rest.minus(power, 1);
    EXPECT_TRUE(rest.below(power));
    found += exact(1) << highest;
  }
  return found;
}

unsigned length(exact const& value) { return value == 0 ? 0 : static_cast<unsigned>(msb(value)) + 1; }

// A number of that value. It has no sum: half of it, rounded up, is a power of two less what is too much, limb by limb.
template <class Wide>
Wide made_of(exact const& value) {
  if (value < 2) return Wide(static_cast<std::uint64_t>(value));
  exact const half = (value + 1) / 2;
  unsigned const exponent = length(half - 1);
  auto made = power_of_two<Wide>(exponent);
  exact more = (exact(1) << exponent) - half;
  for (auto place = Wide(1); more > 0; more >>= 32) {
    made.minus(place, static_cast<std::uint64_t>(more & 0xffff'ffff));
    if ((more >> 32) > 0) place.times(0x1'0000'0000);
  }
  made.times(2);
  if (value % 2 == 1) made.minus(Wide(1), 1);
  return made;
}

template <class Wide>
class wide_of : public testing::Test {};
using widths = testing::Types<wide<4, 32>, wide<4, 64>, wide<16, 32>, wide<16, 64>, wide<32, 64>>;
TYPED_TEST_SUITE(wide_of, widths);

template <class Wide>
constexpr unsigned limbs = 0;
template <unsigned Limbs, unsigned RegisterBits>
constexpr unsigned limbs<wide<Limbs, RegisterBits>> = Limbs;

template <class Wide>
exact end_of() {
  return exact(1) << (32 * limbs<Wide>);
}

// Numbers of every length, of limbs that carry and borrow far and of any others.
template <class Wide>
exact any_below(exact const& end, std::mt19937_64& random) {
  constexpr std::uint32_t far[] = {0, 1, 0x8000'0000, 0xffff'ffff};
  exact value = 0;
  for (unsigned i = 0; i < limbs<Wide>; ++i) {
    bool const extreme = random() % 2 == 0;
    value = (value << 32) | (extreme ? far[random() % 4] : static_cast<std::uint32_t>(random()));
  }
  value >>= random() % (32 * limbs<Wide>);
  return value % end;
}
std::uint64_t any_factor(std::mt19937_64& random) {
  return (random() % 3 == 0 ? top : random() | 1U << 31U) >> (random() % 64);
}

TYPED_TEST(wide_of, holds_every_64_bit_value) {
  for (std::uint64_t const value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xffff'ffff},
                                    std::uint64_t{0x1'0000'0000}, std::uint64_t{0x8000'0000'0000'0001}, top}) {
    TypeParam const x(value);
    EXPECT_EQ(value_of(x), value);
    EXPECT_EQ(x.is_zero(), value == 0);
    EXPECT_EQ(x.bits(), length(value));
  }
}

TYPED_TEST(wide_of, multiplies_subtracts_and_compares_like_an_integer) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 400; ++trial) {
    exact const a = any_below<TypeParam>(end_of<TypeParam>(), random);
    exact const b = trial % 4 == 0 ? a : any_below<TypeParam>(end_of<TypeParam>(), random);
    auto const x = made_of<TypeParam>(a);
    auto const y = made_of<TypeParam>(b);
    ASSERT_EQ(value_of(x), a);
    EXPECT_EQ(x.bits(), length(a));
    EXPECT_EQ(x.below(y), a < b) << a << " " << b;
    std::uint64_t const factor = any_factor(random) | 1U;
    if (a * factor < end_of<TypeParam>()) {
      auto product = x;
      product.times(factor);
      EXPECT_EQ(value_of(product), a * factor) << a << " " << factor;
    }
    if (b * factor <= a) {
      auto difference = x;
      difference.minus(y, factor);
      EXPECT_EQ(value_of(difference), a - b * factor) << a << " " << b << " " << factor;
    }
  }
}

TYPED_TEST(wide_of, borrows_and_carries_through_every_limb) {
  auto const power = power_of_two<TypeParam>(32 * limbs<TypeParam> - 1);
  auto less = power;
  less.minus(TypeParam(1), 1);
  EXPECT_EQ(value_of(less), end_of<TypeParam>() / 2 - 1);
  EXPECT_TRUE(less.below(power));
  EXPECT_FALSE(power.below(less));
  less.times(1);
  EXPECT_EQ(value_of(less), end_of<TypeParam>() / 2 - 1);
  less.minus(less, 1);
  EXPECT_TRUE(less.is_zero());
  less.times(7);
  EXPECT_TRUE(less.is_zero());
}

TYPED_TEST(wide_of, multiplies_the_largest_numbers_that_fit) {
  TypeParam x(top);
  exact value = top;
  while (value * top < end_of<TypeParam>()) {
    x.times(top);
    value *= top;
  }
  EXPECT_EQ(value_of(x), value);
}

TYPED_TEST(wide_of, compares_with_doubled_numbers) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 600; ++trial) {
    unsigned const doublings = trial < 128 ? 1 + static_cast<unsigned>(trial) % 64 : 1 + random() % 64;
    exact const b = any_below<TypeParam>(end_of<TypeParam>() >> doublings, random) + (trial % 2);
    if (b == 0 || (b << doublings) >= end_of<TypeParam>()) continue;
    exact const near = (b << doublings) + (trial % 3) - 1;
    exact const a = trial % 5 == 0 ? any_below<TypeParam>(end_of<TypeParam>(), random) : near;
    if (a >= end_of<TypeParam>()) continue;
    EXPECT_EQ(made_of<TypeParam>(a).below(made_of<TypeParam>(b), doublings), a < (b << doublings))
        << a << " " << b << " " << doublings;
  }
}

// The quotient of a = q · d + r, rounded, for r at both sides of the half.
TYPED_TEST(wide_of, divides_and_rounds_to_the_nearest_halves_up) {
  std::mt19937_64 random(3);
  exact const most = top;
  int tried = 0;
  for (int trial = 0; trial < 4'000; ++trial) {
    // Room for a number twice as large as the rest, which is below the divisor.
    exact const d = any_below<TypeParam>(end_of<TypeParam>() / 2, random) + 1;
    exact const q = trial % 7 == 0 ? exact(top) : trial % 7 == 1 ? exact(0) : exact(any_factor(random));
    exact const rests[] = {0, d / 2, (d - 1) / 2, d - 1, any_below<TypeParam>(d, random)};
    exact const a = q * d + rests[trial % 5];
    if (a >= end_of<TypeParam>()) continue;
    ++tried;
    exact const wanted = std::min<exact>((2 * a + d) / (2 * d), most);
    ASSERT_EQ(made_of<TypeParam>(a).nearest_quotient(made_of<TypeParam>(d)), wanted) << a << " / " << d;
  }
  EXPECT_GT(tried, 1'000);
}

// Every number and divisor of one limb's ends: the processor's own division and the estimates meet here.
TYPED_TEST(wide_of, divides_where_a_register_ends) {
  for (unsigned const bits : {31U, 32U, 33U, 63U, 64U, 65U, 95U, 96U}) {
    for (int more = -2; more < 3; ++more) {
      exact const a = (exact(1) << bits) + more;
      for (unsigned const other : {1U, 2U, 16U, 31U, 32U, 33U, 63U, 64U, 65U}) {
        for (int less = -1; less < 2; ++less) {
          exact const d = (exact(1) << other) + less;
          if (a / d > top) continue;
          EXPECT_EQ(made_of<TypeParam>(a).nearest_quotient(made_of<TypeParam>(d)),
                    std::min<exact>((2 * a + d) / (2 * d), top))
              << a << " / " << d;
        }
      }
    }
  }
}

}  // namespace
}  // namespace backoff
