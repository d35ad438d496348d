// Retries of the Step Functions example in plain steps and doubles, every step replaceable: what the right and the
// wrong ports are made of. Shares nothing with the library or the model.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "histories/history.hpp"

namespace backoff::systems::reference_steps {

constexpr double longest = std::numeric_limits<double>::max();
constexpr double timer_max = 2'147'483.647;  // 2^31 - 1 ms

// One run of retries; of a history's parameters, the rate as a double holds it.
struct counting {
  double interval = 0;
  double rate = 1;
  std::int64_t limit = 0;
  std::int64_t n = 0;  // retries granted
  double last = 0;     // the value before, for ports that carry one on
  double total = 0;    // of all delays so far
};

inline counting start(history const& h) {
  return {static_cast<double>(h.params[0].n), static_cast<double>(h.params[1].n) / 1'000, h.params[2].n};
}

// As a program prints a double; NaN and infinities as such.
inline observed number(double d) {
  if (!std::isfinite(d)) return {observed_kind::not_a_number, 0, {}};
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", d);
  return observed::of(*spec::parse_decimal(text.data()));
}

// As documented, multiplying what came before; a port replaces what it does differently.
struct as_documented {
  static double grown(counting const& c) { return std::min(c.last * c.rate, longest); }
  static double value(counting const& c, history const&) { return c.n == 0 ? c.interval : grown(c); }
  static observed delay(double value, counting const&, history const&) { return number(value); }
  static bool ended(counting& c) { return c.n >= c.limit; }
  static bool fails(counting const&) { return false; }
  static counting& instance(std::array<counting, instances_max>& all, std::uint8_t on) { return all[on]; }
};

template <class P>
std::vector<answer> run(history const& h) {
  std::array<counting, instances_max> instances;
  instances.fill(start(h));
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    counting& c = P::instance(instances, step.on);
    if (P::ended(c)) {
      answers.push_back({observed::word(1)});
      continue;
    }
    if (P::fails(c)) {
      answers.push_back({observed::word(2)});
      return answers;
    }
    double const value = P::value(c, h);
    c.total += value;
    answers.push_back({observed::word(0), P::delay(value, c, h)});
    c.last = value;
    ++c.n;
  }
  return answers;
}

}  // namespace backoff::systems::reference_steps
