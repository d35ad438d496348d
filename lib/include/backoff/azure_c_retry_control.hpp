// iothub_client_retry_control (Azure, C): when to retry, in seconds, under one of seven policies.
//
//   none, immediate                  wait_secs = 0
//   interval                         wait_secs = initial
//   linear_backoff                   wait_secs = initial · n
//   exponential_backoff              wait_secs = initial · 2^(n-1)
//   exponential_backoff_with_jitter  wait_secs = initial · 2^(n-1) · (1 + percent/100 · rand/RAND_MAX)
//   random                           wait_secs = initial · rand/RAND_MAX
//
// where n = retries granted since the last reset, this one included.
//
// Value types only: no heap, no exception, no floating point. The clock and the generator come in as callables, so that
// each reading and each draw is taken where, and only where, the document takes it. The document's own interface of
// handles is built on this: hosted/azure_c_retry_control_handle.hpp.
// Requirement ids are the document's, without their common beginning SRS_IOTHUB_CLIENT_RETRY_CONTROL_.
// Checked by: spec/azure_c_retry_control/examples.yaml, spec/azure_c_retry_control/histories_test.cpp.
#pragma once

#include <concepts>
#include <cstdint>

#include "backoff/kernels/proportional.hpp"
#include "backoff/kernels/saturating.hpp"

namespace backoff::azure_c_retry_control {

// When to retry. 09_004, 09_028 to 09_033.
enum class policy : std::uint8_t {
  none,
  immediate,
  interval,
  linear_backoff,
  exponential_backoff,
  exponential_backoff_with_jitter,
  random,
};
// What to do now.
enum class action : std::uint8_t { retry_now, retry_later, stop_retrying };

// Stands for a time at which the clock was never read, and for what a clock that fails gives. Times are seconds of one
// clock, whose zero does not matter. AZ-RC-U06.
inline constexpr std::int64_t indefinite_time = -1;

// One random number: r in [0, rand_max], uniform; rand_max >= 1.
struct draw {
  std::uint32_t r;         // the number
  std::uint32_t rand_max;  // the greatest that there is
};

// get_time(): the next reading of the clock, or indefinite_time where it fails.
template <class F>
concept clock_source = requires(F& f) {
  { f() } noexcept -> std::same_as<std::int64_t>;
};
// rand(): the next random number.
template <class F>
concept draw_source = requires(F& f) {
  { f() } noexcept -> std::same_as<draw>;
};

// The document's fields. A plain value: copy it, keep it in an array, hand it to another thread.
struct retry_control {
  azure_c_retry_control::policy policy;     // when to retry
  std::uint32_t max_retry_time_in_secs;     // 0: no limit
  std::uint32_t initial_wait_time_in_secs;  // at least 1
  std::uint32_t max_jitter_percent;         // in [0, 100]
  std::uint32_t retry_count;                // stops at 2^32 − 1: a larger count would change no wait
  std::uint32_t current_wait_time_in_secs;  // the wait that began with the last retry
  std::int64_t first_retry_time;            // when the first retry was asked for
  std::int64_t last_retry_time;             // when the last one was granted
};

// retry_count and current_wait_time_in_secs := 0, first_ and last_retry_time := indefinite_time. Options stay.
// 09_035, AZ-RC-U01; reading reset-options: survive.
constexpr void reset(retry_control& control) noexcept {
  control.retry_count = 0U;
  control.current_wait_time_in_secs = 0U;
  control.first_retry_time = indefinite_time;
  control.last_retry_time = indefinite_time;
}

// A new instance: initial wait 1 second for both exponential policies and 5 seconds for the others, jitter 5 percent.
// Every policy and every max_retry_time_in_secs is valid. No error. 09_004 to 09_008, AZ-RC-U03, AZ-RC-U04.
[[nodiscard]] constexpr retry_control create(policy which, std::uint32_t max_retry_time_in_secs) noexcept {
  bool const exponential = which == policy::exponential_backoff || which == policy::exponential_backoff_with_jitter;
  return {which, max_retry_time_in_secs, exponential ? 1U : 5U, 5U, 0U, 0U, indefinite_time, indefinite_time};
}

// initial_wait_time_in_secs := seconds, in [1, 2^32). False, and nothing changes: seconds is 0.
// 09_037, 09_038, AZ-RC-U02.
[[nodiscard]] constexpr bool set_initial_wait_time_in_secs(retry_control& control, std::uint32_t seconds) noexcept {
  if (seconds == 0U) return false;
  control.initial_wait_time_in_secs = seconds;
  return true;
}

// max_jitter_percent := percent, in [0, 100]. False, and nothing changes: percent is above 100.
// 09_039, 09_040, AZ-RC-U04.
[[nodiscard]] constexpr bool set_max_jitter_percent(retry_control& control, std::uint32_t percent) noexcept {
  if (percent > 100U) return false;
  control.max_jitter_percent = percent;
  return true;
}

// now − since >= seconds, with the difference signed and exact: every pair of 64-bit readings is valid, and a clock
// that went backwards has not reached even 0 seconds. 09_023 to 09_025, 09_061; readings clock-backwards: signed,
// difference-overflow: exact.
[[nodiscard]] constexpr bool has_elapsed(std::int64_t since, std::int64_t now, std::uint32_t seconds) noexcept {
  if (now < since) return false;
  return static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(since) >= seconds;
}

// The wait after the retry that made retry_count what it is, seconds in [0, 2^32 − 1]; see the head of this file.
// Domain: not the policies none and immediate, which never wait; retry_count >= 1. Exact, rounded down once; saturates
// at 2^32 − 1. Takes one draw where the policy is exponential_backoff_with_jitter or random, and none elsewhere.
// 09_029 to 09_033; readings quotients: real, wait-rounding: truncate, product-rounding: exact, count-origin: one,
// overflow: saturates.
template <draw_source Draws>
[[nodiscard]] constexpr std::uint32_t calculate_next_wait_time(retry_control const& control, Draws& rand) noexcept {
  std::uint32_t const initial = control.initial_wait_time_in_secs;
  if (control.policy == policy::interval) return initial;
  if (control.policy == policy::linear_backoff) return multiply_saturating<std::uint64_t>(initial, control.retry_count);
  if (control.policy == policy::random) {
    draw const drawn = rand();
    return jitter_proportional<std::uint64_t>(initial, std::uint32_t{100}, drawn.r, drawn.rand_max);
  }
  std::uint32_t const base = double_saturating(initial, control.retry_count - 1U);
  if (control.policy == policy::exponential_backoff) return base;
  draw const drawn = rand();
  return add_saturating(base,
                        jitter_proportional<std::uint64_t>(base, control.max_jitter_percent, drawn.r, drawn.rand_max));
}

// What should_retry answers. Where it is not decided the call has failed, and the action is stop_retrying.
struct decision {
  bool decided;                          // whether the call has not failed
  azure_c_retry_control::action action;  // what to do now
};

// The action for the state as it is; changes nothing. Domain: not the policy none, which is never evaluated. Reads the
// clock once, unless this is the first retry or the clock failed when the last one was granted. Not decided: the clock
// failed then, or it fails now.
// 09_019 to 09_026, 09_028; readings first-call: ends, stop-sticky: re-evaluated, immediate-limit: limit-first.
template <clock_source Clock>
[[nodiscard]] constexpr decision evaluate_retry_action(retry_control const& control, Clock& get_time) noexcept {
  bool const immediate = control.policy == policy::immediate;
  if (control.retry_count == 0U) return {true, action::retry_now};
  if (control.last_retry_time == indefinite_time && !immediate) return {false, action::stop_retrying};
  std::int64_t const now = get_time();
  if (now == indefinite_time) return {false, action::stop_retrying};
  std::uint32_t const limit = control.max_retry_time_in_secs;
  if (limit != 0U && has_elapsed(control.first_retry_time, now, limit)) return {true, action::stop_retrying};
  if (immediate) return {true, action::retry_now};
  bool const waited = has_elapsed(control.last_retry_time, now, control.current_wait_time_in_secs);
  return {true, waited ? action::retry_now : action::retry_later};
}

// Whether to retry now, later or no more; a retry granted is counted and starts the next wait.
// Reads the clock, in this order: for first_retry_time where that is indefinite (09_011), for evaluate_retry_action
// (09_021), and for last_retry_time where a policy other than immediate grants a retry (09_016). Takes at most one
// draw, after the last reading. The policy none reads nothing.
// Not decided: a reading failed. Where the reading for last_retry_time failed, the retry has been counted and
// last_retry_time is indefinite, so that every call up to the next reset fails.
// 09_011 to 09_018, 09_027, AZ-RC-U06, AZ-RC-I02; reading failed-016: fails.
template <clock_source Clock, draw_source Draws>
[[nodiscard]] constexpr decision should_retry(retry_control& control, Clock&& get_time, Draws&& rand) noexcept {
  if (control.policy == policy::none) return {true, action::stop_retrying};
  if (control.first_retry_time == indefinite_time) {
    control.first_retry_time = get_time();
    if (control.first_retry_time == indefinite_time) return {false, action::stop_retrying};
  }
  decision const evaluated = evaluate_retry_action(control, get_time);
  if (evaluated.action != action::retry_now) return evaluated;
  control.retry_count = add_saturating(control.retry_count, std::uint32_t{1});
  if (control.policy == policy::immediate) return evaluated;
  control.last_retry_time = get_time();
  if (control.last_retry_time == indefinite_time) return {false, action::stop_retrying};
  control.current_wait_time_in_secs = calculate_next_wait_time(control, rand);
  return evaluated;
}

// What is_timeout_reached answers. Where it is not decided the call has failed, and timed_out is false.
struct timeout {
  bool decided;    // whether the call has not failed
  bool timed_out;  // whether the time is over
};

// timed_out := now − start_time >= timeout_in_secs. Reads the clock once, unless start_time is indefinite.
// Not decided: start_time is indefinite, or the clock fails. 09_057, 09_059 to 09_063, AZ-RC-U06, AZ-RC-I02.
template <clock_source Clock>
[[nodiscard]] constexpr timeout is_timeout_reached(std::int64_t start_time, std::uint32_t timeout_in_secs,
                                                   Clock&& get_time) noexcept {
  if (start_time == indefinite_time) return {false, false};
  std::int64_t const now = get_time();
  if (now == indefinite_time) return {false, false};
  return {true, has_elapsed(start_time, now, timeout_in_secs)};
}

}  // namespace backoff::azure_c_retry_control

namespace backoff {
// A short name: the ids of its requirements begin with these letters.
namespace az_rc = azure_c_retry_control;
}  // namespace backoff
