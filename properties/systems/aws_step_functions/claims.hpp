// The claims about the Step Functions example, the most telling first.
#pragma once

#include "aws_step_functions/model.hpp"
#include "claims/claim.hpp"

namespace backoff::systems {

[[nodiscard]] claim_list<spec::aws_step_functions::facts> aws_step_functions_claims() noexcept;

}  // namespace backoff::systems
