// Ranges as people write them, which narrow what a port is put to: "base_ms=1..65535", "max_attempts 0..9 or forever".
// Checked by: properties/histories/ranges_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "histories/shape.hpp"

namespace backoff::histories {

// NAME=RANGE, or NAME RANGE. NAME is a parameter, an argument of an operation, or op; RANGE is one or more of LOW..HIGH
// (both ends inclusive; one may be missing), NUMBER and WORD, joined by " or ", with at most one range of numbers.
// Every field of that name keeps what it shares with RANGE, and counts as declared. A field whose lowest values are
// sent to ports that declare them alone has those too, unless its range was declared before. Throws text_error: what is
// wrong, where, and what was expected.
void narrow(shape const& s, domain& d, std::string_view text);

// As a report says what a port takes: "base_ms 1..65535", "max_attempts 0..9 or forever".
[[nodiscard]] std::string to_text(field const& f, range const& r);
// The ranges of all parameters, and of the arguments that are narrower than what any port is sent.
[[nodiscard]] std::string to_text(shape const& s, domain const& d);

}  // namespace backoff::histories
