// A port in this process, from its typed calls to a judgement. One binding a system:
// properties/systems/STEM/conformance.cpp. Checked by: properties/conformance/conformance_test.cpp.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "backoff/conformance/judgement.hpp"
#include "backoff/conformance/values.hpp"
#include "histories/history.hpp"
#include "histories/shape.hpp"

namespace backoff::conformance {

// Answers one history on fresh ports.
using player = std::function<result(history const&)>;

// Throws std::invalid_argument. more: features that the port has besides those of the options.
[[nodiscard]] judgement judge_in_process(shape const& s, player const& play, options const& how, feature_mask more = 0);

[[nodiscard]] observed observed_of(number const& n);
[[nodiscard]] draw drawn(value const& v);
[[nodiscard]] std::uint32_t u32(value const& v) noexcept;
// Parameter i of the history; its default where it is left out.
[[nodiscard]] std::uint32_t param_of(shape const& s, history const& h, std::size_t i) noexcept;
// What comes of the exception at hand, thrown by the call after these answers.
[[nodiscard]] result caught(shape const& s, history const& h, std::vector<answer> before);

// make(world) makes the port of an instance, when it is first called; call(port, step, answer) asks it.
template <class Make, class Call>
result play_on(shape const& s, history const& h, Make make, Call call) {
  std::array<decltype(make(std::size_t{})), instances_max> ports;
  std::vector<answer> answers;
  try {
    for (auto const& step : h.steps) {
      auto& port = ports[step.on];
      if (!port) port = make(std::size_t{step.on});
      answer a;
      call(*port, step, a);
      answers.push_back(a);
    }
  } catch (...) {
    return caught(s, h, std::move(answers));
  }
  return {result_kind::answered, std::move(answers), {}};
}

}  // namespace backoff::conformance
