// What a model admits, and numbers of the library, as the answers of examples.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "histories/present.hpp"
#include "relation/full_jitter.hpp"
#include "relation/rational.hpp"
#include "relation/relation.hpp"
#include "tests/examples.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec {

inline rational number_of(std::string_view text) { return to_rational(histories::present(parse_decimal(text))); }

// A decimal parameter in parts, of which one has so many.
template <class W>
W in_parts(examples::parameters const& p, std::string const& name, integer per) {
  return static_cast<W>(number_of(p.at(name)) * per);
}

// The number as a decimal; cut where it has none.
inline std::string text_of(rational x) {
  std::string text = x < 0 ? "-" : "";
  if (x < 0) x = -x;
  text += floored(x).str();
  for (char const* point = "."; (x -= floored(x)) != 0 && text.size() < 100; point = "")
    text += point + floored(x *= 10).str();
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

// The names of the words of each field, in the order of the model. A name in brackets is written only where the field
// admits other words too.
using field_names = std::vector<std::vector<std::string>>;

// 5 or 4.5: that number. 0..9: whole numbers, 0..9:3 every third of them, and |20 one more. 0~9: any number between.
// 4|5: either. infinite: no number at all. ?: anything.
inline std::string text_of(admissible const& field, std::vector<std::string> const& words) {
  using enum admissible_kind;
  auto const number = [](integer n) { return std::to_string(n); };
  switch (field.kind()) {
    case absent:
      return "";
    case unjudged:
      return "?";
    case not_finite:
      return "infinite";
    case not_zero:
      return "not_zero";
    case keyword: {
      std::vector<std::string> any;
      for (unsigned i = 0; i < 32; ++i)
        if ((field.words() >> i & 1U) != 0) any.push_back(i < words.size() ? words[i] : "word " + std::to_string(i));
      if (any.size() == 1 && any[0].starts_with('(')) return "";
      std::string text;
      for (auto const& word : any)
        text += (text.empty() ? "" : "|") + (word.starts_with('(') ? word.substr(1, word.size() - 2) : word);
      return text;
    }
    case lattice: {
      auto text = number(field.first());
      if (field.count() > 1) text += ".." + number(field.last());
      if (field.count() > 1 && field.step() > 1) text += ":" + number(field.step());
      return text + (field.has_ends() ? "|" + text_of(field.ends().low) : "");
    }
    case interval:
    case either:
      break;
  }
  auto const& [low, high] = field.ends();
  return text_of(low) + (low == high ? "" : (field.kind() == interval ? "~" : "|") + text_of(high));
}

// What is admitted, its fields joined by /; undefined where none of those that have names is judged.
inline std::string text_of(expectation const& admitted, field_names const& names) {
  std::size_t unjudged = 0;
  for (std::size_t i = 0; i < admitted.size(); ++i) unjudged += admitted[i].kind() == admissible_kind::unjudged ? 1 : 0;
  if (unjudged >= names.size()) return "undefined";
  examples::words said{admitted[0].kind() == admissible_kind::absent ? "nothing" : ""};
  for (std::size_t i = 0; i < admitted.size(); ++i)
    said.push_back(text_of(admitted[i], i < names.size() ? names[i] : std::vector<std::string>()));
  return examples::joined(said);
}

// hidden, a number of 32 bits, 6of8: one of so many numbers, or 3/8: a real number.
inline draw draw_of(std::string const& word) {
  auto const of = [&](draw_kind kind, std::size_t end, std::size_t from) {
    return draw{kind, examples::as<std::uint64_t>(examples::demanded_number(word.substr(0, end))),
                examples::as<std::uint64_t>(examples::demanded_number(word.substr(from)))};
  };
  if (word == "hidden") return {};
  if (auto const end = word.find("of"); end != word.npos) return of(draw_kind::rand, end, end + 2);
  if (auto const end = word.find('/'); end != word.npos) return of(draw_kind::unit, end, end + 1);
  return {draw_kind::u32, examples::as<std::uint32_t>(examples::demanded_number(word)), std::uint64_t{1} << 32};
}

// What a port answered; absent where it is empty.
inline observed observed_of(std::string const& number) {
  return number.empty() ? observed{} : observed::of(histories::present(parse_decimal(number)));
}

// A model whose instances answer as `of` does, asked with parameters and a joint assignment: canonical, but for `usual`
// and what a row says.
using model_instances = std::function<examples::instance(examples::parameters const&, cube)>;
inline examples::subject model_of(reading_table const& table, model_instances const& of,
                                  std::vector<pin> const& usual = {}) {
  return {"model", {}, {}, [=, &table](examples::parameters const& with, examples::parameters const& under) {
            auto pins = usual;
            for (auto const& [reading, alternative] : under) pins.push_back({reading, alternative});
            return of(with, pinned(table, pins));
          }};
}

}  // namespace backoff::spec
