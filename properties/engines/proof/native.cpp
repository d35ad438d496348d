#include "engines/proof/native.hpp"

#include <bit>

#include "backoff/aws_backoff_algorithm.hpp"
#include "backoff/aws_prescriptive_sample.hpp"
#include "backoff/aws_retry_utils.hpp"
#include "backoff/aws_step_functions.hpp"
#include "backoff/azure_c_retry_control.hpp"
#include "backoff/azure_java_retry_policy.hpp"

namespace backoff::engines::proof::native {

n32 window_first(n32 base, n32 cap) { return backoff::window_first(base, cap); }
n32 window_first_jittered(n32 base, n32 jitter, n32 cap) { return backoff::window_first_jittered(base, jitter, cap); }
n32 window_next(n32 window, n32 cap) { return backoff::window_next(window, cap); }
n32 jitter_full(n32 window, n32 draw) { return backoff::jitter_full(window, draw); }
n32 add_saturating(n32 a, n32 b) { return backoff::add_saturating(a, b); }
n32 multiply_saturating(n32 a, n32 b) { return backoff::multiply_saturating<n64>(a, b); }
n32 double_saturating(n32 base, n32 doublings) { return backoff::double_saturating(base, doublings); }
n32 jitter_proportional(n32 whole, n32 percent, n32 r, n32 rand_max) {
  return backoff::jitter_proportional<n64>(whole, percent, r, rand_max);
}

n32 sample_delay_ms(n32 retries) { return aws_prescriptive_sample::delay_ms(retries); }
bool sample_retries_after(n32 max_retries, n32 retries, int http_status) {
  struct {
    n32 max_retries, retries;
  } const state{max_retries, retries};
  auto run = std::bit_cast<aws_prescriptive_sample::retry_loop>(state);
  return run.retry_after(http_status);
}

// A cycle whose base is the window has that window at first.
n32 full_jitter_delay_ms(n32 window_ms, n32 max_ms, n32 draw) {
  using namespace aws_backoff_algorithm;
  return full_jitter<n32>({window_ms, max_ms, attempt_limit::forever()}).next(draw).delay_ms;
}
bool full_jitter_refuses(n64 base_ms, n64 max_ms) {
  using namespace aws_backoff_algorithm;
  return check_parameters<n32>(base_ms, max_ms, attempt_limit::forever()).error != parameter_error::none;
}
bool attempts_allow(n32 max_attempts, n32 attempts_done) {
  return aws_backoff_algorithm::attempt_limit::of(max_attempts).allows(attempts_done);
}

n32 retry_cycle_sleep_s(n32 window_s, n32 max_backoff_s, n32 draw) {
  return aws_retry_utils::retry_cycle<n32>({window_s, max_backoff_s, 0U, 0U}, 0U).back_off(draw).sleep_s;
}
n32 retry_cycle_window_s(std::uint16_t initial_backoff_s, std::uint16_t max_backoff_s, std::uint16_t max_jitter_s,
                         n32 draw) {
  using cycle = aws_retry_utils::retry_cycle<std::uint16_t>;
  return cycle({initial_backoff_s, max_backoff_s, max_jitter_s, 0U}, draw).next_jitter_max();
}
bool retry_cycle_grants(n32 max_attempts, n32 attempts_done) {
  using namespace aws_retry_utils;
  struct {
    parameters<n32> p;
    n32 window_s, attempts_done;
  } const state{{0U, 0U, 0U, max_attempts}, 0U, attempts_done};
  return std::bit_cast<retry_cycle<n32>>(state).back_off(n32{0U}).status == status::retry;
}

n32 retry_control_wait(wait_policy which, n32 initial, n32 retry_count, n32 percent, n32 r, n32 rand_max) {
  using namespace azure_c_retry_control;
  constexpr policy policies[] = {policy::linear_backoff, policy::exponential_backoff,
                                 policy::exponential_backoff_with_jitter, policy::random};
  auto control = create(policies[static_cast<unsigned>(which)], 0U);
  control.initial_wait_time_in_secs = initial;
  control.max_jitter_percent = percent;
  control.retry_count = retry_count;
  auto const rand = [=]() noexcept { return draw{r, rand_max}; };
  return calculate_next_wait_time(control, rand);
}
bool time_has_elapsed(std::int64_t since, std::int64_t now, n32 seconds) {
  return azure_c_retry_control::has_elapsed(since, now, seconds);
}
n32 retry_count_after(n32 retry_count) {
  using namespace azure_c_retry_control;
  auto control = create(policy::immediate, 0U);
  control.retry_count = retry_count;
  static_cast<void>(
      should_retry(control, []() noexcept { return std::int64_t{0}; }, []() noexcept { return draw{0U, 1U}; }));
  return control.retry_count;
}

namespace {
template <std::size_t Limbs>
struct kept {
  std::array<n32, Limbs> m;
  unsigned length;
};
template <std::size_t Limbs>
using wide = backoff::wide<static_cast<unsigned>(Limbs), 32U>;
template <std::size_t Limbs>
wide<Limbs> wide_of(std::array<n32, Limbs> const& m) {
  auto length = static_cast<unsigned>(Limbs);
  while (length > 0U && m[length - 1U] == 0U) --length;
  return std::bit_cast<wide<Limbs>>(kept<Limbs>{m, length});
}
}  // namespace
limbs_6 wide_times(limbs_6 const& m, n64 factor) {
  auto w = wide_of(m);
  w.times(factor);
  return std::bit_cast<kept<6>>(w).m;
}
limbs wide_minus(limbs const& m, limbs const& other, n64 factor) {
  auto w = wide_of(m);
  w.minus(wide_of(other), factor);
  return std::bit_cast<kept<4>>(w).m;
}
bool wide_below(limbs const& m, limbs const& other) { return wide_of(m).below(wide_of(other)); }
n64 quotient_estimate(n32 leading, n32 of_divisor, unsigned more_bits) {
  return backoff::quotient_estimate(leading, of_divisor, more_bits);
}
bool retry_run_grants(n32 max_attempts, n32 attempts_done) {
  using namespace aws_step_functions;
  using run = retry_run<n32, 1U, 128U>;
  struct memory {
    kept<4> ticks, den;
    ratio rate;
    n32 max_attempts, attempts_done;
  };
  auto state = std::bit_cast<memory>(run::with(3, {3U, 2U}, 2U).value);
  state.max_attempts = max_attempts;
  state.attempts_done = attempts_done;
  return std::bit_cast<run>(state).next().status == status::retry;
}

wait policy_delay_of(policy_state const& state, n32 retry_count, n32 draw) {
  auto const policy = std::bit_cast<azure_java_retry_policy::exponential_backoff_with_jitter>(state);
  auto const delay = policy.delay(retry_count, draw);
  return {delay.ns, delay.part};
}
wait policy_delay(n32 cmin_ms, n32 cmax_ms, n32 c_ms, n32 retry_count, n32 draw) {
  using namespace azure_java_retry_policy;
  auto const made = exponential_backoff_with_jitter::with({c_ms, cmin_ms, cmax_ms, 500'000U, 250'000U});
  auto const delay = made.value.delay(retry_count, draw);
  return {delay.ns, delay.part};
}
bool time_exceeded(n64 total, n64 elapsed, n64 delay, n32 part) {
  return azure_java_retry_policy::time_budget(total, elapsed).exceeded_by({delay, part});
}

}  // namespace backoff::engines::proof::native
