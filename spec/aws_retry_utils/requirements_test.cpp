// The requirements of Retry Utilities 202009.00, one test or more each, named by their ids in the catalogue. Every one
// is held against the library at u16 and u32 and against the model. Expected numbers are worked out by hand. What the
// caller owes, and what the document advises, is held against the loop in aws_retry_utils_loop_test.cpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "aws_retry_utils/subjects_test.hpp"
#include "tests/checks.hpp"

namespace backoff::spec::aws_retry_utils {
namespace {

constexpr integer unlimited = 0;
constexpr std::uint32_t top = 4'294'967'295;  // 2^32 - 1, the largest draw

TEST(AWS_RU_002, sleep_comes_before_every_retry_the_first_included) {
  checks("AWS-RU-002");
  each_subject({10, 1000, 5, 3}, [](fresh_cycle const& fresh) {
    EXPECT_EQ(answers(*fresh(0), {7, 8, 9}), (std::vector{sleep(7), sleep(8), sleep(9)}));
  });
}

TEST(AWS_RU_003, sleep_lies_between_zero_and_the_smaller_of_window_and_maximum) {
  checks("AWS-RU-003", "AWS-RU-016");
  struct {
    std::string_view what;
    integer initial;
    integer max;
    integer bound;  // of the first sleep, with no jitter
  } const rows[]{
      {"the window is the smaller", 30, 100, 30},
      {"the maximum is the smaller", 100, 30, 30},
      {"both alike", 30, 30, 30},
      {"nothing between 0 and 0", 0, 30, 0},
      {"no sleep allowed", 30, 0, 0},
      {"one second", 1, 30, 1},
  };
  for (auto const& row : rows) {
    SCOPED_TRACE(row.what);
    each_subject({row.initial, row.max, 0, unlimited}, [&](fresh_cycle const& fresh) {
      std::set<integer> seen;
      for (std::uint32_t const start : {0U, 1'000'000U, 2'147'483'648U, top - 99}) {
        for (std::uint32_t i = 0; i < 100; ++i) seen.insert(fresh(9)->back_off(start + i).slept_s);
      }
      EXPECT_EQ(*seen.begin(), 0);
      EXPECT_EQ(*seen.rbegin(), row.bound);
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(row.bound) + 1) << "every whole second can come";
    });
  }
}

TEST(AWS_RU_004, window_doubles_with_each_retry) {
  checks("AWS-RU-004", "AWS-RU-017");
  each_subject({2, 60'000, 0, unlimited}, [](fresh_cycle const& fresh) {
    expect_windows(fresh, 5, {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768});
  });
  each_subject({2, 60'000, 5, unlimited}, [](fresh_cycle const& fresh) {
    expect_windows(fresh, 5, {7, 14, 28, 56, 112});  // 2 + 5
    expect_windows(fresh, 6, {2, 4, 8, 16, 32});     // 6 mod 6 is 0
  });
  each_subject({0, 60'000, 0, unlimited}, [](fresh_cycle const& fresh) { expect_windows(fresh, 1, {0, 0, 0, 0}); });
}

TEST(AWS_RU_005, doubling_goes_on_until_the_maximum_and_no_further) {
  checks("AWS-RU-005", "AWS-RU-018");
  struct {
    std::string_view what;
    integer initial;
    integer max;
    std::vector<std::uint32_t> windows;
  } const rows[]{
      {"doubling lands on the maximum", 1, 8, {1, 2, 4, 8, 8, 8}},
      {"doubling passes the maximum", 3, 10, {3, 6, 10, 10}},
      {"an odd maximum, the window just below its half", 2, 5, {2, 4, 5, 5}},
      {"an odd maximum, the window just above its half", 3, 5, {3, 5, 5}},
      {"half the maximum", 5, 10, {5, 10, 10}},
      {"the maximum from the start", 10, 10, {10, 10}},
      {"more than the maximum from the start", 10, 5, {5, 5, 5}},
      {"a maximum of 0", 10, 0, {0, 0}},
      {"2 · 0x7fff still fits 16 bits", 0x7fff, 0xffff, {0x7fff, 0xfffe, 0xffff, 0xffff}},
      {"2 · 0x8000 does not", 0x8000, 0xffff, {0x8000, 0xffff, 0xffff}},
      {"past 16 bits", 0x8000, 0x1'0000, {0x8000, 0x1'0000, 0x1'0000}},
      {"2 · 0x7fffffff still fits 32 bits",
       0x7fff'ffff,
       0xffff'ffff,
       {0x7fff'ffff, 0xffff'fffe, 0xffff'ffff, 0xffff'ffff}},
      {"2 · 0x80000000 does not", 0x8000'0000, 0xffff'ffff, {0x8000'0000, 0xffff'ffff, 0xffff'ffff}},
  };
  for (auto const& row : rows) {
    SCOPED_TRACE(row.what);
    each_subject({row.initial, row.max, 0, unlimited},
                 [&](fresh_cycle const& fresh) { expect_windows(fresh, 0, row.windows); });
  }
}

TEST(AWS_RU_006, sleep_is_random_between_zero_and_the_minimum_of_both) {
  checks("AWS-RU-006");
  struct {
    integer initial;
    integer max;
    std::vector<std::uint32_t> draws;
    std::vector<integer> expected;
  } const rows[]{
      // windows 100, 200, 400, 800, 1000, 1000
      {100, 1000, {0, 200, 401, 12'345, 1'000, 1'001}, {0, 200, 0, 330, 1000, 0}},
      {100, 1000, {top, top, top, top, top, top}, {67, 99, 254, 489, 619, 619}},
      // windows 3, 6, 7, 7: 2^32 - 1 is 3 modulo 4, 3 modulo 7 and 7 modulo 8
      {3, 7, {top, top, top, top}, {3, 3, 7, 7}},
      {0, 7, {5, 6, top}, {0, 0, 0}},
      {9, 0, {5, 6, top}, {0, 0, 0}},
      {top, top, {top, 0, 123}, {top, 0, 123}},
  };
  for (auto const& row : rows) {
    each_subject({row.initial, row.max, 0, unlimited}, [&](fresh_cycle const& fresh) {
      auto const running = fresh(top);
      for (std::size_t n = 0; n < row.draws.size(); ++n) {
        EXPECT_EQ(running->back_off(row.draws[n]), sleep(row.expected[n])) << "from " << row.initial << ", retry " << n;
      }
    });
  }
}

TEST(AWS_RU_007, reset_and_back_off_are_both_there) {
  checks("AWS-RU-007");
  each_subject({4, 9, 0, 1}, [](fresh_cycle const& fresh) {
    auto const running = fresh(1);
    EXPECT_EQ(running->back_off(3), sleep(3));
    running->reset(1);
    EXPECT_EQ(running->back_off(4), sleep(4));
  });
}

TEST(AWS_RU_010, reset_sets_up_the_parameters_whatever_they_held_before) {
  checks("AWS-RU-010");
  std::vector<std::uint32_t> const draws{6, 11, 21, 1};  // each a second longer than its window: 5, 10, 20
  std::vector const fresh_answers{sleep(0), sleep(0), sleep(0), exhausted};
  each_subject({2, 20, 8, 3}, [&](fresh_cycle const& fresh) {
    for (std::uint32_t calls = 0; calls <= 5; ++calls) {
      auto const running = fresh(calls);
      for (std::uint32_t k = 0; k < calls; ++k) static_cast<void>(running->back_off(1));
      running->reset(3);
      EXPECT_EQ(running->state(), (shown{0, 5})) << "reset after " << calls << " calls";
      EXPECT_EQ(answers(*running, draws), fresh_answers) << "reset after " << calls << " calls";
    }
  });
}

TEST(AWS_RU_010, two_sets_of_parameters_share_nothing) {
  checks("AWS-RU-010");
  each_subject({1, 100, 9, 3}, [](fresh_cycle const& fresh) {
    auto const one = fresh(0);
    auto const other = fresh(9);
    EXPECT_EQ(answers(*one, {1, 2}), (std::vector{sleep(1), sleep(2)}));
    EXPECT_EQ(answers(*other, {10, 20, 40, 8}), (std::vector{sleep(10), sleep(20), sleep(40), exhausted}));
    other->reset(2);
    EXPECT_EQ(answers(*one, {4, 8}), (std::vector{sleep(4), exhausted}));
    EXPECT_EQ(one->state(), (shown{3, 8}));
  });
}

TEST(AWS_RU_011, reset_sets_attempts_done_to_zero) {
  checks("AWS-RU-011");
  each_subject({4, 9, 2, unlimited}, [](fresh_cycle const& fresh) {
    auto const running = fresh(0);
    EXPECT_EQ(running->state().attempts_done, 0);
    static_cast<void>(answers(*running, {1, 2, 3}));
    EXPECT_EQ(running->state().attempts_done, 3);
    running->reset(0);
    EXPECT_EQ(running->state().attempts_done, 0);
  });
}

TEST(AWS_RU_012, reset_sets_the_window_to_the_initial_back_off_plus_jitter) {
  checks("AWS-RU-012");
  struct {
    std::string_view what;
    parameters with;
    std::uint32_t draw;
    std::uint32_t window;
  } const rows[]{
      {"no jitter drawn", {10, 100, 5, unlimited}, 0, 10},
      {"the whole jitter drawn", {10, 100, 5, unlimited}, 5, 15},
      {"one more than the whole", {10, 100, 5, unlimited}, 6, 10},
      {"nothing but jitter", {0, 100, 5, unlimited}, 4, 4},
      {"no jitter to draw", {10, 100, 0, unlimited}, 7, 10},
      {"the sum is the maximum", {10, 15, 5, unlimited}, 5, 15},
      {"the sum passes the maximum by one", {10, 14, 5, unlimited}, 5, 14},
      {"the sum is one short of it", {10, 16, 5, unlimited}, 5, 15},
      {"the initial back-off alone passes the maximum", {10, 7, 5, unlimited}, 2, 7},
      {"no window at all", {0, 0, 0, unlimited}, 7, 0},
      {"the sum is past 16 bits", {0xffff, 0xffff, 0xffff, unlimited}, 0xffff, 0xffff},
      {"the sum just fits 16 bits", {0x8000, 0xffff, 0x7fff, unlimited}, 0x7fff, 0xffff},
      {"the sum is past 32 bits", {top, top, top, unlimited}, top, top},
      {"the sum is just past 32 bits", {0x8000'0000, top, 0x8000'0000, unlimited}, 0x8000'0000, top},
      {"the sum just fits 32 bits", {0x8000'0000, top, 0x7fff'ffff, unlimited}, 0x7fff'ffff, top},
      {"every draw is a jitter", {0, top, top, unlimited}, 123, 123},
  };
  for (auto const& row : rows) {
    SCOPED_TRACE(row.what);
    each_subject(row.with, [&](fresh_cycle const& fresh) {
      EXPECT_EQ(fresh(row.draw)->state().next_jitter_max, row.window);
      EXPECT_EQ(fresh(row.draw)->back_off(row.window), sleep(row.window));
      // One more becomes 0 in this window only; beyond the widest there is no such draw, and 2^32 itself wraps to 0.
      EXPECT_EQ(fresh(row.draw)->back_off(row.window + 1), sleep(0));
    });
  }
}

TEST(AWS_RU_013, jitter_is_random_between_zero_and_its_maximum) {
  checks("AWS-RU-013");
  each_subject({100, 1000, 5, unlimited}, [](fresh_cycle const& fresh) {
    std::multiset<integer> seen;
    for (std::uint32_t draw = 0; draw < 12; ++draw) seen.insert(fresh(draw)->state().next_jitter_max);
    EXPECT_EQ(seen, (std::multiset<integer>{100, 100, 101, 101, 102, 102, 103, 103, 104, 104, 105, 105}))
        << "every jitter of [0, 5], equally often";
  });
}

TEST(AWS_RU_013, every_reset_draws_its_jitter_anew) {
  checks("AWS-RU-013");
  each_subject({100, 1000, 50, unlimited}, [](fresh_cycle const& fresh) {
    auto const running = fresh(17);
    for (std::uint32_t const draw : {0U, 50U, 23U}) {
      running->reset(draw);
      EXPECT_EQ(running->state(), (shown{0, 100 + draw}));
    }
  });
}

TEST(AWS_RU_016, every_sleep_is_drawn_from_the_whole_window) {
  checks("AWS-RU-016");
  each_subject({5, 100, 0, unlimited}, [](fresh_cycle const& fresh) {
    std::multiset<integer> seen;
    for (std::uint32_t draw = 0; draw < 12; ++draw) seen.insert(fresh(0)->back_off(draw).slept_s);
    EXPECT_EQ(seen, (std::multiset<integer>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5})) << "each equally often";
  });
  each_subject({100, 100, 0, unlimited}, [](fresh_cycle const& fresh) {
    EXPECT_EQ(answers(*fresh(0), {11, 22, 33}), (std::vector{sleep(11), sleep(22), sleep(33)})) << "one draw a sleep";
  });
}

TEST(AWS_RU_017, window_doubles_after_the_sleep_not_before) {
  checks("AWS-RU-017");
  each_subject({3, 100, 0, 2}, [](fresh_cycle const& fresh) {
    auto const running = fresh(0);
    EXPECT_EQ(running->back_off(4), sleep(0)) << "drawn from 3, not from 6";
    EXPECT_EQ(running->state().next_jitter_max, 6);
    EXPECT_EQ(running->back_off(4), sleep(4));
    EXPECT_EQ(running->back_off(4), exhausted);
    EXPECT_EQ(running->state(), (shown{2, 12})) << "nothing was slept";
  });
}

TEST(AWS_RU_018, no_window_passes_the_maximum) {
  checks("AWS-RU-018");
  for (integer const max : {0, 1, 5, 6, 7}) {
    each_subject({3, max, 2, unlimited}, [&](fresh_cycle const& fresh) {
      for (std::uint32_t draw = 0; draw < 3; ++draw) {
        auto const running = fresh(draw);
        for (int k = 0; k < 5; ++k) {
          EXPECT_LE(running->state().next_jitter_max, max);
          EXPECT_LE(running->back_off(top - draw).slept_s, max);
        }
        EXPECT_EQ(running->state().next_jitter_max, max);
      }
    });
  }
}

TEST(AWS_RU_019, exhaustion_is_reported_when_the_attempts_are_used_up) {
  checks("AWS-RU-019");
  for (integer const limit : {1, 2, 5}) {
    each_subject({4, 9, 0, limit}, [&](fresh_cycle const& fresh) {
      auto const running = fresh(0);
      for (integer k = 1; k <= limit; ++k) EXPECT_EQ(running->back_off(3), sleep(3)) << "call " << k << " of " << limit;
      for (std::uint32_t const draw : {0U, 3U, 2'147'483'648U, top}) {
        EXPECT_EQ(running->back_off(draw), exhausted) << "after " << limit;
        EXPECT_EQ(running->state().attempts_done, limit) << "an exhausted cycle stands still";
      }
    });
  }
  each_subject({4, 9, 0, top}, [](fresh_cycle const& fresh) { EXPECT_EQ(fresh(0)->back_off(3), sleep(3)); });
}

TEST(AWS_RU_020, limit_of_zero_is_none) {
  checks("AWS-RU-020");
  each_subject({4, 9, 0, unlimited}, [](fresh_cycle const& fresh) {
    auto const running = fresh(0);
    for (integer k = 1; k <= 300; ++k) {
      EXPECT_EQ(running->back_off(3), sleep(3)) << "call " << k;
      EXPECT_EQ(running->state().attempts_done, k);
    }
  });
}

TEST(AWS_RU_021, reset_restarts_an_exhausted_cycle) {
  checks("AWS-RU-021");
  each_subject({4, 9, 3, 2}, [](fresh_cycle const& fresh) {
    auto const running = fresh(0);
    EXPECT_EQ(answers(*running, {4, 8, 1}), (std::vector{sleep(4), sleep(8), exhausted}));
    running->reset(3);
    EXPECT_EQ(answers(*running, {7, 9, 1}), (std::vector{sleep(7), sleep(9), exhausted}));
  });
}

TEST(AWS_RU_022, retry_is_reported_with_what_was_slept) {
  checks("AWS-RU-022");
  each_subject({50, 900, 0, 4}, [](fresh_cycle const& fresh) {
    EXPECT_EQ(answers(*fresh(0), {0, 100, 99, 399, 1}),
              (std::vector{sleep(0), sleep(100), sleep(99), sleep(399), exhausted}));
  });
}

TEST(AWS_RU_023, attempts_done_counts_completed_back_offs) {
  checks("AWS-RU-023");
  each_subject({4, 9, 0, 3}, [](fresh_cycle const& fresh) {
    auto const running = fresh(0);
    for (integer const done : {1, 2, 3, 3, 3}) {
      static_cast<void>(running->back_off(5));
      EXPECT_EQ(running->state().attempts_done, done);
    }
  });
}

}  // namespace
}  // namespace backoff::spec::aws_retry_utils
