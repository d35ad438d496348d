// Prints a table: how often the first finding on a wrong port is about its fault, and how many findings a port has.
// With the name of a system it also names each port whose first finding is about another claim.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "judge/judged_system.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

int main(int argc, char const* const* argv) {
  using namespace backoff::conformance;
  constexpr std::uint64_t histories = 4'000;
  constexpr std::uint64_t seed = 1;
  std::size_t all = 0;
  std::size_t all_first = 0;
  std::size_t all_findings = 0;
  auto const row = [](std::string_view name, std::size_t ports, std::size_t first, std::size_t findings) {
    fmt::print("| {} | {} | {} ({:.1f} %) | {:.2f} |\n", name, ports, first,
               100 * static_cast<double>(first) / static_cast<double>(ports),
               static_cast<double>(findings) / static_cast<double>(ports));
  };
  fmt::print(
      "| system | wrong ports | the first finding is about the fault | findings a port, without consequences |\n"
      "|---|---|---|---|\n");
  for (auto const* system : judged_systems()) {
    auto const stem = system->shape().stem;
    std::size_t ports = 0;
    std::size_t first = 0;
    std::size_t findings = 0;
    for (auto const& port : wrong_ports(stem)) {
      built_in_subject subject(system->shape(), port);
      auto judged = std::get<run>(run::begin(*system, subject.describes(), {}));
      drive(judged, subject, histories, seed);
      auto breaches = judged.breaches();
      std::erase_if(breaches, [](breach const& b) { return !b.fails || b.follows_from.has_value(); });
      ++ports;
      findings += breaches.size();
      auto const& claims = system->claims();
      bool const as_named =
          !breaches.empty() && breaches[0].is_of_a_claim() && claims[breaches[0].claim].name == port.claim;
      first += as_named ? 1 : 0;
      if (as_named || argc < 2 || stem != argv[1]) continue;
      fmt::print(stderr, "{} ({}):", port.name, port.claim);
      for (auto const& b : breaches) fmt::print(stderr, " {}", b.is_of_a_claim() ? claims[b.claim].name : "no_answer");
      fmt::print(stderr, "\n");
    }
    row(fmt::format("`{}`", stem), ports, first, findings);
    all += ports;
    all_first += first;
    all_findings += findings;
  }
  row("**all**", all, all_first, all_findings);
}
