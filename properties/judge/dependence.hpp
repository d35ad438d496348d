// Claims of dependence: an answer must not depend on another instance, on what came before a reset, or on an equal call
// before. To judge them, a fresh instance is asked the same calls without the others, and the port's answers are
// compared with each other, never with the formula. A wrong formula breaks none of them.
// Checked by: properties/judge/dependence_test.cpp.
#pragma once

#include <vector>

#include "judge/run.hpp"

namespace backoff::judge {

// The calls of a history that the claim is about, as a history of their own. steps: which calls of the history these
// were; the last is the broken step.
struct calls_alone {
  history calls;
  std::vector<std::size_t> steps;
};

// The calls that are asked without the others; each set is tried in turn. instances: all calls on the instance of
// `step`. reset: those of them since its last reset. repeats: that call by itself. There is more than one set where a
// reading lets something outlast a reset.
[[nodiscard]] std::vector<calls_alone> alone(shape const& s, history const& h, std::size_t step, dependence on);

// Compares the port with itself for each broken claim of dependence, on a few of the histories that break it, the
// smallest last. A port that draws for itself need not answer the same twice. It is asked often enough to see whether
// the calls go wrong without the others too. For recorded answers, the subject returns `unsent` where it has none.
[[nodiscard]] std::vector<compared> compare_with_itself(run& judged, subject& port);

// For recorded answers to `all`, where the port was not asked: confirms a claim of dependence if other histories show
// that it is broken. Alone, the calls break other claims. These must hold in every history up to its first call that
// the claim of dependence is about. If the answers did not depend on such calls, all histories that break it would be
// among those that have one with a probability below 10^-4. An unconfirmed break beside calls that a confirmed claim is
// about is marked as explained.
void confirm_by_the_others(run const& judged, std::vector<compared>& found, std::span<history const> all,
                           std::span<result const> got);

}  // namespace backoff::judge
