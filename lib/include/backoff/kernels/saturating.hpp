// Sums, products and doublings that stop at the top of their width where they would wrap.
// Checked by: spec/tests/saturating_test.cpp against the closed forms, everywhere at u8 and at boundary values above.
// Proved for all inputs: properties/engines/proof.
#pragma once

#include "backoff/kernels/word.hpp"

namespace backoff {

// sum := min(a + b, 2^bits(W) − 1).
// Domain: every a and b of the width. Saturates, never wraps. No error; consumes no draw and no clock reading.
template <word W>
[[nodiscard]] constexpr W add_saturating(W a, W b) noexcept {
  W const sum = W(a + b);
  if (static_cast<bool>(sum < a)) return W(W(0U) - W(1U));
  return sum;
}

// product := min(a · b, 2^bits(W) − 1).
// Domain: every a and b of the width; Wide at least twice as wide, so that the product itself is exact. Saturates,
// never wraps. No error; consumes no draw and no clock reading.
template <word Wide, word W>
  requires(2U * word_bits<W> <= word_bits<Wide>)
[[nodiscard]] constexpr W multiply_saturating(W a, W b) noexcept {
  W const top = W(W(0U) - W(1U));
  Wide const product = Wide(Wide(a) * Wide(b));
  if (static_cast<bool>(Wide(top) < product)) return top;
  return W(product);
}

// window := min(base · 2^doublings, 2^bits(W) − 1): the exponential window in one step.
// Domain: every base and every number of doublings of the width. Saturates, never wraps: the base is compared with the
// top shifted down, which loses nothing. No error; consumes no draw and no clock reading.
template <word W>
[[nodiscard]] constexpr W double_saturating(W base, W doublings) noexcept {
  W const top = W(W(0U) - W(1U));
  if (static_cast<bool>(base == W(0U))) return base;
  if (static_cast<bool>(W(word_bits<W> - 1U) < doublings)) return top;
  if (static_cast<bool>(W(top >> doublings) < base)) return top;
  return W(base << doublings);
}

}  // namespace backoff
