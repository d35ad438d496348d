// Decides what to do after a failed try, without sleeping. Timers and event loops ask this directly; retry.hpp asks it
// in a loop, delays.hpp as a range. The systems' answers are in policies.hpp.
// Checked by: spec/tests/hosted_policies_test.cpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>

namespace backoff {

// try_again: try when the wait is over. ask_again: ask the policy when the wait is over, without a try, because the
// answer depends on the clock. give_up: the retries are exhausted. out_of_time: the policy grants a retry that would
// come too late. The wait of the last two is 0.
enum class advice : std::uint8_t { try_again, ask_again, give_up, out_of_time };

// The answer of a policy.
struct next_step {
  backoff::advice advice;         // what to do
  std::chrono::nanoseconds wait;  // never negative
};

// No further retry: the retries are exhausted.
inline constexpr next_step giving_up{advice::give_up, std::chrono::nanoseconds::zero()};
// No further retry: it would come too late.
inline constexpr next_step too_late{advice::out_of_time, std::chrono::nanoseconds::zero()};

// Ask a policy after each failed try that may be retried, and again after ask_again. It receives the time since the
// first try began, by a clock that never goes back, and takes its draws from the generator. For another operation, copy
// a policy that was never asked.
template <class P, class Generator = std::mt19937>
concept policy = std::copy_constructible<P> && requires(P& p, std::chrono::nanoseconds elapsed, Generator& generator) {
  { p.what_next(elapsed, generator) } -> std::same_as<next_step>;
};

// Whether elapsed + wait > total_time: a wait that ends with the total time does not exceed it. No argument is
// negative; without a total time there is no limit. Never wraps. AZ-JR-010; reading total-time: would-be-exceeded.
[[nodiscard]] constexpr bool exceeds(std::optional<std::chrono::nanoseconds> total_time,
                                     std::chrono::nanoseconds elapsed, std::chrono::nanoseconds wait) noexcept {
  return total_time.has_value() && wait > *total_time - elapsed;
}

// next := what the policy says, or out_of_time where its wait would exceed the total time. What the generator throws
// goes through. AZ-JR-010.
template <std::uniform_random_bit_generator Generator, policy<Generator> Policy>
[[nodiscard]] constexpr next_step what_next(Policy& asked, std::optional<std::chrono::nanoseconds> total_time,
                                            std::chrono::nanoseconds elapsed, Generator& generator) {
  next_step const next = asked.what_next(elapsed, generator);
  if (next.advice == advice::give_up) return next;
  if (exceeds(total_time, elapsed, next.wait)) return too_late;
  return next;
}

// A policy whose waits the application changes, for example by a server's Retry-After. Before each retry that the
// policy grants, wait := max(0, change(wait)), in nanoseconds of 64 bits. change := max(wait, hint) waits no less than
// both. A wait of ask_again stays as it is: the retry that follows it is changed. Where a total time is set, it limits
// the changed wait. change is called once for each try_again, after the policy's draws; what it throws goes through.
template <class Policy, std::copy_constructible Change>
class adjusted {
 public:
  // This policy, which was never asked, with this change. What change refers to must outlive every copy of the policy.
  constexpr adjusted(Policy asked, Change change) : policy_(std::move(asked)), change_(std::move(change)) {}

  // What next, so long after the first try began.
  template <std::uniform_random_bit_generator Generator>
    requires policy<Policy, Generator>
  [[nodiscard]] constexpr next_step what_next(std::chrono::nanoseconds elapsed, Generator& generator) {
    next_step const next = policy_.what_next(elapsed, generator);
    if (next.advice != advice::try_again) return next;
    return {next.advice, std::max<std::chrono::nanoseconds>(change_(next.wait), std::chrono::nanoseconds::zero())};
  }

 private:
  Policy policy_;
  Change change_;
};

}  // namespace backoff
