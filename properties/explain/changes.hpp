// Hypotheses that rules derive for every system but a policy. In some the port answers as documented, but to other
// input: it takes a parameter for another value, counts one attempt more, or does not tell two words apart. In others
// it changes the right delay: it rounds the delay, sums delays up, or never waits less or longer than some time.
// Checked by: properties/explain/changes_test.cpp.
#pragma once

#include "explain/diagnosis.hpp"

namespace backoff::explain {

// The hypotheses that need no wrong answer to suggest them; the most telling first.
[[nodiscard]] std::vector<diagnosis> changes_of(shape const& s);

// The bounds that a wrong delay suggests: the port never waits longer than that delay, or never less.
[[nodiscard]] std::vector<diagnosis> bounds_at(shape const& s, observed const& delay);

// The port takes an argument of this call, which it answered wrongly, for another value.
[[nodiscard]] std::vector<diagnosis> likenesses_of(shape const& s, step const& wrong);

}  // namespace backoff::explain
