// The requirements of backoffAlgorithm v1.3.0, one test or more each, named by their ids in the catalogue. Every one is
// held against the library at u16 and u32 and against the model. Expected numbers are worked out by hand.
// AWS-BA-009 is advice on seeding a generator: nothing here draws, so nothing here can follow it.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "aws_backoff_algorithm/subjects_test.hpp"
#include "tests/checks.hpp"

namespace backoff::spec::aws_backoff_algorithm {
namespace {

constexpr auto forever = std::nullopt;
constexpr std::uint32_t top = 4'294'967'295;  // 2^32 - 1, the largest draw

TEST(AWS_BA_001, whole_delay_is_random_not_a_part_of_it) {
  checks("AWS-BA-001");
  each_subject({5, 100, forever}, [](fresh_cycle const& fresh) {
    std::multiset<integer> seen;
    for (std::uint32_t draw = 0; draw < 12; ++draw) seen.insert(fresh()->next(draw).delay_ms);
    EXPECT_EQ(seen, (std::multiset<integer>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}))
        << "every delay of [0, 5], equally often";
  });
}

TEST(AWS_BA_002, delay_comes_before_every_retry_the_first_included) {
  checks("AWS-BA-002");
  each_subject({10, 1000, 3}, [](fresh_cycle const& fresh) {
    EXPECT_EQ(answers(*fresh(), {7, 8, 9}), (std::vector{wait(7), wait(8), wait(9)}));
  });
}

TEST(AWS_BA_003, delay_lies_between_zero_and_the_smaller_of_window_and_maximum) {
  checks("AWS-BA-003");
  struct {
    std::string_view what;
    integer base;
    integer max;
    integer bound;  // of the first delay
  } const rows[]{
      {"the window is the smaller", 30, 100, 30},
      {"the maximum is the smaller", 100, 30, 30},
      {"both alike", 30, 30, 30},
      {"nothing between 0 and 0", 0, 30, 0},
      {"no delay allowed", 30, 0, 0},
      {"one millisecond", 1, 30, 1},
  };
  for (auto const& row : rows) {
    SCOPED_TRACE(row.what);
    each_subject({row.base, row.max, forever}, [&](fresh_cycle const& fresh) {
      std::set<integer> seen;
      for (std::uint32_t const start : {0U, 1'000'000U, 2'147'483'648U, top - 99}) {
        for (std::uint32_t i = 0; i < 100; ++i) seen.insert(fresh()->next(start + i).delay_ms);
      }
      EXPECT_EQ(*seen.begin(), 0);
      EXPECT_EQ(*seen.rbegin(), row.bound);
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(row.bound) + 1) << "every whole millisecond can come";
    });
  }
}

TEST(AWS_BA_004, window_doubles_with_each_retry) {
  checks("AWS-BA-004");
  each_subject({2, 60'000, forever}, [](fresh_cycle const& fresh) {
    expect_windows(fresh, {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768});
  });
  each_subject({7, 60'000, forever}, [](fresh_cycle const& fresh) { expect_windows(fresh, {7, 14, 28, 56, 112}); });
  each_subject({0, 60'000, forever}, [](fresh_cycle const& fresh) { expect_windows(fresh, {0, 0, 0, 0}); });
}

TEST(AWS_BA_005, doubling_goes_on_until_the_maximum_and_no_further) {
  checks("AWS-BA-005");
  struct {
    std::string_view what;
    integer base;
    integer max;
    std::vector<std::uint32_t> windows;
  } const rows[]{
      {"doubling lands on the maximum", 1, 8, {1, 2, 4, 8, 8, 8}},
      {"doubling passes the maximum", 3, 10, {3, 6, 10, 10}},
      {"an odd maximum, the window just below its half", 2, 5, {2, 4, 5, 5}},
      {"an odd maximum, the window just above its half", 3, 5, {3, 5, 5}},
      {"half the maximum", 5, 10, {5, 10, 10}},
      {"the maximum from the start", 10, 10, {10, 10}},
      {"a base above the maximum", 10, 5, {5, 5, 5}},
      {"a maximum of 0", 10, 0, {0, 0}},
      {"2 · 0x7fff still fits 16 bits", 0x7fff, 0xffff, {0x7fff, 0xfffe, 0xffff, 0xffff}},
      {"2 · 0x8000 does not", 0x8000, 0xffff, {0x8000, 0xffff, 0xffff}},
      {"0x8000 as the maximum", 0x4000, 0x8000, {0x4000, 0x8000, 0x8000}},
      {"the widest of 16 bits", 0xffff, 0xffff, {0xffff, 0xffff}},
      {"past 16 bits", 0x8000, 0x1'0000, {0x8000, 0x1'0000, 0x1'0000}},
      {"2 · 0x7fffffff still fits 32 bits",
       0x7fff'ffff,
       0xffff'ffff,
       {0x7fff'ffff, 0xffff'fffe, 0xffff'ffff, 0xffff'ffff}},
      {"2 · 0x80000000 does not", 0x8000'0000, 0xffff'ffff, {0x8000'0000, 0xffff'ffff, 0xffff'ffff}},
      {"a base of 0xffffffff above its maximum", 0xffff'ffff, 0xffff'fffe, {0xffff'fffe, 0xffff'fffe}},
  };
  for (auto const& row : rows) {
    SCOPED_TRACE(row.what);
    each_subject({row.base, row.max, forever}, [&](fresh_cycle const& fresh) { expect_windows(fresh, row.windows); });
  }
}

TEST(AWS_BA_006, delay_is_random_between_zero_and_the_minimum_of_both) {
  checks("AWS-BA-006");
  struct {
    integer base;
    integer max;
    std::vector<std::uint32_t> draws;
    delays expected;
  } const rows[]{
      // windows 100, 200, 400, 800, 1000, 1000
      {100, 1000, {0, 200, 401, 12'345, 1'000, 1'001}, {0, 200, 0, 330, 1000, 0}},
      {100, 1000, {top, top, top, top, top, top}, {67, 99, 254, 489, 619, 619}},
      // windows 3, 6, 7, 7: 2^32 - 1 is 3 modulo 4, 3 modulo 7 and 7 modulo 8
      {3, 7, {top, top, top, top}, {3, 3, 7, 7}},
      {0, 7, {5, 6, top}, {0, 0, 0}},
      {9, 0, {5, 6, top}, {0, 0, 0}},
      {1, 1, {0, 1, 2, 3}, {0, 1, 0, 1}},
      {500,
       70'000,
       {501, 1'002, 2'003, 4'004, 8'005, 16'006, 32'007, 64'008, 70'000},
       {0, 1, 2, 3, 4, 5, 6, 7, 70'000}},
      {top, top, {top, 0, 123}, {top, 0, 123}},
  };
  for (auto const& row : rows) {
    each_subject({row.base, row.max, forever}, [&](fresh_cycle const& fresh) {
      auto const running = fresh();
      for (std::size_t n = 0; n < row.draws.size(); ++n) {
        EXPECT_EQ(running->next(row.draws[n]), wait(row.expected[n])) << "base " << row.base << ", retry " << n;
      }
    });
  }
}

TEST(AWS_BA_007, instances_share_nothing) {
  checks("AWS-BA-007");
  each_subject({1, 100, 3}, [](fresh_cycle const& fresh) {
    auto const one = fresh();
    auto const other = fresh();
    EXPECT_EQ(answers(*one, {1, 2}), (std::vector{wait(1), wait(2)}));
    EXPECT_EQ(answers(*other, {1, 2, 4, 8}), (std::vector{wait(1), wait(2), wait(4), exhausted}));
    other->reset();
    EXPECT_EQ(answers(*one, {4, 8}), (std::vector{wait(4), exhausted}));
    EXPECT_EQ(fresh()->next(2), wait(0)) << "a fresh instance remembers nothing";
  });
}

TEST(AWS_BA_008, each_calculation_takes_one_random_number_of_its_own) {
  checks("AWS-BA-008");
  each_subject({100, 100, forever}, [](fresh_cycle const& fresh) {
    EXPECT_EQ(answers(*fresh(), {11, 22, 33, 44}), (std::vector{wait(11), wait(22), wait(33), wait(44)}));
    EXPECT_EQ(answers(*fresh(), {99, 22, 0, 44}), (std::vector{wait(99), wait(22), wait(0), wait(44)}));
  });
}

TEST(AWS_BA_I01, cycle_grants_max_attempts_and_the_next_call_reports_exhaustion) {
  checks("AWS-BA-I01");
  for (integer const limit : {0, 1, 2, 5}) {
    each_subject({4, 9, limit}, [&](fresh_cycle const& fresh) {
      auto const running = fresh();
      for (integer k = 1; k <= limit; ++k) EXPECT_EQ(running->next(3), wait(3)) << "call " << k << " of " << limit;
      EXPECT_EQ(running->next(3), exhausted) << "after " << limit;
    });
  }
}

TEST(AWS_BA_I01, without_a_limit_no_call_reports_exhaustion) {
  checks("AWS-BA-I01");
  each_subject({4, 9, forever}, [](fresh_cycle const& fresh) {
    auto const running = fresh();
    for (int k = 0; k < 300; ++k) EXPECT_EQ(running->next(3), wait(3)) << "call " << k;
  });
}

TEST(AWS_BA_I02, exhausted_cycle_stays_exhausted) {
  checks("AWS-BA-I02");
  each_subject({4, 9, 2}, [](fresh_cycle const& fresh) {
    auto const running = fresh();
    static_cast<void>(answers(*running, {1, 1}));
    for (std::uint32_t const draw : {0U, 1U, 9U, 2'147'483'648U, top}) EXPECT_EQ(running->next(draw), exhausted);
  });
}

TEST(AWS_BA_I03, reset_starts_a_fresh_cycle_with_the_same_parameters) {
  checks("AWS-BA-I03");
  std::vector<std::uint32_t> const draws{3, 5, 8, 8};  // each a millisecond longer than its window: 2, 4, 7
  std::vector const fresh_answers{wait(0), wait(0), wait(0), exhausted};
  each_subject({2, 7, 3}, [&](fresh_cycle const& fresh) {
    for (std::size_t calls = 0; calls <= 5; ++calls) {
      auto const running = fresh();
      for (std::size_t k = 0; k < calls; ++k) static_cast<void>(running->next(1));
      running->reset();
      EXPECT_EQ(answers(*running, draws), fresh_answers) << "reset after " << calls << " calls";
    }
    auto const twice = fresh();
    twice->reset();
    twice->reset();
    EXPECT_EQ(answers(*twice, draws), fresh_answers) << "reset twice";
  });
}

}  // namespace
}  // namespace backoff::spec::aws_backoff_algorithm
