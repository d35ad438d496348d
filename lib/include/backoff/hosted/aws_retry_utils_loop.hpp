// The loop that Retry Utilities are made for: reset; try; after a failure back off and sleep, and try again, until a
// try succeeds or the attempts are exhausted. AWS-RU-008.
// Hosted: durations are std::chrono's. Checked by: spec/aws_retry_utils/loop_test.cpp.
#pragma once

#include <chrono>
#include <cstdint>

#include "backoff/aws_retry_utils.hpp"

namespace backoff::aws_retry_utils {

// Seconds of a width.
template <word W>
using seconds = std::chrono::duration<W>;

// How long to sleep.
template <word W>
[[nodiscard]] constexpr seconds<W> time_to_sleep(decision<W> const& decided) noexcept {
  return seconds<W>(decided.sleep_s);
}

// One step of the loop: sleep(seconds<W>) is called with how long to sleep, and returns when that time is over; only
// then does the window double and the attempt count. random() gives one draw, uniform in [0, 2^bits(D)) for its type D,
// which is at least as wide as W; one is consumed. Once exhausted nothing sleeps. What random or sleep throws goes
// through and leaves the cycle as it was. AWS-RU-016, AWS-RU-017, AWS-RU-019, AWS-RU-022.
template <word W, class Random, class Sleep>
status back_off_and_sleep(retry_cycle<W>& cycle, Random& random, Sleep& sleep) {
  retry_cycle<W> slept = cycle;
  auto const decided = slept.back_off(random());
  if (decided.status == status::exhausted) return status::exhausted;
  sleep(time_to_sleep(decided));
  cycle = slept;
  return status::retry;
}

// How a loop ends.
enum class outcome : std::uint8_t { succeeded, exhausted };

// The loop: operation() is tried at once, and after every sleep, until it returns true (succeeded) or the attempts are
// used up (exhausted): 1 + max_attempts tries in all, without end where max_attempts is 0. One draw for the reset and
// one for each failed try. What a callable throws goes through and ends the loop.
//
// The caller must provide: an operation that is safe to repeat (idempotent: a try that failed may still have had its
// effect), and that returns false only for failures that repeating can heal (for others it returns true or throws); a
// random source seeded from entropy of the device's own, so that devices that fail together do not try again together;
// and one of its own for each thread. After `exhausted`, give up or call again, which starts afresh with a reset.
// AWS-RU-001, AWS-RU-002, AWS-RU-008, AWS-RU-009, AWS-RU-014, AWS-RU-015, AWS-RU-021, AWS-RU-024.
template <word W, class Random, class Sleep, class Operation>
outcome retry(parameters<W> const& p, Random&& random, Sleep&& sleep, Operation&& operation) {
  retry_cycle<W> cycle(p, random());
  while (!operation()) {
    if (back_off_and_sleep(cycle, random, sleep) == status::exhausted) return outcome::exhausted;
  }
  return outcome::succeeded;
}

}  // namespace backoff::aws_retry_utils
