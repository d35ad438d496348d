// A history a little changed, for engines that search by changing what they have: steps inserted, taken out or
// repeated, a value moved to a boundary, two histories joined. Never leaves the domain. Checked by:
// properties/histories/history_test.cpp.
#pragma once

#include "histories/shape.hpp"

namespace backoff::histories {

// One to four changes, of at most that many steps in the end; what the document does not allow is repaired.
void mutate(history& h, shape const& s, domain const& d, std::size_t steps_max, random_bits& random);

// That number, or a neighbour, in some place of the parameters or of a step that admits it; nothing where none does.
void put_number(history& h, shape const& s, domain const& d, std::int64_t n, random_bits& random);

// The parameters of one, and the beginning of its calls with the end of the other's.
[[nodiscard]] history crossed(shape const& s, history const& one, history const& other, std::size_t steps_max,
                              random_bits& random);

}  // namespace backoff::histories
