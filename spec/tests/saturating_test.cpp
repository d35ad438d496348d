// Holds the saturating kernels to their closed forms: at every pair of u8, at boundary values of the wider types.
#include "backoff/kernels/saturating.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/toy_word.hpp"

namespace backoff {
namespace {

__extension__ using wide = unsigned __int128;  // twice the widest width

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <word W>
constexpr wide top = W(-1);

template <word W>
std::vector<W> boundary_values() {
  auto const half = W(W(1) << (word_bits<W> - 1));
  auto const root = W(W(1) << word_bits<W> / 2);
  auto const end = W(-1);
  auto const bits = W(word_bits<W>);
  return {0,    1,           2,          3,           W(bits - 2), W(bits - 1), bits,       W(root - 1),
          root, W(root + 1), W(end / 3), W(half - 1), half,        W(half + 1), W(end - 1), end};
}

template <word W>
constexpr bool adds(W a, W b) {
  return add_saturating(a, b) == std::min(wide{a} + b, top<W>);
}
template <word Wide, word W>
constexpr bool multiplies(W a, W b) {
  return multiply_saturating<Wide>(a, b) == std::min(wide{a} * b, top<W>);
}
template <word W>
constexpr bool doubles(W base, W times) {
  wide expected = base;
  for (W n = 0; n < times && expected != 0 && expected <= top<W>; ++n) expected *= 2;
  return double_saturating(base, times) == std::min(expected, top<W>);
}

template <class Wide, class W>
concept multipliable = requires(W a) { multiply_saturating<Wide>(a, a); };
static_assert(multipliable<u16, u8> && multipliable<u32, u16> && multipliable<u64, u32> && multipliable<u64, u8>);
static_assert(multipliable<toy<16>, u8> && !multipliable<toy<15>, u8>, "twice as wide");
static_assert(!multipliable<u8, u8> && !multipliable<u32, u32> && !multipliable<u8, u16> && !multipliable<u32, u64>);

static_assert(add_saturating<u16>(0xfff0, 0x10) == 0xffff && add_saturating<u16>(0xfff0, 0xe) == 0xfffe);
static_assert(multiply_saturating<u32, u16>(0xff, 0x101) == 0xffff && multiply_saturating<u32, u16>(3, 5) == 15);
static_assert(double_saturating<u16>(1, 15) == 0x8000 && double_saturating<u16>(1, 16) == 0xffff);

template <class W>
class saturating_kernels : public testing::Test {};
using widths = testing::Types<u8, u16, u32, u64>;
TYPED_TEST_SUITE(saturating_kernels, widths);

TYPED_TEST(saturating_kernels, add_and_double_at_boundary_values) {
  for (auto const a : boundary_values<TypeParam>()) {
    for (auto const b : boundary_values<TypeParam>()) {
      EXPECT_TRUE(adds(a, b)) << +a << " + " << +b;
      EXPECT_TRUE(doubles(a, b)) << +a << " doubled " << +b << " times";
    }
  }
}

template <class Pair>
class saturating_product : public testing::Test {};
using wide_and_width = testing::Types<std::pair<u16, u8>, std::pair<u32, u16>, std::pair<u64, u32>>;
TYPED_TEST_SUITE(saturating_product, wide_and_width);

TYPED_TEST(saturating_product, is_exact_or_the_top_at_boundary_values) {
  using W = typename TypeParam::second_type;
  for (auto const a : boundary_values<W>()) {
    for (auto const b : boundary_values<W>()) {
      EXPECT_TRUE((multiplies<typename TypeParam::first_type>(a, b))) << +a << " * " << +b;
    }
  }
}

TEST(saturating_kernels_u8, follow_the_closed_forms_everywhere) {
  for (unsigned a = 0; a <= 255; ++a) {
    for (unsigned b = 0; b <= 255; ++b) {
      ASSERT_TRUE(adds(u8(a), u8(b))) << a << " + " << b;
      ASSERT_TRUE((multiplies<u16>(u8(a), u8(b)))) << a << " * " << b;
      ASSERT_TRUE(doubles(u8(a), u8(b))) << a << " doubled " << b << " times";
    }
  }
}

}  // namespace
}  // namespace backoff
