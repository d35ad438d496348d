// Smaller histories, with fewer steps and simpler values. A history inside the domain stays inside it.
// Checked by: properties/histories/shrink_test.cpp.
#pragma once

#include <functional>
#include <vector>

#include "histories/shape.hpp"

namespace backoff::histories {

// h with some of its steps left out: halves first, then quarters, down to single steps.
[[nodiscard]] std::vector<history> smaller_steps(history const& h);

// Whether each candidate still fails. They are judged together, so that a port answers them in one batch. Only the
// first that fails is used.
using still_fails = std::function<std::vector<bool>(std::vector<history> const&)>;

// The smallest history reached by taking, again and again, the first neighbour that still fails. The search ends early
// once its candidates have some hundred thousand steps together.
[[nodiscard]] history shrink(shape const& s, domain const& d, history h, still_fails const& failing);

}  // namespace backoff::histories
