// Prints, for each system, fault and port that blame_pairs_test.hpp pairs with the canonical one: fields that a tab
// separates, which coverage/mutate blame-pairs counts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "judge/blame_pairs_test.hpp"

int main() {
  using namespace backoff::ports;
  constexpr std::uint64_t histories = 4'000;
  for (auto const* system : judged_systems()) {
    for (auto const& fault : paired_faults) {
      for (auto const& pair : blame_pairs(*system, fault, histories))
        fmt::print("{}\t{}\t{}\t{}\t{}\t{}\n", system->shape().stem, fault.name, fmt::join(pair.followed, " "),
                   fmt::join(pair.explained, " "), fmt::join(pair.told, " "), fmt::join(pair.told_of_canonical, " "));
      std::fflush(stdout);
    }
  }
}
