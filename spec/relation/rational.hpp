// Exact rationals: two machine words where they fit, otherwise numbers of any length. Exactness matters here more than
// speed; the library does not link them. Checked by: spec/tests/number_test.cpp.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <compare>
#include <concepts>
#include <iosfwd>
#include <memory>
#include <string>

#include "relation/relation.hpp"

namespace backoff::spec {

// A whole number of any length.
using big_integer =
    boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;

// digits · 2^exponent: within relative 2^-50 of a number, which is often enough to compare it.
struct scaled {
  double digits;
  int exponent;
  // The digits of the same number for another exponent. Infinite, or short of digits, if far from it.
  [[nodiscard]] double digits_at(int other) const noexcept {
    return exponent == other ? digits : std::ldexp(digits, exponent - other);
  }
};

class rational {
  __extension__ using wide = __int128;

 public:
  rational() = default;
  // NOLINTBEGIN(google-explicit-constructor): every number is one
  template <std::integral I>
  rational(I n) : rational(of(n, 1)) {}
  rational(big_integer const& n) : rational(n, big_integer(1)) {}
  // NOLINTEND(google-explicit-constructor)
  // d != 0
  rational(big_integer const& n, big_integer const& d);

  [[nodiscard]] bool is_whole() const { return long_ ? long_->den == 1 : den_ == 1; }
  [[nodiscard]] bool fits_words() const noexcept { return !long_; }
  [[nodiscard]] scaled about() const;
  [[nodiscard]] explicit operator double() const;
  [[nodiscard]] std::string str() const;  // -3/2, or 3
  // Rounds toward 0.
  template <std::integral I>
  [[nodiscard]] explicit operator I() const {
    return static_cast<I>(truncated());
  }

  friend big_integer numerator(rational const& x);
  friend big_integer denominator(rational const& x);  // > 0, without a common factor
  friend rational floored(rational const& x);
  friend rational abs(rational const& x) { return x < 0 ? -x : x; }

  [[nodiscard]] rational operator-() const;
  friend rational operator+(rational const& a, rational const& b);
  friend rational operator-(rational const& a, rational const& b) { return a + -b; }
  friend rational operator*(rational const& a, rational const& b);
  friend rational operator/(rational const& a, rational const& b) { return a * b.inverse(); }  // b != 0
  rational& operator+=(rational const& b) { return *this = *this + b; }
  rational& operator-=(rational const& b) { return *this = *this - b; }
  rational& operator*=(rational const& b) { return *this = *this * b; }
  rational& operator/=(rational const& b) { return *this = *this / b; }

  // Where words hold both operands, two words hold each cross product.
  friend std::strong_ordering operator<=>(rational const& a, rational const& b) {
    if (!a.long_ && !b.long_) return wide{a.num_} * b.den_ <=> wide{b.num_} * a.den_;
    return compared(a, b);
  }
  friend bool operator==(rational const& a, rational const& b) noexcept {
    if (a.long_ && b.long_) return *a.long_ == *b.long_;
    return !a.long_ && !b.long_ && a.num_ == b.num_ && a.den_ == b.den_;
  }
  friend std::ostream& operator<<(std::ostream& out, rational const& x);

 private:
  struct long_parts {
    big_integer num;
    big_integer den;
    friend bool operator==(long_parts const&, long_parts const&) noexcept = default;
  };

  [[nodiscard]] static std::strong_ordering compared(rational const& a, rational const& b);  // of any length
  [[nodiscard]] static rational of(wide num, wide den);                // den > 0, without a common factor
  [[nodiscard]] static rational of(big_integer num, big_integer den);  // likewise
  [[nodiscard]] wide truncated() const;
  [[nodiscard]] rational inverse() const;

  // Used where both fit machine words; otherwise long_ is. Never the least integer, so that a negated one fits too.
  integer num_ = 0;
  integer den_ = 1;
  std::shared_ptr<long_parts const> long_;
};

[[nodiscard]] scaled about(decimal const& d);

// The value of d; exponents beyond ±80 count as ±80: no documented number is near.
[[nodiscard]] rational to_rational(decimal const& d);

// The largest whole number that is no larger than x.
[[nodiscard]] rational floored(rational const& x);

struct closed_interval {
  rational low;
  rational high;
  friend bool operator==(closed_interval const&, closed_interval const&) noexcept = default;
};

}  // namespace backoff::spec
