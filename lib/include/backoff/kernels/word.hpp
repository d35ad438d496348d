// What a kernel may do with a number, and how wide that number is.
//
// Kernels are templates over the unsigned width, so that one text serves u16 and u32 firmware, u64 hosts and
// symbolic values. A symbolic comparison is not a bool, it only converts to one: kernels therefore write
// static_cast<bool>(a < b), never switch on a value and never index an array by one.
// Checked by: spec/tests/kernels_test.cpp, properties/engines.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

namespace backoff {

// Number of value bits of W. Specialise it for a number type that std::numeric_limits does not know.
template <class W>
inline constexpr unsigned word_bits = static_cast<unsigned>(std::numeric_limits<W>::digits);

// An unsigned number: copyable, made from small literals, closed under + - % after a cast back to W.
template <class W>
concept word = std::copyable<W> && requires(W a, W b) {
  W(a + b);
  W(a - b);
  W(a % b);
  static_cast<bool>(a < b);
  static_cast<bool>(a == b);
  W(1U);
} && (word_bits<W> > 0U) && (!std::signed_integral<W>);

}  // namespace backoff
