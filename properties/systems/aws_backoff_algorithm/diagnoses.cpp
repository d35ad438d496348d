// What is probably wrong in a port of backoffAlgorithm: min(2^n · base_ms, max_ms), drawn from in full.
#include "explain/full_jitter.hpp"

namespace backoff::systems {

std::vector<diagnosis> aws_backoff_algorithm_diagnoses() {
  std::vector<diagnosis> all;
  add_hypotheses(all, faults::full_jitter());
  return all;
}

}  // namespace backoff::systems
