// Fuzz target: the library's Retry Utilities against the model, under every claim.
#include "library_target.hpp"

backoff::fuzz::target& backoff::fuzz::the_target() {
  static library_target the("aws_retry_utils");
  return the;
}
