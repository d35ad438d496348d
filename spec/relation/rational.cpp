#include "relation/rational.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <ostream>

#include "relation/common_factor.hpp"

namespace backoff::spec {
namespace {

constexpr integer longest = std::numeric_limits<integer>::max();

bool fits(big_integer const& n) { return n >= -longest && n <= longest; }

constexpr unsigned fives_end = 128;

std::array<big_integer, fives_end> powers_of_five() {
  std::array<big_integer, fives_end> all{1};
  for (unsigned i = 1; i < fives_end; ++i) all[i] = all[i - 1] * 5;
  return all;
}
auto const power_of_five = powers_of_five();

// The fives in n = 2^i · 5^fives; nothing if n has other factors, or more fives. n > 0.
std::optional<unsigned> fives_of(big_integer const& n) {
  constexpr double bits_of_five = 2.321928094887362;
  big_integer const odd = n >> lsb(n);
  auto const fives = static_cast<unsigned>(std::lround(static_cast<double>(msb(odd)) / bits_of_five + 0.25));
  if (fives >= fives_end || odd != power_of_five[fives]) return std::nullopt;
  return fives;
}

// How often five divides n, up to a number of times. n is not 0.
unsigned fives_in(big_integer n, unsigned at_most) {
  constexpr unsigned in_a_word = 27;
  constexpr integer word = 7'450'580'596'923'828'125;  // 5^27
  unsigned count = 0;
  for (; count < at_most; count += in_a_word) {
    auto left = static_cast<integer>(n % word);
    if (left != 0) {
      for (; left % 5 == 0; left /= 5) ++count;
      break;
    }
    n /= word;
  }
  return std::min(count, at_most);
}

// The greatest common divisor; d > 0. Long denominators are mostly those of decimals and of draws: products of twos and
// fives, which need no division of long numbers.
big_integer common_of(big_integer const& n, big_integer const& d) {
  if (d == 1 || n == 0) return d;
  if (fits(d)) return std::gcd(static_cast<integer>(n % d), static_cast<integer>(d));
  if (fits(n)) return std::gcd(static_cast<integer>(d % n), static_cast<integer>(n));
  auto const fives = fives_of(d);
  if (!fives) return gcd(n, d);
  return power_of_five[fives_in(n, *fives)] << std::min(lsb(abs(n)), lsb(d));
}

// n / by, where nothing is left.
big_integer divided(big_integer const& n, big_integer const& by) { return by == 1 ? n : big_integer(n / by); }

// Three limbs hold more digits than a double.
scaled scaled_of(big_integer const& n) noexcept {
  auto const& limbs = n.backend();
  constexpr int bits = std::numeric_limits<boost::multiprecision::limb_type>::digits;
  constexpr double next_limb = 2.0 * static_cast<double>(boost::multiprecision::limb_type{1} << (bits - 1));
  int const used = std::min(static_cast<int>(limbs.size()), 3);
  int const unused = static_cast<int>(limbs.size()) - used;
  double digits = 0;
  for (int i = used; i-- > 0;) digits = digits * next_limb + static_cast<double>(limbs.limbs()[unused + i]);
  return {limbs.sign() ? -digits : digits, unused * bits};
}

}  // namespace

rational::rational(big_integer const& n, big_integer const& d) {
  if (d == 0) std::abort();
  if (fits(n) && fits(d)) {
    *this = rational(static_cast<integer>(n)) / static_cast<integer>(d);
    return;
  }
  big_integer const common = d < 0 ? big_integer(-common_of(n, -d)) : common_of(n, d);
  *this = of(divided(n, common), divided(d, common));
}

rational rational::of(big_integer num, big_integer den) {
  rational x;
  if (fits(num) && fits(den)) {
    x.num_ = static_cast<integer>(num);
    x.den_ = static_cast<integer>(den);
  } else {
    x.long_ = std::make_shared<long_parts const>(long_parts{std::move(num), std::move(den)});
  }
  return x;
}

rational rational::of(wide num, wide den) {
  if (num < -longest || num > longest || den > longest) return of(big_integer(num), big_integer(den));
  rational x;
  x.num_ = static_cast<integer>(num);
  x.den_ = static_cast<integer>(den);
  return x;
}

scaled rational::about() const {
  if (!long_) return {static_cast<double>(num_) / static_cast<double>(den_), 0};
  auto const num = scaled_of(long_->num);
  auto const den = scaled_of(long_->den);
  return {num.digits / den.digits, num.exponent - den.exponent};
}

big_integer numerator(rational const& x) { return x.long_ ? x.long_->num : big_integer(x.num_); }
big_integer denominator(rational const& x) { return x.long_ ? x.long_->den : big_integer(x.den_); }

rational::operator double() const {
  constexpr integer exact_max = integer{1} << 53;
  bool const exact_parts = !long_ && num_ >= -exact_max && num_ <= exact_max && den_ <= exact_max;
  if (exact_parts) return static_cast<double>(num_) / static_cast<double>(den_);
  using exact = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend>;
  return static_cast<double>(exact(numerator(*this), denominator(*this)));
}

rational::wide rational::truncated() const { return long_ ? static_cast<wide>(long_->num / long_->den) : num_ / den_; }

rational floored(rational const& x) {
  if (x.is_whole()) return x;
  if (!x.long_) return x.num_ < 0 ? x.num_ / x.den_ - 1 : x.num_ / x.den_;
  big_integer const q = x.long_->num / x.long_->den;
  return x.long_->num < 0 ? big_integer(q - 1) : q;
}

rational rational::operator-() const {
  if (long_) return of(-long_->num, long_->den);
  rational x = *this;
  x.num_ = -num_;
  return x;
}

rational rational::inverse() const {
  if (long_ && long_->num < 0) return of(-long_->den, -long_->num);
  if (long_) return of(long_->den, long_->num);
  if (num_ == 0) std::abort();
  rational x;
  x.num_ = num_ < 0 ? -den_ : den_;
  x.den_ = num_ < 0 ? -num_ : num_;
  return x;
}

rational operator+(rational const& a, rational const& b) {
  using wide = rational::wide;
  if (!a.long_ && !b.long_) {
    integer const common = common_of(a.den_, b.den_);
    wide const num = wide{a.num_} * (b.den_ / common) + wide{b.num_} * (a.den_ / common);
    integer const too = common_of(static_cast<integer>(num % common), common);
    return rational::of(num / too, wide{a.den_ / common} * (b.den_ / too));
  }
  big_integer const da = denominator(a);
  big_integer const db = denominator(b);
  big_integer const common = common_of(da, db);
  big_integer const num = numerator(a) * divided(db, common) + numerator(b) * divided(da, common);
  big_integer const too = common_of(num, common);
  return rational::of(divided(num, too), divided(da, common) * divided(db, too));
}

rational operator*(rational const& a, rational const& b) {
  using wide = rational::wide;
  if (!a.long_ && !b.long_) {
    integer const across = common_of(a.num_, b.den_);
    integer const back = common_of(b.num_, a.den_);
    return rational::of(wide{a.num_ / across} * (b.num_ / back), wide{a.den_ / back} * (b.den_ / across));
  }
  big_integer const na = numerator(a);
  big_integer const da = denominator(a);
  big_integer const nb = numerator(b);
  big_integer const db = denominator(b);
  big_integer const across = common_of(na, db);
  big_integer const back = common_of(nb, da);
  return rational::of(divided(na, across) * divided(nb, back), divided(da, back) * divided(db, across));
}

std::strong_ordering rational::compared(rational const& a, rational const& b) {
  auto const x = a.about();
  auto const y = b.about();
  double const by = x.digits_at(y.exponent) - y.digits;
  bool const is_sure = std::abs(by) > std::ldexp(std::abs(y.digits), -40);
  if (is_sure) return by < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  return (numerator(a) * denominator(b)).compare(numerator(b) * denominator(a)) <=> 0;
}

std::string rational::str() const {
  auto const text = numerator(*this).str();
  return is_whole() ? text : text + "/" + denominator(*this).str();
}

std::ostream& operator<<(std::ostream& out, rational const& x) { return out << x.str(); }

}  // namespace backoff::spec
