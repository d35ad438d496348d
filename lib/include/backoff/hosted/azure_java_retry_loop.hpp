// The retry logic that surrounds an operation in the device SDK: try; after a failure ask filter, policy and total
// time; wait; try again. Hosted: durations are std::chrono's. Checked by:
// spec/azure_java_retry_policy/loop_test.cpp.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include "backoff/azure_java_retry_policy.hpp"

namespace backoff::azure_java_retry_policy {

// The default policy with a random source of its own: random() gives one draw, uniform in [0, 2^32); one is consumed by
// each decision. AZ-JR-008, AZ-JR-011, AZ-JR-020.
template <class Random>
class jittered {
 public:
  // This policy, with this source.
  jittered(exponential_backoff_with_jitter policy, Random random) : policy_(policy), random_(std::move(random)) {}
  // As the policy decides, with one draw.
  decision operator()(std::uint32_t retry_count, error) noexcept(noexcept(random_())) {
    return policy_.decide(retry_count, random_());
  }

 private:
  exponential_backoff_with_jitter policy_;
  Random random_;
};

// The delay in nanoseconds, rounded up, by less than one; 2^63 - 1 at most. AZ-JR-006, AZ-JR-023.
[[nodiscard]] constexpr std::chrono::nanoseconds rounded_up(wait delay) noexcept {
  constexpr std::uint64_t most = (std::uint64_t{1} << 63U) - 1U;
  if (delay.ns >= most) return std::chrono::nanoseconds(static_cast<std::int64_t>(most));
  std::uint64_t const more = delay.part == 0U ? 0U : 1U;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(delay.ns + more));
}

// The result of the loop: the error that ended it, none after a success; and the number of retries.
struct finished {
  std::optional<error> failure;  // the error that ended it
  std::uint32_t retries;         // made
};

// operation() is tried at once; it returns the error that it failed with, or nothing. After its k-th failure, k from 1,
// the policy is consulted about retry k if the error is retryable. If the policy grants the retry, and its delay would
// not exceed the total time, sleep(nanoseconds) is called with the delay, and operation() is tried again. Otherwise the
// loop ends with that error. now() reads a clock that never goes back; it is called once before the first try and once
// after each failure. total_time is not negative; none: no limit. A delay is rounded up to the next nanosecond, so that
// no wait is shorter than was decided.
// What a callable throws goes through and ends the loop.
//
// The caller must report a failure that it does not know as unknown, which is never retried. Its own policies must use
// conservative delays with jitter, so that clients that were throttled together do not return together. If the last
// error is `protocol`, the connection is about to be made anew; if it is `service`, a message is about to be sent anew.
// AZ-JR-001 to AZ-JR-010, AZ-JR-018 to AZ-JR-026.
template <retry_policy Policy, std::invocable<std::chrono::nanoseconds> Sleep, class Now, class Operation>
  requires requires(Now& now, Operation& operation) {
    { now() } -> std::same_as<std::chrono::nanoseconds>;
    { operation() } -> std::same_as<std::optional<error>>;
  }
finished run_with_retries(Policy&& policy, std::optional<std::chrono::nanoseconds> total_time, Sleep&& sleep, Now&& now,
                          Operation&& operation) {
  auto const began = now().count();
  auto const time = [&]() noexcept(noexcept(now())) {
    auto const elapsed = now().count() - began;
    if (!total_time.has_value()) return time_budget();
    return time_budget(static_cast<std::uint64_t>(total_time->count()), static_cast<std::uint64_t>(elapsed));
  };
  for (std::uint32_t retries = 0;; ++retries) {
    std::optional<error> const failure = operation();
    if (!failure.has_value()) return {failure, retries};
    auto const after = after_failure(policy, retries + 1U, *failure, time());
    if (!after.retry) return {failure, retries};
    sleep(rounded_up(after.delay));
  }
}

}  // namespace backoff::azure_java_retry_policy
