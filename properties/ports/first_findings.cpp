// Prints, for each wrong port: its system, its name, the claim that its fault is about, and its findings, the first one
// first, without consequences. A finding is its claim and, after a +, each other broken claim of the same rule that it
// names. coverage/mutate first-findings counts them.
#include <fmt/format.h>

#include "judge/judged_system.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

int main() {
  using namespace backoff::ports;
  constexpr std::uint64_t histories = 4'000;
  constexpr std::uint64_t seed = 1;
  for (auto const* system : judged_systems()) {
    auto const stem = system->shape().stem;
    for (auto const& port : wrong_ports(stem)) {
      built_in_subject subject(system->shape(), port);
      auto judged = std::get<run>(run::begin(*system, subject.describes(), {}));
      drive(judged, subject, histories, seed);
      fmt::print("{} {} {}", stem, port.name, port.claim);
      auto const all = judged.breaches();
      for (auto const& b : all) {
        if (!b.fails || !b.is_a_finding()) continue;
        fmt::print(" {}", b.is_of_a_claim() ? system->claims()[b.claim].name : "no_answer");
        for (auto const& other : all) {
          if (other.told_with == b.claim) fmt::print("+{}", system->claims()[other.claim].name);
        }
      }
      fmt::print("\n");
    }
  }
}
