// An exact number as a port could write it. Checked by: properties/judge/judged_system_test.cpp.
#pragma once

#include "relation/rational.hpp"

namespace backoff::judge {

// A decimal within a unit of its 18th digit of the rational, far inside what the judge tolerates; normalised.
[[nodiscard]] spec::decimal nearest_decimal(spec::rational const& x) noexcept;

}  // namespace backoff::judge
