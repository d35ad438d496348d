// Retries as AWS Step Functions is configured to make them (AWS Prescriptive Guidance, retry with backoff pattern):
//
//   delay(n) = interval_s · backoff_rate^n,  n = retries already granted, from 0:  3, 4.5, 6.75 s at rate 1.5
//
// Value types only: no heap, no exception, no floating point, no draw. The product is kept as an exact fraction of wide
// integers, so that rounding never accumulates: each delay is rounded once, on its own.
// Checked by: spec/aws_step_functions/examples.yaml, properties/systems/aws_step_functions/claims.cpp.
#pragma once

#include <cstdint>
#include <limits>

#include "backoff/kernels/wide.hpp"
#include "backoff/kernels/word.hpp"

namespace backoff::aws_step_functions {

// A rate of growth, exact: num / den. It multiplies and has no unit. {3, 2}, {15, 10} and {1500, 1000} are all 1.5.
struct ratio {
  std::uint32_t num;  // numerator
  std::uint32_t den;  // denominator, not 0
};

// What is wrong with a set of parameters, and with which of them. The document requires non-negative delays
// that do not shrink, so a negative interval or a rate below 1 is an error. An interval of 0, a rate of 1 and a limit
// of 0 retries are valid: the document does not exclude these ends of the formula.
enum class parameter_error : std::uint8_t {
  none,
  interval_s_negative,
  interval_s_too_wide,     // beyond 2^32 - 1 s
  backoff_rate_undefined,  // a denominator of 0
  backoff_rate_below_one,
  product_too_wide,  // interval_s · backoff_rate^n outgrows Bits before max_attempts is reached
};

// Whether a retry is granted.
enum class status : std::uint8_t { retry, exhausted };

// delay is the wait before the next try, in 1 / TicksPerSecond s; 0 where the retries are used up.
template <word W>
struct decision {
  aws_step_functions::status status;  // whether a retry is granted
  W delay;                            // the wait before the retry, ticks
};

// The widths that a run can have: a delay of at most 64 bits, and a product in whole words of 32 bits, four at least.
template <class W, std::uint64_t TicksPerSecond, unsigned Bits>
concept run_widths = word<W> && word_bits<W> <= 64U && TicksPerSecond > 0U && Bits % 32U == 0U && Bits >= 128U;

// A run, and what is wrong with its parameters.
template <class Run>
struct checked {
  Run value;              // grants nothing where error is not none
  parameter_error error;  // the first
};

// One run of retries. A plain value: a copy taken before the first call is a fresh run. Instances share nothing.
// AWS-SF-008.
//
// Delays are whole ticks of 1 / TicksPerSecond s (1'000: milliseconds, 1'000'000'000: nanoseconds) and at most the
// largest W. Bits is the width of the two integers that the exact product is kept in.
template <word W, std::uint64_t TicksPerSecond, unsigned Bits = 512>
  requires run_widths<W, TicksPerSecond, Bits>
class retry_run {
 public:
  // A fresh run of at most max_attempts retries, in [0, 2^32); with 0 the first call already reports exhaustion.
  // interval_s in [0, 2^32) seconds; backoff_rate in [1, 2^32), any fraction of 32-bit integers.
  // The product is exact as long as den^(max_attempts - 2) < 2^(Bits - 32 - bits(W)), den being the rate's denominator
  // in lowest terms, or until the delays saturate, whichever comes first. At 512 bits and a 64-bit W: 43 attempts at
  // any rate of three decimals, 64 at two, 127 at one; any number at a whole rate, and at 1.25 or 1.5, which saturate
  // first. Outside of this it returns an error that names what is wrong, the first of the list where there are several,
  // and a run that grants nothing. AWS-SF-001 to AWS-SF-006.
  [[nodiscard]] static constexpr checked<retry_run> with(std::int64_t interval_s, ratio backoff_rate,
                                                         std::uint32_t max_attempts) noexcept {
    std::uint32_t const no_attempt = 0U;
    retry_run const nothing(0U, {1U, 1U}, no_attempt);
    if (interval_s < 0) return {nothing, parameter_error::interval_s_negative};
    if (interval_s > std::numeric_limits<std::uint32_t>::max()) return {nothing, parameter_error::interval_s_too_wide};
    if (backoff_rate.den == 0U) return {nothing, parameter_error::backoff_rate_undefined};
    if (backoff_rate.num < backoff_rate.den) return {nothing, parameter_error::backoff_rate_below_one};
    retry_run const fresh(static_cast<std::uint64_t>(interval_s), in_lowest_terms(backoff_rate), max_attempts);
    retry_run trial = fresh;
    for (std::uint32_t n = 1; n < max_attempts && !trial.settled(); ++n) {
      if (!trial.has_room()) return {nothing, parameter_error::product_too_wide};
      trial.grow();
    }
    return {fresh, parameter_error::none};
  }

  // delay := min(floor(interval_s · backoff_rate^n · TicksPerSecond + 1/2), 2^bits(W) - 1) ticks, n retries granted
  // before this one. Exact but for this one rounding, to the nearest tick, halves up: off by at most half a tick, and
  // no later delay is computed from it. Saturates, never wraps. After max_attempts retries, every call answers
  // exhausted with delay = 0 and changes nothing. No error; consumes no draw and no clock reading.
  // AWS-SF-001 to AWS-SF-007, AWS-SF-I01; readings delay-origin: previous-try, delay-rounding: exact but
  // for the tick, overflow: saturates.
  [[nodiscard]] constexpr decision<W> next() noexcept {
    if (attempts_done_ == max_attempts_) return {status::exhausted, W(0U)};
    if (attempts_done_ != 0U && !settled()) grow();
    ++attempts_done_;
    return {status::retry, rounded()};
  }

  // Retries granted so far.
  [[nodiscard]] constexpr std::uint32_t attempts_done() const noexcept { return attempts_done_; }

 private:
  using number = wide<Bits / 32U>;
  static constexpr W longest = W(~std::uint64_t{0});

  constexpr retry_run(std::uint64_t interval_s, ratio rate, std::uint32_t max_attempts) noexcept
      : ticks_(interval_s), den_(1U), rate_(rate), max_attempts_(max_attempts) {
    ticks_.times(TicksPerSecond);
  }

  static constexpr ratio in_lowest_terms(ratio rate) noexcept {
    std::uint32_t a = rate.num;
    std::uint32_t b = rate.den;
    while (b != 0U) {
      std::uint32_t const rest = a % b;
      a = b;
      b = rest;
    }
    return {rate.num / a, rate.den / a};
  }

  // Whether the delay would not fit W, and neither would any later one.
  [[nodiscard]] constexpr bool saturated() const noexcept { return !ticks_.below(den_, word_bits<W>); }

  // Whether all delays from here on are like this one.
  [[nodiscard]] constexpr bool settled() const noexcept {
    return rate_.num == rate_.den || ticks_.is_zero() || saturated();
  }

  // Whether ticks_ and den_ have room for one more factor; ticks_ is below den_ · 2^bits(W) here.
  [[nodiscard]] constexpr bool has_room() const noexcept { return den_.bits() + word_bits<W> <= Bits - 32U; }
  constexpr void grow() noexcept {
    ticks_.times(rate_.num);
    den_.times(rate_.den);
  }

  [[nodiscard]] constexpr W rounded() const noexcept {
    if (saturated()) return longest;
    std::uint64_t const delay = ticks_.nearest_quotient(den_);
    return static_cast<bool>(delay < longest) ? W(delay) : longest;
  }

  number ticks_;  // interval_s · TicksPerSecond · num^n
  number den_;    // den^n
  ratio rate_;    // in lowest terms
  std::uint32_t max_attempts_;
  std::uint32_t attempts_done_ = 0;
};

}  // namespace backoff::aws_step_functions

namespace backoff {
// A short name: the ids of its requirements begin with these letters.
namespace aws_sf = aws_step_functions;
}  // namespace backoff
