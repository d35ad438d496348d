#include "session/failure_lines.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "histories/printable.hpp"
#include "session/exit_codes.hpp"
#include "session/input_file.hpp"

namespace backoff::session {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Takes the next word off the text.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  auto const end = std::min(text.find_first_of(" \t"), text.size());
  auto const word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

}  // namespace

std::vector<std::string> read_failure_lines(std::string const& path) {
  std::istringstream text(read_whole_file(path, "a file of known failures"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<failure_line> failure_lines(std::string const& name, std::span<std::string const> lines) {
  std::vector<failure_line> all;
  std::size_t number = 0;
  for (std::string_view text : lines) {
    auto const place = histories::printable(name) + ":" + std::to_string(++number);
    auto const fail = [&](std::string const& why) { throw usage_error(place + ": " + why); };
    text = trimmed(text);
    if (text.empty() || text.front() == '#') continue;
    auto const id = take_word(text);
    auto const pattern = take_word(text);
    if (pattern.empty() || pattern.front() == '#')
      fail("expected a pattern after '" + std::string(id) + "', such as *");
    auto rest = text;
    bool const sometimes = take_word(rest) == sometimes_word;
    if (sometimes) text = rest;
    auto const reason = text.starts_with('#') ? trimmed(text.substr(1)) : std::string_view();
    if (reason.empty())
      fail("expected '# reason or link' after the pattern, or '" + std::string(sometimes_word) + "' and that");
    bool const again =
        std::ranges::any_of(all, [&](failure_line const& l) { return l.id == id && l.pattern == pattern; });
    if (again) fail("repeats the id and pattern of an earlier line");
    all.push_back({std::string(id), std::string(pattern), histories::printable(reason), place, sometimes, number});
  }
  return all;
}

}  // namespace backoff::session
