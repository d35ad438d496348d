// Proportional jitter: a percentage of a whole, scaled down by one draw; exact and without floats.
// Checked by: spec/tests/proportional_test.cpp against the closed form, in integers twice as wide.
// Proved for all inputs: properties/engines/proof.
#pragma once

#include "backoff/kernels/word.hpp"

namespace backoff {

// part := floor(whole · percent · r / (100 · rand_max)), in the unit of the whole; 0 <= part <= whole.
// Domain: every whole of the width, which has 8 bits or more; percent in [0, 100]; the draw r in [0, rand_max],
// rand_max >= 1. Rounded down once, at the end, from the exact quotient. With whole · percent = 100 · units + rest and
// units · r = rand_max · quotient + left, part is quotient + floor((100 · left + rest · r) / (100 · rand_max)). No term
// needs more than twice the width. The floor is 0 or 1, because left < rand_max and rest · r <= 99 · rand_max. No
// error; consumes exactly one draw.
// SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032, _033; readings quotients: real, wait-rounding: truncate, product-rounding:
// exact.
template <word Wide, word W>
  requires(2U * word_bits<W> <= word_bits<Wide>)
[[nodiscard]] constexpr W jitter_proportional(W whole, W percent, W r, W rand_max) noexcept {
  Wide const hundred = Wide(100U);
  Wide const hundredths = Wide(Wide(whole) * Wide(percent));
  Wide const units = Wide(hundredths / hundred);
  Wide const rest = Wide(hundredths % hundred);
  Wide const product = Wide(units * Wide(r));
  Wide const quotient = Wide(product / Wide(rand_max));
  Wide const left = Wide(product % Wide(rand_max));
  Wide const below = Wide(Wide(hundred * left) + Wide(rest * Wide(r)));
  if (static_cast<bool>(below < Wide(hundred * Wide(rand_max)))) return W(quotient);
  return W(quotient + Wide(1U));
}

}  // namespace backoff
