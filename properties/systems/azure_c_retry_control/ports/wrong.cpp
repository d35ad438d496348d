// Wrong ports of retry control: faults that retry code has shipped. Each must be caught by the claim that it names;
// those of a hazard reading must be recognised as such, and pass when it is pinned.
#include "systems/azure_c_retry_control/ports/wrong.hpp"

#include <iterator>

namespace backoff::systems {

std::span<built_in const> azure_c_retry_control_wrong_ports() {
  static auto const ports = [] {
    std::vector<built_in> all;
    for (auto const list : {retry_control::wrong_waits, retry_control::wrong_times, retry_control::wrong_options,
                            retry_control::wrong_calls})
      std::ranges::move(list(), std::back_inserter(all));
    return all;
  }();
  return ports;
}

}  // namespace backoff::systems
