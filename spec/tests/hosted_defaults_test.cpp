// The documents' defaults by name are those that the core uses where nothing is set.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "backoff/hosted/defaults.hpp"
#include "tests/checks.hpp"
#include "tests/scripted_generator.hpp"

namespace backoff {
namespace {

using namespace std::chrono_literals;

TEST(hosted_defaults, of_the_step_functions_example) {
  checks("AWS-SF-001", "AWS-SF-002", "AWS-SF-004");
  using namespace defaults::aws_step_functions_example;
  static_assert(interval == 3s && backoff_rate.num == 3 && backoff_rate.den == 2 && max_attempts == 3);
  auto made = policies::aws_step_functions::with(interval, backoff_rate, max_attempts);
  scripted_generator unused;
  EXPECT_EQ(made.value.what_next(0s, unused).wait, 3s);
  EXPECT_EQ(made.value.what_next(0s, unused).wait, 4500ms);
  EXPECT_EQ(made.value.what_next(0s, unused).wait, 6750ms);
  EXPECT_EQ(made.value.what_next(0s, unused).advice, advice::give_up);
}

TEST(hosted_defaults, of_retry_control) {
  checks("AZ-RC-U03", "AZ-RC-U04");
  using namespace defaults::azure_c_retry_control;
  using backoff::azure_c_retry_control::policy;
  static_assert(initial_wait_exponential == 1s && initial_wait == 5s && max_jitter_percent == 5);
  for (auto const which : {policy::none, policy::immediate, policy::interval, policy::linear_backoff,
                           policy::exponential_backoff, policy::exponential_backoff_with_jitter, policy::random}) {
    auto const fresh = backoff::azure_c_retry_control::create(which, 0);
    bool const exponential = which == policy::exponential_backoff || which == policy::exponential_backoff_with_jitter;
    EXPECT_EQ(std::chrono::seconds(fresh.initial_wait_time_in_secs),
              exponential ? initial_wait_exponential : initial_wait);
    EXPECT_EQ(fresh.max_jitter_percent, max_jitter_percent);
  }
}

TEST(hosted_defaults, of_the_device_sdk_for_java) {
  checks("AZ-JR-011", "AZ-JR-013", "AZ-JR-014", "AZ-JR-015", "AZ-JR-016", "AZ-JR-017");
  using namespace defaults::azure_java_retry_policy;
  static_assert(c == 100ms && cmin == 100ms && cmax == 10s && jd_millionths == 500'000 && ju_millionths == 250'000);
  backoff::azure_java_retry_policy::parameters const core;
  EXPECT_EQ(std::chrono::milliseconds(core.c_ms), c);
  EXPECT_EQ(std::chrono::milliseconds(core.cmin_ms), cmin);
  EXPECT_EQ(std::chrono::milliseconds(core.cmax_ms), cmax);
  EXPECT_EQ(core.jd_millionths, jd_millionths);
  EXPECT_EQ(core.ju_millionths, ju_millionths);
  auto asked = default_policy;
  scripted_generator generator{{7}};
  EXPECT_EQ(asked.what_next(0s, generator).wait, cmin);
  for (int i = 0; i < 20; ++i) static_cast<void>(asked.what_next(0s, generator));
  EXPECT_EQ(asked.what_next(0s, generator).wait, cmax);
}

}  // namespace
}  // namespace backoff
