// Full jitter: from one draw to one delay inside a window.
// Checked by: spec/tests/kernels_test.cpp, spec/aws_backoff_algorithm/examples.yaml,
// spec/aws_retry_utils/examples.yaml.
// Proved for all inputs: properties/engines/proof.
#pragma once

#include "backoff/kernels/word.hpp"

namespace backoff {

// delay := draw mod (window + 1), an integer in [0, window], both ends included, in the unit of window.
// Domain: every window of the width W, every draw of the width D, D at least as wide as W. Where window + 1 would not
// fit D every draw is already a delay. Uniform draws give delays whose probabilities differ by at most one part in
// floor(2^bits(D) / (window + 1)): the bias of a modulo mapping. No error; consumes exactly one draw.
// AWS-BA-003, AWS-BA-006, AWS-BA-008, AWS-RU-003, AWS-RU-013, AWS-RU-016; readings upper-bound: inclusive,
// jitter-bound: inclusive, draw-mapping: modulo.
template <word W, word D>
  requires(word_bits<W> <= word_bits<D>)
[[nodiscard]] constexpr W jitter_full(W window, D draw) noexcept {
  D const top = D(window);
  if constexpr (word_bits<W> == word_bits<D>) {
    if (static_cast<bool>(D(top + D(1U)) == D(0U))) return W(draw);
  }
  return W(draw % D(top + D(1U)));
}

}  // namespace backoff
