// The wide integer against Boost's, on random numbers of every length and on those where carries and borrows run far.
#include "backoff/kernels/wide.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace backoff {
namespace {

using exact = boost::multiprecision::cpp_int;

constexpr std::uint64_t top = ~std::uint64_t{0};

static_assert([] {
  wide<2> x(6);
  x.times(7);
  x.minus(wide<2>(2));
  x.halve();
  return x.below(wide<2>(21)) && !x.below(wide<2>(20)) && x.has_room();
}());

template <unsigned Limbs>
concept has_width = requires { typename wide<Limbs>; };
static_assert(!has_width<0> && !has_width<1> && has_width<2> && has_width<3>);

// 1, 2, 4 and so on, as many as fit.
template <unsigned Limbs>
std::vector<wide<Limbs>> powers_of_two() {
  std::vector<wide<Limbs>> powers{wide<Limbs>(1)};
  while (powers.size() < 32 * Limbs) {
    powers.push_back(powers.back());
    powers.back().times(2);
  }
  return powers;
}

// What it holds, asked in the only way it answers: bit by bit, by comparison.
template <unsigned Limbs>
exact value_of(wide<Limbs> rest) {
  std::vector<wide<Limbs>> const powers = powers_of_two<Limbs>();
  exact found = 0;
  for (std::size_t bit = powers.size(); bit-- > 0;) {
    if (rest.below(powers[bit])) continue;
    rest.minus(powers[bit]);
    found += exact(1) << bit;
  }
  return found;
}

template <class Wide>
class wide_of : public testing::Test {};
using widths = testing::Types<wide<2>, wide<4>, wide<16>>;
TYPED_TEST_SUITE(wide_of, widths);

// 2^(32 · Limbs).
template <class Wide>
exact end_of() {
  return exact(1) << (8 * static_cast<unsigned>(sizeof(Wide)));
}

TYPED_TEST(wide_of, holds_every_64_bit_value) {
  for (std::uint64_t const value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xffff'ffff},
                                    std::uint64_t{0x1'0000'0000}, std::uint64_t{0x8000'0000'0000'0001}, top}) {
    EXPECT_EQ(value_of(TypeParam(value)), value);
  }
}

TYPED_TEST(wide_of, multiplies_subtracts_halves_and_compares_like_an_integer) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 60; ++trial) {
    TypeParam x(random());
    exact wanted = value_of(x);
    for (;;) {
      std::uint64_t const factor = trial % 3 == 0 ? top >> (random() % 64) : random() >> (random() % 64);
      if (wanted * factor >= end_of<TypeParam>()) break;
      x.times(factor);
      wanted *= factor;
      ASSERT_EQ(value_of(x), wanted);
      if (factor < 2) break;
    }
    TypeParam half = x;
    half.halve();
    EXPECT_EQ(value_of(half), wanted / 2);
    EXPECT_EQ(half.below(x), wanted > 0);
    EXPECT_FALSE(x.below(half));
    EXPECT_FALSE(x.below(x));
    x.minus(half);
    EXPECT_EQ(value_of(x), wanted - wanted / 2);
  }
}

TYPED_TEST(wide_of, borrows_and_carries_through_every_limb) {
  TypeParam power(1);
  while (power.has_room()) power.times(0x1'0000);
  exact const wanted = value_of(power);
  TypeParam less = power;
  less.minus(TypeParam(1));
  EXPECT_EQ(value_of(less), wanted - 1);
  EXPECT_TRUE(less.below(power));
  EXPECT_FALSE(power.below(less));
  less.times(1);
  EXPECT_EQ(value_of(less), wanted - 1);
  less.minus(less);
  EXPECT_EQ(value_of(less), 0);
}

TYPED_TEST(wide_of, has_room_while_its_highest_limb_is_empty) {
  TypeParam x(1);
  exact value = 1;
  for (; value < end_of<TypeParam>() / 2; value *= 2, x.times(2)) {
    EXPECT_EQ(x.has_room(), value < end_of<TypeParam>() >> 32) << value;
  }
  EXPECT_FALSE(x.has_room());
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

}  // namespace
}  // namespace backoff
