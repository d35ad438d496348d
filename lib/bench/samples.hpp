// The library's side of samples.h.
#pragma once

#include "backoff/aws_prescriptive_sample.hpp"
#include "backoff/aws_retry_utils.hpp"
#include "backoff/aws_step_functions.hpp"
#include "backoff/azure_java_retry_policy.hpp"

namespace backoff::bench {

using core_utils = aws_retry_utils::retry_cycle<std::uint32_t>;
aws_retry_utils::decision<std::uint32_t> core_utils_back_off(core_utils& c, std::uint32_t draw);

using core_run = aws_step_functions::retry_run<std::uint64_t, 1'000'000'000>;
aws_step_functions::decision<std::uint64_t> core_run_next(core_run& c);

std::uint32_t core_sample_delay_ms(std::uint32_t retries);

using core_java = azure_java_retry_policy::exponential_backoff_with_jitter;
azure_java_retry_policy::wait core_java_delay(core_java const& p, std::uint32_t x, std::uint32_t draw);

}  // namespace backoff::bench
