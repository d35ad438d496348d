// What becomes of each late fault of a system: `late-faults SYSTEM given|hidden [EVERY [everywhere]]`, a line each:
// outcome, fault. EVERY n: every n-th attempt at which faults begin; everywhere: those that are kept to no region.
// coverage/mutate late-faults makes the table of spec/POWER_DETAILS.md of it.
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "ports/late_trial.hpp"

using namespace backoff::ports;

int main(int argc, char** argv) {
  auto const* system = argc > 2 ? find_judged_system(argv[1]) : nullptr;
  if (system == nullptr) return 2;
  bool const hidden = std::string_view(argv[2]) == "hidden";
  auto const every = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1UL;
  late_trial const trial(*system);
  auto const attempts = late_attempts();
  auto const regions = late_ports_of(system->shape().stem).regions;
  for (auto const& region : regions.first(argc > 4 ? 1 : regions.size())) {
    for (std::size_t kind = 0; kind < late_names.size(); ++kind) {
      for (std::size_t i = 0; i < attempts.size(); i += every) {
        late_fault const fault{static_cast<late_kind>(kind), attempts[i], &region};
        auto const outcome = hidden ? trial.hidden(fault) : trial.given(fault);
        std::string_view const word = outcome == late_outcome::caught   ? "caught"
                                      : outcome == late_outcome::passed ? "passed"
                                                                        : "unseen";
        std::cout << word << ' ' << name_of(fault) << '\n' << std::flush;
      }
    }
  }
  return 0;
}
