// Claims that one answer depends on what it should not depend on: on another instance, on what came before a reset, on
// an equal call before. They compare the port's answers with each other, never with the formula: a fresh instance is
// asked the same calls without the others. A wrong formula breaks none of them.
// Checked by: properties/judge/dependence_test.cpp.
#pragma once

#include <vector>

#include "judge/run.hpp"

namespace backoff::judge {

// The calls of a history that the claim is about, as a history of their own, and which calls these were. The last one
// is that of the broken step.
struct calls_alone {
  history calls;
  std::vector<std::size_t> steps;
};

// Those on that instance; of these, the ones since its last reset; or that call by itself. Several where a document may
// be read so that something outlasts a reset; in the order in which they are to be tried.
[[nodiscard]] std::vector<calls_alone> alone(shape const& s, history const& h, std::size_t step,
                                             dependence on) noexcept;

// Compares the port with itself for each such claim that is broken, on a few of the histories that break it, the
// smallest last. A port that draws for itself need not answer twice the same: it is asked often enough to see whether
// the calls in question go wrong without the others. Recorded answers are `unsent` where they are not known.
[[nodiscard]] std::vector<compared> compare_with_itself(run& judged, subject& port) noexcept;

}  // namespace backoff::judge
