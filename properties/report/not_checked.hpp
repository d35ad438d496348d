// What a verdict says nothing about. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace backoff::oracle {

[[nodiscard]] std::vector<std::string> not_checked(conformance::run const& judged,
                                                   std::vector<reading_line> const& readings);
// What is not checked about a claim that no answer tells of.
[[nodiscard]] std::string untold(conformance::shape const& s, conformance::claim_text const& claim);

}  // namespace backoff::oracle
