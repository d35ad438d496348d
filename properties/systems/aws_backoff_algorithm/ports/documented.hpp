// A full-jitter port in plain steps, with every step replaceable: what right ports are made of, and wrong ones whose
// fault is not in faults/full_jitter.hpp. Shares nothing with the library or the model.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "histories/history.hpp"

namespace backoff::systems::reference_port {

using number = std::int64_t;

struct cycle {
  number base = 0;
  number cap = 0;
  std::optional<number> limit{};
  number n = 0;  // retries granted since reset
};

inline cycle start(history const& h) {
  auto const& limit = h.params[2];
  cycle c{h.params[0].n, h.params[1].n, std::nullopt};
  if (limit.kind == value_kind::integer) c.limit = limit.n;
  return c;
}

// base · 2^n, cut where it is far beyond every cap.
inline number doubled(number base, number n) {
  for (; n > 0 && base < (number{1} << 40); --n) base *= 2;
  return base;
}
inline number least(number a, number b) { return a < b ? a : b; }

inline answer retry(observed delay) { return {observed::word(0), delay}; }
inline answer exhausted() { return {observed::word(1)}; }
inline answer acknowledged() { return {observed::word(2)}; }

// Full jitter as documented; a port replaces what it does differently.
struct as_documented {
  static number window(cycle const& c) { return least(doubled(c.base, c.n), c.cap); }
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    return observed::of(static_cast<number>(draw % static_cast<std::uint64_t>(window + 1)));
  }
  static bool ended(cycle& c) { return c.limit && c.n >= *c.limit; }
};

template <class P>
std::vector<answer> run(history const& h) {
  std::array<cycle, instances_max> instances;
  instances.fill(start(h));
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    cycle& c = instances[step.on];
    if (step.op == 1) {
      c.n = 0;
      answers.push_back(acknowledged());
    } else if (P::ended(c)) {
      answers.push_back(exhausted());
    } else {
      answers.push_back(retry(P::delay(static_cast<std::uint64_t>(step.args[0].n), P::window(c), c)));
      ++c.n;
    }
  }
  return answers;
}

}  // namespace backoff::systems::reference_port
