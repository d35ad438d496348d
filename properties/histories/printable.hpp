// Text of others made harmless to look at: nothing in it moves a cursor, hides, turns round or clears what else is
// shown. Checked by: properties/histories/history_test.cpp; in every form of report by
// properties/oracle/hostile_test.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace backoff::histories {

struct character {
  std::size_t bytes;  // 0: malformed UTF-8
  std::uint32_t point;
};
// The first of a text that is not empty.
[[nodiscard]] character first_character(std::string_view text) noexcept;

// One line: malformed UTF-8, control characters (C0, C1, delete), separators of lines and marks of direction become
// "?". Of a longer text as many bytes as whole characters have room in, and an ellipsis.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = std::string_view::npos);
// The same, but lines and tabs stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace backoff::histories
