// Ranges as people write them, to narrow what a port is asked: "base_ms=1..65535", "max_attempts 0..9 or forever".
// Checked by: properties/histories/ranges_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "histories/shape.hpp"

namespace backoff::histories {

// NAME=RANGE, or NAME RANGE. NAME is a parameter, an argument of an operation, or op; RANGE is one or more of LOW..HIGH
// (both ends inclusive; one may be missing), NUMBER and WORD, joined by " or ", with at most one range of numbers.
// Every field of that name keeps only the values that RANGE also allows, and counts as declared from then on. RANGE may
// reach below the field's usual_low, unless the field's range was declared before. Throws text_error, which says what
// is wrong, where, and what was expected.
void narrow(shape const& s, domain& d, std::string_view text);

// The range in the words of a report: "base_ms 1..65535", "max_attempts 0..9 or forever".
[[nodiscard]] std::string to_text(field const& f, range const& r);
// The ranges of all parameters; and those of the arguments and operations that are narrower than usual.
[[nodiscard]] std::string to_text(shape const& s, domain const& d);

}  // namespace backoff::histories
