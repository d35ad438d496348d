// A number type of firmware's own: as many bits as it says, copyable or not. It is only named, never computed with.
#pragma once

#include "backoff/kernels/word.hpp"

namespace backoff {

template <unsigned Bits, bool Copyable = true>
struct toy {
  explicit toy(unsigned);
  toy(toy&&) = default;
  toy& operator=(toy&&) = default;
  toy(toy const&)
    requires Copyable
  = default;
  toy& operator=(toy const&)
    requires Copyable
  = default;
  toy operator+(toy const&) const;
  toy operator-(toy const&) const;
  toy operator%(toy const&) const;
  bool operator<(toy const&) const;
  bool operator==(toy const&) const;
};

template <unsigned Bits, bool Copyable>
inline constexpr unsigned word_bits<toy<Bits, Copyable>> = Bits;

}  // namespace backoff
