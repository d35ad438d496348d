// A history as text that fits a command line: the replay token.
//
//   STEM/base_ms=2,max_ms=5,max_attempts=3/next:7,next:4@2,reset
//
// A step is op[:argument]…[~instance][@times]. Further cases follow, each after +. An argument that is left out is
// empty, or not written where no other follows. Dots join the values of a list and the words of a set.
//
// A token holds the history itself, never a seed, so it outlives the generators.
// Checked by: properties/histories/text_test.cpp.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "histories/shape.hpp"

namespace backoff::histories {

// Text that cannot be read, such as a malformed history or range. what() says where and what was expected.
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

// Throws text_error for a token that is malformed, or has more than 10,000 cases or 1,000,000 steps in all.
[[nodiscard]] history_set parse_token(std::string_view token);

}  // namespace backoff::histories
