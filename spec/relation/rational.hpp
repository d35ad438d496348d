// Exact rationals, never linked into the library. What fits into machine words is computed there, all else in numbers
// of any size: the results are the same. Checked by: spec/tests/rational_test.cpp, spec/tests/number_test.cpp.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include "relation/relation.hpp"

namespace backoff::spec {

using whole_number =
    boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;

class rational {
 public:
  using big = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend, boost::multiprecision::et_off>;

  rational() noexcept = default;
  template <std::integral T>
  rational(T n) noexcept : rational(in_lowest_terms(n, 1)) {}
  template <class T>
    requires(!std::is_arithmetic_v<T> && std::is_convertible_v<T, whole_number>)
  rational(T const& n) noexcept : rational(of(big(whole_number(n)))) {}
  template <class N, class D>
  rational(N const& numerator, D const& denominator) noexcept : rational(rational(numerator) / rational(denominator)) {}

  // The same number, in lowest terms.
  [[nodiscard]] static rational of(big const& x) noexcept;
  [[nodiscard]] big as_big() const noexcept;
  // Whether it is computed in machine words: of each number either all are or none.
  [[nodiscard]] bool is_small() const noexcept { return big_ == nullptr; }

  [[nodiscard]] friend whole_number numerator(rational const& x) noexcept {
    return x.is_small() ? whole_number(x.n_) : whole_number(numerator(*x.big_));
  }
  [[nodiscard]] friend whole_number denominator(rational const& x) noexcept {
    return x.is_small() ? whole_number(x.d_) : whole_number(denominator(*x.big_));
  }
  [[nodiscard]] bool is_whole() const noexcept { return is_small() ? d_ == 1 : denominator(*big_) == 1; }
  // The largest whole number that is not above it.
  [[nodiscard]] friend rational floor(rational const& x) noexcept {
    if (!x.is_small()) return big_floor(x);
    return in_lowest_terms(x.n_ / x.d_ - (x.n_ % x.d_ < 0 ? 1 : 0), 1);
  }
  [[nodiscard]] friend rational abs(rational const& x) noexcept { return x < 0 ? -x : x; }
  [[nodiscard]] explicit operator double() const noexcept;
  // As "7" or "-7/2".
  [[nodiscard]] std::string str() const;
  friend std::ostream& operator<<(std::ostream& out, rational const& x) noexcept { return out << x.str(); }

  [[nodiscard]] friend rational operator+(rational const& a, rational const& b) noexcept {
    if (!a.is_small() || !b.is_small()) return of(a.as_big() + b.as_big());
    return sum(a, b.n_, b.d_);
  }
  [[nodiscard]] friend rational operator-(rational const& a, rational const& b) noexcept {
    if (!a.is_small() || !b.is_small()) return of(a.as_big() - b.as_big());
    return sum(a, -b.n_, b.d_);
  }
  [[nodiscard]] friend rational operator*(rational const& a, rational const& b) noexcept {
    if (!a.is_small() || !b.is_small()) return of(a.as_big() * b.as_big());
    return product(a, b.n_, b.d_);
  }
  [[nodiscard]] friend rational operator/(rational const& a, rational const& b) noexcept {
    if (!a.is_small() || !b.is_small() || b.n_ == 0) return of(a.as_big() / b.as_big());
    return b.n_ < 0 ? product(a, -b.d_, -b.n_) : product(a, b.d_, b.n_);
  }
  [[nodiscard]] friend rational operator-(rational const& x) noexcept {
    if (!x.is_small()) return of(-*x.big_);
    rational result;
    result.n_ = -x.n_;
    result.d_ = x.d_;
    return result;
  }
  rational& operator+=(rational const& b) noexcept { return *this = *this + b; }
  rational& operator-=(rational const& b) noexcept { return *this = *this - b; }
  rational& operator*=(rational const& b) noexcept { return *this = *this * b; }
  rational& operator/=(rational const& b) noexcept { return *this = *this / b; }

  [[nodiscard]] friend bool operator==(rational const& a, rational const& b) noexcept {
    if (!a.is_small() && !b.is_small()) return *a.big_ == *b.big_;
    return a.is_small() == b.is_small() && a.n_ == b.n_ && a.d_ == b.d_;
  }
  friend std::strong_ordering operator<=>(rational const& a, rational const& b) noexcept;

 private:
  using word = std::int64_t;
  __extension__ using wide = __int128;
  static constexpr word most = std::numeric_limits<word>::max();  // and no less than -most, so that each can be negated

  [[nodiscard]] static word common(wide a, word b) noexcept { return std::gcd(static_cast<word>(a % b), b); }

  [[nodiscard]] static rational in_lowest_terms(wide n, wide d) noexcept {
    if (n > most || n < -most || d > most) return big_of(n, d);
    rational result;
    result.n_ = static_cast<word>(n);
    result.d_ = static_cast<word>(d);
    return result;
  }

  // Each product below 2^126, so that a sum of two is below 2^127.
  [[nodiscard]] static rational sum(rational const& a, word n, word d) noexcept {
    if (a.d_ == 1 && d == 1) return in_lowest_terms(wide{a.n_} + n, 1);
    word const g = std::gcd(a.d_, d);
    if (g == 1) return in_lowest_terms(wide{a.n_} * d + wide{n} * a.d_, wide{a.d_} * d);
    wide const top = wide{a.n_} * (d / g) + wide{n} * (a.d_ / g);
    word const again = common(top, g);  // no other factor is common
    return in_lowest_terms(top / again, wide{a.d_ / g} * (d / again));
  }

  [[nodiscard]] static rational product(rational const& a, word n, word d) noexcept {
    if (a.d_ == 1 && d == 1) return in_lowest_terms(wide{a.n_} * n, 1);
    word const left = std::gcd(a.n_, d);
    word const right = std::gcd(n, a.d_);
    return in_lowest_terms(wide{a.n_ / left} * (n / right), wide{a.d_ / right} * (d / left));
  }

  [[nodiscard]] static rational big_of(wide n, wide d) noexcept;
  [[nodiscard]] static rational big_floor(rational const& x) noexcept;

  word n_ = 0;
  word d_ = 1;
  std::shared_ptr<big const> big_;  // in place of both, where one of them is longer than a word
};

// The value of d; exponents beyond ±80 count as ±80: no documented number is near.
[[nodiscard]] rational to_rational(decimal const& d) noexcept;

struct closed_interval {
  rational low;
  rational high;
  friend bool operator==(closed_interval const&, closed_interval const&) noexcept = default;
};

}  // namespace backoff::spec
