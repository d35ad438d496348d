// A wide unsigned integer of fixed size: just enough arithmetic to keep a product exact and to divide it once.
// Checked by: spec/tests/wide_test.cpp against an integer of another make.
// Proved for all inputs: properties/engines/proof.
#pragma once

#include <cstdint>

namespace backoff {

// A number in [0, 2^(32 · Limbs)). No heap, no error: what must hold beforehand is said beside each function.
template <unsigned Limbs>
  requires(Limbs >= 2U)
class wide {
 public:
  // Every 64-bit value fits.
  explicit constexpr wide(std::uint64_t value) noexcept : limbs_{} {
    limbs_[0] = static_cast<std::uint32_t>(value);
    limbs_[1] = static_cast<std::uint32_t>(value >> 32U);
  }

  // this := this · factor. The product must fit. Carry and sum never wrap: with b = 2^32 a step is at most
  // (b - 1)(b^2 - 1) + b^2 - 1 = b^3 - b, less than the b^3 that one limb and a 64-bit carry hold.
  constexpr void times(std::uint64_t factor) noexcept {
    auto const low = static_cast<std::uint32_t>(factor);
    auto const high = static_cast<std::uint32_t>(factor >> 32U);
    std::uint64_t carry = 0;
    for (auto& limb : limbs_) {
      std::uint64_t const sum = product(limb, low) + (carry & low_half);
      carry = product(limb, high) + (sum >> 32U) + (carry >> 32U);
      limb = static_cast<std::uint32_t>(sum);
    }
  }

  // this := this - other; other <= this.
  constexpr void minus(wide const& other) noexcept {
    std::uint64_t borrow = 0;
    for (unsigned i = 0; i < Limbs; ++i) {
      std::uint64_t const difference = std::uint64_t{limbs_[i]} - other.limbs_[i] - borrow;
      limbs_[i] = static_cast<std::uint32_t>(difference);
      borrow = difference >> 63U;
    }
  }

  // this := floor(this / 2).
  constexpr void halve() noexcept {
    std::uint32_t above = 0;
    for (unsigned i = Limbs; i > 0; --i) {
      std::uint32_t const here = limbs_[i - 1];
      limbs_[i - 1] = (above << 31U) | (here >> 1U);
      above = here;
    }
  }

  // Whether it is below 2^(32 · (Limbs - 1)): then its product with any 32-bit factor fits.
  [[nodiscard]] constexpr bool has_room() const noexcept { return limbs_[Limbs - 1] == 0U; }

  // Whether this < other.
  [[nodiscard]] constexpr bool below(wide const& other) const noexcept {
    for (unsigned i = Limbs; i > 0; --i) {
      if (limbs_[i - 1] != other.limbs_[i - 1]) return static_cast<bool>(limbs_[i - 1] < other.limbs_[i - 1]);
    }
    return false;
  }

 private:
  static constexpr std::uint64_t low_half = 0xffff'ffff;

  // a · b by their halves of 16 bits, whose products fit 32: small processors have no wider multiplication, and would
  // call a function for it.
  static constexpr std::uint64_t product(std::uint32_t a, std::uint32_t b) noexcept {
    std::uint32_t const a_low = a & 0xffffU;
    std::uint32_t const b_low = b & 0xffffU;
    std::uint32_t const a_high = a >> 16U;
    std::uint32_t const b_high = b >> 16U;
    std::uint64_t const outer = (std::uint64_t{a_high * b_high} << 32U) + a_low * b_low;
    std::uint64_t const inner = std::uint64_t{a_high * b_low} + a_low * b_high;
    return outer + (inner << 16U);
  }

  std::uint32_t limbs_[Limbs];  // the lowest first
};

}  // namespace backoff
