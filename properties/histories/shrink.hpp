// Smaller histories: fewer steps first, then simpler values. Never leaves the domain.
// Checked by: properties/histories/history_test.cpp.
#pragma once

#include <functional>
#include <vector>

#include "histories/shape.hpp"

namespace backoff::histories {

// h with some of its steps left out: halves first, then quarters, down to single steps.
[[nodiscard]] std::vector<history> smaller_steps(history const& h);

// The indices of those candidates that still fail, judged together so that a port can answer them in one batch; only
// the first is used, but all are asked.
using still_fails = std::function<std::vector<bool>(std::vector<history> const&)>;

// The smallest history reached by taking, again and again, the first neighbour that still fails; or, of very long ones,
// what some millions of steps lead to.
[[nodiscard]] history shrink(shape const& s, domain const& d, history h, still_fails const& failing);

}  // namespace backoff::histories
