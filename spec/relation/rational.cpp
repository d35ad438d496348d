#include "relation/rational.hpp"

#include <cstdlib>
#include <numeric>
#include <ostream>

namespace backoff::spec {
namespace {

constexpr integer longest = std::numeric_limits<integer>::max();

bool fits(big_integer const& n) noexcept { return n >= -longest && n <= longest; }

// The greatest common divisor; most numbers are whole, and std::gcd has no short way with 1.
integer common_of(integer a, integer b) noexcept {
  if (a == 1) return a;
  return b == 1 ? b : std::gcd(a, b);
}

}  // namespace

rational::rational(big_integer const& n, big_integer const& d) noexcept {
  if (d == 0) std::abort();
  big_integer const common = d < 0 ? big_integer(-gcd(n, d)) : big_integer(gcd(n, d));
  big_integer num = n / common;
  big_integer den = d / common;
  if (fits(num) && fits(den)) {
    num_ = static_cast<integer>(num);
    den_ = static_cast<integer>(den);
  } else {
    long_ = std::make_shared<long_parts const>(long_parts{std::move(num), std::move(den)});
  }
}

rational rational::of(wide num, wide den) noexcept {
  if (num < -longest || num > longest || den > longest) return {big_integer(num), big_integer(den)};
  rational x;
  x.num_ = static_cast<integer>(num);
  x.den_ = static_cast<integer>(den);
  return x;
}

big_integer numerator(rational const& x) noexcept { return x.long_ ? x.long_->num : big_integer(x.num_); }
big_integer denominator(rational const& x) noexcept { return x.long_ ? x.long_->den : big_integer(x.den_); }

rational::operator double() const noexcept {
  constexpr integer exact_max = integer{1} << 53;
  bool const exact_parts = !long_ && num_ >= -exact_max && num_ <= exact_max && den_ <= exact_max;
  if (exact_parts) return static_cast<double>(num_) / static_cast<double>(den_);
  using exact = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend>;
  return static_cast<double>(exact(numerator(*this), denominator(*this)));
}

rational::wide rational::truncated() const noexcept {
  return long_ ? static_cast<wide>(long_->num / long_->den) : num_ / den_;
}

rational floored(rational const& x) noexcept {
  if (x.is_whole()) return x;
  if (!x.long_) return x.num_ < 0 ? x.num_ / x.den_ - 1 : x.num_ / x.den_;
  big_integer const q = x.long_->num / x.long_->den;
  return x.long_->num < 0 ? big_integer(q - 1) : q;
}

rational rational::operator-() const noexcept {
  if (long_) return {-long_->num, long_->den};
  rational x = *this;
  x.num_ = -num_;
  return x;
}

rational rational::inverse() const noexcept {
  if (long_ || num_ == 0) return {denominator(*this), numerator(*this)};
  rational x;
  x.num_ = num_ < 0 ? -den_ : den_;
  x.den_ = num_ < 0 ? -num_ : num_;
  return x;
}

rational operator+(rational const& a, rational const& b) noexcept {
  using wide = rational::wide;
  if (!a.long_ && !b.long_) {
    integer const common = common_of(a.den_, b.den_);
    wide const num = wide{a.num_} * (b.den_ / common) + wide{b.num_} * (a.den_ / common);
    integer const too = common_of(static_cast<integer>(num % common), common);
    return rational::of(num / too, wide{a.den_ / common} * (b.den_ / too));
  }
  big_integer const da = denominator(a);
  big_integer const db = denominator(b);
  return {numerator(a) * db + numerator(b) * da, da * db};
}

rational operator*(rational const& a, rational const& b) noexcept {
  using wide = rational::wide;
  if (!a.long_ && !b.long_) {
    integer const across = common_of(a.num_, b.den_);
    integer const back = common_of(b.num_, a.den_);
    return rational::of(wide{a.num_ / across} * (b.num_ / back), wide{a.den_ / back} * (b.den_ / across));
  }
  return {numerator(a) * numerator(b), denominator(a) * denominator(b)};
}

std::strong_ordering rational::compared(rational const& a, rational const& b) noexcept {
  return (numerator(a) * denominator(b)).compare(numerator(b) * denominator(a)) <=> 0;
}

std::string rational::str() const {
  auto const text = numerator(*this).str();
  return is_whole() ? text : text + "/" + denominator(*this).str();
}

std::ostream& operator<<(std::ostream& out, rational const& x) { return out << x.str(); }

}  // namespace backoff::spec
