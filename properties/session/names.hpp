// Words of the judge as files and reports print them.
#pragma once

#include <string>
#include <string_view>

#include "claims/claim.hpp"
#include "judge/run.hpp"

namespace backoff::oracle {

[[nodiscard]] std::string_view grade_name(conformance::grade g);
[[nodiscard]] std::string strength_name(conformance::strength s);

}  // namespace backoff::oracle
