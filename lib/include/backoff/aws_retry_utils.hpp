// Retry Utilities of the AWS IoT Device SDK C 202009.00: exponential back-off with jitter, in seconds.
//
//   reset:    window_s = min(initial_backoff_s + random_between(0, max_jitter_s), max_backoff_s)
//   back off: sleep_s = random_between(0, window_s), then window_s = min(2 · window_s, max_backoff_s)
//
// Value types only: no heap, no exception, no floating point; random draws come in as arguments, and the caller sleeps.
// The loop around it is in backoff/hosted/aws_retry_utils_loop.hpp.
// Checked by: spec/aws_retry_utils/examples.yaml, properties/systems/aws_retry_utils/claims.cpp.
#pragma once

#include <cstdint>

#include "backoff/kernels/jitter.hpp"
#include "backoff/kernels/window.hpp"
#include "backoff/kernels/word.hpp"

namespace backoff::aws_retry_utils {

// What is wrong with a set of parameters, and with which of them.
enum class parameter_error : std::uint8_t {
  none,
  initial_backoff_s_too_wide,
  max_backoff_s_too_wide,
  max_jitter_s_too_wide
};

// Seconds, each in [0, 2^bits(W)); max_attempts in [0, 2^32), 0 for no limit. Every set of them is valid: an empty
// window gives 0 alone, and a first window above max_backoff_s is cut to max_backoff_s.
template <word W>
struct parameters {
  W initial_backoff_s;         // the first window, without its jitter
  W max_backoff_s;             // no window is wider
  W max_jitter_s;              // added to the first window at most
  std::uint32_t max_attempts;  // retries of a cycle
};

// Parameters, and what is wrong with them.
template <word W>
struct checked_parameters {
  parameters<W> value;    // meaningful where error is none; clamped to the width otherwise
  parameter_error error;  // the first
};

// Parameters from numbers wider than W: a value that does not fit is an error that names it, never a truncation.
// Where several do not fit, the first of them is named. AWS-RU-010.
template <word W>
[[nodiscard]] constexpr checked_parameters<W> check_parameters(std::uint64_t initial_backoff_s,
                                                               std::uint64_t max_backoff_s, std::uint64_t max_jitter_s,
                                                               std::uint32_t max_attempts) noexcept {
  constexpr std::uint64_t widest = static_cast<W>(-1);
  auto const clamp = [=](std::uint64_t value) noexcept { return static_cast<W>(value > widest ? widest : value); };
  parameters<W> const value{clamp(initial_backoff_s), clamp(max_backoff_s), clamp(max_jitter_s), max_attempts};
  if (initial_backoff_s > widest) return {value, parameter_error::initial_backoff_s_too_wide};
  if (max_backoff_s > widest) return {value, parameter_error::max_backoff_s_too_wide};
  if (max_jitter_s > widest) return {value, parameter_error::max_jitter_s_too_wide};
  return {value, parameter_error::none};
}

// Whether a retry is granted.
enum class status : std::uint8_t { retry, exhausted };

// sleep_s is how long to sleep before the next try, in [0, max_backoff_s]; 0 where the cycle is exhausted.
template <word W>
struct decision {
  backoff::aws_retry_utils::status status;  // whether a retry is granted
  W sleep_s;                                // how long to sleep before the retry, seconds
};

// One retry cycle. A plain value: copy it, keep it in an array, hand it to another thread. Instances share nothing. The
// constructor resets, so that every instance has been reset. Two functions change it, reset and back_off. AWS-RU-007,
// AWS-RU-010, AWS-RU-014.
template <word W>
class retry_cycle {
 public:
  // A fresh cycle, reset with this draw.
  template <word D>
  constexpr retry_cycle(parameters<W> const& p, D draw) noexcept : parameters_(p), window_s_(first_window(p, draw)) {}

  // Restores a cycle from its parameters, next_jitter_max() and attempts_done(), as after a restart. A window above
  // max_backoff_s counts as max_backoff_s. No error, no draw. AWS-RU-010.
  [[nodiscard]] static constexpr retry_cycle resume(parameters<W> const& p, W next_jitter_max,
                                                    std::uint32_t attempts_done) noexcept {
    return {p, window_first(next_jitter_max, p.max_backoff_s), attempts_done};
  }

  // window_s := min(initial_backoff_s + draw mod (max_jitter_s + 1), max_backoff_s); attempts_done := 0.
  // draw in [0, 2^bits(D)), uniform for uniform jitter; exactly one is consumed. Seconds. Saturates, never wraps. No
  // error, whatever came before: an exhausted cycle starts again.
  // AWS-RU-010 to AWS-RU-013, AWS-RU-021; readings jitter-bound: inclusive, base-jitter: added, first-window: capped,
  // empty-window: zero, draw-mapping: modulo.
  template <word D>
  constexpr void reset(D draw) noexcept {
    *this = retry_cycle(parameters_, draw);
  }

  // sleep_s := draw mod (window_s + 1); then window_s := min(2 · window_s, max_backoff_s) and attempts_done :=
  // attempts_done + 1. draw in [0, 2^bits(D)), uniform for uniform delays; exactly one is consumed, and ignored once
  // exhausted.
  // Seconds; the caller sleeps them. Saturates, never wraps. Where max_attempts is not 0, every call after max_attempts
  // retries answers exhausted with sleep_s = 0 and changes nothing, until reset. No error.
  // AWS-RU-002 to AWS-RU-006, AWS-RU-016 to AWS-RU-020, AWS-RU-022, AWS-RU-023, AWS-RU-025, AWS-RU-027; readings
  // attempt-origin: zero, upper-bound: inclusive, window-growth: min, exhaustion-call: n-plus-1, exhaustion-state:
  // stays, empty-window: zero, draw-mapping: modulo.
  template <word D>
  [[nodiscard]] constexpr decision<W> back_off(D draw) noexcept {
    if (exhausted()) return {status::exhausted, W(0U)};
    W const sleep_s = jitter_full(window_s_, draw);
    window_s_ = window_next(window_s_, parameters_.max_backoff_s);
    ++attempts_done_;
    return {status::retry, sleep_s};
  }

  // The window that the next sleep is drawn from, seconds: nextJitterMax of the document.
  [[nodiscard]] constexpr W next_jitter_max() const noexcept { return window_s_; }
  // Back-offs completed since the last reset. Without a limit the count wraps at 2^32, which does not end the cycle.
  [[nodiscard]] constexpr std::uint32_t attempts_done() const noexcept { return attempts_done_; }

 private:
  constexpr retry_cycle(parameters<W> const& p, W window_s, std::uint32_t attempts_done) noexcept
      : parameters_(p), window_s_(window_s), attempts_done_(attempts_done) {}

  template <word D>
  static constexpr W first_window(parameters<W> const& p, D draw) noexcept {
    return window_first_jittered(p.initial_backoff_s, jitter_full(p.max_jitter_s, draw), p.max_backoff_s);
  }
  [[nodiscard]] constexpr bool exhausted() const noexcept {
    if (parameters_.max_attempts == 0U) return false;
    return attempts_done_ >= parameters_.max_attempts;
  }

  parameters<W> parameters_;
  W window_s_;
  std::uint32_t attempts_done_ = 0;
};

}  // namespace backoff::aws_retry_utils

namespace backoff {
// A short name: the ids of its requirements begin with these letters.
namespace aws_ru = aws_retry_utils;
}  // namespace backoff
