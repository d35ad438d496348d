// The claims about the retry policies of the Java SDK, the most telling first.
#pragma once

#include "azure_java_retry_policy/model.hpp"
#include "claims/claim.hpp"

namespace backoff::systems {

[[nodiscard]] claim_list<spec::azure_java_retry_policy::facts> azure_java_retry_policy_claims() noexcept;

}  // namespace backoff::systems
