// The requirements of the Step Functions example, one test or more each, named by their ids in the catalogue. Every one
// is held against the library and against the model. Expected numbers are worked out by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "aws_step_functions/subjects_test.hpp"
#include "tests/checks.hpp"

namespace backoff::spec::aws_step_functions {
namespace {

constexpr integer most = 4'294'967'295;  // 2^32 - 1

// 40 attempts are as many as the library in picoseconds can follow exactly at any rate of three decimals, and then
// some.
constexpr integer plenty = 40;

TEST(AWS_SF_001, first_retry_comes_after_the_interval) {
  checks("AWS-SF-001");
  for (integer const interval : {0, 1, 2, 3, 60, 86'400, 2'147'483}) {
    for (integer const rate : {1'000, 1'001, 1'500, 10'000, 4'000'000}) {
      each_subject({interval, rate, 1}, [&](fresh_run const& fresh) {
        EXPECT_EQ(fresh()->next(), (answered{true, rational(interval)})) << "at rate " << rate << " / 1000";
      });
    }
  }
}

TEST(AWS_SF_002, each_delay_is_the_one_before_times_the_rate) {
  checks("AWS-SF-002");
  struct {
    std::string_view what;
    integer interval;
    integer rate;
    std::vector<answered> expected;
  } const rows[]{
      {"the example", 3, 1'500, {wait("3"), wait("4.5"), wait("6.75")}},
      {"and one further", 3, 1'500, {wait("3"), wait("4.5"), wait("6.75"), wait("10.125")}},
      {"doubling", 1, 2'000, {wait("1"), wait("2"), wait("4"), wait("8"), wait("16"), wait("32"), wait("64")}},
      {"the smallest growth", 1, 1'001, {wait("1"), wait("1.001")}},
      {"the smallest growth of a thousand seconds",
       1'000'000,
       1'001,
       {wait("1000000"), wait("1001000"), wait("1002001"), wait("1003003.001")}},
      {"tenths", 10, 1'100, {wait("10"), wait("11"), wait("12.1"), wait("13.31"), wait("14.641")}},
      {"a rate far above", 7, 100'000, {wait("7"), wait("700"), wait("70000")}},
      {"eighths", 8, 1'125, {wait("8"), wait("9"), wait("10.125")}},
      {"nothing grows to nothing", 0, 9'999, {wait("0"), wait("0"), wait("0")}},
  };
  for (auto const& row : rows) {
    SCOPED_TRACE(row.what);
    each_subject({row.interval, row.rate, plenty},
                 [&](fresh_run const& fresh) { EXPECT_EQ(answers(*fresh(), row.expected.size()), row.expected); });
  }
}

TEST(AWS_SF_003, rate_multiplies_and_adds_no_seconds) {
  checks("AWS-SF-003");
  each_subject({4, 2'500, plenty}, [](fresh_run const& fresh) {
    EXPECT_EQ(answers(*fresh(), 3), (std::vector{wait("4"), wait("10"), wait("25")})) << "not 4, 6.5, 9";
  });
}

TEST(AWS_SF_004, three_retries_are_four_calls) {
  checks("AWS-SF-004");
  for (integer const attempts : {0, 1, 2, 3, 7}) {
    each_subject({5, 1'000, attempts}, [&](fresh_run const& fresh) {
      auto const run = fresh();
      for (integer k = 1; k <= attempts; ++k) EXPECT_EQ(run->next(), wait("5")) << "call " << k << " of " << attempts;
      EXPECT_EQ(run->next(), exhausted) << "after " << attempts;
    });
  }
}

TEST(AWS_SF_004, the_largest_number_of_retries_is_a_number_like_any_other) {
  checks("AWS-SF-004");
  each_subject({5, 1'000, most}, [](fresh_run const& fresh) {
    auto const run = fresh();
    for (int k = 0; k < 50; ++k) ASSERT_EQ(run->next(), wait("5")) << "call " << k;
  });
}

TEST(AWS_SF_005, no_delay_is_granted_after_the_last_retry) {
  checks("AWS-SF-005");
  each_subject({3, 1'500, 3}, [](fresh_run const& fresh) {
    EXPECT_EQ(answers(*fresh(), 4), (std::vector{wait("3"), wait("4.5"), wait("6.75"), exhausted}));
  });
}

TEST(AWS_SF_006, waits_never_shrink) {
  checks("AWS-SF-006");
  for (integer const rate : {1'000, 1'001, 1'125, 1'500, 2'000, 3'000}) {
    each_subject({64, rate, 4}, [&](fresh_run const& fresh) {
      auto const run = fresh();
      rational before = 0;
      for (int k = 0; k < 4; ++k) {
        auto const here = run->next().delay_s;
        EXPECT_GE(here, before) << "rate " << rate << " / 1000, retry " << k;
        before = here;
      }
    });
  }
}

TEST(AWS_SF_006, a_rate_of_one_is_the_end_of_the_domain) {
  checks("AWS-SF-006");
  each_subject({3, 1'000, 3}, [](fresh_run const& fresh) {
    EXPECT_EQ(answers(*fresh(), 4), (std::vector{wait("3"), wait("3"), wait("3"), exhausted}));
  });
  EXPECT_EQ(milliseconds::with(3, {999, 1'000}, 3).error, core::parameter_error::backoff_rate_below_one);
}

TEST(AWS_SF_007, nothing_caps_the_growth_below_what_every_timer_holds) {
  checks("AWS-SF-007");
  // 2^21 s = 2097152 s is below 2^31 - 1 ms, the next is above.
  each_subject({1, 2'000, plenty}, [](fresh_run const& fresh) {
    auto const run = fresh();
    for (integer n = 0; n <= 21; ++n) EXPECT_EQ(run->next(), (answered{true, rational(integer{1} << n)}));
  });
}

TEST(AWS_SF_007, longer_delays_stay_finite_and_never_shrink) {
  checks("AWS-SF-007");
  // 3 · 10^6 s is the last of a million that 2^64 - 1 ps hold, and 2^32 - 1 ms too.
  std::vector<std::uint64_t> const held_s{3, 30, 300, 3'000, 30'000, 300'000, 3'000'000};
  parameters const p{3, 10'000, plenty};
  auto ps = library_run<picoseconds>(p);
  auto ms = library_run<milliseconds>(p);
  state s;
  for (std::size_t n = 0; n < plenty; ++n) {
    auto const delay = under(readings(), readings().admitting(standing::canonical), [&](chooser& choices) {
                         return next(p, s, choices);
                       }).answer[field_delay];
    auto const in_ps = ps.next().delay;
    auto const in_ms = ms.next().delay;
    EXPECT_EQ(in_ps, n < held_s.size() ? held_s[n] * 1'000'000'000'000 : ~std::uint64_t{0});
    EXPECT_EQ(in_ms, n < held_s.size() ? held_s[n] * 1'000 : ~std::uint32_t{0});
    for (rational const& port : {rational(in_ps, 1'000'000'000'000), rational(in_ms, 1'000)}) {
      EXPECT_GE(port, delay.ends().low) << "retry " << n;
      EXPECT_LE(port, delay.ends().high) << "retry " << n;
    }
  }
}

TEST(AWS_SF_008, runs_share_nothing) {
  checks("AWS-SF-008");
  each_subject({3, 1'500, 3}, [](fresh_run const& fresh) {
    auto const one = fresh();
    auto const other = fresh();
    EXPECT_EQ(answers(*one, 2), (std::vector{wait("3"), wait("4.5")}));
    EXPECT_EQ(answers(*other, 4), (std::vector{wait("3"), wait("4.5"), wait("6.75"), exhausted}));
    EXPECT_EQ(answers(*one, 2), (std::vector{wait("6.75"), exhausted}));
  });
}

TEST(AWS_SF_I01, exhaustion_is_said_again) {
  checks("AWS-SF-I01");
  each_subject({3, 1'500, 2}, [](fresh_run const& fresh) {
    auto const run = fresh();
    static_cast<void>(answers(*run, 2));
    for (int k = 0; k < 5; ++k) EXPECT_EQ(run->next(), exhausted);
  });
}

}  // namespace
}  // namespace backoff::spec::aws_step_functions
