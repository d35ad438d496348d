// What is probably wrong in a port of backoffAlgorithm: min(2^n · base_ms, max_ms), drawn from in full.
#include "explain/full_jitter.hpp"

namespace backoff::conformance {
namespace {

using namespace diagnoses;

struct of_this_system {
  template <class P>
  static std::vector<answer> answers(history const& h, documented& document) {
    return of_calls<P>(document.answers(h), h, document);
  }
  // Resets begin the window anew, but not the count.
  template <class P>
  static std::vector<answer> counting_on(history const& h, documented& document) {
    return of_calls<P>(without_resets(h, document), h, document);
  }

 private:
  template <class P>
  static std::vector<answer> of_calls(std::vector<answer> all, history const& h, documented& document) {
    return with_delays<P>(std::move(all), h, document, h.params[0].n, h.params[1].n, [](step const&, cycle&) {});
  }
};

}  // namespace

std::vector<diagnosis> aws_backoff_algorithm_diagnoses() { return full_jitter_diagnoses<of_this_system>(); }

}  // namespace backoff::conformance
