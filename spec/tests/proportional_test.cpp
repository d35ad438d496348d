// Holds proportional jitter to floor(whole · percent · r / (100 · rand_max)), computed in integers wide enough for all
// of it at once: nearly everywhere at u8, at boundary values of the wider types.
#include "backoff/kernels/proportional.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/toy_word.hpp"

namespace backoff {
namespace {

__extension__ using wide = unsigned __int128;

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <word Wide, word W>
constexpr bool is_the_part(W whole, W percent, W r, W rand_max) {
  return jitter_proportional<Wide>(whole, percent, r, rand_max) == wide{whole} * percent * r / (wide{100} * rand_max);
}

template <class Wide, class W>
concept jittered = requires(W a) { jitter_proportional<Wide>(a, a, a, a); };
static_assert(jittered<u16, u8> && jittered<u32, u16> && jittered<u64, u32> && jittered<u64, u8>);
static_assert(jittered<toy<16>, u8> && !jittered<toy<15>, u8>, "twice as wide");
static_assert(!jittered<u8, u8> && !jittered<u32, u32> && !jittered<u8, u16> && !jittered<u32, u64>);

static_assert(jitter_proportional<u64, u32>(25, 16, 1, 1) == 4, "where doubles make 3.99…");
static_assert(jitter_proportional<u64, u32>(1000, 5, 16'384, 32'767) == 25);
static_assert(is_the_part<u64, u32>(0xffff'ffff, 100, 0xffff'ffff, 0xffff'ffff));

template <class Pair>
class proportional_jitter : public testing::Test {};
using wide_and_width = testing::Types<std::pair<u16, u8>, std::pair<u32, u16>, std::pair<u64, u32>>;
TYPED_TEST_SUITE(proportional_jitter, wide_and_width);

TYPED_TEST(proportional_jitter, is_the_exact_part_rounded_down) {
  using Wide = typename TypeParam::first_type;
  using W = typename TypeParam::second_type;
  auto const half = W(W(1) << (word_bits<W> - 1));
  auto const top = W(-1);
  std::vector<W> const values{0, 1, 2, 3, 7, 99, 100, 101, W(half - 1), half, W(half + 1), W(top - 1), top};
  for (auto const whole : values) {
    for (unsigned const percent : {0U, 1U, 5U, 16U, 33U, 50U, 67U, 99U, 100U}) {
      for (auto const rand_max : values) {
        if (rand_max == 0) continue;
        for (W const r : {W(0), W(1), W(rand_max / 3), W(rand_max / 2), W(rand_max - 1), rand_max}) {
          if (r > rand_max) continue;
          ASSERT_TRUE((is_the_part<Wide>(whole, W(percent), r, rand_max)))
              << percent << " % of " << +whole << ", draw " << +r << " of " << +rand_max;
          ASSERT_LE((jitter_proportional<Wide>(whole, W(percent), r, rand_max)), whole);
        }
      }
    }
  }
}

TEST(proportional_jitter_u8, is_the_exact_part_nearly_everywhere) {
  for (unsigned whole = 0; whole <= 255; ++whole) {
    for (unsigned percent = 0; percent <= 100; percent += percent % 10 == 9 ? 1 : 3) {
      for (unsigned const rand_max : {1U, 7U, 255U}) {
        for (unsigned r = 0; r <= rand_max; r += rand_max > 7 ? 5 : 1) {
          ASSERT_TRUE((is_the_part<u16>(u8(whole), u8(percent), u8(r), u8(rand_max))))
              << percent << " % of " << whole << ", draw " << r << " of " << rand_max;
        }
      }
    }
  }
}

}  // namespace
}  // namespace backoff
