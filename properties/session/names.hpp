// Words of the judge as files and reports print them.
#pragma once

#include <string>
#include <string_view>

#include "claims/claim.hpp"
#include "judge/run.hpp"

namespace backoff::session {

[[nodiscard]] std::string_view grade_name(judge::grade g);
[[nodiscard]] std::string strength_name(claims::strength s);

}  // namespace backoff::session
