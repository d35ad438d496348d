// What the wrong ports of retry control are listed with: wrong_*.cpp have them by what is wrong.
#pragma once

#include "ports/built_in.hpp"
#include "systems/azure_c_retry_control/ports/documented.hpp"

namespace backoff::systems::retry_control {

using seconds = std::uint64_t;
using model::action;

inline built_in wrong(std::string_view name, std::string_view sentence, std::vector<answer> (*run)(history const&),
                      std::string_view claim, std::vector<std::string_view> follows = {}, std::size_t steps = 6) {
  return {
      .name = name, .sentence = sentence, .run = run, .claim = claim, .follows = std::move(follows), .steps = steps};
}
template <class Port>
built_in wrong(std::string_view name, std::string_view sentence, std::string_view claim,
               std::vector<std::string_view> follows = {}, std::size_t steps = 6) {
  return wrong(name, sentence, run<scripted_port<Port>>, claim, std::move(follows), steps);
}

std::vector<built_in> wrong_waits();
std::vector<built_in> wrong_times();
std::vector<built_in> wrong_options();
std::vector<built_in> wrong_calls();

}  // namespace backoff::systems::retry_control
