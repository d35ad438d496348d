// Retry control for C, as a value: see backoff.h. The document's own functions, which allocate, are in lib/drop_in.
// Checked by: spec/azure_c_retry_control/examples.yaml, spec/tests/c_abi_test.cpp,
// properties/systems/STEM/ports/library.cpp.
#include "backoff/azure_c_retry_control.hpp"

#include "backoff.h"
#include "state.hpp"

using backoff::c_abi::value_in;
namespace core = backoff::azure_c_retry_control;
using core::retry_control;

static_assert(BACKOFF_AZURE_C_RETRY_CONTROL_NONE == static_cast<int>(core::policy::none));
static_assert(BACKOFF_AZURE_C_RETRY_CONTROL_RANDOM == static_cast<int>(core::policy::random));
static_assert(BACKOFF_AZURE_C_RETRY_CONTROL_RETRY_NOW == static_cast<int>(core::action::retry_now));
static_assert(BACKOFF_AZURE_C_RETRY_CONTROL_STOP_RETRYING == static_cast<int>(core::action::stop_retrying));

namespace {

using surroundings_type = backoff_azure_c_retry_control_surroundings;

auto clock_of(surroundings_type const* surroundings) noexcept {
  return [surroundings]() noexcept -> std::int64_t { return surroundings->get_time(surroundings->context); };
}
auto rand_of(surroundings_type const* surroundings) noexcept {
  return [surroundings]() noexcept -> core::draw {
    return {surroundings->rand(surroundings->context), surroundings->rand_max};
  };
}

}  // namespace

backoff_status backoff_azure_c_retry_control_init(backoff_azure_c_retry_control* state, int32_t policy,
                                                  uint32_t max_retry_time_in_secs) {
  bool const known = static_cast<uint32_t>(policy) <= BACKOFF_AZURE_C_RETRY_CONTROL_RANDOM;
  auto const which = known ? static_cast<core::policy>(policy) : core::policy::none;
  backoff::c_abi::begin(state, core::create(which, max_retry_time_in_secs));
  return known ? BACKOFF_OK : BACKOFF_POLICY_UNKNOWN;
}
void backoff_azure_c_retry_control_reset(backoff_azure_c_retry_control* state) {
  core::reset(value_in<retry_control>(state));
}
backoff_status backoff_azure_c_retry_control_set_initial_wait_time_in_secs(backoff_azure_c_retry_control* state,
                                                                           uint32_t seconds) {
  bool const set = core::set_initial_wait_time_in_secs(value_in<retry_control>(state), seconds);
  return set ? BACKOFF_OK : BACKOFF_INITIAL_WAIT_ZERO;
}
uint32_t backoff_azure_c_retry_control_initial_wait_time_in_secs(backoff_azure_c_retry_control const* state) {
  return value_in<retry_control>(state).initial_wait_time_in_secs;
}
backoff_status backoff_azure_c_retry_control_set_max_jitter_percent(backoff_azure_c_retry_control* state,
                                                                    uint32_t percent) {
  bool const set = core::set_max_jitter_percent(value_in<retry_control>(state), percent);
  return set ? BACKOFF_OK : BACKOFF_JITTER_ABOVE_HUNDRED;
}
uint32_t backoff_azure_c_retry_control_max_jitter_percent(backoff_azure_c_retry_control const* state) {
  return value_in<retry_control>(state).max_jitter_percent;
}
uint32_t backoff_azure_c_retry_control_retry_count(backoff_azure_c_retry_control const* state) {
  return value_in<retry_control>(state).retry_count;
}
uint32_t backoff_azure_c_retry_control_current_wait_time_in_secs(backoff_azure_c_retry_control const* state) {
  return value_in<retry_control>(state).current_wait_time_in_secs;
}
backoff_status backoff_azure_c_retry_control_should_retry(backoff_azure_c_retry_control* state,
                                                          surroundings_type const* surroundings, int32_t* action) {
  auto const decided =
      core::should_retry(value_in<retry_control>(state), clock_of(surroundings), rand_of(surroundings));
  *action = static_cast<int32_t>(decided.action);
  return decided.decided ? BACKOFF_OK : BACKOFF_CLOCK_FAILED;
}
backoff_status backoff_azure_c_retry_control_is_timeout_reached(int64_t start_time, uint32_t timeout_in_secs,
                                                                surroundings_type const* surroundings,
                                                                uint8_t* timed_out) {
  auto const reached = core::is_timeout_reached(start_time, timeout_in_secs, clock_of(surroundings));
  *timed_out = static_cast<uint8_t>(reached.timed_out);
  return reached.decided ? BACKOFF_OK : BACKOFF_CLOCK_FAILED;
}
