// Foreign text made harmless on a terminal: nothing in it moves the cursor, or hides, reverses or clears other text.
// Checked by: properties/histories/printable_test.cpp; in every form of report by
// properties/oracle/foreign_texts_test.py and hostile_test.py.
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
// The first character of a text, which is not empty.
[[nodiscard]] character first_character(std::string_view text);

// The text as one line: malformed UTF-8, control characters (C0, C1, delete), line separators and direction marks
// become "?". A text of more than `most` bytes is cut between two characters, and an ellipsis follows.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = std::string_view::npos);
// The same, but lines and tabs stay.
[[nodiscard]] std::string printable_lines(std::string_view text);
// The text of JSON, in which the same characters are escaped: its values stay what they are.
[[nodiscard]] std::string printable_json(std::string_view json);

}  // namespace backoff::histories
