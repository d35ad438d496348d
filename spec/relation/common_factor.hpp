// The greatest common divisor of machine words. Checked by: spec/tests/number_test.cpp.
#pragma once

#include <numeric>

#include "relation/relation.hpp"

namespace backoff::spec {

// b > 0. Most numbers are whole, and one is mostly much longer than the other: std::gcd has no short way with either.
[[nodiscard]] inline integer common_of(integer a, integer b) {
  if (a == 1) return a;
  return b == 1 ? b : std::gcd(a % b, b);
}

}  // namespace backoff::spec
