// The parameters of a document as people write them: NAME=VALUE. Checked by: properties/oracle/watch_test.py.
#pragma once

#include <string>
#include <vector>

#include "histories/shape.hpp"

namespace backoff::session {

// A history without calls, of these parameters; the others have their defaults. Throws usage_error.
[[nodiscard]] histories::history parameters_of(histories::shape const& s, std::vector<std::string> const& texts);

}  // namespace backoff::session
