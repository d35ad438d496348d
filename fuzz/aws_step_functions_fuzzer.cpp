// Fuzz target: the library's retries of the Step Functions example against the model, under every claim.
#include "library_target.hpp"

backoff::fuzz::target& backoff::fuzz::the_target() {
  static library_target the("aws_step_functions");
  return the;
}
