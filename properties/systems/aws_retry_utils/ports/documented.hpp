// A Retry Utilities port in plain steps, with every step replaceable: what right ports are made of, and wrong ones
// whose fault is not in a faults.hpp. Numbers are doubles, which hold every window exactly. Shares nothing with the
// library or the model.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "ports/built_in.hpp"

namespace backoff::systems::reference_utils {

constexpr double u32_size = 4294967296.0;
constexpr double huge = 1e18;  // far beyond every cap

struct cycle {
  double initial = 0;
  double cap = 0;
  double jitter_max = 0;
  double limit = 0;         // 0: none
  double window = 0;        // nextJitterMax
  double done = 0;          // attemptsDone
  std::uint64_t drawn = 0;  // by the last reset
  double jitter = 0;        // made of it
  int resets = 0;
};

inline cycle start(history const& h) {
  auto const param = [&](std::size_t i) { return static_cast<double>(h.params[i].n); };
  return {param(0), param(1), param(2), param(3)};
}

inline double least(double a, double b) { return a < b ? a : b; }
inline double remainder(std::uint64_t draw, double size) {
  return size < 1 ? 0 : static_cast<double>(draw % static_cast<std::uint64_t>(size));
}

inline observed shown(double x) {
  if (std::isnan(x)) return {observed_kind::not_a_number, 0, {}};
  if (x == std::floor(x) && std::abs(x) < huge) return observed::of(static_cast<spec::integer>(x));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", x);
  return observed::of(*spec::parse_decimal(text.data()));
}

// As documented; a port replaces what it does differently.
struct as_documented {
  static constexpr bool shows_state = false;
  static double jitter(std::uint64_t draw, double most) { return remainder(draw, most + 1); }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return remainder(draw, window + 1); }
  static double first_window(cycle const& c) { return least(c.initial + c.jitter, c.cap); }
  static double grown(cycle const& c) { return least(2 * c.window, c.cap); }
  static bool ended(cycle const& c) { return c.limit > 0 && c.done >= c.limit; }
  static bool reset_fails(cycle const&) { return false; }
  static bool fails(cycle const&) { return false; }
  static std::uint8_t granted(cycle const&) { return 0; }     // the word of an answer that should say that it slept
  static std::uint8_t reset_done(cycle const&) { return 2; }  // the word of a reset

  template <class P>
  static void reset(cycle& c, std::uint64_t draw) {
    c.drawn = draw;
    c.jitter = P::jitter(draw, c.jitter_max);
    c.window = P::first_window(c);
    c.done = 0;
    ++c.resets;
  }
  template <class P>
  static void exhausted(cycle&, std::uint64_t) {}
};

template <class P>
std::vector<answer> run(history const& h) {
  std::array<cycle, instances_max> instances;
  instances.fill(start(h));
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    cycle& c = instances[step.on];
    auto const draw = static_cast<std::uint64_t>(step.args[0].n);
    auto& a = answers.emplace_back();
    if (step.op == 1) {
      auto const done = P::reset_done(c);  // of the cycle that was
      P::template reset<P>(c, draw);
      a[0] = observed::word(P::reset_fails(c) ? 3 : done);
      if (P::reset_fails(c)) return answers;
      if (a[0] == observed::word(0)) a[1] = shown(0);
    } else if (P::ended(c)) {
      P::template exhausted<P>(c, draw);
      a[0] = observed::word(1);
    } else if (P::fails(c)) {
      a[0] = observed::word(3);
      return answers;
    } else {
      a[0] = observed::word(P::granted(c));
      if (a[0] == observed::word(0)) a[1] = shown(P::sleep(draw, c.window, c));
      c.done += 1;
      c.window = P::grown(c);
    }
    if (P::shows_state) {
      a[2] = shown(c.done);
      a[3] = shown(c.window);
    }
  }
  return answers;
}

// A built-in port of P; those that do not show their state do not list the feature.
template <class P>
built_in port(std::string_view name, std::string_view sentence, built_in how = {}) {
  how.name = name;
  how.sentence = sentence;
  how.run = run<P>;
  how.lacks = P::shows_state ? 0 : bit(feature::state);
  return how;
}

}  // namespace backoff::systems::reference_utils
