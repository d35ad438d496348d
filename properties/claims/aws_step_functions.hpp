// The claims about the Step Functions example, the most telling first.
#pragma once

#include "claims/claim.hpp"
#include "model/aws_step_functions.hpp"

namespace backoff::conformance {

[[nodiscard]] std::span<claim<spec::aws_step_functions::facts> const> aws_step_functions_claims() noexcept;

}  // namespace backoff::conformance
