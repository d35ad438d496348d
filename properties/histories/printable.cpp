#include "histories/printable.hpp"

#include <algorithm>

namespace backoff::histories {
namespace {

constexpr bool between(std::uint32_t point, std::uint32_t low, std::uint32_t high) {
  return point >= low && point <= high;
}

bool harmless(character c) noexcept {
  auto const p = c.point;
  bool const control = p < 0x20 || between(p, 0x7f, 0x9f);
  bool const turns =
      p == 0x061c || between(p, 0x200e, 0x200f) || between(p, 0x202a, 0x202e) || between(p, 0x2066, 0x2069);
  bool const breaks = between(p, 0x2028, 0x2029);
  return c.bytes != 0 && !control && !turns && !breaks;
}

std::string made_harmless(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    auto const c = first_character(text);
    bool const stays = harmless(c) || kept.find(text.front()) != std::string_view::npos;
    out.append(stays ? text.substr(0, c.bytes) : "?");
    text.remove_prefix(std::max<std::size_t>(c.bytes, 1));
  }
  return out;
}

}  // namespace

character first_character(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned const first = byte(0);
  if (first < 0x80) return {1, first};
  std::size_t const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {0, 0};
  std::uint32_t point = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {0, 0};
    point = (point << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t smallest[] = {0x80, 0x800, 0x10000};
  bool const surrogate = between(point, 0xd800, 0xdfff);
  if (point < smallest[length - 2] || surrogate || point > 0x10ffff) return {0, 0};
  return {length, point};
}

std::string printable(std::string_view text, std::size_t most) {
  if (text.size() <= most) return made_harmless(text, "");
  auto end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  return made_harmless(text.substr(0, end), "") + "…";
}

std::string printable_lines(std::string_view text) { return made_harmless(text, "\n\t"); }

// Of what is not harmless, JSON itself leaves only characters of two or three bytes and delete as they are.
std::string printable_json(std::string_view json) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  while (!json.empty()) {
    auto const c = first_character(json);
    auto const bytes = std::max<std::size_t>(c.bytes, 1);
    if (harmless(c) || c.point < 0x20) {
      out.append(json.substr(0, bytes));
    } else {
      out += "\\u";
      for (int const shift : {12, 8, 4, 0}) out += digits[(c.point >> static_cast<unsigned>(shift)) & 0xfU];
    }
    json.remove_prefix(bytes);
  }
  return out;
}

}  // namespace backoff::histories
