// Fuzz target of a system, BACKOFF_STEM: the library against the model, under every claim.
#include "library_target.hpp"

backoff::fuzz::target& backoff::fuzz::the_target() {
  static library_target the(BACKOFF_STEM);
  return the;
}
