// Holds the kernels to their closed forms, computed in integers so wide that nothing can wrap: at every value of u8, at
// the boundary values of the wider types, at run time and at compile time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backoff/kernels/jitter.hpp"
#include "backoff/kernels/window.hpp"
#include "backoff/kernels/word.hpp"
#include "tests/toy_word.hpp"

namespace backoff {
namespace {

__extension__ using wide = unsigned __int128;  // twice the widest width

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

static_assert(word<u8> && word<u16> && word<u32> && word<u64>);
static_assert(!word<int> && !word<double> && !word<void*> && !word<std::string>);
static_assert(word_bits<u8> == 8 && word_bits<u16> == 16 && word_bits<u32> == 32 && word_bits<u64> == 64);

static_assert(word<toy<1>>, "one bit is enough");
static_assert(!word<toy<0>>, "a type of unknown width is none");
static_assert(!word<toy<8, false>>, "kernels copy");

template <word W>
std::vector<W> boundary_values() {
  auto const half = W(W(1) << (word_bits<W> - 1));
  auto const top = W(-1);
  return {0, 1, 2, 3, 10, 85, W(top / 3), W(half - 1), half, W(half + 1), W(top - 1), top};
}

constexpr wide closed_window(wide base, unsigned n, wide cap) { return std::min(base << n, cap); }

// Whether the windows are min(base · 2^n, cap) for n = 0 … bits(W), by when every window has arrived.
template <word W>
constexpr bool follows_closed_form(W base, W cap) {
  W window = window_first(base, cap);
  for (unsigned n = 0; n <= word_bits<W>; ++n) {
    if (window != closed_window(base, n, cap)) return false;
    window = window_next(window, cap);
  }
  return true;
}

template <word W, word D>
constexpr bool is_remainder(W window, D draw) {
  return jitter_full(window, draw) == wide{draw} % (wide{window} + 1);
}

static_assert(window_first<u16>(10, 5) == 5 && window_first<u16>(5, 10) == 5 && window_first<u16>(0, 0) == 0);
static_assert(window_first_jittered<u16>(0x8000, 0x7fff, 0xffff) == 0xffff && window_first_jittered<u16>(3, 4, 6) == 6);
static_assert(window_next<u16>(0x7fff, 0xffff) == 0xfffe && window_next<u16>(0x8000, 0xffff) == 0xffff);
static_assert(follows_closed_form<u8>(3, 200) && follows_closed_form<u64>(1, ~u64{0}));
static_assert(jitter_full<u16, u32>(9, 123) == 3 && jitter_full<u32, u32>(0xffff'ffff, 123) == 123);
static_assert(is_remainder<u8, u8>(255, 255) && is_remainder<u64, u64>(~u64{0}, ~u64{0}));

template <class W>
class window_kernels : public testing::Test {};
using widths = testing::Types<u8, u16, u32, u64>;
TYPED_TEST_SUITE(window_kernels, widths);

TYPED_TEST(window_kernels, follow_the_closed_form_at_boundary_values) {
  for (TypeParam const base : boundary_values<TypeParam>()) {
    for (TypeParam const cap : boundary_values<TypeParam>()) {
      EXPECT_TRUE(follows_closed_form(base, cap)) << "base " << +base << ", cap " << +cap;
    }
  }
}

TYPED_TEST(window_kernels, start_at_the_base_and_its_jitter_up_to_the_cap) {
  for (TypeParam const base : boundary_values<TypeParam>()) {
    for (TypeParam const jitter : boundary_values<TypeParam>()) {
      for (TypeParam const cap : boundary_values<TypeParam>()) {
        EXPECT_EQ(window_first_jittered(base, jitter, cap), std::min(wide{base} + jitter, wide{cap}))
            << "base " << +base << ", jitter " << +jitter << ", cap " << +cap;
      }
    }
  }
}

// The domain of window_next is wider than what window_first reaches: every window up to the cap.
TYPED_TEST(window_kernels, double_every_window_up_to_its_cap) {
  for (TypeParam const cap : boundary_values<TypeParam>()) {
    for (TypeParam const window : boundary_values<TypeParam>()) {
      if (window > cap) continue;
      EXPECT_EQ(window_next(window, cap), closed_window(window, 1, cap)) << "window " << +window << ", cap " << +cap;
    }
  }
}

TEST(window_kernels_u8, start_at_the_base_and_its_jitter_everywhere) {
  for (unsigned base = 0; base <= 255; ++base) {
    for (unsigned jitter = 0; jitter <= 255; ++jitter) {
      for (unsigned cap = 0; cap <= 255; ++cap) {
        ASSERT_EQ(window_first_jittered(u8(base), u8(jitter), u8(cap)), std::min(base + jitter, cap))
            << "base " << base << ", jitter " << jitter << ", cap " << cap;
      }
    }
  }
}

TEST(window_kernels_u8, follow_the_closed_form_everywhere) {
  for (unsigned base = 0; base <= 255; ++base) {
    for (unsigned cap = 0; cap <= 255; ++cap) {
      ASSERT_TRUE(follows_closed_form(u8(base), u8(cap))) << "base " << base << ", cap " << cap;
    }
  }
}

template <class Pair>
class jitter_kernel : public testing::Test {};
using window_and_draw = testing::Types<std::pair<u8, u8>, std::pair<u16, u16>, std::pair<u32, u32>, std::pair<u64, u64>,
                                       std::pair<u8, u32>, std::pair<u16, u32>, std::pair<u32, u64>>;
TYPED_TEST_SUITE(jitter_kernel, window_and_draw);

TYPED_TEST(jitter_kernel, is_the_remainder_at_boundary_values) {
  for (auto const window : boundary_values<typename TypeParam::first_type>()) {
    for (auto const draw : boundary_values<typename TypeParam::second_type>()) {
      EXPECT_TRUE(is_remainder(window, draw)) << "window " << +window << ", draw " << +draw;
    }
  }
}

TEST(jitter_kernel_u8, is_the_remainder_everywhere) {
  for (unsigned window = 0; window <= 255; ++window) {
    for (unsigned draw = 0; draw <= 255; ++draw) {
      ASSERT_TRUE(is_remainder(u8(window), u8(draw))) << "window " << window << ", draw " << draw;
    }
  }
}

// The bias that jitter_full documents: a delay comes from floor(256 / (window + 1)) of the draws, or from one more.
TEST(jitter_kernel_u8, gives_every_delay_of_the_window_nearly_as_often) {
  for (unsigned window = 0; window <= 255; ++window) {
    std::array<unsigned, 256> times{};
    for (unsigned draw = 0; draw <= 255; ++draw) ++times.at(jitter_full(u8(window), u8(draw)));
    unsigned const least = 256 / (window + 1);
    for (unsigned delay = 0; delay <= 255; ++delay) {
      unsigned const expected = delay > window ? 0 : least + (delay < 256 % (window + 1) ? 1 : 0);
      ASSERT_EQ(times.at(delay), expected) << "window " << window << ", delay " << delay;
    }
  }
}

}  // namespace
}  // namespace backoff
