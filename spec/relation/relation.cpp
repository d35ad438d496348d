#include "relation/relation.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "relation/rational.hpp"

namespace backoff::spec {
namespace {

constexpr std::int32_t exponent_end = 80;

// Ports compute in doubles and convert units; a relative 2^-40 forgives that and nothing that a user could notice.
constexpr integer fineness = integer{1} << 40;

// Whether x is above y by no more than 2^-40 of `end`, if at all. In integers: rationals would look for common factors
// at every step, which takes most of the time.
bool hardly_above(rational const& x, rational const& y, rational const& end) noexcept {
  auto const gap = numerator(x) * denominator(y) - numerator(y) * denominator(x);
  return gap * fineness * denominator(end) <= abs(numerator(end)) * denominator(x) * denominator(y);
}

// x in [low, high], give or take; low <= high.
bool within(rational const& x, rational const& low, rational const& high) noexcept {
  return hardly_above(low, x, low) && hardly_above(x, high, high);
}

}  // namespace

rational to_rational(decimal const& d) noexcept {
  std::int32_t const exponent = std::clamp(d.exponent, -exponent_end, exponent_end);
  if (exponent == 0) return d.mantissa;
  rational const power = pow(big_integer(10), static_cast<unsigned>(std::abs(exponent)));
  return exponent < 0 ? d.mantissa / power : d.mantissa * power;
}

admissible admissible::between(closed_interval ends) noexcept {
  admissible a(admissible_kind::interval);
  a.ends_ = std::make_shared<closed_interval const>(std::move(ends));
  return a;
}

admissible admissible::either(closed_interval ends) noexcept {
  admissible a(admissible_kind::either);
  a.ends_ = std::make_shared<closed_interval const>(std::move(ends));
  return a;
}

admissible admissible::or_exactly(integer value) const noexcept {
  admissible both = *this;
  both.ends_ = std::make_shared<closed_interval const>(closed_interval{value, value});
  return both;
}

admissible admissible::between(integer low, integer high) noexcept { return between(closed_interval{low, high}); }

bool admissible::admits(observed const& port) const noexcept {
  if (kind_ == admissible_kind::unjudged) return true;
  if (kind_ == admissible_kind::absent) return port.kind == observed_kind::absent;
  if (kind_ == admissible_kind::keyword) {
    return port.kind == observed_kind::keyword && port.keyword < 32 && (words_ >> port.keyword & 1) != 0;
  }
  if (kind_ == admissible_kind::not_finite) return port.kind == observed_kind::not_a_number;
  if (port.kind != observed_kind::number) return false;
  if (kind_ == admissible_kind::not_zero) return port.value.mantissa != 0;
  if (kind_ == admissible_kind::lattice && port.value.integral()) {
    integer const offset = port.value.mantissa - first_;
    if (offset >= 0 && offset % step_ == 0 && offset / step_ < count_) return true;
    return has_ends() && ends_->low == port.value.mantissa;
  }
  rational const x = to_rational(port.value);
  if (kind_ == admissible_kind::either) return within(x, ends_->low, ends_->low) || within(x, ends_->high, ends_->high);
  if (has_ends() && within(x, ends_->low, ends_->high)) return true;
  if (kind_ == admissible_kind::interval) return false;
  rational const position = (x - first_) / step_;
  if (position <= -1 || position >= count_) return false;
  auto const below = static_cast<integer>(numerator(position) / denominator(position));
  rational const lower = first_ + below * step_;
  rational const upper = first_ + std::min(below + 1, count_ - 1) * step_;
  return within(x, lower, lower) || within(x, upper, upper);
}

bool operator==(admissible const& a, admissible const& b) noexcept {
  if (a.kind_ != b.kind_ || a.has_ends() != b.has_ends()) return false;
  if (a.has_ends() && !(*a.ends_ == *b.ends_)) return false;
  return a.words_ == b.words_ && a.first_ == b.first_ && a.step_ == b.step_ && a.count_ == b.count_;
}

}  // namespace backoff::spec
