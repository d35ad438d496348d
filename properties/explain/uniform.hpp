// How far numbers are from uniform ones. Checked by: properties/explain/diagnosis_test.cpp,
// properties/waits/judged_waits_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

namespace backoff::explain {

// The greatest distance between the distribution of these numbers of [0, 1], in their order, and the uniform one.
template <class Numbers, class Projection = std::identity>
[[nodiscard]] double distance_from_uniform(Numbers const& in_order, Projection number = {}) {
  auto const n = static_cast<double>(in_order.size());
  double apart = 0;
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    double const x = std::invoke(number, in_order[i]);
    apart = std::max({apart, static_cast<double>(i + 1) / n - x, x - static_cast<double>(i) / n});
  }
  return apart;
}

// What that distance of n independent uniform numbers exceeds with probability alpha at most: sqrt(ln(2 / alpha) / 2n),
// by the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart.
[[nodiscard]] inline double distance_by_chance(std::size_t n, double alpha) {
  return std::sqrt(std::log(2 / alpha) / (2 * static_cast<double>(n)));
}

}  // namespace backoff::explain
