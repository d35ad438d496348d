// The shipped code at native width, for counterexamples: the header that is compiled here is compiled with symbols in
// the files of theorems.
#pragma once

#include <array>
#include <cstdint>

namespace backoff::engines::proof::native {

using n32 = std::uint32_t;
using n64 = std::uint64_t;

n32 window_first(n32 base, n32 cap);
n32 window_first_jittered(n32 base, n32 jitter, n32 cap);
n32 window_next(n32 window, n32 cap);
n32 jitter_full(n32 window, n32 draw);
n32 add_saturating(n32 a, n32 b);
n32 multiply_saturating(n32 a, n32 b);
n32 double_saturating(n32 base, n32 doublings);
n32 jitter_proportional(n32 whole, n32 percent, n32 r, n32 rand_max);

n32 sample_delay_ms(n32 retries);
bool sample_retries_after(n32 max_retries, n32 retries, int http_status);

n32 full_jitter_delay_ms(n32 window_ms, n32 max_ms, n32 draw);  // window_ms <= max_ms
bool full_jitter_refuses(n64 base_ms, n64 max_ms);
bool attempts_allow(n32 max_attempts, n32 attempts_done);

n32 retry_cycle_sleep_s(n32 window_s, n32 max_backoff_s, n32 draw);  // window_s <= max_backoff_s
n32 retry_cycle_window_s(std::uint16_t initial_backoff_s, std::uint16_t max_backoff_s, std::uint16_t max_jitter_s,
                         n32 draw);
bool retry_cycle_grants(n32 max_attempts, n32 attempts_done);

enum class wait_policy : std::uint8_t { linear, exponential, jittered, random };
n32 retry_control_wait(wait_policy which, n32 initial, n32 retry_count, n32 percent, n32 r, n32 rand_max);
bool time_has_elapsed(std::int64_t since, std::int64_t now, n32 seconds);
n32 retry_count_after(n32 retry_count);  // one more retry of the policy immediate

using limbs = std::array<n32, 4>;  // the lowest first
using limbs_6 = std::array<n32, 6>;
limbs_6 wide_times(limbs_6 const& m, n64 factor);  // of a number of four limbs
limbs wide_minus(limbs const& m, limbs const& other, n64 factor);
bool wide_below(limbs const& m, limbs const& other);
n64 quotient_estimate(n32 leading, n32 of_divisor, unsigned more_bits);
bool retry_run_grants(n32 max_attempts, n32 attempts_done);

struct policy_state {  // nanoseconds
  n64 cmin, cmax, from, to;
};
struct wait {
  n64 ns;
  n32 part;
};
wait policy_delay_of(policy_state const& state, n32 retry_count, n32 draw);
wait policy_delay(n32 cmin_ms, n32 cmax_ms, n32 c_ms, n32 retry_count, n32 draw);
bool time_exceeded(n64 total, n64 elapsed, n64 delay, n32 part);

}  // namespace backoff::engines::proof::native
