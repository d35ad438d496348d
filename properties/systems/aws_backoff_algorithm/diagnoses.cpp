// What is probably wrong in a port of backoffAlgorithm: min(2^n · base_ms, max_ms), drawn from in full.
#include "explain/full_jitter.hpp"

namespace backoff::conformance {
namespace {

using namespace diagnoses;

struct of_this_system {
  template <class P>
  static std::vector<answer> answers(history const& h, documented& document) {
    return answers_of<P>(h, document, h.params[0].n, h.params[1].n, [](step const&, cycle&) {});
  }
};

// The count goes on; the window begins anew.
std::vector<answer> reset_keeps_the_count(history const& h, documented& document) {
  auto all = without_resets(h, document);
  std::array<number, instances_max> n{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& step = h.steps[i];
    if (step.op != 0) n[step.on] = 0;
    if (step.op != 0 || all[i][1].is != observed::kind::number) continue;
    retry const p{h.params[0].n, h.params[1].n, n[step.on]++, 0, static_cast<std::uint64_t>(step.args[0].n), document};
    all[i][1] = as_documented::delay(p, as_documented::window(p));
  }
  return all;
}

}  // namespace

std::vector<diagnosis> aws_backoff_algorithm_diagnoses() {
  auto all = full_jitter_diagnoses<of_this_system>();
  all.push_back({"reset-keeps-the-count", "does not forget the count of retries at a reset", reset_keeps_the_count});
  return all;
}

}  // namespace backoff::conformance
