// Hypotheses about a delay drawn from a window that doubles: the documented answers, with the delays of a fault.
#pragma once

#include "explain/diagnosis.hpp"
#include "faults/full_jitter.hpp"

namespace backoff::explain {

// Of the faults that have one.
void add_hypotheses(std::vector<diagnosis>& all, std::vector<faults::fault> const& table);

}  // namespace backoff::explain
