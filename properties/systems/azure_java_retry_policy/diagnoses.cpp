// What is probably wrong in a port of the Java retry policies: what any system can have, and nothing more so far.
#include "explain/diagnosis.hpp"

namespace backoff::conformance {

std::vector<diagnosis> azure_java_retry_policy_diagnoses() { return {}; }

}  // namespace backoff::conformance
