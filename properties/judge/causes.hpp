// Orders what a port broke, and tells the findings from breaks that only follow from another one.
// Checked by: properties/judge/causes_test.cpp.
#pragma once

#include <vector>

#include "judge/tally.hpp"

namespace backoff::judge {

// The broken claims, in this order: those that refute conformance, others that fail the port, the rest. In each group,
// claims of dependence come first; then claims in the order of the share of histories that break them, of those that
// put them at stake. A claim that a fault breaks only now and then often breaks as its consequence. A claim about an
// earlier call comes before the claim that starts from it.
[[nodiscard]] std::vector<breach> told_in_order(terms const& held_to, breach_log const& log,
                                                tally const& seen) noexcept;

}  // namespace backoff::judge
