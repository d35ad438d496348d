// Fuzz target: the library's backoffAlgorithm against the model, under every claim.
#include "fuzz_library.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  return backoff::fuzz::one_input("aws_backoff_algorithm", data, size);
}
