#include "policies/text.hpp"

#include <algorithm>

#include "policies/policy.hpp"

namespace backoff::policies {
namespace {

// yaml-cpp takes bytes that are no UTF-8 for other letters, and a file of FF FE for an empty one. It ends a text at
// NUL.
void demand_utf_8(std::string const& file, std::string const& text) {
  place at{1, 1};
  std::size_t left = 0;  // bytes that the letter still needs
  unsigned letter = 0;
  unsigned least = 0;  // that needs so many bytes
  auto const refuse = [&] {
    throw policy_error(located(file, at, "bytes that are not UTF-8: expected a policy in UTF-8"));
  };
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (left != 0) {
      if ((byte & 0xC0U) != 0x80U) refuse();
      letter = (letter << 6U) | (byte & 0x3FU);
      if (--left != 0) continue;
      if (letter < least || letter > 0x10FFFFU || (letter >= 0xD800U && letter < 0xE000U)) refuse();
      ++at.column;
    } else if (byte < 0x80U) {
      bool const is_blank = c == '\n' || c == '\r' || c == '\t';
      if (byte < 0x20U && !is_blank)
        throw policy_error(located(file, at, "a control character (byte " + std::to_string(byte) + "): expected text"));
      if (c == '\n') {
        at = {at.line + 1, 1};
      } else {
        ++at.column;
      }
    } else {
      left = byte >= 0xF0U ? 3 : byte >= 0xE0U ? 2 : 1;
      if (byte < 0xC2U || byte > 0xF4U) refuse();
      letter = byte & (0x3FU >> left);
      least = left == 3 ? 0x10000U : left == 2 ? 0x800U : 0x80U;
    }
  }
  if (left != 0) refuse();
}

// yaml-cpp closes a quote at the end of the file, and takes a comma before a bracket for nothing. Both are slips.
void demand_closed(std::string const& file, std::string const& text) {
  place at{1, 0};
  char before = '\n';  // what is not blank, or the end of a line
  place comma;         // the last, where nothing but blanks followed it
  char quote = 0;
  place opened;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    at = c == '\n' ? place{at.line + 1, 0} : place{at.line, at.column + 1};
    if (quote != 0) {
      bool const escapes = (quote == '"' && c == '\\') || (quote == '\'' && text.compare(i, 2, "''") == 0);
      if (escapes) {
        ++i;
        ++at.column;
      } else if (c == quote) {
        quote = 0;
      }
      continue;
    }
    bool const begins_comment = c == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\n');
    if (begins_comment) {
      auto const end = std::min(text.find('\n', i), text.size());
      at.column += end - 1 - i;
      i = end - 1;
      continue;
    }
    bool const is_end = c == ']' || c == '}' || c == ',';
    if (is_end && comma.line != 0)
      throw policy_error(
          located(file, comma, std::string("a comma before '") + c + "': expected something between them"));
    bool const begins_text =
        before == '\n' || before == ':' || before == ',' || before == '[' || before == '{' || before == '-';
    if ((c == '"' || c == '\'') && begins_text) {
      quote = c;
      opened = at;
    }
    if (c == ' ' || c == '\t' || c == '\r') continue;
    if (c == ',') {
      comma = at;
    } else if (c != '\n') {
      comma = {};
    }
    before = c;
  }
  if (quote != 0) throw policy_error(located(file, opened, "an open quote: expected a closing one"));
}

}  // namespace

void demand_text(std::string const& file, std::string const& text) {
  demand_utf_8(file, text);
  demand_closed(file, text);
}

}  // namespace backoff::policies
