// The parameters of a document as people write them: NAME=VALUE. Checked by: properties/oracle/watch_test.py.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "histories/shape.hpp"

namespace backoff::session {

// Of a parameter that is not given and has no default: it is demanded, or is no limit, if it may be that.
enum class if_missing : std::uint8_t { refused, forever };
// A history without calls, of these parameters; the others have their defaults. Throws usage_error.
[[nodiscard]] histories::history parameters_of(histories::shape const& s, std::vector<std::string> const& texts,
                                               if_missing how = if_missing::refused);

}  // namespace backoff::session
