// The retry policies of the SDK for Java, for C: see backoff.h. Checked by: spec/azure_java_retry_policy/examples.yaml,
// spec/tests/c_abi_test.cpp, properties/systems/STEM/ports/library.cpp.
#include "backoff/azure_java_retry_policy.hpp"

#include "backoff.h"
#include "state.hpp"

using backoff::c_abi::value_in;
namespace core = backoff::azure_java_retry_policy;
using core::exponential_backoff_with_jitter;
using wait_type = backoff_azure_java_retry_policy_wait;

static_assert(BACKOFF_AZURE_JAVA_RETRY_POLICY_PROTOCOL == static_cast<int>(core::error::protocol));
static_assert(BACKOFF_AZURE_JAVA_RETRY_POLICY_UNKNOWN == static_cast<int>(core::error::unknown));

namespace {

core::error error_of(int32_t number) noexcept {
  if (static_cast<uint32_t>(number) > BACKOFF_AZURE_JAVA_RETRY_POLICY_UNKNOWN) return core::error::unknown;
  return static_cast<core::error>(number);
}
wait_type wait_of(core::wait delay) noexcept { return {delay.ns, delay.part}; }

}  // namespace

void backoff_azure_java_retry_policy_defaults(backoff_azure_java_retry_policy_parameters* parameters) {
  core::parameters const d{};
  *parameters = {d.c_ms, d.cmin_ms, d.cmax_ms, d.jd_millionths, d.ju_millionths};
}
uint8_t backoff_azure_java_retry_policy_is_retryable(int32_t error) {
  return static_cast<uint8_t>(core::is_retryable(error_of(error)));
}
backoff_status backoff_azure_java_retry_policy_init(backoff_azure_java_retry_policy* state,
                                                    backoff_azure_java_retry_policy_parameters const* p) {
  auto const checked =
      exponential_backoff_with_jitter::with({p->c_ms, p->cmin_ms, p->cmax_ms, p->jd_millionths, p->ju_millionths});
  backoff::c_abi::begin(state, checked.value);
  if (checked.error == core::parameter_error::jd_above_one) return BACKOFF_JD_ABOVE_ONE;
  if (checked.error == core::parameter_error::ju_above_one) return BACKOFF_JU_ABOVE_ONE;
  return BACKOFF_OK;
}
void backoff_azure_java_retry_policy_delay(backoff_azure_java_retry_policy const* state, uint32_t retry_count,
                                           uint32_t draw, wait_type* delay) {
  *delay = wait_of(value_in<exponential_backoff_with_jitter>(state).delay(retry_count, draw));
}
uint8_t backoff_azure_java_retry_policy_no_retry(void*, uint32_t retry_count, int32_t error, wait_type* delay) {
  auto const decided = core::no_retry{}(retry_count, error_of(error));
  *delay = wait_of(decided.delay);
  return static_cast<uint8_t>(decided.retry);
}
backoff_status backoff_azure_java_retry_policy_after_failure(backoff_azure_java_retry_policy_decide* policy,
                                                             void* context, uint32_t retry_count, int32_t error,
                                                             backoff_azure_java_retry_policy_time const* time,
                                                             wait_type* delay) {
  auto const decide = [policy, context](std::uint32_t count, core::error last) noexcept -> core::decision {
    wait_type decided{0U, 0U};
    bool const retry = policy(context, count, static_cast<int32_t>(last), &decided) != 0U;
    return {retry, {decided.ns, decided.part}};
  };
  auto const budget = time == nullptr ? core::time_budget() : core::time_budget(time->total_ns, time->elapsed_ns);
  auto const out = core::after_failure(decide, retry_count, error_of(error), budget);
  *delay = wait_of(out.delay);
  return out.retry ? BACKOFF_OK : BACKOFF_EXHAUSTED;
}
