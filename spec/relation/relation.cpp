#include "relation/relation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "relation/rational.hpp"

namespace backoff::spec {
namespace {

constexpr std::int32_t exponent_end = 80;

// Ports compute in doubles and convert units; a relative 2^-40 forgives that and nothing that a user could notice.
constexpr integer fineness = integer{1} << 40;

// Whether x is above y by no more than 2^-40 of `end`, if at all. `end` is x or y. Nothing where doubles cannot tell.
std::optional<bool> hardly_above(scaled const& x, scaled const& y, scaled const& end) {
  double const beside = x.digits_at(y.exponent);
  double const gap = beside - y.digits;
  double const slack = std::abs(end.digits_at(y.exponent)) / static_cast<double>(fineness);
  double const error = (std::abs(beside) + std::abs(y.digits)) * 0x1p-46 + std::numeric_limits<double>::min();
  if (gap + error <= slack) return true;
  if (gap - error > slack) return false;
  return std::nullopt;
}

bool hardly_above(rational const& x, rational const& y, rational const& end) { return (x - y) * fineness <= abs(end); }

// port in [low, high], give or take; low <= high.
bool within(decimal const& port, rational const& low, rational const& high) {
  auto const x = about(port);
  auto const least = low.about();
  auto const most = high.about();
  auto const from_low = hardly_above(least, x, least);
  auto const to_high = hardly_above(x, most, most);
  if (from_low && to_high) return *from_low && *to_high;
  auto const exact = to_rational(port);
  return hardly_above(low, exact, low) && hardly_above(exact, high, high);
}

std::int32_t exponent_of(decimal const& d) noexcept { return std::clamp(d.exponent, -exponent_end, exponent_end); }

// 10^0 to 10^80.
std::array<rational, exponent_end + 1> powers_of_ten() {
  std::array<rational, exponent_end + 1> all{1};
  for (std::size_t i = 1; i < all.size(); ++i) all[i] = all[i - 1] * 10;
  return all;
}
auto const all_powers_of_ten = powers_of_ten();
rational const& power_of_ten(std::int32_t exponent) { return all_powers_of_ten[static_cast<std::size_t>(exponent)]; }

}  // namespace

rational to_rational(decimal const& d) {
  auto const exponent = exponent_of(d);
  return exponent < 0 ? d.mantissa / power_of_ten(-exponent) : d.mantissa * power_of_ten(exponent);
}

scaled about(decimal const& d) {
  auto const exponent = exponent_of(d);
  auto const mantissa = static_cast<double>(d.mantissa);
  auto const power = power_of_ten(std::abs(exponent)).about();
  if (exponent < 0) return {mantissa / power.digits, -power.exponent};
  return {mantissa * power.digits, power.exponent};
}

admissible admissible::between(closed_interval ends) {
  admissible a(admissible_kind::interval);
  a.ends_ = std::make_shared<closed_interval const>(std::move(ends));
  return a;
}

admissible admissible::either(closed_interval ends) {
  admissible a(admissible_kind::either);
  a.ends_ = std::make_shared<closed_interval const>(std::move(ends));
  return a;
}

admissible admissible::or_exactly(integer value) const {
  admissible both = *this;
  both.ends_ = std::make_shared<closed_interval const>(closed_interval{value, value});
  return both;
}

admissible admissible::between(integer low, integer high) { return between(closed_interval{low, high}); }

bool admissible::admits(observed const& port) const {
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
  auto const& x = port.value;
  if (kind_ == admissible_kind::either) return within(x, ends_->low, ends_->low) || within(x, ends_->high, ends_->high);
  if (has_ends() && within(x, ends_->low, ends_->high)) return true;
  if (kind_ == admissible_kind::interval) return false;
  rational const position = (to_rational(x) - first_) / step_;
  if (position <= -1 || position >= count_) return false;
  auto const below = static_cast<integer>(position);
  rational const lower = first_ + below * step_;
  rational const upper = first_ + std::min(below + 1, count_ - 1) * step_;
  return within(x, lower, lower) || within(x, upper, upper);
}

bool operator==(admissible const& a, admissible const& b) noexcept {
  if (a.kind_ != b.kind_ || a.has_ends() != b.has_ends()) return false;
  if (a.has_ends() && !(*a.ends_ == *b.ends_)) return false;
  return a.words_ == b.words_ && a.first_ == b.first_ && a.step_ == b.step_ && a.count_ == b.count_;
}

constinit admissible const expectation::nothing;

bool operator==(expectation const& a, expectation const& b) noexcept {
  for (std::size_t i = 0; i < std::max(a.used_, b.used_); ++i) {
    if (!(a[i] == b[i])) return false;
  }
  return true;
}

}  // namespace backoff::spec
