// Enumeration: the u16 window for all 2^32 pairs of base and cap, doubling by doubling until it no longer changes,
// against the closed form min(base · 2^n, cap). Sixteen tests, so that GTEST_TOTAL_SHARDS can spread them; each uses
// all cores.
#include "backoff/kernels/window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

constexpr std::uint32_t values = 0x1'0000;
constexpr std::uint32_t slices = 16;

struct mismatch {
  std::uint32_t base = 0;
  std::uint32_t cap = 0;
  std::uint32_t doublings = 0;
  bool found = false;
};

// Window after window for one base and every cap, until base · 2^n has passed every cap; one more doubling must then
// change nothing. Growth is a template parameter so that the enumeration itself can be shown to fail.
template <class Growth>
mismatch first_mismatch(std::uint32_t base, Growth grow) {
  for (std::uint32_t cap = 0; cap < values; ++cap) {
    auto window = backoff::window_first(static_cast<std::uint16_t>(base), static_cast<std::uint16_t>(cap));
    std::uint64_t closed = base;
    for (std::uint32_t n = 0;; ++n) {
      if (window != std::min<std::uint64_t>(closed, cap)) return {base, cap, n, true};
      auto const next = grow(window, static_cast<std::uint16_t>(cap));
      if (closed >= cap || closed == 0) {
        if (next != window) return {base, cap, n + 1, true};
        break;
      }
      window = next;
      closed *= 2;
    }
  }
  return {};
}

template <class Growth>
mismatch enumerate(std::uint32_t from, std::uint32_t to, Growth grow) {
  std::atomic<std::uint32_t> next{from};
  std::vector<mismatch> found(std::max(1U, std::thread::hardware_concurrency()));
  {
    std::vector<std::jthread> workers;
    workers.reserve(found.size());
    for (auto& mine : found) {
      workers.emplace_back([&] {
        for (auto base = next++; base < to && !mine.found; base = next++) mine = first_mismatch(base, grow);
      });
    }
  }
  auto const hit = std::ranges::find(found, true, &mismatch::found);
  return hit == found.end() ? mismatch{} : *hit;
}

class window_u16 : public testing::TestWithParam<std::uint32_t> {};

TEST_P(window_u16, is_its_closed_form_for_every_base_and_cap) {
  std::uint32_t const from = GetParam() * (values / slices);
  auto const wrong = enumerate(from, from + values / slices,
                               [](std::uint16_t w, std::uint16_t cap) { return backoff::window_next(w, cap); });
  EXPECT_FALSE(wrong.found) << "base " << wrong.base << ", cap " << wrong.cap << ", after " << wrong.doublings
                            << " doublings";
}

INSTANTIATE_TEST_SUITE_P(slice, window_u16, testing::Range(0U, slices));

// Two-sided: a growth that is wrong for a handful of pairs only is found.
TEST(enumeration, finds_a_single_wrong_pair) {
  auto const wrong = enumerate(20'000, 20'100, [](std::uint16_t w, std::uint16_t cap) {
    return w == 20'077 && cap == 50'001 ? std::uint16_t{50'000} : backoff::window_next(w, cap);
  });
  EXPECT_TRUE(wrong.found);
  EXPECT_EQ(wrong.base, 20'077U);
  EXPECT_EQ(wrong.cap, 50'001U);
  EXPECT_EQ(wrong.doublings, 1U);
}

}  // namespace
