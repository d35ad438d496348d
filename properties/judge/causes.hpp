// Of all that a port broke: what is told as a finding, in which order, and what only follows from another break.
// Checked by: properties/judge/causes_test.cpp.
#pragma once

#include <vector>

#include "judge/tally.hpp"

namespace backoff::judge {

// Broken claims: those that refute conformance first, then others that fail the port; of these, claims of dependence
// first, then those that are broken in the largest part of what puts them at stake: what a fault breaks now and then is
// often its consequence. The claim of a call that another one starts from comes before that one's.
[[nodiscard]] std::vector<breach> told_in_order(terms const& held_to, breach_log const& log,
                                                tally const& seen) noexcept;

}  // namespace backoff::conformance
