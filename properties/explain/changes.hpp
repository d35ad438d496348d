// Hypotheses by rule, for every system but a policy. A port with one usual fault answers as documented, but to other
// input: it takes a parameter for another value, counts one attempt more, does not tell two words apart. Or it changes
// the right delay: it rounds it, sums delays up, never waits less or longer than some time. Checked by:
// properties/explain/changes_test.cpp.
#pragma once

#include "explain/diagnosis.hpp"

namespace backoff::explain {

// Those of these histories; the most telling first.
[[nodiscard]] std::vector<diagnosis> changes_of(shape const& s);

// The bounds that the first wrong answers suggest: the port never waits longer than that delay, or never less.
[[nodiscard]] std::vector<diagnosis> bounds_at(shape const& s, observed const& delay);

// Two values of an argument that a port does not tell apart, the first of a call that was answered wrongly.
[[nodiscard]] std::vector<diagnosis> likenesses_of(shape const& s, step const& wrong);

}  // namespace backoff::explain
