#include "relation/rational.hpp"

namespace backoff::spec {
namespace {

// Of a number that is not above that, and its denominator: their quotient in doubles is the nearest double.
constexpr std::int64_t exact_in_doubles = std::int64_t{1} << 53;

}  // namespace

rational rational::of(big const& x) noexcept {
  auto const n = numerator(x);
  auto const d = denominator(x);
  rational result;
  if (n <= most && n >= -most && d <= most) {
    result.n_ = static_cast<word>(n);
    result.d_ = static_cast<word>(d);
  } else {
    result.big_ = std::make_shared<big const>(x);
  }
  return result;
}

rational::big rational::as_big() const noexcept { return is_small() ? big(n_, d_) : *big_; }

rational rational::big_of(wide n, wide d) noexcept {
  __extension__ using bits = unsigned __int128;
  auto const whole = [](bits x) noexcept {
    whole_number high = static_cast<std::uint64_t>(x >> 64U);
    high <<= 64U;
    return whole_number(high + static_cast<std::uint64_t>(x));
  };
  whole_number const size = whole(static_cast<bits>(n < 0 ? -n : n));
  return of(big(n < 0 ? whole_number(-size) : size, whole(static_cast<bits>(d))));
}

rational rational::big_floor(rational const& x) noexcept {
  whole_number const n(numerator(x));
  whole_number const d(denominator(x));
  whole_number q = n / d;
  if (n < 0 && q * d != n) --q;
  return rational(q);
}

std::strong_ordering operator<=>(rational const& a, rational const& b) noexcept {
  if (!a.is_small() || !b.is_small()) return a.as_big().compare(b.as_big()) <=> 0;
  if (a.d_ == b.d_) return a.n_ <=> b.n_;
  return rational::wide{a.n_} * b.d_ <=> rational::wide{b.n_} * a.d_;
}

rational::operator double() const noexcept {
  bool const exact = is_small() && n_ <= exact_in_doubles && n_ >= -exact_in_doubles && d_ <= exact_in_doubles;
  return exact ? static_cast<double>(n_) / static_cast<double>(d_) : static_cast<double>(as_big());
}

std::string rational::str() const {
  if (!is_small()) return big_->str();
  return d_ == 1 ? std::to_string(n_) : std::to_string(n_) + "/" + std::to_string(d_);
}

}  // namespace backoff::spec
