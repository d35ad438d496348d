// The claims about backoffAlgorithm v1.3.0, the most telling first.
#pragma once

#include "aws_backoff_algorithm/model.hpp"
#include "claims/claim.hpp"

namespace backoff::systems {

[[nodiscard]] claim_list<spec::aws_backoff_algorithm::facts> aws_backoff_algorithm_claims() noexcept;

}  // namespace backoff::systems
