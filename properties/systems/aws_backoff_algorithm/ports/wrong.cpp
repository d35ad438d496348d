// Wrong ports of backoffAlgorithm v1.3.0: faults that retry code has shipped. Each must be caught by the claim that it
// names; those of a hazard reading must be recognised as such, and pass when it is pinned.
#include "ports/full_jitter.hpp"
#include "systems/aws_backoff_algorithm/ports/documented.hpp"

namespace backoff::systems {
namespace {

using namespace reference_port;

struct starts_again_when_exhausted : as_documented {
  static bool ended(cycle& c) {
    if (!as_documented::ended(c)) return false;
    c.n = 0;
    return true;
  }
};

std::vector<answer> run_with_silent_resets(history const& h) {
  auto answers = run<as_documented>(h);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (h.steps[i].op == 1) answers[i] = exhausted();
  }
  return answers;
}

}  // namespace

std::span<built_in const> aws_backoff_algorithm_wrong_ports() {
  static auto const ports = [] {
    std::vector<built_in> all{
        {.name = "reset-says-exhausted",
         .sentence = "answers a reset as if the cycle had ended",
         .run = run_with_silent_resets,
         .claim = "reset_is_acknowledged"},
        {.name = "starts-again",
         .sentence = "an exhausted cycle starts again by itself",
         .run = run<starts_again_when_exhausted>,
         .claim = "exhaustion_is_sticky"},
    };
    add_wrong_ports(all, faults::full_jitter(), faults::backoff_algorithm);
    return all;
  }();
  return ports;
}

}  // namespace backoff::systems
