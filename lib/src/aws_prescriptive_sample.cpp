// The sample loop for C: see backoff.h. Checked by: spec/aws_prescriptive_sample/examples.yaml,
// spec/tests/c_abi_test.cpp, properties/systems/STEM/ports/library.cpp.
#include "backoff/aws_prescriptive_sample.hpp"

#include "backoff.h"
#include "state.hpp"

using backoff::aws_prescriptive_sample::retry_loop;
using backoff::c_abi::value_in;

void backoff_aws_prescriptive_sample_init(backoff_aws_prescriptive_sample* state, uint32_t max_retries) {
  backoff::c_abi::begin(state, retry_loop(max_retries));
}
uint32_t backoff_aws_prescriptive_sample_delay_ms(backoff_aws_prescriptive_sample const* state) {
  return value_in<retry_loop>(state).delay_ms();
}
uint8_t backoff_aws_prescriptive_sample_retry_after(backoff_aws_prescriptive_sample* state, int32_t http_status) {
  return static_cast<uint8_t>(value_in<retry_loop>(state).retry_after(http_status));
}
uint8_t backoff_aws_prescriptive_sample_calls_for_retry(int32_t http_status) {
  return static_cast<uint8_t>(backoff::aws_prescriptive_sample::calls_for_retry(http_status));
}
uint32_t backoff_aws_prescriptive_sample_retries(backoff_aws_prescriptive_sample const* state) {
  return value_in<retry_loop>(state).retries();
}
