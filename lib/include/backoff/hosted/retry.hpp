// The loop: try, ask the policy, sleep, try again. The caller says what is a failure, what is worth a retry, which
// clock to read and how to sleep; by default the steady clock and a sleep of this thread. Checked by:
// spec/tests/hosted_retry_test.cpp.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <random>
#include <thread>
#include <type_traits>
#include <utility>

#include "backoff/hosted/policy.hpp"
#include "backoff/kernels/saturating.hpp"

namespace backoff {

// The default test of a result: an operation that returns bool failed if it returned false.
struct failed_if_false {
  // Whether to retry.
  [[nodiscard]] constexpr bool operator()(std::same_as<bool> auto done) const noexcept { return !done; }
};

// No exception is worth a retry.
struct no_exception {
  // Whether to retry.
  [[nodiscard]] bool operator()(std::exception_ptr const&) const noexcept { return false; }
};

// Exceptions of these types, and of types derived from them, are worth a retry.
template <class... Exceptions>
struct exceptions_of {
  // Whether to retry.
  [[nodiscard]] bool operator()(std::exception_ptr const& thrown) const { return (is<Exceptions>(thrown) || ...); }

 private:
  template <class Exception>
  static bool is(std::exception_ptr const& thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (Exception const&) {
      return true;
    } catch (...) {
      return false;
    }
  }
};

// Sleeps on this thread.
struct sleep_here {
  // Returns when that time is over.
  void operator()(std::chrono::nanoseconds time) const noexcept { std::this_thread::sleep_for(time); }
};

// Reads the steady clock.
struct steady_now {
  // The time since its epoch.
  [[nodiscard]] std::chrono::nanoseconds operator()() const noexcept {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
};

// Placeholder for the result of an operation that returns none.
struct nothing {};

// A try that failed and is worth a retry, as on_retry sees it. It refers to the loop: keep no copy.
template <class Result>
struct failed_try {
  std::uint32_t tries;                  // so far, at least 1; stays at 2^32 - 1
  std::chrono::nanoseconds wait;        // how long the loop sleeps now, never negative
  std::optional<Result> const& result;  // what the try returned; none: it threw
  std::exception_ptr const& thrown;     // what it threw; null: it returned
};

// Nobody is told.
struct tell_nobody {
  // Does nothing.
  template <class Result>
  constexpr void operator()(failed_try<Result> const&) const noexcept {}
};

// How to retry. Every member has a default; name those that differ: retry_options{.total_time = 30s}.
template <class Results = failed_if_false, class Exceptions = no_exception, class Sleep = sleep_here,
          class Now = steady_now, class OnRetry = tell_nobody>
struct retry_options {
  std::optional<std::chrono::nanoseconds>
      total_time{};               // for all tries and waits together, not negative; none: no limit
  Results retry_results{};        // (result): whether it is a failure that is worth a retry
  Exceptions retry_exceptions{};  // (std::exception_ptr): whether the exception is worth a retry
  Sleep sleep{};  // (nanoseconds): returns when they are over; may return false, which ends the loop as interrupted
  Now now{};      // nanoseconds of a clock that never goes back
  OnRetry on_retry{};  // (failed_try): called before each sleep, for logs and counters
};

// Why a loop came to its end. answered: the operation returned a result that does not call for a retry (a success or
// a permanent failure). gave_up: the retries are exhausted. out_of_time: the wait would exceed the total time.
// interrupted: a sleep was.
enum class ending : std::uint8_t { answered, gave_up, out_of_time, interrupted };

// The result of the loop.
template <class Result>
struct retried {
  Result result;           // of the last try
  std::uint32_t tries;     // at least 1; stays at 2^32 - 1
  backoff::ending ending;  // why it is the last

  // Whether the operation returned a result that does not call for a retry.
  [[nodiscard]] constexpr bool answered() const noexcept { return ending == backoff::ending::answered; }
};

// What the operation returns, or the placeholder.
template <std::invocable Operation>
[[nodiscard]] auto result_of(Operation& operation) {
  if constexpr (std::is_void_v<std::invoke_result_t<Operation&>>) {
    std::invoke(operation);
    return nothing{};
  } else {
    return std::invoke(operation);
  }
}

// Whether there is a result, and it is not worth a retry. The result `nothing` is never worth a retry.
template <bool MayBeNone, class Results, class Result>
[[nodiscard]] constexpr bool is_final(Results& retry_results, std::optional<Result> const& got) noexcept(
    std::same_as<Result, nothing> || std::is_nothrow_invocable_v<Results&, Result const&>) {
  if constexpr (MayBeNone) {
    if (!got.has_value()) return false;
  }
  if constexpr (std::same_as<Result, nothing>) {
    return true;
  } else {
    return !retry_results(*got);  // NOLINT(bugprone-unchecked-optional-access): if none is there, MayBeNone
  }
}

// What the action throws; null where it returns.
template <std::invocable Action>
[[nodiscard]] std::exception_ptr thrown_by(Action&& action) noexcept {
  try {
    std::invoke(action);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

// The time from one reading of a clock to a later one.
[[nodiscard]] constexpr std::chrono::nanoseconds since(std::chrono::nanoseconds began,
                                                       std::chrono::nanoseconds now) noexcept {
  return now - began;
}

// Asks the policy, with the time since `began`, calls on_retry with `failed` and its wait, and sleeps, until it is time
// for the next try. Returns why the loop ends; nothing: try again. This is what retry does after each failure, for
// loops of one's own.
template <std::uniform_random_bit_generator Generator, policy<Generator> Policy, class Results, class Exceptions,
          class Sleep, class Now, class OnRetry, class Result>
std::optional<ending> wait_for_next_try(Policy& asked, Generator& generator,
                                        retry_options<Results, Exceptions, Sleep, Now, OnRetry>& options,
                                        std::chrono::nanoseconds began, failed_try<Result> failed) {
  for (;;) {
    next_step const next = what_next(asked, options.total_time, since(began, options.now()), generator);
    if (next.advice == advice::give_up) return ending::gave_up;
    if (next.advice == advice::out_of_time) return ending::out_of_time;
    failed.wait = next.wait;
    options.on_retry(std::as_const(failed));
    if constexpr (std::is_void_v<std::invoke_result_t<Sleep&, std::chrono::nanoseconds>>) {
      options.sleep(next.wait);
    } else {
      if (!options.sleep(next.wait)) return ending::interrupted;
    }
    if (next.advice == advice::try_again) return std::nullopt;
  }
}

// operation() is tried at once. retry_results says whether what it returns is worth a retry, and retry_exceptions says
// so of what it throws. If it is, the policy is asked, with the time since the first try began. If the policy does not
// give up, and its wait would not exceed the total time, on_retry and then sleep are called with that wait. Then
// operation() is tried again, or the policy is asked again, as it said. Returns the last result, the number of tries,
// and why the loop ended; or throws the exception of the last try. An operation without a result has succeeded when it
// returns, and needs retry_exceptions. An exception of the policy, the generator or a callable of the options ends the
// loop and goes through.
//
// The caller must provide an operation that is safe to repeat, failures that repeating can heal, and a generator seeded
// from entropy of the device's own, for this thread alone. AWS-BA-002, AWS-BA-009, AWS-RU-002, AWS-RU-008, AWS-RU-015,
// AWS-PS-007, AWS-PS-009, AZ-JR-010; reading total-time: would-be-exceeded.
template <std::uniform_random_bit_generator Generator, policy<Generator> Policy, std::invocable Operation,
          class Results = failed_if_false, class Exceptions = no_exception, class Sleep = sleep_here,
          class Now = steady_now, class OnRetry = tell_nobody>
auto retry(Policy asked, Operation&& operation, Generator& generator,
           retry_options<Results, Exceptions, Sleep, Now, OnRetry> options = {}) {
  using returned = std::invoke_result_t<Operation&>;
  constexpr bool returns = !std::is_void_v<returned>;
  constexpr bool catches = !std::same_as<Exceptions, no_exception>;
  static_assert(returns || catches, "an operation without a result fails by exceptions: name those worth a retry");
  using result = std::conditional_t<returns, std::remove_cvref_t<returned>, nothing>;
  auto const attempt = [&](std::optional<result>& got) { got.emplace(result_of(operation)); };
  std::chrono::nanoseconds const began = options.now();
  for (std::uint32_t tries = 1;; tries = add_saturating(tries, std::uint32_t{1})) {
    std::optional<result> got;
    std::exception_ptr thrown;
    if constexpr (catches) {
      thrown = thrown_by([&] { attempt(got); });
      if (!got.has_value() && !options.retry_exceptions(thrown)) std::rethrow_exception(thrown);
    } else {
      attempt(got);
    }
    if (is_final<catches>(options.retry_results, got))  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): it looks
      return retried<result>{std::move(*got), tries, ending::answered};
    auto const end = wait_for_next_try(asked, generator, options, began, failed_try<result>{tries, {}, got, thrown});
    if (!end.has_value()) continue;
    if constexpr (returns) {
      if constexpr (catches) {
        if (!got.has_value()) std::rethrow_exception(thrown);
      }
      // NOLINTNEXTLINE(bugprone-unchecked-optional-access): attempt fills it where exceptions are not caught
      return retried<result>{std::move(*got), tries, *end};
    } else {
      std::rethrow_exception(thrown);
    }
  }
}

}  // namespace backoff
