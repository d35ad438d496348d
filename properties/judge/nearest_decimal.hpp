// An exact number as a port could write it. Checked by: properties/judge/judged_system_test.cpp.
#pragma once

#include "relation/rational.hpp"

namespace backoff::judge {

// A decimal that differs from the rational by less than a unit of the 18th digit, far less than the judge tolerates. It
// is normalised.
[[nodiscard]] spec::decimal nearest_decimal(spec::rational const& x);

}  // namespace backoff::judge
