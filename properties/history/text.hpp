// A history as text that fits a command line: the replay token.
//
//   STEM/base_ms=2,max_ms=5,max_attempts=3/next:7,next:4@2,reset        op[:argument]…[~instance][@times]; more cases
//   after +; an argument that is left out is empty, or not written where none follows;
//   the values of a list and the words of a set are joined by dots
//
// It holds the history itself, never a seed, so it outlives the generators.
// Checked by: properties/history/history_test.cpp.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "history/shape.hpp"

namespace backoff::conformance {

// Text that is not a history: what() names the place and what was expected there.
struct text_error : std::runtime_error {
  using runtime_error::runtime_error;
};

struct history_set {
  shape const* system = nullptr;
  std::vector<history> cases;
};

[[nodiscard]] std::string to_token(history_set const& set);

// One value as people write it: 7, forever.
[[nodiscard]] std::string to_text(field const& f, value const& v);
// Throws text_error: `text` is not a value of the field.
[[nodiscard]] value parse_value(field const& f, range const& r, std::string_view text);

// "next:7,next:4@2,reset"; throws text_error.
[[nodiscard]] std::vector<step> parse_steps(shape const& s, domain const& d, std::string_view text);

// Throws text_error. At most 10,000 cases of at most 1,000,000 steps together.
[[nodiscard]] history_set parse_token(std::string_view token);

}  // namespace backoff::conformance
