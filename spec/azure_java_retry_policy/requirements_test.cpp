// The requirements of the Java SDK's retry policies, one test or more each, named by their ids in the catalogue. Every
// one is held against the library and against the model. Expected numbers are worked out by hand.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "azure_java_retry_policy/subjects_test.hpp"
#include "tests/checks.hpp"

namespace backoff::spec::azure_java_retry_policy {
namespace {

constexpr error every_error[]{error::protocol, error::service,   error::terminal,
                              error::unknown,  error::retryable, error::not_retryable};
constexpr policy every_policy[]{policy::exponential_backoff_with_jitter, policy::no_retry, policy::custom};

bool may_be_retried(error e) { return e == error::protocol || e == error::service || e == error::retryable; }

// A custom policy that always says yes.
failure eager(error e, integer delay_ms = 7) {
  return {.retry_count = 1, .error = e, .from = u32(0), .custom_retry = true, .custom_delay_ms = delay_ms};
}

TEST(AZ_JR_001, filter_says_which_errors_can_be_retried) {
  checks("AZ-JR-001");
  for (error const e : every_error) {
    expect({}, eager(e), may_be_retried(e) ? wait("100") : no);
    expect({.policy = policy::custom}, eager(e), may_be_retried(e) ? wait("7") : no);
  }
}

TEST(AZ_JR_002, no_policy_alters_the_filter) {
  checks("AZ-JR-002");
  for (policy const p : every_policy) {
    for (error const e : {error::terminal, error::unknown, error::not_retryable}) expect({.policy = p}, eager(e), no);
  }
}

TEST(AZ_JR_003, protocol_errors_may_be_retried) {
  checks("AZ-JR-003");
  expect({}, eager(error::protocol), wait("100"));
}

TEST(AZ_JR_004, service_errors_may_be_retried) {
  checks("AZ-JR-004");
  expect({}, eager(error::service), wait("100"));
}

TEST(AZ_JR_005, a_different_error_ends_the_operation_however_many_retries_there_were) {
  checks("AZ-JR-005");
  for (integer const x : {1, 2, 7, 1'000, 0x7fff'ffff}) {
    failure f = retry(x);
    each_subject([&](decider const& decide) { EXPECT_TRUE(decide({}, f).decided.retry) << x; });
    f.error = error::not_retryable;
    expect({}, f, no);
  }
}

TEST(AZ_JR_006, no_retry_comes_at_once) {
  checks("AZ-JR-006");
  for (integer const x : {0, 1, 2, 3, 9, 1'000'000}) {
    for (std::uint64_t const draw : {std::uint64_t{0}, half, top}) {
      each_subject([&](decider const& decide) { EXPECT_GE(decide({}, retry(x, draw)).decided.delay_ms, 100); });
    }
  }
}

TEST(AZ_JR_007, the_delay_is_a_function_of_the_count_and_the_draw) {
  checks("AZ-JR-007");
  each_subject([](decider const& decide) {
    // 100 + 7 · (50 + 25 / 2)
    auto const asked = [&](error e) { return decide({}, {.retry_count = 4, .error = e, .from = u32(half)}).decided; };
    EXPECT_EQ(asked(error::service), wait("537.5"));
    static_cast<void>(decide({}, retry(9, top)));
    static_cast<void>(decide({}, retry(2, 1)));
    EXPECT_EQ(asked(error::protocol), wait("537.5"));
  });
}

TEST(AZ_JR_008, the_delay_varies_with_the_draw_between_the_first_retry_and_the_cap) {
  checks("AZ-JR-008");
  expect({}, retry(1, 0), wait("100"));
  expect({}, retry(1, top), wait("100"));
  for (integer const x : {2, 5, 8}) {
    each_subject([&](decider const& decide) {
      EXPECT_LT(decide({}, retry(x, 0)).decided.delay_ms, decide({}, retry(x, half)).decided.delay_ms) << x;
      EXPECT_LT(decide({}, retry(x, half)).decided.delay_ms, decide({}, retry(x, top)).decided.delay_ms) << x;
    });
  }
}

TEST(AZ_JR_009, delays_of_one_draw_never_shrink_as_the_count_grows) {
  checks("AZ-JR-009");
  for (std::uint64_t const draw : {std::uint64_t{0}, std::uint64_t{1}, half, top}) {
    each_subject([&](decider const& decide) {
      rational before = 0;
      for (integer x = 0; x < 20; ++x) {
        auto const here = decide({}, retry(x, draw)).decided.delay_ms;
        EXPECT_GE(here, before) << x;
        before = here;
      }
    });
  }
}

TEST(AZ_JR_010, an_operation_ends_when_its_total_time_would_be_exceeded) {
  checks("AZ-JR-010");
  parameters const p{.total_time_ms = 1'000};
  auto const at = [](integer elapsed_ms) {
    return failure{.retry_count = 2, .from = u32(half), .elapsed_ms = elapsed_ms};  // 162.5 ms
  };
  expect(p, at(0), wait("162.5"));
  expect(p, at(837), wait("162.5"));
  expect(p, at(838), no);
  expect(p, at(1'000), no);
  expect(p, at(1'001), no);
  expect(p, at(0xffff'ffff), no);
  expect({}, at(0xffff'ffff), wait("162.5"));
}

TEST(AZ_JR_010, a_wait_may_end_with_the_total_time) {
  checks("AZ-JR-010");
  failure f = retry(1);
  f.elapsed_ms = 900;
  expect({.total_time_ms = 1'000}, f, wait("100"));
  expect({.total_time_ms = 999}, f, no);
  f.elapsed_ms = 0;
  expect({.cmin_ms = 0, .total_time_ms = 0}, f, wait("0"));
  expect({.total_time_ms = 0}, f, no);
}

TEST(AZ_JR_010, the_time_of_a_custom_policy_is_limited_too) {
  checks("AZ-JR-010");
  failure f = eager(error::protocol, 500);
  f.elapsed_ms = 500;
  expect({.policy = policy::custom, .total_time_ms = 1'000}, f, wait("500"));
  expect({.policy = policy::custom, .total_time_ms = 999}, f, no);
}

TEST(AZ_JR_011, the_default_policy_backs_off_exponentially_with_jitter) {
  checks("AZ-JR-011");
  static_assert(parameters{}.policy == policy::exponential_backoff_with_jitter);
  core::exponential_backoff_with_jitter const by_default;
  EXPECT_EQ(ms_of(by_default.decide(4, half).delay), ms_of("537.5"));
  EXPECT_TRUE(by_default.decide(4, half).retry);
  expect({}, retry(4, half), wait("537.5"));
}

TEST(AZ_JR_012, delays_follow_the_formula) {
  checks("AZ-JR-012");
  struct {
    integer x;
    std::uint64_t draw;
    std::string_view delay_ms;
  } const rows[]{
      {1, half, "100"},
      {2, 0, "150"},
      {2, half, "162.5"},
      {2, top, "174.9999999941792339086532592773438"},
      {3, 0, "250"},
      {3, half, "287.5"},
      {4, 0, "450"},
      {4, half, "537.5"},
      {5, half, "1037.5"},
      {6, half, "2037.5"},
      {7, half, "4037.5"},
      {8, half, "8037.5"},
      {8, 0, "6450"},
      {8, half / 2, "7243.75"},
      {9, 0, "10000"},
      {9, top, "10000"},
      {64, 0, "10000"},
      {1'100, half, "10000"},
      {0x7fff'ffff, 0, "10000"},
  };
  for (auto const& row : rows) {
    each_subject([&](decider const& decide) {
      auto const found = decide({}, retry(row.x, row.draw)).decided;
      rational const error = abs(found.delay_ms - ms_of(row.delay_ms));
      EXPECT_TRUE(found.retry && error * 1'000'000'000'000 < 1) << row.x << ": " << found.delay_ms;
    });
  }
}

TEST(AZ_JR_012, delays_follow_the_formula_with_other_constants) {
  checks("AZ-JR-012");
  // 3 + 3 · (10 · 0.1 + u · 10 · 0.7) at u = 1/4; and 40 draws of nothing
  expect({.c_ms = 10, .cmin_ms = 3, .cmax_ms = 99, .jd_thousandths = 900, .ju_thousandths = 200}, retry(3, half / 2),
         wait("11.25"));
  expect({.c_ms = 0, .cmin_ms = 3, .cmax_ms = 99}, retry(40, top), wait("3"));
  expect({.c_ms = 4'294'967'295, .cmin_ms = 0, .cmax_ms = 4'294'967'295, .jd_thousandths = 1'000, .ju_thousandths = 0},
         retry(2, half), wait("2147483647.5"));
}

TEST(AZ_JR_012, no_random_part_is_no_growth_however_many_retries) {
  checks("AZ-JR-012", "AZ-JR-014");
  parameters const p{.jd_thousandths = 1'000, .ju_thousandths = 250};
  for (integer const x : {1, 2, 65, 1'025, 0x7fff'ffff}) expect(p, retry(x, 0), wait("100"));
  expect(p, retry(1'025, 1), wait("10000"));
}

TEST(AZ_JR_013, the_interval_is_100_ms_by_default) {
  checks("AZ-JR-013");
  expect({.cmin_ms = 0, .jd_thousandths = 0, .ju_thousandths = 0}, retry(2), wait("100"));
  EXPECT_EQ(core::parameters{}.c_ms, 100U);
  EXPECT_EQ(parameters{}.c_ms, 100);
}

TEST(AZ_JR_014, the_minimum_is_100_ms_by_default) {
  checks("AZ-JR-014");
  expect({}, retry(1), wait("100"));
  expect({.c_ms = 0}, retry(50, top), wait("100"));
  EXPECT_EQ(core::parameters{}.cmin_ms, 100U);
  EXPECT_EQ(parameters{}.cmin_ms, 100);
}

TEST(AZ_JR_014, no_delay_is_below_the_minimum_before_the_first_retry) {
  checks("AZ-JR-014", "AZ-JR-006");
  expect({}, retry(0, top), wait("100"));
  expect({.c_ms = 1'000}, retry(0, 0), wait("100"));
  expect({.c_ms = 1'000, .cmin_ms = 100, .cmax_ms = 60}, retry(0, 0), wait("60"));
}

TEST(AZ_JR_015, the_maximum_is_10000_ms_by_default) {
  checks("AZ-JR-015");
  expect({}, retry(9), wait("10000"));
  // one millisecond of room, and none
  expect({.c_ms = 4, .cmin_ms = 9'997}, retry(2), wait("9999"));
  expect({.c_ms = 4, .cmin_ms = 9'998}, retry(2), wait("10000"));
  expect({.c_ms = 4, .cmin_ms = 9'999}, retry(1), wait("9999"));
  expect({.c_ms = 4, .cmin_ms = 9'999}, retry(2), wait("10000"));
  expect({.c_ms = 4, .cmin_ms = 10'000}, retry(2), wait("10000"));
  expect({.cmax_ms = 0}, retry(5), wait("0"));
  EXPECT_EQ(core::parameters{}.cmax_ms, 10'000U);
  EXPECT_EQ(parameters{}.cmax_ms, 10'000);
}

TEST(AZ_JR_015, the_maximum_wins_over_the_minimum) {
  checks("AZ-JR-015", "AZ-JR-014");
  for (integer const x : {0, 1, 2, 30}) expect({.cmin_ms = 500, .cmax_ms = 200}, retry(x, half), wait("200"));
}

TEST(AZ_JR_016, the_lower_factor_is_one_half_by_default) {
  checks("AZ-JR-016");
  expect({.cmin_ms = 0}, retry(2, 0), wait("50"));
  expect({.cmin_ms = 0, .jd_thousandths = 1'000}, retry(2, 0), wait("0"));
  expect({.cmin_ms = 0, .jd_thousandths = 999}, retry(2, 0), wait("0.1"));
  EXPECT_EQ(core::parameters{}.jd_millionths, 500'000U);
  EXPECT_EQ(parameters{}.jd_thousandths, 500);
}

TEST(AZ_JR_017, the_upper_factor_is_three_quarters_by_default) {
  checks("AZ-JR-017");
  each_subject([](decider const& decide) {
    for (integer x = 2; x < 9; ++x) {
      rational const power = (integer{1} << (x - 1)) - 1;
      auto const found = decide({}, retry(x, top)).decided.delay_ms;
      EXPECT_LT(found, 100 + power * 75);
      EXPECT_GT(found, 100 + power * 75 - power / 100'000'000);
    }
  });
  EXPECT_EQ(core::parameters{}.ju_millionths, 250'000U);
  EXPECT_EQ(parameters{}.ju_thousandths, 250);
}

TEST(AZ_JR_018, the_policy_that_is_set_decides_whether_and_when) {
  checks("AZ-JR-018");
  failure f = eager(error::protocol, 31'000);
  expect({.policy = policy::exponential_backoff_with_jitter}, f, wait("100"));
  expect({.policy = policy::no_retry}, f, no);
  expect({.policy = policy::custom}, f, wait("31000"));
  f.custom_retry = false;
  expect({.policy = policy::exponential_backoff_with_jitter}, f, wait("100"));
  expect({.policy = policy::custom}, f, no);
}

TEST(AZ_JR_019, no_retry_never_retries) {
  checks("AZ-JR-019");
  for (error const e : every_error) {
    for (integer const x : {0, 1, 2, 0x7fff'ffff}) {
      expect({.policy = policy::no_retry}, {.retry_count = x, .error = e, .from = u32(top)}, no);
    }
  }
  auto const decided = core::no_retry()(3, core::error::service);
  EXPECT_FALSE(decided.retry);
  EXPECT_EQ(decided.delay.ns, 0U) << "whoever asks the policy itself";
  EXPECT_EQ(decided.delay.part, 0U);
}

TEST(AZ_JR_020, a_custom_policy_decides_for_itself) {
  checks("AZ-JR-020");
  for (integer const delay_ms : {0, 1, 10'001, 86'400'000}) {
    expect({.policy = policy::custom}, eager(error::service, delay_ms), {true, rational(delay_ms)});
  }
}

TEST(AZ_JR_021, only_retryable_errors_reach_a_policy) {
  checks("AZ-JR-021");
  for (error const e : every_error) {
    each_subject([&](decider const& decide) {
      for (bool const willing : {false, true}) {
        failure f = eager(e);
        f.custom_retry = willing;
        EXPECT_EQ(decide({.policy = policy::custom}, f).consulted, may_be_retried(e)) << static_cast<int>(e);
      }
    });
  }
}

TEST(AZ_JR_022, a_custom_policy_may_veto_but_never_force_a_retry) {
  checks("AZ-JR-022");
  for (error const e : every_error) {
    failure f = eager(e);
    expect({.policy = policy::custom}, f, may_be_retried(e) ? wait("7") : no);
    f.custom_retry = false;
    expect({.policy = policy::custom}, f, no);
  }
}

TEST(AZ_JR_023, what_a_custom_policy_declares_is_neither_capped_nor_jittered) {
  checks("AZ-JR-023");
  failure f = eager(error::protocol, 4'294'967'295);
  for (integer const x : {0, 1, 9}) {
    for (std::uint64_t const draw : {std::uint64_t{0}, top}) {
      f.retry_count = x;
      f.from = u32(draw);
      expect({.policy = policy::custom, .cmax_ms = 5}, f, wait("4294967295"));
    }
  }
}

TEST(AZ_JR_024, unknown_errors_are_not_retried) {
  checks("AZ-JR-024");
  for (policy const p : every_policy) expect({.policy = p}, eager(error::unknown), no);
}

TEST(AZ_JR_025, retries_are_conservative) {
  checks("AZ-JR-025");
  each_subject([](decider const& decide) {
    rational in_all = 0;
    for (integer x = 1; x <= 8; ++x) in_all += decide({}, retry(x, 0)).decided.delay_ms;
    EXPECT_EQ(in_all, 13'150) << "100 + 150 + 250 + 450 + 850 + 1650 + 3250 + 6450";
  });
}

}  // namespace
}  // namespace backoff::spec::azure_java_retry_policy
