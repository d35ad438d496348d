#include "samples.hpp"

namespace backoff::bench {

aws_retry_utils::decision<std::uint32_t> core_utils_back_off(core_utils& c, std::uint32_t draw) {
  return c.back_off(draw);
}

aws_step_functions::decision<std::uint64_t> core_run_next(core_run& c) { return c.next(); }

std::uint32_t core_sample_delay_ms(std::uint32_t retries) { return aws_prescriptive_sample::delay_ms(retries); }

azure_java_retry_policy::wait core_java_delay(core_java const& p, std::uint32_t x, std::uint32_t draw) {
  return p.delay(x, draw);
}

}  // namespace backoff::bench
