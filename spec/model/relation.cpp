#include "model/relation.hpp"

#include <algorithm>
#include <utility>

#include "model/rational.hpp"

namespace backoff::spec {
namespace {

constexpr std::int32_t magnitude_end = 60;

// Ports compute in doubles and convert units; 2^-40 forgives that and nothing that a user could notice.
rational const& tolerance() noexcept {
  static rational const relative(1, integer{1} << 40);
  return relative;
}

bool near(rational const& x, rational const& wanted) noexcept {
  rational const distance = x < wanted ? rational(wanted - x) : rational(x - wanted);
  return distance <= wanted * tolerance();
}

}  // namespace

rational to_rational(decimal const& d) noexcept {
  using boost::multiprecision::cpp_int;
  auto const power = [](std::int32_t n) { return rational(boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(n))); };
  if (d.exponent > magnitude_end) return d.mantissa < 0 ? rational(-power(magnitude_end)) : power(magnitude_end);
  if (d.exponent < -2 * magnitude_end) {
    rational const tiny = rational(1) / power(magnitude_end);
    return d.mantissa < 0 ? rational(-tiny) : tiny;
  }
  if (d.exponent < 0) return rational(d.mantissa) / power(-d.exponent);
  return rational(d.mantissa) * power(d.exponent);
}

admissible admissible::unjudged() noexcept {
  admissible a;
  a.kind_ = kind::unjudged;
  return a;
}

admissible admissible::word(std::uint8_t index) noexcept {
  admissible a;
  a.kind_ = kind::keyword;
  a.keyword_ = index;
  return a;
}

admissible admissible::integers(integer first, integer step, integer count) noexcept {
  admissible a;
  a.kind_ = kind::lattice;
  a.first_ = first;
  a.step_ = step;
  a.count_ = count;
  return a;
}

admissible admissible::between(closed_interval ends) noexcept {
  admissible a;
  a.kind_ = kind::interval;
  a.ends_ = std::make_shared<closed_interval const>(std::move(ends));
  return a;
}

admissible admissible::between(integer low, integer high) noexcept { return between(closed_interval{low, high}); }

bool admissible::admits(observed const& port) const noexcept {
  if (kind_ == kind::unjudged) return true;
  if (kind_ == kind::absent) return port.is == observed::kind::absent;
  if (kind_ == kind::keyword) return port.is == observed::kind::keyword && port.keyword == keyword_;
  if (port.is != observed::kind::number) return false;
  if (kind_ == kind::lattice && port.value.integral()) {
    integer const offset = port.value.mantissa - first_;
    return offset >= 0 && offset % step_ == 0 && offset / step_ < count_;
  }
  rational const x = to_rational(port.value);
  if (kind_ == kind::interval) {
    return x >= ends_->low * (1 - tolerance()) && x <= ends_->high * (1 + tolerance());
  }
  rational const position = (x - first_) / step_;
  if (position <= -1 || position >= count_) return false;
  auto const below = static_cast<integer>(numerator(position) / denominator(position));
  integer const above = std::min(below + 1, count_ - 1);
  return near(x, rational(first_ + below * step_)) || near(x, rational(first_ + above * step_));
}

bool operator==(admissible const& a, admissible const& b) noexcept {
  if (a.kind_ != b.kind_) return false;
  if (a.kind_ == admissible::kind::interval) return *a.ends_ == *b.ends_;
  return a.keyword_ == b.keyword_ && a.first_ == b.first_ && a.step_ == b.step_ && a.count_ == b.count_;
}

}  // namespace backoff::spec
