#include "judge/drawn.hpp"

#include <algorithm>
#include <cmath>

#include "relation/rational.hpp"

namespace backoff::judge {
namespace {

// Wider windows show whether the port took a number of 32 bits modulo their size, which draws some values more often.
constexpr std::uint64_t shows_remainders = std::uint64_t{1} << 24;
constexpr std::uint64_t numbers_of_32_bits = std::uint64_t{1} << 32;

drawn_part value_with(double number, std::uint64_t count) noexcept {
  auto const n = static_cast<double>(count);
  return {number / n, (number + 1) / n, 1 / n, 1 / n, count};
}

}  // namespace

double as_double(spec::decimal const& d) noexcept {
  return static_cast<double>(d.mantissa) * std::pow(10.0, static_cast<double>(d.exponent));
}

std::optional<drawn_part> part_of(spec::admissible const& all, spec::observed const& port) {
  if (all.kind() == spec::admissible_kind::lattice && all.count() > 1) {
    double const at =
        std::round((as_double(port.value) - static_cast<double>(all.first())) / static_cast<double>(all.step()));
    return value_with(at, static_cast<std::uint64_t>(all.count()));
  }
  if (all.kind() == spec::admissible_kind::interval && all.ends().low < all.ends().high) {
    auto const low = static_cast<double>(all.ends().low);
    auto const high = static_cast<double>(all.ends().high);
    double const at = std::clamp((as_double(port.value) - low) / (high - low), 0.0, std::nextafter(1.0, 0.0));
    return drawn_part{at, at, 0, 0, 0};
  }
  return std::nullopt;
}

drawn_part within_remainders(drawn_part const& part) noexcept {
  if (part.values <= shows_remainders || part.values >= numbers_of_32_bits) return part;
  auto const often = numbers_of_32_bits % part.values;
  auto const number = std::round(part.below * static_cast<double>(part.values));
  bool const is_often = number < static_cast<double>(often);
  auto within =
      is_often ? value_with(number, often) : value_with(number - static_cast<double>(often), part.values - often);
  within.attempt = part.attempt;
  return within;
}

}  // namespace backoff::judge
