// The claims about Retry Utilities 202009.00, the most telling first.
#pragma once

#include "aws_retry_utils/model.hpp"
#include "claims/claim.hpp"

namespace backoff::systems {

[[nodiscard]] claim_list<spec::aws_retry_utils::facts> aws_retry_utils_claims() noexcept;

}  // namespace backoff::systems
