// Prints how far from the canonical reading a port may be that passes: the table of spec/SOUNDNESS.md.
#include <cstdio>

#include "engines/adversary/adversary.hpp"

int main() {
  using namespace backoff::engines::adversary;
  using namespace backoff::judge;
  constexpr std::uint64_t histories = 400;
  constexpr std::uint64_t seed = 1;
  std::puts(
      "| system | draws | answer | farthest from canonical | relative | by the reading | values at one call |\n"
      "|---|---|---|---|---|---|---|");
  for (auto const* system : judged_systems()) {
    for (auto const& draws : kinds_of_draws(*system)) {
      std::fputs(table_row(worst_port(*system, draws, histories, seed)).c_str(), stdout);
    }
  }
}
