// A figure beside its goal, on one line of what a benchmark prints. Lower is better. lib/bench/bench collects the
// lines.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

namespace backoff::bench {

// Exit codes of a benchmark: a missed goal is a figure like any other.
inline constexpr int measured = 0;
inline constexpr int not_measured = 2;

inline void print_figure(double value, double goal, std::string const& what) {
  bool const met = std::round(100 * value) <= std::round(100 * goal);  // finer than that, no two runs agree
  std::printf("%-6s %9.3f %9.3f  %s\n", met ? "met" : "MISSED", value, goal, what.c_str());
}

}  // namespace backoff::bench
