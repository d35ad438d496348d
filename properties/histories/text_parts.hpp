// Helpers shared by the code that reads or writes histories as text.
#pragma once

#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "histories/text.hpp"

namespace backoff::histories::text_parts {

inline constexpr std::size_t cases_max = 10'000;
inline constexpr std::size_t steps_max = 1'000'000;

template <class Integer>
void append_number(std::string& out, Integer n) {
  std::array<char, 24> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), n).ptr;
  out.append(digits.data(), end);
}

void append_plain(std::string& out, field const& f, value const& v);
// n · 10^-scale as a plain decimal: 1.5.
void append_decimal(std::string& out, std::int64_t n, std::uint8_t scale);
// The decimal in units of 10^-scale; nothing where the text has more places, or is no decimal.
[[nodiscard]] std::optional<std::int64_t> parse_scaled(std::string_view text, std::uint8_t scale);
// The names, or what `name` makes of each, with the separator between them. Not fmt::join, which takes long to compile.
template <class Names, class Name = std::identity>
[[nodiscard]] std::string listed(Names const& all, std::string_view separator, Name name = {}) {
  std::string text;
  std::string_view before;
  for (auto const& each : all) {
    text.append(before).append(std::invoke(name, each));
    before = separator;
  }
  return text;
}
template <class Names, class Name = std::identity>
[[nodiscard]] std::string comma_separated(Names const& all, Name name = {}) {
  return listed(all, ", ", name);
}
// Splits at each separator; an empty text is one empty part.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
// The text in quotes, cut and made printable.
[[nodiscard]] std::string shown(std::string_view text, std::size_t length = 60);
// The functions below throw text_error where what they demand is missing. The first two name what is known.
[[nodiscard]] shape const& known_system(std::string_view stem);
[[nodiscard]] std::uint8_t known_operation(shape const& s, std::string_view name);
void demand_all_params(shape const& s, history const& h);
// Gives the arguments that a call leaves out their defaults.
void complete_args(shape const& s, step& call);
void demand_allowed(shape const& s, history const& h);

}  // namespace backoff::histories::text_parts
