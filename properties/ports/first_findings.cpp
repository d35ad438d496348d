// Prints, for each wrong port: its system, its name, the claim that its fault is about, and the claims of its findings,
// the first one first, without consequences. coverage/mutation/first_findings counts them.
#include <fmt/format.h>

#include "judge/judged_system.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

int main() {
  using namespace backoff::conformance;
  constexpr std::uint64_t histories = 4'000;
  constexpr std::uint64_t seed = 1;
  for (auto const* system : judged_systems()) {
    auto const stem = system->shape().stem;
    for (auto const& port : wrong_ports(stem)) {
      built_in_subject subject(system->shape(), port);
      auto judged = std::get<run>(run::begin(*system, subject.describes(), {}));
      drive(judged, subject, histories, seed);
      fmt::print("{} {} {}", stem, port.name, port.claim);
      for (auto const& b : judged.breaches()) {
        if (!b.fails || b.follows_from) continue;
        fmt::print(" {}", b.is_of_a_claim() ? system->claims()[b.claim].name : "no_answer");
      }
      fmt::print("\n");
    }
  }
}
