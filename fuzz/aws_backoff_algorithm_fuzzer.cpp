// Fuzz target: the library's backoffAlgorithm against the model, under every claim.
#include "library_target.hpp"

backoff::fuzz::target& backoff::fuzz::the_target() {
  static library_target the("aws_backoff_algorithm");
  return the;
}
