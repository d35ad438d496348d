// Small changes to a history, for engines that search by mutation: they insert, remove or repeat steps, move a value to
// a boundary, or join two histories. The result stays inside the domain. Checked by:
// properties/histories/mutate_test.cpp.
#pragma once

#include "histories/shape.hpp"

namespace backoff::histories {

// Makes one to four changes, cuts the history to `steps_max` steps, and repairs what the document does not allow.
void mutate(history& h, shape const& s, domain const& d, std::size_t steps_max, random_bits& random);

// Puts n, or a neighbour of n, into a parameter or an argument of one step that admits it. Changes nothing where none
// does.
void put_number(history& h, shape const& s, domain const& d, std::int64_t n, random_bits& random);

// A history with the parameters and the first calls of `one`, then the last calls of `other`.
[[nodiscard]] history crossed(shape const& s, domain const& d, history const& one, history const& other,
                              std::size_t steps_max, random_bits& random);

}  // namespace backoff::histories
