// Schedules that can be computed by hand, and by the law of large numbers.
#include "plans/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "histories/present.hpp"
#include "plans/law_test.hpp"

namespace backoff::plans {
namespace {

using histories::present;

TEST(schedule, of_delays_without_draws_is_exact) {
  law_of_document law("curl_retry", {"retry=12"});
  auto const all = scheduled(law, 20, 100);
  ASSERT_EQ(all.retries.size(), 12U);
  EXPECT_EQ(all.granted_next, 0);
  EXPECT_EQ(law.limit().most, 12U);
  double passed = 0;
  for (std::size_t n = 0; n < 12; ++n) {
    double const delay = std::min(600.0, std::pow(2, n));
    passed += delay;
    for (double const s : {all.retries[n].delay.least, all.retries[n].delay.p99, all.retries[n].delay.mean})
      EXPECT_EQ(s, delay) << n;
    for (double const s : {all.retries[n].passed.least, all.retries[n].passed.p99, all.retries[n].passed.greatest})
      EXPECT_EQ(s, passed) << n;
  }
  ASSERT_TRUE(all.within);
  EXPECT_EQ(present(all.within).least, 6U);  // 1 + 2 + ... + 32 = 63
  EXPECT_EQ(present(all.within).most, 6U);
  EXPECT_EQ(present(all.within).mean, 6);
}

// What is stated of it, and a thousandth at most.
void expect_exact(double found, double exact, double error = 0) {
  EXPECT_NEAR(found, exact, std::max(error, 1e-8 * exact));
  EXPECT_LE(error, exact / 1'000);
}

// Full jitter: base 200 ms, cap 20 s. The mean of a delay is the middle of its range.
TEST(schedule, of_full_jitter_has_the_means_and_percentiles_of_uniform_delays) {
  for (auto const& [stem, params] :
       {std::pair("aws_blog_full_jitter", std::vector<std::string>{"base=200"}),
        std::pair("aws_backoff_algorithm",
                  std::vector<std::string>{"base_ms=200", "max_ms=20000", "max_attempts=forever"})}) {
    law_of_document law(stem, params);
    auto const all = scheduled(law, 10, std::nullopt);
    ASSERT_EQ(all.retries.size(), 10U);
    double passed = 0;
    for (std::size_t n = 0; n < 10; ++n) {
      double const window = std::min(20.0, 0.2 * std::pow(2, n));
      passed += window / 2;
      EXPECT_NEAR(all.retries[n].delay.mean, window / 2, window / 2 / 1'000) << n;
      EXPECT_NEAR(all.retries[n].delay.p99, 0.99 * window, 0.99 * window / 1'000 + 0.0005) << n;
      EXPECT_NEAR(all.retries[n].passed.mean, passed, passed / 1'000) << n;
      EXPECT_NEAR(all.retries[n].passed.greatest, 2 * passed, 1e-6) << n;
    }
    EXPECT_LT(all.error.seconds, all.retries[9].passed.p99 / 1'000);
  }
  law_of_policy law("unit: s\ndelay: uniform(0, 0.2 * 2^n)\n");
  auto const all = scheduled(law, 2, std::nullopt);
  // The sum of two uniform numbers of [0, 1) and [0, 2) exceeds 3 - e with the probability e^2 / 4.
  expect_exact(all.retries[1].passed.p99, 0.6 - std::sqrt(0.04) * 0.2, all.error.seconds);
}

// The sum of six even delays of [0, 1): Irwin and Hall.
TEST(schedule, of_equal_delays_has_the_percentiles_of_their_sum) {
  law_of_policy law("unit: s\nparameters: {cap: 1}\ndelay: uniform(0, cap)\n");
  auto const all = scheduled(law, 6, 2.0);
  auto const below = [](double x) {
    double sum = 0;
    for (int k = 0; k <= static_cast<int>(x); ++k)
      sum += (k % 2 == 0 ? 1 : -1) * std::pow(x - k, 6) / (std::tgamma(k + 1) * std::tgamma(7 - k));
    return sum;
  };
  EXPECT_NEAR(below(all.retries[5].passed.p99), 0.99, 0.0002);
  EXPECT_NEAR(present(all.within).probability[5], below(2), all.error.probability + 1e-6);
  EXPECT_LT(all.error.probability, 0.001);
}

// Of delays that a cap cuts, a part is the cap: of uniform(0.8, 1.2) * 2.5 at 2.75 that above 1.1, a quarter.
TEST(schedule, of_clamped_delays_is_exact) {
  law_of_policy law("unit: s\ndelay: clamp(uniform(0.8, 1.2) * 2.5, 2.25, 2.75)\n");
  auto const all = scheduled(law, 1, std::nullopt);
  expect_exact(all.retries[0].delay.mean, 2.5);
  expect_exact(all.retries[0].delay.p99, 2.75);
  expect_exact(law.retry(0)->delay.quantile(0.75), 2.75);
  expect_exact(law.retry(0)->delay.quantile(0.5), 2.5);
  expect_exact(law.retry(0)->delay.quantile(0.25), 2.25);
}

TEST(schedule, of_several_draws_is_simulated) {
  law_of_policy law("unit: s\ndraws: {a: \"uniform(0, 1)\", b: \"uniform(0, 1)\"}\ndelay: a + b\n");
  auto const all = scheduled(law, 2, std::nullopt);
  EXPECT_GT(all.error.mean_part, 0);
  EXPECT_NEAR(all.retries[0].delay.mean, 1, all.error.mean_part);
  EXPECT_NEAR(all.retries[0].delay.p99, 2 - std::numbers::sqrt2 / 10, 2 * all.error.p99_part);
}

// The least and the greatest delay are the ends of the formula, not those of the samples.
TEST(schedule, of_several_draws_has_the_ends_of_the_formula) {
  for (auto const& [formula, least, greatest] : {std::tuple("a + b", 1.0, 3.0),
                                                 {"a - b", 0.0, 2.0},
                                                 {"min(8, 2^n) * a + b", 1.0, 3.0},
                                                 {"max(1.25, a - b)", 1.25, 2.0}}) {
    law_of_policy law(std::string("unit: s\ndraws: {a: \"uniform(1, 2)\", b: \"uniform(0, 1)\"}\ndelay: ") + formula +
                      "\n");
    auto const all = scheduled(law, 2, std::nullopt);
    EXPECT_GT(all.error.mean_part, 0) << formula;
    EXPECT_NEAR(all.retries[0].delay.least, least, 1e-12) << formula;
    EXPECT_NEAR(all.retries[0].delay.greatest, greatest, 1e-12) << formula;
    EXPECT_EQ(all.retries[1].passed.least, all.retries[0].delay.least + all.retries[1].delay.least) << formula;
  }
}

// A budget as the formula has it, without the error of doubles: 0.1 + 0.2 + 0.4 is 0.7, and 0.3 + 0.6 + 1.2 is 2.1.
TEST(schedule, ends_at_exact_boundaries) {
  law_of_policy strict("unit: s\ndelay: 0.1 * 2^n\nwhile: elapsed < 0.7\n");
  EXPECT_EQ(strict.limit().most, 3U);
  EXPECT_EQ(scheduled(strict, 10, std::nullopt).granted_next, 0);
  law_of_policy third("unit: s\ndelay: 0.3 * 2^n\nwhile: elapsed < 2.1\n");
  EXPECT_EQ(third.limit().most, 3U);
  law_of_policy inclusive("unit: s\ndelay: 0.1 * 2^n\nwhile: elapsed + delay <= 0.7\n");
  EXPECT_EQ(inclusive.limit().most, 3U);
  // The last wait is cut to the rest.
  law_of_policy cut("unit: s\ndelay: min(0.1 * 2^n, 1 - elapsed)\nwhile: elapsed < 1\n");
  auto const all = scheduled(cut, 10, std::nullopt);
  ASSERT_EQ(all.retries.size(), 4U);
  expect_exact(all.retries[3].delay.greatest, 0.3);
  expect_exact(all.retries[3].passed.greatest, 1);
}

// Of the waits of which the last is cut, the sum is never longer than the rest.
TEST(schedule, of_delays_that_depend_on_those_before_passes_no_more_time_than_a_client) {
  law_of_policy law("unit: s\ndelay: min(uniform(0.5, 1) * 2^n, 10 - elapsed)\nwhile: elapsed < 10\n");
  auto const all = scheduled(law, 10, std::nullopt);
  ASSERT_EQ(all.retries.size(), 4U);
  EXPECT_NEAR(all.retries[3].passed.greatest, 10, 1e-9);
  EXPECT_NEAR(all.retries[3].passed.least, 7.5, 1e-9);
  EXPECT_NEAR(all.retries[3].delay.greatest, 6.5, 0.5);
}

// The wait that is cut to a deadline ends exactly there: no retry follows. What remains is drawn of whole and of real
// numbers, and of the rest itself, of which a part always remains.
TEST(schedule, of_waits_that_are_cut_ends_with_the_first_of_them) {
  law_of_policy real("unit: s\ndelay: min(uniform(0.5, 1.5) * 0.4 * 2^n, 5.5 - elapsed)\nwhile: elapsed < 5.5\n");
  law_of_policy whole("unit: ms\ndelay: min(integer(200, 600) * 2^n, 5500 - elapsed)\nwhile: elapsed < 5500\n");
  for (law_of_policy* const law : {&real, &whole}) {
    auto const limit = law->limit();
    EXPECT_EQ(limit.least, 4U);
    EXPECT_EQ(limit.most, 5U);
    EXPECT_NEAR(limit.least_s, 5.5, 1e-9);
    EXPECT_NEAR(limit.greatest_s, 5.5, 1e-9);
    EXPECT_NEAR(scheduled(*law, 10, std::nullopt).granted_next, 0.347, 0.02);
  }
  law_of_policy part("unit: s\ndelay: uniform(0.1, 1) * (10 - elapsed)\nwhile: elapsed < 10\n");
  EXPECT_EQ(part.retry(30)->granted, 1);
}

TEST(schedule, tells_when_clients_give_up) {
  EXPECT_FALSE(law_of_document("grpc_connection_backoff").limit().least);
  auto const jittered =
      law_of_document("aws_backoff_algorithm", {"base_ms=200", "max_ms=20000", "max_attempts=6"}).limit();
  EXPECT_EQ(jittered.least, 6U);
  EXPECT_EQ(jittered.most, 6U);
  EXPECT_EQ(jittered.least_s, 0);
  EXPECT_NEAR(jittered.greatest_s, 12.6, 1e-6);
  law_of_policy by_time("unit: s\ndelay: uniform(0.5, 1.5)\nwhile: elapsed + delay <= 5\n");
  auto const limit = by_time.limit();
  EXPECT_EQ(limit.least, 3U);
  EXPECT_GE(limit.most, 6U);
  EXPECT_TRUE(limit.is_simulated);
  EXPECT_FALSE(jittered.is_simulated);
  auto const all = scheduled(by_time, 10, std::nullopt);
  EXPECT_EQ(all.retries.size(), 3U);
  EXPECT_GT(all.granted_next, 0.5);
  EXPECT_LT(all.granted_next, 1);
}

TEST(schedule, says_how_likely_so_many_retries_fit) {
  law_of_document law("grpc_connection_backoff");
  auto const all = scheduled(law, 4, 30);
  ASSERT_TRUE(all.within);
  EXPECT_EQ(present(all.within).least, 5U);
  EXPECT_EQ(present(all.within).most, 6U);
  EXPECT_EQ(present(all.within).probability[4], 1);
  EXPECT_EQ(present(all.within).probability.size(), 6U);
  EXPECT_GT(present(all.within).probability[5], 0.99);
  EXPECT_LT(present(all.within).probability[5], 1);
}

// However unlikely it is that all delays are the greatest, or the least.
TEST(schedule, says_how_many_retries_fit_for_sure_and_at_most) {
  for (double const budget_s : {1.0, 5.0, 5.2, 30.0}) {
    law_of_policy law("unit: s\ndelay: uniform(0.125, 0.25)\n");
    auto const within = present(scheduled(law, 1, budget_s).within);
    EXPECT_EQ(within.least, static_cast<std::size_t>(budget_s / 0.25));
    EXPECT_EQ(within.most, static_cast<std::size_t>(budget_s / 0.125));
    law_of_document dependent("aws_blog_decorrelated_jitter");
    EXPECT_EQ(present(scheduled(dependent, 1, budget_s).within).most, static_cast<std::size_t>(budget_s / 0.1));
  }
  law_of_policy from_0("unit: s\ndelay: uniform(0, 0.25)\n");
  auto const within = present(scheduled(from_0, 1, 5).within);
  EXPECT_EQ(within.least, 20U);
  EXPECT_FALSE(within.most);
}

// Decorrelated jitter: a delay is even between the base and three times the one before; the mean of the first is twice
// the base, that of the second is (base + 3 * 2 base) / 2.
TEST(schedule, of_delays_that_depend_on_those_before_is_simulated) {
  law_of_document law("aws_blog_decorrelated_jitter");
  EXPECT_TRUE(law.is_simulated());
  auto const all = scheduled(law, 4, 1);
  expect_exact(all.retries[0].delay.mean, 0.2);
  EXPECT_NEAR(all.retries[1].delay.mean, 0.35, 0.35 * all.error.mean_part);
  EXPECT_NEAR(all.retries[2].delay.greatest, 2.7, 1e-6);
  EXPECT_GT(all.error.probability, 0.02);
  EXPECT_LT(all.error.probability, 0.03);
}

// 2^k values of a draw of 32 bits are its remainders: evenly spaced draws would all have the remainder 0.
TEST(schedule, of_draws_of_whole_numbers_has_each_of_them) {
  law_of_document ethernet("ethernet_csma_cd");  // 0 or 1 slot of 51.2 us, then 0 to 3
  auto const slots = scheduled(ethernet, 2, std::nullopt);
  EXPECT_NEAR(slots.retries[0].delay.mean, 25.6e-6, 1e-12);
  EXPECT_NEAR(slots.retries[0].delay.p99, 51.2e-6, 1e-12);
  EXPECT_NEAR(slots.retries[1].delay.mean, 76.8e-6, 1e-12);
  law_of_document aws("aws_backoff_algorithm", {"base_ms=127", "max_ms=1023", "max_attempts=6"});
  auto const wide = scheduled(aws, 6, 1.5);
  expect_exact(wide.retries[4].delay.mean, 0.5115);
  EXPECT_NEAR(present(present(wide.within).mean), 4.67, 0.05);
  // Sidekiq: 15 s and a whole number of 0 to 9 s more, then 16 s and one of 0 to 18 s.
  law_of_document sidekiq("sidekiq_retry");
  auto const whole = scheduled(sidekiq, 2, 46);
  EXPECT_NEAR(present(whole.within).probability[1], 0.6, 1e-6);
}

TEST(schedule, of_a_document_that_grants_no_retry_is_empty) {
  law_of_document law("curl_retry", {"retry=0"});
  auto const all = scheduled(law, 10, 5);
  EXPECT_TRUE(all.retries.empty());
  EXPECT_EQ(present(all.within).most, 0U);
  EXPECT_EQ(law.limit().most, 0U);
}

}  // namespace
}  // namespace backoff::plans
