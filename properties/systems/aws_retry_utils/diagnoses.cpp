// What is probably wrong in a port of the Retry Utilities: min(2^n · (initial_backoff_s + jitter), max_backoff_s),
// where each reset draws a jitter.
#include "explain/full_jitter.hpp"
#include "histories/present.hpp"
#include "systems/aws_retry_utils/faults.hpp"

namespace backoff::systems {
namespace {

std::vector<answer> without_a_retry_for_0(history const& h, documented& document) {
  auto all = document.answers(h);
  if (h.params[3].n != 0) return all;
  auto const exhausted = present(says_exhausted(document.shape()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (h.steps[i].op == 0) all[i] = exhausted;
  }
  return all;
}

}  // namespace

std::vector<diagnosis> aws_retry_utils_diagnoses() {
  std::vector<diagnosis> all;
  add_hypotheses(all, faults::full_jitter());
  add_hypotheses(all, aws_retry_utils_alone());
  all.push_back({"0-is-a-limit", "grants no retry where max_attempts is 0", without_a_retry_for_0});
  return all;
}

}  // namespace backoff::systems
