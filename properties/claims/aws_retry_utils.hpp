// The claims about Retry Utilities 202009.00, the most telling first.
#pragma once

#include "claims/claim.hpp"
#include "model/aws_retry_utils.hpp"

namespace backoff::conformance {

[[nodiscard]] std::span<claim<spec::aws_retry_utils::facts> const> aws_retry_utils_claims() noexcept;

}  // namespace backoff::conformance
