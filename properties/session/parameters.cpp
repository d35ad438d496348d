#include "session/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "histories/text.hpp"
#include "histories/text_parts.hpp"
#include "session/exit_codes.hpp"

namespace backoff::session {

namespace {

// The value that stands for no limit; absent: there is none.
value endless(field const& f) {
  auto const word = std::ranges::find(f.words, "forever");
  if (word != f.words.end()) return value::word(static_cast<std::uint8_t>(word - f.words.begin()));
  auto const number = std::ranges::find(f.specials, "no limit", &special::why);
  return number == f.specials.end() ? value{} : f.number(number->value);
}

}  // namespace

history parameters_of(shape const& s, std::vector<std::string> const& texts, if_missing how) {
  domain const d = documented_domain(s, {});
  history h;
  auto const names = text_parts::comma_separated(s.params, &field::name);
  for (std::string_view const text : texts) {
    auto const equals = text.find('=');
    auto const key = text.substr(0, equals);
    auto const i = s.find_param(key);
    if (s.params.empty()) throw usage_error(fmt::format("--param {}: {} has no parameters", text, s.stem));
    if (equals == std::string_view::npos || !i)
      throw usage_error(fmt::format("--param {}: expected NAME=VALUE with NAME one of: {}", text, names));
    if (h.params[*i].kind != value_kind::absent) throw usage_error(fmt::format("--param {} is given twice", key));
    try {
      h.params[*i] = parse_value(s.params[*i], d.params[*i], text.substr(equals + 1));
    } catch (text_error const& e) {
      throw usage_error(fmt::format("--param {}: {}", text, e.what()));
    }
  }
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (h.params[i].kind == value_kind::absent) h.params[i] = s.defaults[i];
    if (h.params[i].kind == value_kind::absent && how == if_missing::forever) h.params[i] = endless(s.params[i]);
    if (h.params[i].kind == value_kind::absent && !s.params[i].optional())
      throw usage_error(fmt::format("--param {}=… is missing: the document has no default for it", s.params[i].name));
  }
  try {
    text_parts::demand_allowed(s, h);
  } catch (text_error const& e) {
    throw usage_error(fmt::format("--param: {}", e.what()));
  }
  return h;
}

}  // namespace backoff::session
