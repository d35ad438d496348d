#include "session/breakdown.hpp"

#include <algorithm>
#include <utility>

namespace backoff::session {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// A number, such as 12, 0.5 or 1e3, is one sign here: so many letters of the text are of the first sign.
std::size_t length_of_sign(std::string_view text) noexcept {
  if (!is_digit(text.front())) return 1;
  auto const is_of_a_number = [](char c) { return is_digit(c) || c == '.' || c == 'e' || c == '+' || c == '-'; };
  auto length = static_cast<std::size_t>(std::ranges::find_if_not(text, is_of_a_number) - text.begin());
  while (!is_digit(text[length - 1])) --length;  // a sentence may end behind a number
  return length;
}

}  // namespace

bool are_alike(std::string_view what, std::string_view other) {
  while (!what.empty() && !other.empty()) {
    bool const are_numbers = is_digit(what.front()) && is_digit(other.front());
    if (!are_numbers && what.front() != other.front()) return false;
    what.remove_prefix(length_of_sign(what));
    other.remove_prefix(length_of_sign(other));
  }
  return what.empty() && other.empty();
}

}  // namespace backoff::session
