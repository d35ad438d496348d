// Retry Utilities for C: see backoff.h. Checked by: spec/aws_retry_utils/examples.yaml,
// properties/systems/STEM/ports/library.cpp.
#include "backoff/aws_retry_utils.hpp"

#include "backoff.h"
#include "state.hpp"

using backoff::c_abi::value_in;
namespace core = backoff::aws_retry_utils;
using cycle = core::retry_cycle<uint32_t>;

static_assert(BACKOFF_OK == static_cast<int>(core::status::retry));
static_assert(BACKOFF_EXHAUSTED == static_cast<int>(core::status::exhausted));

void backoff_aws_retry_utils_init(backoff_aws_retry_utils* state, backoff_aws_retry_utils_parameters const* p,
                                  uint32_t draw) {
  backoff::c_abi::begin(state, cycle({p->initial_backoff_s, p->max_backoff_s, p->max_jitter_s, p->max_attempts}, draw));
}
void backoff_aws_retry_utils_reset(backoff_aws_retry_utils* state, uint32_t draw) {
  value_in<cycle>(state).reset(draw);
}
backoff_status backoff_aws_retry_utils_back_off(backoff_aws_retry_utils* state, uint32_t draw, uint32_t* sleep_s) {
  auto const decided = value_in<cycle>(state).back_off(draw);
  *sleep_s = decided.sleep_s;
  return static_cast<backoff_status>(decided.status);
}
uint32_t backoff_aws_retry_utils_next_jitter_max(backoff_aws_retry_utils const* state) {
  return value_in<cycle>(state).next_jitter_max();
}
uint32_t backoff_aws_retry_utils_attempts_done(backoff_aws_retry_utils const* state) {
  return value_in<cycle>(state).attempts_done();
}
