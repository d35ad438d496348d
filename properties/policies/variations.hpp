// What the code of a port may do in place of a policy's formulas: each has one usual fault, made of the formulas by a
// rule. Hypotheses of a diagnosis. Checked by: properties/policies/variations_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "policies/policy.hpp"

namespace backoff::policies {

struct variation {
  std::string name;
  std::string sentence;  // the port probably …
  policy of;             // with the same parameters and readings
};

// All that change a formula; the simplest first.
[[nodiscard]] std::vector<variation> variations_of(policy const& p);

}  // namespace backoff::policies
