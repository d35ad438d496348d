// Retries of the Step Functions example that round their delays, at the end or at each step: right ports in fractions
// of a second, wrong ones in whole seconds. Shares nothing with the library or the model.
#pragma once

#include "systems/aws_step_functions/ports/documented.hpp"

namespace backoff::systems::reference_steps {

inline double whole(double x) { return std::floor(x); }
inline double half_up(double x) { return x - std::floor(x) < 0.5 ? std::floor(x) : std::ceil(x); }
inline double half_even(double x) { return std::nearbyint(x); }
inline double up(double x) { return std::ceil(x); }

inline double in_units(double x, double (*round)(double), int units) {
  return x * units < longest ? round(x * units) / units : x;
}

template <double (*Round)(double), int Units>
struct at_the_end : as_documented {
  static observed delay(double value, counting const&, history const&) { return number(in_units(value, Round, Units)); }
};
template <double (*Round)(double), int Units>
struct at_each_step : as_documented {
  static double value(counting const& c, history const&) {
    return c.n == 0 ? c.interval : in_units(grown(c), Round, Units);
  }
};
}  // namespace backoff::systems::reference_steps
