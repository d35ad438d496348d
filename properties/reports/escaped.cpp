#include "reports/escaped.hpp"

#include <algorithm>
#include <span>

#include "histories/printable.hpp"

namespace backoff::reports {
namespace {

// How many bytes the character at the front has; 0: it is malformed, or none that XML 1.0 can hold.
std::size_t character(std::string_view text) {
  auto const c = histories::first_character(text);
  bool const control = c.point < 0x20 && c.point != '\n' && c.point != '\t';
  return control || c.point == 0xfffe || c.point == 0xffff ? 0 : c.bytes;
}

template <class Append>
std::string each_character(std::string_view text, Append append) {
  std::string out;
  while (!text.empty()) {
    auto const length = character(text);
    append(out, length == 0 ? std::string_view("?") : text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

struct replacement {
  std::string_view character;
  std::string_view by;
};

// The character's replacement in the table; a character that is not in it stays.
std::string_view replaced(std::string_view c, std::span<replacement const> table) {
  auto const at = std::ranges::find(table, c, &replacement::character);
  return at == table.end() ? c : at->by;
}

std::string each_replaced(std::string_view text, std::span<replacement const> table) {
  return each_character(text, [&](std::string& out, std::string_view c) { out += replaced(c, table); });
}

}  // namespace

std::string xml_content(std::string_view text) {
  static constexpr replacement table[] = {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}};
  return each_replaced(text, table);
}

std::string xml_attribute(std::string_view text) {
  static constexpr replacement table[] = {{"\"", "&quot;"}, {"\n", "&#10;"}, {"\t", "&#9;"}};
  return each_replaced(xml_content(text), table);
}

// Markdown allows HTML, whose special characters are the three of XML content.
std::string markdown_escaped(std::string_view text) {
  static constexpr replacement table[] = {{"@", "&#64;"}, {"\n", " "}, {"\t", " "}};
  return each_character(xml_content(text), [](std::string& out, std::string_view c) {
    if (std::string_view("\\`*_{}[]()#+-!|~:").find(c) != std::string_view::npos) out += '\\';
    out += replaced(c, table);
  });
}

std::string markdown_block(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (char const c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  std::string const fence(std::max<std::size_t>(longest + 1, 3), '`');
  auto const body = each_character(text, [](std::string& out, std::string_view c) { out += c; });
  return fence + "text\n" + body + (body.ends_with('\n') ? "" : "\n") + fence + "\n";
}

}  // namespace backoff::reports
