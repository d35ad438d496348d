// What must hold of a policy's text before it is read as YAML. Checked by: properties/policies/program_test.py.
#pragma once

#include <string>

namespace backoff::policies {

// The text is UTF-8 without control characters, every quote is closed, and no comma stands before a bracket. Throws
// policy_error with the place.
void demand_text(std::string const& file, std::string const& text);

}  // namespace backoff::policies
