// What is probably wrong in a port of the Retry Utilities: min(2^n · (initial_backoff_s + jitter), max_backoff_s),
// where each reset draws a jitter.
#include "explain/full_jitter.hpp"

namespace backoff::conformance {
namespace {

using namespace diagnoses;

// jitters: whether the base has a jitter; initially: whether it has the initial back-off.
template <class P, bool jitters, bool initially>
std::vector<answer> with_base(history const& h, documented& document) {
  auto const initial = h.params[0].n;
  auto const jitter_max = h.params[2].n;
  return answers_of<P>(h, document, initial, h.params[1].n, [&](step const& reset, cycle& c) {
    auto const drawn = document.jitter_of_reset(static_cast<std::uint64_t>(reset.args[0].n), jitter_max);
    c.base = (initially ? initial : 0) + (jitters ? static_cast<number>(of(drawn)) : 0);
  });
}

struct of_this_system {
  template <class P>
  static std::vector<answer> answers(history const& h, documented& document) {
    return with_base<P, true, true>(h, document);
  }
};

}  // namespace

std::vector<diagnosis> aws_retry_utils_diagnoses() {
  auto all = full_jitter_diagnoses<of_this_system>();
  all.push_back({"no-base-jitter", "adds no jitter to the initial back-off", with_base<as_documented, false, true>});
  all.push_back({"jitter-alone", "begins with the jitter alone, without the initial back-off",
                 with_base<as_documented, true, false>});
  return all;
}

}  // namespace backoff::conformance
