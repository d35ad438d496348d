// A symbolic word: what stands where a shipped header says std::uint32_t, so that its code runs once for all inputs.
//
// A word is a constant, or a term of the executor: an integer in the range of the type. Arithmetic follows C++, with
// its promotions and conversions; a comparison is a bool, for which the executor forks the path. What is constant on
// both sides is computed at once, with the wrap that the code asks for: 0 - 1 is the largest value and no obligation.
// Checked by: executor_test.cpp, against native integers.
#pragma once

#include <cassert>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace backoff::engines::proof {

struct width {
  unsigned bits;
  bool is_signed;
};

struct operand {
  std::uint64_t value;  // of a constant, its sign extended to 64 bits
  int term;             // of the executor; negative: a constant
};

// The executor's part: each is called with at least one operand that is a term.
enum class arithmetic : std::uint8_t { sum, difference, product, quotient, remainder, left, right, both, either };
enum class comparison : std::uint8_t { less, equal };
[[nodiscard]] operand computed(arithmetic what, operand a, operand b, width w);
[[nodiscard]] operand converted(operand a, width from, width to);
[[nodiscard]] bool compared(comparison what, operand a, operand b, width w);

template <unsigned Bits, bool Signed = false>
  requires(Bits <= 64U)
struct word {
  operand held{0U, -1};  // public, as a template argument must have it

  constexpr word() = default;
  constexpr explicit word(operand o) : held(o) {}
  template <std::integral I>
  // NOLINTNEXTLINE(google-explicit-constructor): a number of C++ is one of these, too
  constexpr word(I value) : held{fitted(static_cast<std::uint64_t>(value)), -1} {}
  template <unsigned From, bool FromSigned>
  constexpr explicit(From > Bits || (FromSigned != Signed && (FromSigned || From == Bits)))
      word(word<From, FromSigned> const& other)
      : held(other.held.term < 0 ? operand{fitted(other.held.value), -1}
                                 : converted(other.held, {From, FromSigned}, {Bits, Signed})) {}

  constexpr word& operator++() noexcept { return *this = word(*this + 1U); }

  // The value modulo 2^Bits, as the type holds it.
  static constexpr std::uint64_t fitted(std::uint64_t value) noexcept {
    if constexpr (Bits == 64U) return value;
    std::uint64_t const low = value & ((std::uint64_t{1} << (Bits % 64U)) - 1U);
    if (Signed && (low >> (Bits - 1U)) != 0U) return low | ~((std::uint64_t{1} << (Bits % 64U)) - 1U);
    return low;
  }
};

// The usual arithmetic conversions: below 32 bits everything is an int.
template <unsigned A, bool ASigned, unsigned B, bool BSigned>
struct common {
  static constexpr unsigned a = A < 32U ? 32U : A;
  static constexpr unsigned b = B < 32U ? 32U : B;
  static constexpr bool a_signed = A < 32U || ASigned;
  static constexpr bool b_signed = B < 32U || BSigned;
  static constexpr width of{a > b ? a : b, a > b ? a_signed : b > a ? b_signed : a_signed&& b_signed};
  using type = word<of.bits, of.is_signed>;
};

constexpr std::uint64_t folded(arithmetic what, std::uint64_t a, std::uint64_t b, width w) noexcept {
  auto const sa = static_cast<std::int64_t>(a);
  auto const sb = static_cast<std::int64_t>(b);
  switch (what) {
    case arithmetic::sum:
      return a + b;
    case arithmetic::difference:
      return a - b;
    case arithmetic::product:
      return a * b;
    case arithmetic::quotient:
      assert(b != 0);
      return w.is_signed ? static_cast<std::uint64_t>(sa / sb) : a / b;
    case arithmetic::remainder:
      assert(b != 0);
      return w.is_signed ? static_cast<std::uint64_t>(sa % sb) : a % b;
    case arithmetic::left:
      assert(b < w.bits);
      return a << b;
    case arithmetic::right:
      assert(b < w.bits);
      return w.is_signed ? static_cast<std::uint64_t>(sa >> b) : a >> b;
    case arithmetic::both:
      return a & b;
    default:
      return a | b;
  }
}

template <arithmetic What, unsigned A, bool ASigned, unsigned B, bool BSigned>
constexpr auto compute(word<A, ASigned> const& l, word<B, BSigned> const& r) noexcept {
  constexpr bool shift = What == arithmetic::left || What == arithmetic::right;
  // The amount of a shift is no part of its type.
  using both = common<A, ASigned, shift ? A : B, shift ? ASigned : BSigned>;
  using type = typename both::type;
  operand const a = type(l).held;
  operand const b = shift ? r.held : type(r).held;
  if (a.term < 0 && b.term < 0) return type(operand{type::fitted(folded(What, a.value, b.value, both::of)), -1});
  return type(computed(What, a, b, both::of));
}

template <comparison What, unsigned A, bool ASigned, unsigned B, bool BSigned>
constexpr bool compare(word<A, ASigned> const& l, word<B, BSigned> const& r) {
  using both = common<A, ASigned, B, BSigned>;
  operand const a = typename both::type(l).held;
  operand const b = typename both::type(r).held;
  if (a.term >= 0 || b.term >= 0) return compared(What, a, b, both::of);
  if (What == comparison::equal) return a.value == b.value;
  return both::of.is_signed ? static_cast<std::int64_t>(a.value) < static_cast<std::int64_t>(b.value)
                            : a.value < b.value;
}

template <std::integral I>  // NOLINT(misc-confusable-identifiers): it is no variable
using word_of = word<static_cast<unsigned>(sizeof(I) * 8U), std::is_signed_v<I>>;

// NOLINTBEGIN(cppcoreguidelines-macro-usage): they make operators
#define BACKOFF_ARITHMETIC(sign, what)                                                \
  template <unsigned A, bool AS, unsigned B, bool BS>                                 \
  constexpr auto operator sign(word<A, AS> const& a, word<B, BS> const& b) noexcept { \
    return compute<arithmetic::what>(a, b);                                           \
  }                                                                                   \
  template <unsigned A, bool AS, std::integral I>                                     \
  constexpr auto operator sign(word<A, AS> const& a, I b) noexcept {                  \
    return compute<arithmetic::what>(a, word_of<I>(b));                               \
  }
BACKOFF_ARITHMETIC(+, sum)
BACKOFF_ARITHMETIC(-, difference)
BACKOFF_ARITHMETIC(*, product)
BACKOFF_ARITHMETIC(/, quotient)
BACKOFF_ARITHMETIC(%, remainder)
BACKOFF_ARITHMETIC(<<, left)
BACKOFF_ARITHMETIC(>>, right)
BACKOFF_ARITHMETIC(&, both)
BACKOFF_ARITHMETIC(|, either)
#undef BACKOFF_ARITHMETIC

#define BACKOFF_COMPARISON(sign, value)                                               \
  template <unsigned A, bool AS, unsigned B, bool BS>                                 \
  constexpr bool operator sign(word<A, AS> const& a, word<B, BS> const& b) noexcept { \
    return value;                                                                     \
  }                                                                                   \
  template <unsigned A, bool AS, std::integral I>                                     \
  constexpr bool operator sign(word<A, AS> const& a, I native) noexcept {             \
    return a sign word_of<I>(native);                                                 \
  }
BACKOFF_COMPARISON(<, compare<comparison::less>(a, b))
BACKOFF_COMPARISON(>, compare<comparison::less>(b, a))
BACKOFF_COMPARISON(<=, !compare<comparison::less>(b, a))
BACKOFF_COMPARISON(>=, !compare<comparison::less>(a, b))
BACKOFF_COMPARISON(==, compare<comparison::equal>(a, b))
#undef BACKOFF_COMPARISON
// NOLINTEND(cppcoreguidelines-macro-usage)

// All bits inverted; of constants alone, which is all that the library asks for.
template <unsigned Bits>
  requires(Bits >= 32U)
constexpr word<Bits> operator~(word<Bits> const& a) noexcept {
  return word<Bits>(0U) - word<Bits>(1U) - a;
}

}  // namespace backoff::engines::proof

template <unsigned Bits, bool Signed>
// NOLINTNEXTLINE(cert-dcl58-cpp): a number has limits
struct std::numeric_limits<backoff::engines::proof::word<Bits, Signed>> {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = Signed;
  static constexpr int digits = static_cast<int>(Bits) - (Signed ? 1 : 0);
  static constexpr auto max() noexcept {
    return backoff::engines::proof::word<Bits, Signed>(Signed ? ~std::uint64_t{0} >> (65U - Bits) : ~std::uint64_t{0});
  }
};
