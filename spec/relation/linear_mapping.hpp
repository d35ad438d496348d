// Draws that become delays by a rising line or by a modulus, with any constants.
// Checked by: spec/azure_java_retry_policy/linear_mapping_test.cpp.
#pragma once

#include <span>

#include "relation/full_jitter.hpp"

namespace backoff::spec {

// Whether that explains most groups of delays, which a port drew in the same place: they lie on a rising line, but for
// their rounding, or are what one modulus leaves of the draws, scaled and shifted. Constant delays do not depend on the
// draw; they count as explained, so that the port is judged by the exact mappings.
[[nodiscard]] bool follows_a_linear_mapping(std::span<drawn_delay const> delays) noexcept;

}  // namespace backoff::spec
