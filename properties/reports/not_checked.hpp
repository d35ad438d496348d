// What a verdict says nothing about. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include <string>
#include <vector>

#include "reports/report.hpp"

namespace backoff::reports {

[[nodiscard]] std::vector<std::string> not_checked(judge::run const& judged, std::vector<reading_line> const& readings);
// What is not checked about a claim that no answer tells of.
[[nodiscard]] std::string untold(histories::shape const& s, claims::claim_text const& claim);

}  // namespace backoff::reports
