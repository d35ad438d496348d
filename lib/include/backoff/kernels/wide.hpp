// A wide unsigned integer of fixed size: just enough arithmetic to keep a product exact and to divide it.
// Checked by: spec/tests/wide_test.cpp against another implementation of integers.
// Proved for all inputs: properties/engines/proof.
#pragma once

#include <cstdint>
#include <type_traits>

#include "backoff/kernels/word.hpp"

namespace backoff {

// part := an estimate of floor(a / b), near it, at least 1 and never above it.
// Domain: a >= b > 0, a / b < 2^64; a has more_bits bits more than b; leading and of_divisor are the highest bits of a
// and of b, as many as a register has, with zeros behind the last.
// With e = more_bits and h half of a register's bits: a >= leading · 2^(bits(a) - 2h), b < by · 2^(bits(b) - h), and so
// a / b > leading / by · 2^(e - h).
template <word Reg>
  requires(word_bits<Reg> <= 64U)
[[nodiscard]] constexpr std::uint64_t quotient_estimate(Reg leading, Reg of_divisor, unsigned more_bits) noexcept {
  constexpr unsigned half = word_bits<Reg> / 2U;
  Reg const by = Reg(Reg(of_divisor >> half) + Reg(1U));
  Reg const part = Reg(leading / by);
  if (more_bits < half) {
    Reg const whole = Reg(part >> (half - more_bits));
    return static_cast<bool>(whole == Reg(0U)) ? std::uint64_t{1U} : std::uint64_t{whole};
  }
  std::uint64_t scaled = part;
  for (unsigned bit = half; bit < more_bits; ++bit) scaled = scaled + scaled;
  return scaled;
}

// A number in [0, 2^(32 · Limbs)). No heap, no error: each function states its preconditions. The cost of a call
// depends on the length of the numbers, not on Limbs.
//
// RegisterBits is the width that the processor multiplies and divides at once, 32 or 64: no result depends on it.
template <unsigned Limbs, unsigned RegisterBits = sizeof(void*) == 8U ? 64U : 32U>
  requires(Limbs >= 4U && (RegisterBits == 32U || RegisterBits == 64U))
class wide {
 public:
  // Every 64-bit value fits.
  explicit constexpr wide(std::uint64_t value) noexcept : limbs_{}, length_(0U) { append(value); }

  // this := this · factor, factor > 0. The product must fit. Carry and sum never wrap: with b = 2^32 a step is at most
  // (b - 1)(b^2 - 1) + b^2 - 1 = b^3 - b, less than the b^3 that one limb and a 64-bit carry hold.
  constexpr void times(std::uint64_t factor) noexcept {
    auto const low = static_cast<std::uint32_t>(factor);
    auto const high = static_cast<std::uint32_t>(factor >> 32U);
    std::uint64_t carry = 0;
    for (unsigned i = 0; i < length_; ++i) {
      std::uint64_t const sum = product(limbs_[i], low) + (carry & low_half);
      carry = product(limbs_[i], high) + (sum >> 32U) + (carry >> 32U);
      limbs_[i] = static_cast<std::uint32_t>(sum);
    }
    append(carry);
  }

  // this := this - other · factor, which is not negative.
  constexpr void minus(wide const& other, std::uint64_t factor) noexcept {
    auto const low = static_cast<std::uint32_t>(factor);
    auto const high = static_cast<std::uint32_t>(factor >> 32U);
    std::uint64_t carry = 0;
    std::uint64_t borrow = 0;
    for (unsigned i = 0; i < length_; ++i) {
      std::uint64_t const sum = product(other.limbs_[i], low) + (carry & low_half);
      carry = product(other.limbs_[i], high) + (sum >> 32U) + (carry >> 32U);
      std::uint64_t const difference = (std::uint64_t{1U} << 32U) + limbs_[i] - (sum & low_half) - borrow;
      limbs_[i] = static_cast<std::uint32_t>(difference);
      borrow = std::uint64_t{1U} - (difference >> 32U);
    }
    trim();
  }

  // min(floor(this / divisor + 1/2), 2^64 - 1), for this < 2^64 · divisor. Where both fit a register the processor
  // divides; elsewhere the quotient is the sum of estimates, none of which is too large.
  [[nodiscard]] constexpr std::uint64_t nearest_quotient(wide const& divisor) const noexcept {
    if (fits() && divisor.fits()) {
      reg const number = value();
      reg const by = divisor.value();
      reg const quotient = number / by;
      reg const rest = number - quotient * by;
      return static_cast<bool>(rest < by - rest) ? quotient : quotient + 1U;  // rest = 0 rounds down, because by >= 1
    }
    reg const highest = divisor.leading();
    unsigned const bits = divisor.bits();
    std::uint64_t quotient = 0;
    wide rest = *this;
    while (!rest.below(divisor)) {
      std::uint64_t const part = quotient_estimate(rest.leading(), highest, rest.bits() - bits);
      rest.minus(divisor, part);
      quotient = quotient + part;
    }
    rest.times(2U);
    return rest.below(divisor) || static_cast<bool>(quotient == top) ? quotient : quotient + 1U;
  }

  // Whether it is 0.
  [[nodiscard]] constexpr bool is_zero() const noexcept { return length_ == 0U; }

  // Its length in bits: 0 for 0.
  [[nodiscard]] constexpr unsigned bits() const noexcept {
    return length_ == 0U ? 0U : 32U * length_ - leading_zeros(limbs_[length_ - 1U]);
  }

  // Whether this < other.
  [[nodiscard]] constexpr bool below(wide const& other) const noexcept {
    if (length_ != other.length_) return length_ < other.length_;
    for (unsigned i = length_; i > 0; --i) {
      if (limbs_[i - 1] != other.limbs_[i - 1]) return static_cast<bool>(limbs_[i - 1] < other.limbs_[i - 1]);
    }
    return false;
  }

  // Whether this < other · 2^doublings, for doublings in [1, 64] and other > 0. The product must fit. The lengths
  // mostly tell: this < 2^(32 · length), and other >= 2^(32 · (length - 1)).
  [[nodiscard]] constexpr bool below(wide const& other, unsigned doublings) const noexcept {
    unsigned const below_power = 32U * length_;
    unsigned const from_power = 32U * (other.length_ - 1U) + doublings;
    if (below_power <= from_power) return true;
    wide end = other;
    end.times(std::uint64_t{1U} << (doublings / 2U));
    end.times(std::uint64_t{1U} << (doublings - doublings / 2U));
    return below(end);
  }

 private:
  static constexpr bool by_64_bits = RegisterBits == 64U;
  using reg = std::conditional_t<by_64_bits, std::uint64_t, std::uint32_t>;
  static constexpr std::uint64_t low_half = 0xffff'ffff;
  static constexpr std::uint64_t top = ~std::uint64_t{0};

  // a · b. Small processors have no multiplication wider than 32 bits, and would call a function for it. There a and b
  // are multiplied by halves of 16 bits, whose products fit.
  static constexpr std::uint64_t product(std::uint32_t a, std::uint32_t b) noexcept {
    if constexpr (by_64_bits) {
      return std::uint64_t{a} * b;
    } else {
      std::uint32_t const a_low = a & 0xffffU;
      std::uint32_t const b_low = b & 0xffffU;
      std::uint32_t const a_high = a >> 16U;
      std::uint32_t const b_high = b >> 16U;
      std::uint64_t const outer = (std::uint64_t{a_high * b_high} << 32U) + a_low * b_low;
      std::uint64_t const inner = std::uint64_t{a_high * b_low} + a_low * b_high;
      return outer + (inner << 16U);
    }
  }

  // Zeros above the highest bit of limb > 0, by halving: small processors would call a function for this too.
  static constexpr unsigned leading_zeros(std::uint32_t limb) noexcept {
    unsigned zeros = 0;
    for (unsigned step = 16; step > 0; step /= 2) {
      if (static_cast<bool>(limb < std::uint32_t{1U} << (32U - step))) {
        zeros += step;
        limb = limb << step;
      }
    }
    return zeros;
  }

  [[nodiscard]] constexpr bool fits() const noexcept { return 32U * length_ <= RegisterBits; }
  // Its value, where it fits a register.
  [[nodiscard]] constexpr reg value() const noexcept {
    if constexpr (by_64_bits) {
      return limbs_[0] + (std::uint64_t{limbs_[1]} << 32U);
    } else {
      return limbs_[0];
    }
  }

  // As many of its highest bits as a register has, from the highest on; zeros follow the lowest. The number is not 0.
  [[nodiscard]] constexpr reg leading() const noexcept {
    unsigned const zeros = leading_zeros(from_top(0U));
    auto const shifted = [this, zeros](unsigned limb) noexcept {
      return (from_top(limb) << zeros) | ((from_top(limb + 1U) >> 1U) >> (31U - zeros));
    };
    if constexpr (by_64_bits) {
      return (reg{shifted(0U)} << 32U) | shifted(1U);
    } else {
      return shifted(0U);
    }
  }
  [[nodiscard]] constexpr std::uint32_t from_top(unsigned limbs) const noexcept {
    return limbs < length_ ? limbs_[length_ - 1U - limbs] : std::uint32_t{0U};
  }

  constexpr void append(std::uint64_t more) noexcept {
    for (; static_cast<bool>(more != 0U); more = more >> 32U) {
      limbs_[length_] = static_cast<std::uint32_t>(more);
      ++length_;
    }
  }
  constexpr void trim() noexcept {
    while (length_ > 0U && limbs_[length_ - 1U] == 0U) --length_;
  }

  std::uint32_t limbs_[Limbs];  // the lowest first; 0 from length_ on
  unsigned length_;             // limbs up to the highest that is not 0
};

}  // namespace backoff
