// Smaller histories: fewer steps first, then simpler values. Never leaves the domain.
// Checked by: properties/history/history_test.cpp.
#pragma once

#include <functional>
#include <vector>

#include "history/shape.hpp"

namespace backoff::conformance {

// The next smaller neighbours of h, the boldest first; each strictly simpler than h, so that shrinking ends.
// uniform_values simplifies one argument of all steps at once, but for the last `spared`, which makes the steps of a
// long history alike.
[[nodiscard]] std::vector<history> uniform_values(shape const& s, domain const& d, history const& h,
                                                  std::size_t spared = 0);
[[nodiscard]] std::vector<history> smaller_steps(history const& h);
[[nodiscard]] std::vector<history> simpler_values(shape const& s, domain const& d, history const& h);

// The neighbours whose calls the document allows; of one that it does not, what repair makes of it, where that has
// fewer steps than h: a limit and the calls that it ends often have to grow smaller together.
[[nodiscard]] std::vector<history> only_allowed(shape const& s, history const& h, std::vector<history> neighbours);

// The indices of those candidates that still fail, judged together so that a port can answer them in one batch; only
// the first is used, but all are asked.
using still_fails = std::function<std::vector<bool>(std::vector<history> const&)>;

// The smallest history reached by taking, again and again, the first neighbour that still fails; or, of very long ones,
// what some millions of steps lead to.
[[nodiscard]] history shrink(shape const& s, domain const& d, history h, still_fails const& failing);

}  // namespace backoff::conformance
