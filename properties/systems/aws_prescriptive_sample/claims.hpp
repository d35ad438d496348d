// The claims about the sample loop of AWS Prescriptive Guidance's retry with backoff, the most telling first.
#pragma once

#include "aws_prescriptive_sample/model.hpp"
#include "claims/claim.hpp"

namespace backoff::systems {

[[nodiscard]] claim_list<spec::aws_prescriptive_sample::facts> aws_prescriptive_sample_claims() noexcept;

}  // namespace backoff::systems
