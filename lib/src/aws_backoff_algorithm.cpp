// backoffAlgorithm for C, 32 bits wide: see backoff.h. Checked by: spec/aws_backoff_algorithm/examples.yaml,
// properties/systems/STEM/ports/library.cpp.
#include "full_jitter.hpp"

using backoff::aws_backoff_algorithm::attempt_limit;
using backoff::c_abi::value_in;
using cycle = backoff::aws_backoff_algorithm::full_jitter<uint32_t>;
using state_type = backoff_aws_backoff_algorithm;

void backoff_aws_backoff_algorithm_init(state_type* state, uint32_t base_ms, uint32_t max_ms, uint32_t max_attempts) {
  backoff::c_abi::begin(state, cycle({base_ms, max_ms, attempt_limit::of(max_attempts)}));
}
void backoff_aws_backoff_algorithm_init_forever(state_type* state, uint32_t base_ms, uint32_t max_ms) {
  backoff::c_abi::begin(state, cycle({base_ms, max_ms, attempt_limit::forever()}));
}
backoff_status backoff_aws_backoff_algorithm_next(state_type* state, uint32_t draw, uint32_t* delay_ms) {
  return backoff::c_abi::next_delay(state, draw, delay_ms);
}
void backoff_aws_backoff_algorithm_reset(state_type* state) { value_in<cycle>(state).reset(); }
uint32_t backoff_aws_backoff_algorithm_window_ms(state_type const* state) { return value_in<cycle>(state).window_ms(); }
uint32_t backoff_aws_backoff_algorithm_attempts_done(state_type const* state) {
  return value_in<cycle>(state).attempts_done();
}
