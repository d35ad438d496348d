// A history with the port's answers, as pictures show it.
#pragma once

#include <vector>

#include "judge/judged_system.hpp"
#include "layers.hpp"

namespace backoff::reports {

inline constexpr std::uint8_t waiting_call = 0;  // in every shape the first operation is the one that asks how to go on

struct answered {
  history tried;
  std::vector<answer> answers;
};

// The history without the draws that were given. What the document then admits, it admits whatever is drawn.
[[nodiscard]] inline history without_draws(shape const& s, history h) {
  for (auto& step : h.steps) {
    auto const at = s.draw_of(step.op);
    auto const args = s.operations[step.op].args;
    if (at < args.size() && args[at].kind == field_kind::draw) step.args[at] = {};
  }
  return h;
}

}  // namespace backoff::reports
