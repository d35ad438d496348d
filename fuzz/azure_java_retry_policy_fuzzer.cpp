// Fuzz target: the library's retry policy of the Java SDK against the model, under every claim.
#include "fuzz_library.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  return backoff::fuzz::one_input("azure_java_retry_policy", data, size);
}
