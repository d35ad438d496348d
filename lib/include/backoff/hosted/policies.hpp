// The six systems as policies: their documented cycles, with durations of std::chrono and generators of <random>. The
// core makes every decision. A policy is a value: for each operation, copy one that was never asked.
// Checked by: spec/tests/hosted_policies_test.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

#include "backoff/aws_backoff_algorithm.hpp"
#include "backoff/aws_prescriptive_sample.hpp"
#include "backoff/aws_retry_utils.hpp"
#include "backoff/aws_step_functions.hpp"
#include "backoff/azure_c_retry_control.hpp"
#include "backoff/azure_java_retry_policy.hpp"
#include "backoff/hosted/azure_java_retry_loop.hpp"
#include "backoff/hosted/durations.hpp"
#include "backoff/hosted/policy.hpp"
#include "backoff/hosted/random.hpp"
#include "backoff/kernels/saturating.hpp"

namespace backoff::policies {

// Full jitter: waits uniform in [0, min(base · 2^n, max)], whole milliseconds, n retries granted before. base and max
// in [0, 2^32) ms. One draw a question, more where the mapping is unbiased. AWS-BA-001 to AWS-BA-008.
class aws_backoff_algorithm {
 public:
  // A policy whose first question begins a cycle of `limit` retries.
  constexpr aws_backoff_algorithm(time_in<milliseconds_u32> base, time_in<milliseconds_u32> max,
                                  backoff::aws_backoff_algorithm::attempt_limit limit,
                                  draw_mapping mapping = draw_mapping::modulo) noexcept
      : cycle_({base.unit_count(), max.unit_count(), limit}), mapping_(mapping) {}

  // What next, whatever time has passed.
  template <std::uniform_random_bit_generator Generator>
  [[nodiscard]] constexpr next_step what_next(std::chrono::nanoseconds, Generator& generator) {
    return after(draw_for(cycle_.window_ms(), mapping_, generator));
  }

 private:
  constexpr next_step after(std::uint32_t draw) noexcept {
    auto const decided = cycle_.next(draw);
    if (decided.status == backoff::aws_backoff_algorithm::status::exhausted) return giving_up;
    return {advice::try_again, std::chrono::milliseconds(decided.delay_ms)};
  }

  backoff::aws_backoff_algorithm::full_jitter<std::uint32_t> cycle_;
  draw_mapping mapping_;
};

// A window that begins with a jitter: waits uniform in [0, window], whole seconds; the window is initial + [0,
// max_jitter] at first, doubles with each retry, and is at most max. Each of the three is in [0, 2^32) s. One draw a
// question, and one more before the first, for the reset; more where the mapping is unbiased. AWS-RU-001 to AWS-RU-006,
// AWS-RU-010 to AWS-RU-023.
class aws_retry_utils {
 public:
  // max_attempts retries, in [0, 2^32); 0: no limit.
  constexpr aws_retry_utils(time_in<seconds_u32> initial, time_in<seconds_u32> max, time_in<seconds_u32> max_jitter,
                            std::uint32_t max_attempts, draw_mapping mapping = draw_mapping::modulo) noexcept
      : parameters_{initial.unit_count(), max.unit_count(), max_jitter.unit_count(), max_attempts}, mapping_(mapping) {}

  // What next, whatever time has passed.
  template <std::uniform_random_bit_generator Generator>
  [[nodiscard]] constexpr next_step what_next(std::chrono::nanoseconds, Generator& generator) {
    auto& cycle = cycle_.has_value() ? *cycle_ : reset(draw_for(parameters_.max_jitter_s, mapping_, generator));
    return after(cycle, draw_for(cycle.next_jitter_max(), mapping_, generator));
  }

 private:
  using retry_cycle = backoff::aws_retry_utils::retry_cycle<std::uint32_t>;
  constexpr retry_cycle& reset(std::uint32_t draw) noexcept { return cycle_.emplace(parameters_, draw); }
  static constexpr next_step after(retry_cycle& cycle, std::uint32_t draw) noexcept {
    auto const decided = cycle.back_off(draw);
    if (decided.status == backoff::aws_retry_utils::status::exhausted) return giving_up;
    return {advice::try_again, std::chrono::seconds(decided.sleep_s)};
  }

  backoff::aws_retry_utils::parameters<std::uint32_t> parameters_;
  std::optional<retry_cycle> cycle_;  // none before its reset
  draw_mapping mapping_;
};

// Waits of interval · rate^n, n retries granted before; each rounded once, to the nearest nanosecond, halves up, 2^63 -
// 1 at most. Draws nothing. AWS-SF-001 to AWS-SF-008.
class aws_step_functions {
 public:
  // max_attempts retries, of a rate in [1, 2^32) and an interval in [0, 2^32) s. Outside of this, and where the product
  // outgrows 512 bits, it returns the error, and a policy that grants nothing.
  [[nodiscard]] static constexpr backoff::aws_step_functions::checked<aws_step_functions> with(
      std::chrono::duration<std::int64_t> interval, backoff::aws_step_functions::ratio rate,
      std::uint32_t max_attempts) noexcept {
    auto const made = run::with(interval.count(), rate, max_attempts);
    return {aws_step_functions(made.value), made.error};
  }

  // What next, whatever time has passed.
  template <std::uniform_random_bit_generator Generator>
  [[nodiscard]] constexpr next_step what_next(std::chrono::nanoseconds, Generator&) noexcept {
    auto const decided = run_.next();
    if (decided.status == backoff::aws_step_functions::status::exhausted) return giving_up;
    return {advice::try_again, saturated<std::chrono::nanoseconds>(ticks(decided.delay))};
  }

 private:
  using run = backoff::aws_step_functions::retry_run<std::uint64_t, 1'000'000'000>;
  using ticks = std::chrono::duration<std::uint64_t, std::nano>;

  explicit constexpr aws_step_functions(run const& fresh) noexcept : run_(fresh) {}

  run run_;
};

// Waits of (2^n - 1) · 100 ms before request n + 1; max(1, max_requests) requests in all, and 25 at most: the next wait
// does not fit 31 bits, which is an error. Draws nothing. calls_for_retry of the core says which answers are worth
// another request. AWS-PS-003, AWS-PS-011 to AWS-PS-015, AWS-PS-019, AWS-PS-020.
class aws_prescriptive_sample {
 public:
  // A run of so many requests at most.
  explicit constexpr aws_prescriptive_sample(std::uint32_t max_requests) noexcept : loop_(max_requests) {}

  // What next, whatever time has passed.
  template <std::uniform_random_bit_generator Generator>
  [[nodiscard]] constexpr next_step what_next(std::chrono::nanoseconds, Generator&) noexcept {
    if (!loop_.retry_after(backoff::aws_prescriptive_sample::status_throttled)) return giving_up;
    if (loop_.delay_ms() == backoff::aws_prescriptive_sample::no_delay) return giving_up;
    return {advice::try_again, std::chrono::milliseconds(loop_.delay_ms())};
  }

 private:
  backoff::aws_prescriptive_sample::retry_loop loop_;
};

// Retry control, whose seven policies look at the clock. The first retry comes at once, a later one when the wait after
// the retry before it is over. Until then the advice is to ask again, at the end of that wait or of the maximum retry
// time, whichever comes first. The clock is the time since the first try began, in whole seconds. Each retry that the
// policies random and exponential_backoff_with_jitter grant takes one draw, uniform in [0, 2^32). 09_010 to 09_033.
class azure_c_retry_control {
 public:
  // As create makes it, or with options set; never used before.
  explicit constexpr azure_c_retry_control(backoff::azure_c_retry_control::retry_control const& fresh) noexcept
      : control_(fresh) {}

  // What next, so long after the first try began.
  template <std::uniform_random_bit_generator Generator>
  [[nodiscard]] constexpr next_step what_next(std::chrono::nanoseconds elapsed, Generator& generator) {
    auto granted = control_;
    next_step const next = asked(granted, elapsed, 0U);
    if (next.advice == advice::try_again && draws()) {
      granted = control_;
      static_cast<void>(asked(granted, elapsed, uniform_word<std::uint32_t>(generator)));
    }
    control_ = granted;
    return next;
  }

 private:
  using retry_control = backoff::azure_c_retry_control::retry_control;
  using action = backoff::azure_c_retry_control::action;
  using draw = backoff::azure_c_retry_control::draw;

  static constexpr next_step asked(retry_control& control, std::chrono::nanoseconds elapsed,
                                   std::uint32_t drawn) noexcept {
    auto const now = std::chrono::duration_cast<std::chrono::seconds>(elapsed);
    auto const decided = backoff::azure_c_retry_control::should_retry(
        control, [now]() noexcept -> std::int64_t { return now.count(); },
        [drawn]() noexcept { return draw{drawn, 0xffff'ffffU}; });
    if (decided.action == action::stop_retrying) return giving_up;
    if (decided.action == action::retry_now) return {advice::try_again, std::chrono::nanoseconds::zero()};
    return {advice::ask_again, std::chrono::seconds(turns_at(control) - now.count()) - (elapsed - now)};
  }
  // The second at which the answer changes.
  [[nodiscard]] static constexpr std::int64_t turns_at(retry_control const& control) noexcept {
    std::int64_t const waited = control.last_retry_time + control.current_wait_time_in_secs;
    std::int64_t const limit = control.first_retry_time + control.max_retry_time_in_secs;
    return control.max_retry_time_in_secs != 0U && limit < waited ? limit : waited;
  }
  [[nodiscard]] constexpr bool draws() const noexcept {
    return control_.policy == backoff::azure_c_retry_control::policy::exponential_backoff_with_jitter ||
           control_.policy == backoff::azure_c_retry_control::policy::random;
  }

  retry_control control_;
};

// The default policy of the device SDK for Java: min(Cmin + (2^(x-1) - 1) · rand(C · (1 - Jd), C · (1 - Ju)), Cmax)
// before retry x, from 1; rounded up to the next nanosecond. It never gives up. One draw a question. is_retryable of
// the core says which errors are worth a retry. AZ-JR-006 to AZ-JR-018.
class azure_java_retry_policy {
 public:
  // With the documented defaults, or with others.
  explicit constexpr azure_java_retry_policy(
      backoff::azure_java_retry_policy::exponential_backoff_with_jitter const& of = {}) noexcept
      : policy_(of) {}

  // What next, whatever time has passed.
  template <std::uniform_random_bit_generator Generator>
  [[nodiscard]] constexpr next_step what_next(std::chrono::nanoseconds, Generator& generator) {
    return after(uniform_word<std::uint32_t>(generator));
  }

 private:
  constexpr next_step after(std::uint32_t draw) noexcept {
    retries_ = add_saturating(retries_, std::uint32_t{1});
    return {advice::try_again, backoff::azure_java_retry_policy::rounded_up(policy_.delay(retries_, draw))};
  }

  backoff::azure_java_retry_policy::exponential_backoff_with_jitter policy_;
  std::uint32_t retries_ = 0;
};

}  // namespace backoff::policies
