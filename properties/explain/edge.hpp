// Fresh histories at the edge of a region, on both sides of it, inside what the port takes. Plain data in, plain data
// out; the same random stream gives the same histories. Checked by: properties/explain/edge_test.cpp.
#pragma once

#include <span>

#include "explain/region.hpp"

namespace backoff::explain {

// A history like those of the examples, with the quantities of the region at its edge, or a little or far beyond it;
// now and then a history of any kind. It may lie on either side.
[[nodiscard]] history near_edge(examples const& seen, region const& r, random_bits& random);

// The same calls with other draws.
[[nodiscard]] history with_other_draws(history h, examples const& seen, random_bits& random);

}  // namespace backoff::explain
