// The draws that waits show, held against independent uniform ones. Checked by: judged_waits_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "waits/judged_waits.hpp"

namespace backoff::waits {

struct draw {
  std::size_t retry;
  std::size_t cycle;
  double place;  // the probability of a smaller one
  double blur;   // of the place, by what the program and the machine vary
  double cell;   // the probability of this one, if draws are of few values
  double width;  // of its range, in nanoseconds
};
using draws_by_own = std::vector<std::vector<draw>>;  // for each time that the program may take itself

// How the draws are not as documented. Tests of all draws, of those before each retry, and of each after the one
// before: where the draws are right, chance makes each of these find something with probability alpha / 2 at most.
[[nodiscard]] std::vector<wait_finding> wrong_draws(draws_by_own const& all, double alpha);

// What wrong_draws would find in so many draws, even if a slow machine had moved some waits.
struct power_of_draws {
  bool finds_no_jitter;
  bool finds_alike_processes;  // that all draw the same
  double narrowest;  // draws that fill this part of their range and no more are found, wherever in it. 0: none
};
// own_ns: the times that `all` is for. The program takes none itself.
[[nodiscard]] power_of_draws power_of(draws_by_own const& all, std::span<double const> own_ns, double alpha);

}  // namespace backoff::waits
