// Fuzz target: the library's sample loop against the model, under every claim.
#include "library_target.hpp"

backoff::fuzz::target& backoff::fuzz::the_target() {
  static library_target the("aws_prescriptive_sample");
  return the;
}
