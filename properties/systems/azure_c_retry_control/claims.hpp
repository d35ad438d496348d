// Claims about ports of iothub_client_retry_control, in the order in which a report lists them.
#pragma once

#include <span>

#include "azure_c_retry_control/model.hpp"
#include "claims/claim.hpp"

namespace backoff::systems {

// What the model knows, and what the port answered before.
struct azure_c_retry_control_facts : spec::azure_c_retry_control::facts {
  bool polled = false;  // the wait at hand was asked for before, and it was too early
};

[[nodiscard]] claim_list<azure_c_retry_control_facts> azure_c_retry_control_claims() noexcept;

}  // namespace backoff::systems
