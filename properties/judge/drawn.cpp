#include "judge/drawn.hpp"

#include <algorithm>
#include <cmath>

#include "relation/rational.hpp"

namespace backoff::conformance {

double as_double(spec::decimal const& d) noexcept {
  return static_cast<double>(d.mantissa) * std::pow(10.0, static_cast<double>(d.exponent));
}

std::optional<drawn_part> part_of(spec::admissible const& all, spec::observed const& port) noexcept {
  if (all.is() == spec::admissible::kind::lattice && all.count() > 1) {
    auto const count = static_cast<double>(all.count());
    double const at =
        std::round((as_double(port.value) - static_cast<double>(all.first())) / static_cast<double>(all.step()));
    return drawn_part{at / count, (at + 1) / count, 1 / count, 1 / count, static_cast<std::uint64_t>(all.count())};
  }
  if (all.is() == spec::admissible::kind::interval && all.ends().low < all.ends().high) {
    auto const low = static_cast<double>(all.ends().low);
    auto const high = static_cast<double>(all.ends().high);
    double const at = std::clamp((as_double(port.value) - low) / (high - low), 0.0, std::nextafter(1.0, 0.0));
    return drawn_part{at, at, 0, 0, 0};
  }
  return std::nullopt;
}

}  // namespace backoff::conformance
