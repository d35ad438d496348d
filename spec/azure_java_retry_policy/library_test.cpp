// What no example of the Java SDK's retry policies says of the library: checked parameters, exactness to the last bit,
// which is proved against rationals; time budgets; and policies as users write them.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>

#include "backoff/azure_java_retry_policy.hpp"
#include "relation/rational.hpp"
#include "tests/checks.hpp"

namespace backoff::spec::azure_java_retry_policy {
namespace {

namespace core = backoff::azure_java_retry_policy;

// A wait in milliseconds, every bit of it.
rational ms_of(core::wait const& w) { return (rational(w.ns) + rational(w.part, std::uint64_t{1} << 32)) / 1'000'000; }

using core::exponential_backoff_with_jitter;
using core::parameter_error;

constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t one = 1'000'000;

// All of it works at compile time.
static_assert(exponential_backoff_with_jitter().delay(4, 0x8000'0000U).ns == 537'500'000);
static_assert(exponential_backoff_with_jitter::with({.jd_millionths = one + 1}).error == parameter_error::jd_above_one);
static_assert(core::retry_policy<core::no_retry>);
static_assert(!core::retry_policy<exponential_backoff_with_jitter>, "it needs a draw from somewhere");

TEST(exponential_backoff_with_jitter, names_the_parameter_that_is_outside_of_the_domain) {
  checks("AZ-JR-016", "AZ-JR-017");
  struct {
    core::parameters p;
    parameter_error error;
  } const rows[]{
      {{}, parameter_error::none},
      {{0, 0, 0, 0, 0}, parameter_error::none},
      {{most, most, most, one, one}, parameter_error::none},
      {{.cmin_ms = 2, .cmax_ms = 1}, parameter_error::none},
      {{.jd_millionths = 0, .ju_millionths = one}, parameter_error::none},
      {{.jd_millionths = one + 1}, parameter_error::jd_above_one},
      {{.jd_millionths = most, .ju_millionths = most}, parameter_error::jd_above_one},
      {{.ju_millionths = one + 1}, parameter_error::ju_above_one},
      {{.ju_millionths = most}, parameter_error::ju_above_one},
  };
  for (auto const& row : rows) {
    auto const checked = exponential_backoff_with_jitter::with(row.p);
    EXPECT_EQ(checked.error, row.error);
    if (row.error == parameter_error::none) continue;
    EXPECT_EQ(checked.value.delay(3, 0x8000'0000U).ns, 287'500'000U) << "the defaults";
  }
}

rational millionths(std::uint32_t n) { return {n, one}; }

// min(Cmin + (2^(x-1) - 1) · (a + u · (b - a)), Cmax), from rationals.
rational formula(core::parameters const& p, std::uint32_t x, std::uint32_t draw) {
  if (x < 2) return std::min(p.cmin_ms, p.cmax_ms);
  rational const a = p.c_ms * (1 - millionths(p.jd_millionths));
  rational const b = p.c_ms * (1 - millionths(p.ju_millionths));
  rational const random = a + rational(draw, std::uint64_t{1} << 32) * (b - a);
  rational const factor = rational((big_integer(1) << std::min(x - 1, 200U)) - 1);
  return std::min<rational>(p.cmin_ms + factor * random, p.cmax_ms);
}

void expect_exact(core::parameters const& p, std::uint32_t x, std::uint32_t draw) {
  auto const found = exponential_backoff_with_jitter::with(p).value.delay(x, draw);
  rational const exact = formula(p, x, draw);
  ASSERT_EQ(ms_of(found), exact) << p.c_ms << " " << p.cmin_ms << " " << p.cmax_ms << " " << p.jd_millionths << " "
                                 << p.ju_millionths << ", x " << x << ", draw " << draw;
  rational const short_by = exact - rational(found.ns, 1'000'000);
  ASSERT_TRUE(short_by >= 0 && short_by < rational(1, 1'000'000)) << "ns alone is less than 1 ns short";
}

TEST(exponential_backoff_with_jitter, is_exact_on_all_of_a_small_domain) {
  checks("AZ-JR-012", "AZ-JR-014", "AZ-JR-015");
  constexpr std::uint32_t factors[]{0, 1, 333'333, 500'000, 999'999, one};
  constexpr std::uint32_t draws[]{0, 1, 0x7fff'ffff, 0x8000'0000, most};
  for (std::uint32_t c = 0; c < 4; ++c) {
    for (std::uint32_t cmin = 0; cmin < 4; ++cmin) {
      for (std::uint32_t const cmax : {0U, 1U, 3U, 4U, 9U, 1'000U}) {
        for (auto const jd : factors) {
          for (auto const ju : factors) {
            for (std::uint32_t const x : {0U, 1U, 2U, 3U, 6U, 40U, 100U}) {
              for (auto const draw : draws) expect_exact({c, cmin, cmax, jd, ju}, x, draw);
              if (HasFatalFailure()) return;
            }
          }
        }
      }
    }
  }
}

TEST(exponential_backoff_with_jitter, is_exact_at_random_in_a_large_domain) {
  checks("AZ-JR-012", "AZ-JR-014", "AZ-JR-015");
  std::mt19937_64 random(1);
  auto const below = [&](std::uint64_t end) { return static_cast<std::uint32_t>(random() % end); };
  auto const any = [&] { return below(std::uint64_t{1} << below(33)); };
  auto const any_of_many_bits = [&] {
    auto const some = any();
    return some | any();
  };
  for (int trial = 0; trial < 40'000; ++trial) {
    std::uint32_t const jd = below(one + 1);
    std::uint32_t const ju = trial % 5 == 0 ? jd : below(one + 1);
    expect_exact({any(), any(), any_of_many_bits(), jd, ju}, below(40), static_cast<std::uint32_t>(random()));
    if (HasFatalFailure()) return;
  }
}

TEST(exponential_backoff_with_jitter, is_exact_at_the_ends_of_its_width) {
  checks("AZ-JR-012", "AZ-JR-015");
  for (std::uint32_t const draw : {0U, 1U, most}) {
    for (std::uint32_t const x : {2U, 3U, 84U, 85U, 86U, 4'000'000'000U}) {
      expect_exact({most, 0, most, 0, 0}, x, draw);
      expect_exact({most, 0, most, 1, 0}, x, draw);
      expect_exact({most, most - 1, most, one, 0}, x, draw);
      expect_exact({1, 0, most, one, one - 1}, x, draw);
      expect_exact({most, 1, most, 0, one}, x, draw);
      expect_exact({1, 0, most, one - 1, one}, x, draw);
    }
  }
}

TEST(no_retry, says_no_delay_to_who_asks_it_itself) {
  checks("AZ-JR-019");
  auto const decided = core::no_retry()(3, core::error::service);
  EXPECT_FALSE(decided.retry);
  EXPECT_EQ(decided.delay.ns | decided.delay.part, 0U);
}

TEST(time_budget, is_exceeded_by_the_first_part_of_a_nanosecond_too_many) {
  checks("AZ-JR-010");
  constexpr std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
  struct {
    core::time_budget budget;
    core::wait delay;
    bool exceeded;
  } const rows[]{
      {{}, {end, most}, false}, {{10, 4}, {6, 0}, false},    {{10, 4}, {6, 1}, true},    {{10, 4}, {5, most}, false},
      {{10, 4}, {7, 0}, true},  {{10, 10}, {0, 0}, false},   {{10, 10}, {0, 1}, true},   {{10, 11}, {0, 0}, true},
      {{0, 0}, {0, 0}, false},  {{end, 0}, {end, 0}, false}, {{end, 0}, {end, 1}, true}, {{end, end}, {0, 0}, false},
      {{0, end}, {0, 0}, true},
  };
  for (auto const& row : rows) EXPECT_EQ(row.budget.exceeded_by(row.delay), row.exceeded) << row.delay.ns;
}

// A policy as a user would write it: gives up on throttling after two retries, and sees what it was called with.
struct careful {
  int calls = 0;
  std::uint32_t count = 0;
  core::error last = core::error::unknown;
  core::decision operator()(std::uint32_t retry_count, core::error e) noexcept {
    ++calls;
    count = retry_count;
    last = e;
    bool const gives_up = e == core::error::service && retry_count > 2;
    return gives_up ? core::decision{false, {5, 5}} : core::decision{true, {retry_count * 10U, 3U}};
  }
};

TEST(after_failure, hands_count_and_error_to_a_custom_policy) {
  checks("AZ-JR-020", "AZ-JR-026");
  careful policy;
  for (core::error const e : {core::error::protocol, core::error::service}) {
    auto const out = core::after_failure(policy, 2, e);
    EXPECT_TRUE(out.retry && out.consulted);
    EXPECT_EQ(out.delay.ns, 20U);
    EXPECT_EQ(out.delay.part, 3U);
    EXPECT_EQ(policy.count, 2U);
    EXPECT_EQ(policy.last, e);
  }
  EXPECT_EQ(policy.calls, 2);
}

TEST(after_failure, calls_no_policy_about_what_is_not_retryable) {
  checks("AZ-JR-021", "AZ-JR-022", "AZ-JR-024");
  careful policy;
  for (core::error const e : {core::error::terminal, core::error::unknown}) {
    auto const out = core::after_failure(policy, 1, e, {100, 0});
    EXPECT_FALSE(out.retry || out.consulted);
    EXPECT_EQ(out.delay.ns | out.delay.part, 0U);
  }
  EXPECT_EQ(policy.calls, 0);
}

TEST(after_failure, gives_no_delay_without_a_retry) {
  checks("AZ-JR-022", "AZ-JR-023", "AZ-JR-010");
  careful policy;
  auto const vetoed = core::after_failure(policy, 3, core::error::service);
  EXPECT_TRUE(!vetoed.retry && vetoed.consulted);
  EXPECT_EQ(vetoed.delay.ns | vetoed.delay.part, 0U);
  auto const late = core::after_failure(policy, 3, core::error::protocol, {100, 70});
  EXPECT_TRUE(!late.retry && late.consulted);
  EXPECT_EQ(late.delay.ns | late.delay.part, 0U);
  EXPECT_TRUE(core::after_failure(policy, 3, core::error::protocol, {100, 69}).retry);
}

}  // namespace
}  // namespace backoff::spec::azure_java_retry_policy
