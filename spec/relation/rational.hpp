// Exact rationals, slow on purpose and never linked into the library. Checked by: spec/tests/number_test.cpp.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "relation/relation.hpp"

namespace backoff::spec {

using rational =
    boost::multiprecision::number<boost::multiprecision::cpp_rational_backend, boost::multiprecision::et_off>;

// The value of d; exponents beyond ±80 count as ±80: no documented number is near.
[[nodiscard]] rational to_rational(decimal const& d) noexcept;

// The largest whole number that is no larger than x.
[[nodiscard]] rational floored(rational const& x) noexcept;

struct closed_interval {
  rational low;
  rational high;
  friend bool operator==(closed_interval const&, closed_interval const&) noexcept = default;
};

}  // namespace backoff::spec
