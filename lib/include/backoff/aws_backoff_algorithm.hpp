// backoffAlgorithm v1.3.0 (AWS): exponential back-off with full jitter, in milliseconds.
//
//   sleep_ms = random_between(0, min(2^n · base_ms, max_ms)),  n = retries already granted, from 0
//
// Value types only: no heap, no exception, no floating point; the random draw comes in as an argument.
// Checked by: spec/aws_backoff_algorithm/examples.yaml, properties/systems/aws_backoff_algorithm/claims.cpp.
#pragma once

#include <cstdint>

#include "backoff/kernels/jitter.hpp"
#include "backoff/kernels/window.hpp"
#include "backoff/kernels/word.hpp"

namespace backoff::aws_backoff_algorithm {

// How many retries one cycle grants: a count in [0, 2^32), or no limit. The document states neither; ports share both.
// AWS-BA-I01.
class attempt_limit {
 public:
  // max_attempts retries, then exhausted. 0 grants none.
  [[nodiscard]] static constexpr attempt_limit of(std::uint32_t max_attempts) noexcept { return {max_attempts, false}; }
  // No limit: the counter stands still and never ends the cycle.
  [[nodiscard]] static constexpr attempt_limit forever() noexcept { return {0U, true}; }

  // True when a further retry may follow attempts_done of them.
  [[nodiscard]] constexpr bool allows(std::uint32_t attempts_done) const noexcept {
    if (unlimited_) return true;
    return attempts_done < count_;
  }
  // Whether there is no limit.
  [[nodiscard]] constexpr bool unlimited() const noexcept { return unlimited_; }

 private:
  constexpr attempt_limit(std::uint32_t count, bool unlimited) noexcept : count_(count), unlimited_(unlimited) {}
  std::uint32_t count_;
  bool unlimited_;
};

// What is wrong with a set of parameters, and with which of them.
enum class parameter_error : std::uint8_t { none, base_ms_too_wide, max_ms_too_wide };

// base_ms and max_ms in [0, 2^bits(W)), milliseconds. Every pair of them is valid: base_ms = 0 gives empty windows,
// whose only delay is 0, and base_ms > max_ms gives a first window of max_ms.
template <word W>
struct parameters {
  W base_ms;                   // the first window
  W max_ms;                    // no window is wider
  attempt_limit max_attempts;  // retries of a cycle
};

// Parameters, and what is wrong with them.
template <word W>
struct checked_parameters {
  parameters<W> value;    // meaningful where error is none; clamped to the width otherwise
  parameter_error error;  // the first
};

// Parameters from numbers wider than W: a value that does not fit is an error that names it, never a truncation.
// Where both do not fit, base_ms is named. AWS-BA-006, AWS-BA-I01.
template <word W>
[[nodiscard]] constexpr checked_parameters<W> check_parameters(std::uint64_t base_ms, std::uint64_t max_ms,
                                                               attempt_limit max_attempts) noexcept {
  constexpr std::uint64_t widest = static_cast<W>(-1);
  auto const clamp = [=](std::uint64_t value) noexcept { return static_cast<W>(value > widest ? widest : value); };
  parameters<W> const value{clamp(base_ms), clamp(max_ms), max_attempts};
  if (base_ms > widest) return {value, parameter_error::base_ms_too_wide};
  if (max_ms > widest) return {value, parameter_error::max_ms_too_wide};
  return {value, parameter_error::none};
}

// Whether a retry is granted.
enum class status : std::uint8_t { retry, exhausted };

// delay_ms is the wait before the next try, in [0, max_ms]; 0 where the cycle is exhausted.
template <word W>
struct decision {
  backoff::aws_backoff_algorithm::status status;  // whether a retry is granted
  W delay_ms;                                     // the wait before the retry, milliseconds
};

// One retry cycle. A plain value: copy it, keep it in an array, hand it to another thread. Instances share nothing.
// AWS-BA-007.
template <word W>
class full_jitter {
 public:
  // A fresh cycle: no attempt made, window min(base_ms, max_ms).
  explicit constexpr full_jitter(parameters<W> const& p) noexcept
      : parameters_(p), window_ms_(window_first(p.base_ms, p.max_ms)) {}

  // Restores a cycle from its parameters, window_ms() and attempts_done(), as after a restart. A window above max_ms
  // counts as max_ms. No error. AWS-BA-007.
  [[nodiscard]] static constexpr full_jitter resume(parameters<W> const& p, W window_ms,
                                                    std::uint32_t attempts_done) noexcept {
    return {p, window_first(window_ms, p.max_ms), attempts_done};
  }

  // delay_ms := draw mod (window_ms + 1), window_ms = min(base_ms · 2^n, max_ms), n retries granted before this one.
  // draw in [0, 2^bits(D)), uniform for uniform delays; exactly one is consumed, and ignored once exhausted.
  // Saturates, never wraps. After max_attempts retries, every call answers exhausted with delay_ms = 0 and changes
  // nothing. No error.
  // AWS-BA-001 to AWS-BA-006, AWS-BA-008, AWS-BA-I01, AWS-BA-I02; readings attempt-origin: zero, upper-bound:
  // inclusive, window-growth: min, first-window: capped, exhaustion-call: n-plus-1, empty-window: zero,
  // draw-mapping: modulo.
  template <word D>
  [[nodiscard]] constexpr decision<W> next(D draw) noexcept {
    if (!parameters_.max_attempts.allows(attempts_done_)) return {status::exhausted, W(0U)};
    if (!parameters_.max_attempts.unlimited()) ++attempts_done_;
    W const delay_ms = jitter_full(window_ms_, draw);
    window_ms_ = window_next(window_ms_, parameters_.max_ms);
    return {status::retry, delay_ms};
  }

  // Back to a fresh cycle with the same parameters. AWS-BA-I03.
  constexpr void reset() noexcept {
    window_ms_ = window_first(parameters_.base_ms, parameters_.max_ms);
    attempts_done_ = 0;
  }

  // The window the next delay is drawn from, milliseconds.
  [[nodiscard]] constexpr W window_ms() const noexcept { return window_ms_; }
  // Retries granted since the last reset; stands still without a limit.
  [[nodiscard]] constexpr std::uint32_t attempts_done() const noexcept { return attempts_done_; }

 private:
  constexpr full_jitter(parameters<W> const& p, W window_ms, std::uint32_t attempts_done) noexcept
      : parameters_(p), window_ms_(window_ms), attempts_done_(attempts_done) {}

  parameters<W> parameters_;
  W window_ms_;
  std::uint32_t attempts_done_ = 0;
};

}  // namespace backoff::aws_backoff_algorithm

namespace backoff {
// A short name: the ids of its requirements begin with these letters.
namespace aws_ba = aws_backoff_algorithm;
}  // namespace backoff
