// Fuzz target: the library's retry control against the model, under every claim.
#include "library_target.hpp"

backoff::fuzz::target& backoff::fuzz::the_target() {
  static library_target the("azure_c_retry_control");
  return the;
}
