// The back-off window: where it starts and how it grows. Shared by the systems that double a window up to a cap.
// Checked by: spec/tests/kernels_test.cpp against the closed forms min(base · 2^n, cap) and min(base + jitter, cap).
// Proved for all inputs: properties/engines/proof.
#pragma once

#include "backoff/kernels/word.hpp"

namespace backoff {

// window := min(base, cap).
// Domain: every base and cap of the width. No rounding, no overflow, no error; consumes no draw and no clock reading.
// AWS-BA-005, AWS-BA-006; reading first-window: capped.
template <word W>
[[nodiscard]] constexpr W window_first(W base, W cap) noexcept {
  if (static_cast<bool>(cap < base)) return cap;
  return base;
}

// window := min(base + jitter, cap).
// Domain: every base, jitter and cap of the width. Saturates at cap and never wraps: jitter is compared with what is
// left below cap, which cannot underflow. No error; consumes no draw (jitter is one already drawn) and no clock
// reading. AWS-RU-012, AWS-RU-018, AWS-RU-026; readings first-window: capped, base-jitter: added.
template <word W>
[[nodiscard]] constexpr W window_first_jittered(W base, W jitter, W cap) noexcept {
  W const first = window_first(base, cap);
  if (static_cast<bool>(W(cap - first) < jitter)) return cap;
  return W(first + jitter);
}

// window := min(2 · window, cap).
// Domain: 0 <= window <= cap, which all three functions here establish. Saturates at cap and never wraps:
// window is compared with cap - window, which cannot underflow. No error; consumes no draw and no clock reading.
// AWS-BA-004, AWS-BA-005, AWS-RU-017, AWS-RU-018; reading window-growth: min.
template <word W>
[[nodiscard]] constexpr W window_next(W window, W cap) noexcept {
  if (static_cast<bool>(W(cap - window) < window)) return cap;
  return W(window + window);
}

}  // namespace backoff
