// The waits of Step Functions for C, in nanoseconds: see backoff.h. Checked by: spec/aws_step_functions/examples.yaml,
// spec/tests/c_abi_test.cpp, properties/systems/STEM/ports/library.cpp.
#include "backoff/aws_step_functions.hpp"

#include "backoff.h"
#include "state.hpp"

using backoff::c_abi::value_in;
namespace core = backoff::aws_step_functions;
using run = core::retry_run<uint64_t, 1'000'000'000>;

static_assert(BACKOFF_OK == static_cast<int>(core::status::retry));
static_assert(BACKOFF_EXHAUSTED == static_cast<int>(core::status::exhausted));

// Both lists name the errors in the same order.
static constexpr backoff_status status_of(core::parameter_error error) noexcept {
  if (error == core::parameter_error::none) return BACKOFF_OK;
  return BACKOFF_INTERVAL_NEGATIVE -
         (static_cast<backoff_status>(error) - static_cast<backoff_status>(core::parameter_error::interval_s_negative));
}
static_assert(status_of(core::parameter_error::interval_s_negative) == BACKOFF_INTERVAL_NEGATIVE);
static_assert(status_of(core::parameter_error::interval_s_too_wide) == BACKOFF_INTERVAL_TOO_WIDE);
static_assert(status_of(core::parameter_error::backoff_rate_undefined) == BACKOFF_RATE_UNDEFINED);
static_assert(status_of(core::parameter_error::backoff_rate_below_one) == BACKOFF_RATE_BELOW_ONE);
static_assert(status_of(core::parameter_error::product_too_wide) == BACKOFF_PRODUCT_TOO_WIDE);

backoff_status backoff_aws_step_functions_init(backoff_aws_step_functions* state, int64_t interval_s, uint32_t rate_num,
                                               uint32_t rate_den, uint32_t max_attempts) {
  auto const checked = run::with(interval_s, {rate_num, rate_den}, max_attempts);
  backoff::c_abi::begin(state, checked.value);
  return status_of(checked.error);
}
backoff_status backoff_aws_step_functions_next(backoff_aws_step_functions* state, uint64_t* delay_ns) {
  auto const decided = value_in<run>(state).next();
  *delay_ns = decided.delay;
  return static_cast<backoff_status>(decided.status);
}
uint32_t backoff_aws_step_functions_attempts_done(backoff_aws_step_functions const* state) {
  return value_in<run>(state).attempts_done();
}
