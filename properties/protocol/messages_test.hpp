// What the tests of messages send and expect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "histories/generated_test.hpp"
#include "histories/systems.hpp"
#include "protocol/messages.hpp"

namespace backoff::protocol {

inline constexpr std::uint64_t u32_size = std::uint64_t{1} << 32;
inline constexpr draw_source u32{};
inline constexpr draw_source unit{spec::draw_kind::unit, u32_size};
inline constexpr draw_source rand15{spec::draw_kind::rand, 32'768};
inline constexpr draw_source hidden{spec::draw_kind::hidden, 1};
inline constexpr draw_source sources[] = {u32, unit, rand15, hidden};

inline shape const& algorithm() { return *find_shape("aws_backoff_algorithm"); }

// base_ms=2 max_ms=5 max_attempts=3, next with draw 7 as often as asked.
inline history nexts(std::size_t count) {
  history h{{value::of(2), value::of(5), value::of(3)}, {}};
  h.steps.resize(count);
  for (auto& step : h.steps) step.args[0] = value::of(7);
  return h;
}

// The message of the protocol_error, with the index of the history to blame; what() of nothing is "".
struct refusal {
  std::string what;
  std::optional<std::size_t> which;
};
template <class Action>
refusal refused(Action&& action) {
  try {
    action();
  } catch (protocol_error const& e) {
    return {e.what(), e.which};
  }
  return {};
}

struct bad_line {
  std::string line;
  std::string says;
  std::optional<std::size_t> which{};
};

}  // namespace backoff::protocol
