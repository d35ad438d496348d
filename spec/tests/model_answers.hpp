// What a model admits, and numbers of the library, as the answers of examples.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "relation/rational.hpp"
#include "relation/relation.hpp"
#include "tests/examples.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec {

inline rational number_of(std::string_view text) { return to_rational(parse_decimal(text).value()); }

// A decimal parameter in parts, of which one has so many.
template <class W>
W in_parts(examples::parameters const& p, std::string const& name, integer per) {
  return static_cast<W>(number_of(p.at(name)) * per);
}

// The number as a decimal; it is not negative, and has one.
inline std::string text_of(rational x) {
  auto text = floored(x).str();
  for (char const* point = "."; (x -= floored(x)) != 0; point = "") text += point + floored(x *= 10).str();
  return text;
}

// A parameter of its system, where the row does not leave it at its default.
template <class W>
void set(W& parameter, examples::parameters const& p, std::string const& name, integer per = 1) {
  if (p.at(name) != "default") parameter = in_parts<W>(p, name, per);
}

// For examples::subject::held: the nearest of the multiples of 1 / per up to the largest, halves up.
inline std::function<std::string(std::string const&)> to_nearest(std::uint64_t per, std::uint64_t largest) {
  return [=](std::string const& word) {
    if (!parse_decimal(word)) return word;
    rational const nearest = floored(number_of(word) * per + rational(1, 2));
    return text_of(std::min<rational>(nearest, largest) / per);
  };
}

// The names of the words of each field, in the order of the model: a field whose word has no name is not said.
using field_names = std::vector<std::vector<std::string>>;

// The one answer that is admitted, its fields joined by /.
inline std::string only_answer(expectation const& admitted, field_names const& names) {
  using enum admissible::kind;
  examples::words said;
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    auto const& field = admitted[i];
    if (field.is() == absent) continue;
    auto& word = said.emplace_back("not one value");
    if (field.is() == keyword && field.words() == 1U << field.word()) word = names.at(i).at(field.word());
    if (field.is() == lattice && field.count() == 1) word = std::to_string(field.first());
    if (field.is() == interval && field.ends().low == field.ends().high) word = text_of(field.ends().low);
  }
  return examples::joined(said);
}

// The same of a call of the model under its canonical readings.
template <class Call>
std::string canonical_answer(reading_table const& table, field_names const& names, Call const& call) {
  return only_answer(under(table, table.admitting(standing::canonical), call).answer, names);
}

}  // namespace backoff::spec
