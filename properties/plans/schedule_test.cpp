// Schedules that can be computed by hand, and by the law of large numbers.
#include "plans/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "files/policy_file.hpp"
#include "histories/present.hpp"
#include "session/options.hpp"
#include "session/parameters.hpp"

namespace backoff::plans {
namespace {

delay_law law_of(std::string_view stem, std::vector<std::string> const& params = {}, std::size_t retries = 10) {
  files::know_the_shelf();
  auto const& document = session::named_system(stem);
  return {document, session::parameters_of(document.shape(), params), retries};
}

TEST(schedule, of_delays_without_draws_is_exact) {
  auto const law = law_of("curl_retry", {"retry=12"}, 20);
  EXPECT_TRUE(law.ends());
  auto const all = scheduled(law, 20, 100);
  ASSERT_EQ(all.retries.size(), 12U);
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
  EXPECT_EQ(backoff::histories::present(all.within).least, 6U);  // 1 + 2 + ... + 32 = 63
  EXPECT_EQ(backoff::histories::present(all.within).most, 6U);
  EXPECT_EQ(backoff::histories::present(all.within).mean, 6);
}

// Full jitter: base 100 ms, cap 20 s. The mean of a delay is the middle of its range.
TEST(schedule, of_full_jitter_has_the_means_and_percentiles_of_uniform_delays) {
  auto const all = scheduled(law_of("aws_backoff_algorithm", {"base_ms=100", "max_ms=20000", "max_attempts=forever"}),
                             3, std::nullopt);
  ASSERT_EQ(all.retries.size(), 3U);
  EXPECT_NEAR(all.retries[1].delay.mean, 0.1, 1e-9);
  EXPECT_NEAR(all.retries[2].delay.p99, 0.396, 1e-9);
  EXPECT_NEAR(all.retries[2].passed.mean, 0.35, 1e-9);
  EXPECT_NEAR(all.retries[2].passed.greatest, 0.7, 1e-9);
  // The sum of two uniform numbers of [0, 1) and [0, 2) exceeds 3 - e with the probability e^2 / 4.
  double const e = std::sqrt(0.04) * 0.1;
  EXPECT_NEAR(all.retries[1].passed.p99, 0.3 - e, 0.001 + all.error_s);
  EXPECT_LT(all.error_s, 0.002);
}

TEST(schedule, says_how_likely_so_many_retries_fit) {
  auto const all = scheduled(law_of("grpc_connection_backoff"), 10, 30);
  ASSERT_TRUE(all.within);
  EXPECT_EQ(backoff::histories::present(all.within).least, 5U);
  EXPECT_EQ(backoff::histories::present(all.within).most, 6U);
  EXPECT_EQ(backoff::histories::present(all.within).probability[4], 1);
  EXPECT_EQ(backoff::histories::present(all.within).probability[6], 0);
  EXPECT_GT(backoff::histories::present(all.within).probability[5], 0.99);
  EXPECT_LT(backoff::histories::present(all.within).probability[5], 1);
}

// Decorrelated jitter: a delay is even between the base and three times the one before; the mean of the first is twice
// the base, that of the second is (base + 3 * 2 base) / 2.
TEST(schedule, of_delays_that_depend_on_those_before_is_simulated) {
  auto const law = law_of("aws_blog_decorrelated_jitter");
  EXPECT_FALSE(law.clients().empty());
  auto const all = scheduled(law, 4, 1);
  EXPECT_NEAR(all.retries[0].delay.mean, 0.2, 0.004);
  EXPECT_NEAR(all.retries[1].delay.mean, 0.35, 0.01);
  EXPECT_NEAR(all.retries[2].delay.greatest, 2.7, 1e-6);
  EXPECT_GT(all.error_p, 0.02);
  EXPECT_LT(all.error_p, 0.03);
}

// 2^k values of a draw of 32 bits are its remainders: evenly spaced draws would all have the remainder 0.
TEST(schedule, of_draws_of_whole_numbers_has_each_of_them) {
  auto const slots = scheduled(law_of("ethernet_csma_cd"), 2, std::nullopt);  // 0 or 1 slot of 51.2 us, then 0 to 3
  EXPECT_NEAR(slots.retries[0].delay.mean, 25.6e-6, 1e-12);
  EXPECT_NEAR(slots.retries[0].delay.p99, 51.2e-6, 1e-12);
  EXPECT_NEAR(slots.retries[1].delay.mean, 76.8e-6, 1e-12);
  auto const wide =
      scheduled(law_of("aws_backoff_algorithm", {"base_ms=127", "max_ms=1023", "max_attempts=9"}), 6, 1.5);
  EXPECT_NEAR(wide.retries[4].delay.mean, 0.5115, 0.01);
  EXPECT_NEAR(backoff::histories::present(wide.within).mean, 4.67, 0.05);
  // Sidekiq: 15 s and a whole number of 0 to 9 s more, then 16 s and one of 0 to 18 s.
  auto const whole = scheduled(law_of("sidekiq_retry"), 2, 46);
  EXPECT_NEAR(backoff::histories::present(whole.within).probability[1], 0.6, 0.01);
}

TEST(schedule, tells_that_retries_may_go_on) {
  auto const law = law_of("google_http_client_backoff", {"max_elapsed_time=3000"});
  EXPECT_TRUE(law.may_go_on());
  EXPECT_FALSE(law_of("curl_retry", {"retry=3"}).may_go_on());
}

TEST(schedule, of_a_document_that_grants_no_retry_is_empty) {
  auto const all = scheduled(law_of("curl_retry", {"retry=0"}), 10, 5);
  EXPECT_TRUE(all.retries.empty());
  EXPECT_EQ(backoff::histories::present(all.within).most, 0U);
}

}  // namespace
}  // namespace backoff::plans
