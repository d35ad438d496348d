// The defaults that the documents name; and the numbers of their examples, which are no defaults. backoffAlgorithm,
// Retry Utilities and the prescriptive sample leave their parameters to the application, and have no defaults here.
// Checked by: spec/tests/hosted_defaults_test.cpp.
#pragma once

#include <chrono>
#include <cstdint>

#include "backoff/aws_step_functions.hpp"
#include "backoff/azure_java_retry_policy.hpp"
#include "backoff/hosted/policies.hpp"

// The example of the AWS Step Functions document.
namespace backoff::defaults::aws_step_functions_example {

inline constexpr std::chrono::seconds interval{3};                       // before the first retry. AWS-SF-001
inline constexpr backoff::aws_step_functions::ratio backoff_rate{3, 2};  // 1.5 per retry. AWS-SF-002
inline constexpr std::uint32_t max_attempts{3};                          // retries. AWS-SF-004

}  // namespace backoff::defaults::aws_step_functions_example

// Retry control.
namespace backoff::defaults::azure_c_retry_control {

inline constexpr std::chrono::seconds initial_wait_exponential{1};  // under both exponential policies. AZ-RC-U03
inline constexpr std::chrono::seconds initial_wait{5};              // under the other policies. AZ-RC-U03
inline constexpr std::uint32_t max_jitter_percent{5};               // percent. AZ-RC-U04

}  // namespace backoff::defaults::azure_c_retry_control

// The default policy of the device SDK for Java.
namespace backoff::defaults::azure_java_retry_policy {

inline constexpr std::chrono::milliseconds c{100};        // the initial interval. AZ-JR-013
inline constexpr std::chrono::milliseconds cmin{100};     // no wait is shorter. AZ-JR-014
inline constexpr std::chrono::milliseconds cmax{10'000};  // no wait is longer. AZ-JR-015
inline constexpr std::uint32_t jd_millionths{500'000};    // the lower end of the random factor is 1 - Jd. AZ-JR-016
inline constexpr std::uint32_t ju_millionths{250'000};    // the upper end of the random factor is 1 - Ju. AZ-JR-017
inline constexpr policies::azure_java_retry_policy default_policy{};  // where no policy is set. AZ-JR-011

}  // namespace backoff::defaults::azure_java_retry_policy
