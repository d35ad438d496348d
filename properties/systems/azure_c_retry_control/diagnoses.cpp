// What is probably wrong in a port of retry control: what any system can have, and nothing more so far.
#include "explain/diagnosis.hpp"

namespace backoff::conformance {

std::vector<diagnosis> azure_c_retry_control_diagnoses() { return {}; }

}  // namespace backoff::conformance
