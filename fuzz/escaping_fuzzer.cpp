// Fuzz target: text of others in reports. Whatever it is, what becomes of it is text in the report's language, and
// nothing in it means anything there.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "reports/escaped.hpp"

using namespace backoff::reports;

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

// Well-formed, by a decoder of its own: no byte is left over, nothing is longer than it need be.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    auto const first = static_cast<unsigned char>(text[i]);
    std::size_t const more = first < 0x80          ? 0
                             : (first >> 5U) == 6  ? 1
                             : (first >> 4U) == 14 ? 2
                             : (first >> 3U) == 30 ? 3
                                                   : 9;
    if (more == 9 || i + more >= text.size()) return false;
    std::uint32_t point = more == 0 ? first : first & (0x3fU >> more);
    for (std::size_t k = 1; k <= more; ++k) {
      auto const next = static_cast<unsigned char>(text[i + k]);
      if ((next >> 6U) != 2) return false;
      point = point * 64 + (next & 0x3fU);
    }
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
    i += more + 1;
  }
  return true;
}

// Every & begins one of the entities that are written.
bool entities_only(std::string_view text) {
  for (auto at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
    auto const entity = text.substr(at, text.find(';', at) - at + 1);
    constexpr std::string_view known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#10;", "&#9;", "&#64;"};
    bool is_known = false;
    for (auto const k : known) is_known = is_known || entity == k;
    if (!is_known) return false;
  }
  return true;
}

bool has_control(std::string_view text, std::string_view but) {
  return std::ranges::any_of(
      text, [&](char c) { return static_cast<unsigned char>(c) < 0x20 && but.find(c) == std::string_view::npos; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  auto const content = xml_content(text);
  demand(is_utf8(content) && entities_only(content) && !has_control(content, "\n\t"));
  demand(content.find_first_of("<>") == std::string::npos);
  auto const attribute = xml_attribute(text);
  demand(is_utf8(attribute) && entities_only(attribute) && !has_control(attribute, ""));
  demand(attribute.find_first_of("<>\"") == std::string::npos);

  auto const cell = markdown_escaped(text);
  demand(is_utf8(cell) && entities_only(cell) && !has_control(cell, ""));
  for (std::size_t i = 0; i < cell.size(); ++i) {  // what means something has its backslash, which has none
    if (cell[i] == '\\') {
      demand(i + 1 < cell.size() && std::string_view("\\`*_{}[]()#+-!|~:").find(cell[i + 1]) != std::string_view::npos);
      ++i;
    } else {
      bool const of_entity = cell[i] == '#' && i > 0 && cell[i - 1] == '&';
      demand(of_entity || std::string_view("`*_{}[]()#+-!|~:<>@").find(cell[i]) == std::string_view::npos);
    }
  }

  auto const block = markdown_block(text);
  auto const fence = block.substr(0, block.find('t'));
  demand(is_utf8(block) && fence.size() >= 3 && fence.find_first_not_of('`') == std::string::npos);
  auto const inside = std::string_view(block).substr(fence.size(), block.size() - 2 * fence.size() - 1);
  demand(block == fence + std::string(inside) + fence + "\n" && inside.find(fence) == std::string_view::npos);
  demand(inside.ends_with('\n'));
  return 0;
}
