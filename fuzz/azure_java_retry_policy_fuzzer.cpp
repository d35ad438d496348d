// Fuzz target: the library's retry policy of the Java SDK against the model, under every claim.
#include "library_target.hpp"

backoff::fuzz::target& backoff::fuzz::the_target() {
  static library_target the("azure_java_retry_policy");
  return the;
}
