// Hypotheses for systems that draw a delay from a window that doubles: documented answers with the delays of a fault.
#pragma once

#include "explain/diagnosis.hpp"
#include "faults/full_jitter.hpp"

namespace backoff::explain {

// Adds a hypothesis for each fault that has a name.
void add_hypotheses(std::vector<diagnosis>& all, std::vector<faults::fault> const& table);

}  // namespace backoff::explain
