// Fuzz target: the library's retries of the Step Functions example against the model, under every claim.
#include "fuzz_library.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  return backoff::fuzz::one_input("aws_step_functions", data, size);
}
