// Orders what a port broke, and tells the findings from breaks that only follow from another one.
// Checked by: properties/judge/causes_test.cpp.
#pragma once

#include <vector>

#include "judge/tally.hpp"

namespace backoff::judge {

// The broken claims, in this order: those that refute conformance, others that fail the port, the rest. In each group,
// confirmed claims of dependence come first. The others are ordered by a share: of the histories that put the claim at
// stake, those that break it. The largest share comes first, because a claim that breaks only now and then is often a
// consequence of another. A claim about an earlier call comes before the claim that starts from it.
[[nodiscard]] std::vector<breach> told_in_order(terms const& held_to, breach_log const& log, tally const& seen);

}  // namespace backoff::judge
