// Formulas made from bytes by the grammar, and what must hold of each: machine words have the evaluator's answers, and
// its text is read as the same tree, with few parentheses and with many. RapidCheck makes the bytes in
// properties/policies/formulas_test.cpp, libFuzzer in fuzz/formulas_fuzzer.cpp. Few and low bytes make short formulas.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "histories/present.hpp"
#include "policies/evaluate.hpp"
#include "policies/expression.hpp"
#include "policies/quick.hpp"

namespace backoff::policies {

inline vocabulary const made_names{{"n", "base", "cap", "x", "style"}, {{}, {}, {}, {}, {"full", "none"}}};
inline constexpr unsigned made_x = 3;      // may be unset
inline constexpr unsigned made_style = 4;  // is a word

class formula_maker {
 public:
  explicit formula_maker(std::span<std::uint8_t const> bytes) : bytes_(bytes) {}

  // As a policy may have it for a delay, with a draw or without one.
  expression formula() {
    constexpr std::array draws{operation::number, operation::uniform, operation::integer};
    return value(4, draws[below(3)]);
  }
  expression condition() { return condition(3); }

  // What names are worth: in words and exactly.
  struct worth {
    scope exact;
    std::array<quick_number, 5> words{};
  };
  worth names() {
    worth w;
    for (unsigned name = 0; name < w.words.size(); ++name) {
      auto const n = name == made_style                ? number{word_value(below(2)), false}
                     : name == made_x && below(4) == 3 ? number{unset(), false}
                     : name == 0 ? number{spec::rational(below(below(8) == 7 ? 1'000 : 12)), false}
                                 : parameter();
      w.exact.set(name, n);
      w.words[name] = quick(n);
    }
    return w;
  }

  std::size_t below(std::size_t count) {
    std::size_t n = byte();
    if (count > 256) n = n << 8U | byte();
    return n % count;
  }

 private:
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    auto const b = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return b;
  }

  // As a parameter, or a delay before, may be worth.
  number parameter() {
    auto const kind = below(8);
    if (kind == 7) return {endless(), false};
    std::uint64_t digits = below(256);
    for (std::size_t more = kind < 4 ? 1 : kind; more > 0; --more) digits = digits << 8U | below(256);
    auto const n = static_cast<spec::integer>(digits % 1'000'000'000'000'000);
    auto const scale = static_cast<unsigned>(kind == 3 ? below(10) : 0);
    auto const in_words = quick_decimal(kind == 2 ? -n : n, scale);
    return {in_words.value(), in_words.rough};
  }

  expression leaf() {
    constexpr std::array<char const*, 18> numbers{
        "0",    "1",   "2",     "3",      "10",  "100",  "0.5",  "0.1",          "1.5",
        "1.15", "1.6", "86400", "1.0001", "1e9", "1e-9", "1e80", "999999999999", "999999999999999999"};
    auto const which = below(numbers.size() + made_x + 1);
    if (which < made_x + 1) return named(static_cast<unsigned>(which));
    return number_of(spec::to_rational(present(spec::parse_decimal(numbers[which - made_x - 1]))));
  }

  expression condition(unsigned depth) {
    auto const two = [&] { return std::vector{condition(depth - 1), condition(depth - 1)}; };
    auto const is_equal = [&] { return below(2) == 0 ? operation::equal : operation::unequal; };
    switch (below(depth == 0 ? 7 : 10)) {
      case 5:
        return expression_of(is_equal(), {named(made_x), number_of(unset())});
      case 6:
        return expression_of(is_equal(), {named(made_style), number_of(word_value(below(2)))});
      case 7:
        return expression_of(operation::both, two());
      case 8:
        return expression_of(operation::any, two());
      case 9:
        return expression_of(operation::negation, {condition(depth - 1)});
      default: {
        constexpr std::array signs{operation::less,     operation::at_most, operation::greater,
                                   operation::at_least, operation::equal,   operation::unequal};
        auto const sign = signs[below(signs.size())];
        auto left = value(depth, operation::number);
        return expression_of(sign, {std::move(left), value(depth, operation::number)});
      }
    }
  }

  // draw: the one that it has; number: none.
  expression value(unsigned depth, operation draw) {
    bool const draws = draw != operation::number;
    if (!draws && (depth == 0 || below(4) == 0)) return leaf();
    auto const fixed = [&] { return value(depth == 0 ? 0 : depth - 1, operation::number); };
    if (draws && (depth == 0 || below(3) == 0)) {
      auto low = fixed();
      return expression_of(draw, {std::move(low), expression_of(operation::add, {fixed(), number_of(100)})});
    }
    auto const part = [&](bool with_draw) { return value(depth - 1, with_draw ? draw : operation::number); };
    auto const of = [&](operation op, std::size_t parts) {
      auto const drawing = below(parts);  // one part has the draw
      std::vector<expression> all;
      all.reserve(parts);
      for (std::size_t i = 0; i < parts; ++i) all.push_back(part(i == drawing));
      return expression_of(op, std::move(all));
    };
    switch (below(draws ? 8 : 15)) {
      case 0:
        return of(operation::add, 2);
      case 1:
        return of(operation::subtract, 2);
      case 2:
        return of(operation::multiply, 2);
      case 3:
        return of(operation::min, 2 + below(3));
      case 4:
        return of(operation::max, 2 + below(3));
      case 5: {
        auto asked = condition(depth - 1);
        auto yes = part(true);
        return expression_of(operation::choose, {std::move(asked), std::move(yes), part(true)});
      }
      case 6:
        return expression_of(operation::negate, {part(true)});
      case 7: {
        auto n = part(true);
        return expression_of(operation::divide, {std::move(n), fixed()});
      }
      case 8:
      case 9: {
        auto base = leaf();
        return expression_of(operation::power, {std::move(base), below(3) == 0 ? fixed() : leaf()});
      }
      case 10:
        return of(operation::clamp, 3);
      case 11: {
        constexpr std::array functions{operation::exp, operation::log, operation::sqrt, operation::tanh};
        return expression_of(functions[below(functions.size())], {fixed()});
      }
      default: {
        constexpr std::array roundings{operation::floor, operation::ceil, operation::round, operation::trunc};
        return of(roundings[below(roundings.size())], 1 + below(2));
      }
    }
  }

  std::span<std::uint8_t const> bytes_;
};

// The text of a formula that was made so. lavish: with parentheses and blanks wherever there may be some.
inline std::string text_of(expression const& e, bool lavish, unsigned least_binding = 0) {
  struct form {
    unsigned binds;  // as the rules of the grammar do: `or` 0, atoms 8
    unsigned left, right;
    char const* sign;
  };
  auto const form_of = [&]() -> form {
    switch (e.op) {
      case operation::any:
        return {0, 0, 1, " or "};
      case operation::both:
        return {1, 1, 2, " and "};
      case operation::negation:
        return {2, 0, 2, "not "};
      case operation::less:
        return {3, 4, 4, "<"};
      case operation::at_most:
        return {3, 4, 4, "<="};
      case operation::greater:
        return {3, 4, 4, ">"};
      case operation::at_least:
        return {3, 4, 4, ">="};
      case operation::equal:
        return {3, 4, 4, "=="};
      case operation::unequal:
        return {3, 4, 4, "!="};
      case operation::add:
        return {4, 4, 5, "+"};
      case operation::subtract:
        return {4, 4, 5, "-"};
      case operation::multiply:
        return {5, 5, 6, "*"};
      case operation::divide:
        return {5, 5, 6, "/"};
      case operation::negate:
        return {6, 0, 6, "-"};
      case operation::power:
        return {7, 8, 6, "^"};
      case operation::min:
        return {8, 0, 0, "min"};
      case operation::max:
        return {8, 0, 0, "max"};
      case operation::clamp:
        return {8, 0, 0, "clamp"};
      case operation::floor:
        return {8, 0, 0, "floor"};
      case operation::ceil:
        return {8, 0, 0, "ceil"};
      case operation::round:
        return {8, 0, 0, "round"};
      case operation::trunc:
        return {8, 0, 0, "trunc"};
      case operation::exp:
        return {8, 0, 0, "exp"};
      case operation::log:
        return {8, 0, 0, "log"};
      case operation::sqrt:
        return {8, 0, 0, "sqrt"};
      case operation::tanh:
        return {8, 0, 0, "tanh"};
      case operation::choose:
        return {8, 0, 0, "if"};
      case operation::uniform:
        return {8, 0, 0, "uniform"};
      case operation::integer:
        return {8, 0, 0, "integer"};
      default:
        return {8, 0, 0, ""};
    }
  };
  auto const f = form_of();
  // A word is one only right behind its sign, and its name only right before it: without parentheses.
  auto const is_word = [](expression const& part) {
    bool const is_value = part.op == operation::number && part.number <= unset();
    return is_value || (part.op == operation::name && part.name == made_style);
  };
  std::string text;
  std::string const blank = lavish ? "  " : "";
  if (e.op == operation::name) {
    text = made_names.names[e.name];
  } else if (e.op == operation::number) {
    text = e.number == unset()         ? "unset"
           : e.number == word_value(0) ? "full"
           : e.number == word_value(1) ? "none"
           : e.number.is_whole()       ? numerator(e.number).str()
                                       : "";
    auto scaled = e.number;
    int exponent = 0;
    for (; !scaled.is_whole(); --exponent) scaled *= 10;
    for (; scaled != 0 && scaled > 1'000 && (scaled / 10).is_whole(); ++exponent) scaled /= 10;
    if (e.number > unset()) text = numerator(scaled).str() + (exponent == 0 ? "" : "e" + std::to_string(exponent));
  } else if (f.binds == 8) {
    text = std::string(f.sign) + blank + "(";
    for (auto const& part : e.of) text += (&part == e.of.data() ? "" : ",") + blank + text_of(part, lavish);
    text += blank + ")";
  } else if (e.of.size() == 1) {
    text = f.sign + blank + text_of(e.of[0], lavish, f.right);
  } else {
    text = text_of(e.of[0], lavish, f.left) + blank + f.sign + blank + text_of(e.of[1], lavish, f.right);
  }
  bool const is_enclosed = f.binds < least_binding || (lavish && !is_word(e));
  return is_enclosed ? "(" + blank + text + ")" + blank : text;
}

inline bool is_same(expression const& a, expression const& b) {
  bool const is_alike = a.op == b.op && a.number == b.number && a.name == b.name && a.of.size() == b.of.size() &&
                        a.names == b.names && a.draws == b.draws && a.draws_whole == b.draws_whole &&
                        a.is_tangled == b.is_tangled && a.has_power == b.has_power;
  for (std::size_t i = 0; is_alike && i < a.of.size(); ++i) {
    if (!is_same(a.of[i], b.of[i])) return false;
  }
  return is_alike;
}

// Each returns what is wrong; nothing: all is as it must be.

// Both texts are read as the formula; with one letter of them changed, as another, or not, with a place in the text.
inline std::string wrong_in_texts(std::span<std::uint8_t const> bytes) {
  formula_maker make(bytes);
  auto const e = make.formula();
  for (bool const lavish : {false, true}) {
    auto text = text_of(e, lavish);
    if (text.size() > 1'000) continue;  // longer than a formula may be
    try {
      if (!is_same(parse_expression(text, made_names, true), e)) return "read as another formula: " + text;
    } catch (expression_error const& error) {
      if (std::string(error.what()).starts_with("nested too deeply")) continue;
      return text + ": " + error.what();
    }
    text[make.below(text.size())] = "0n(),+*^<u .=\xc3"[make.below(14)];
    try {
      static_cast<void>(parse_expression(text, made_names, true));
    } catch (expression_error const& error) {
      if (error.column > text.size()) return "a place behind the end of " + text + ": " + error.what();
    }
  }
  return {};
}

inline bool is_as_exact(drawn const& exact, quick_draw const& found) {
  using kind = quick_draw::kind;
  if (exact.is_random() != (found.is != kind::none) || exact.lowest() != found.low.value() || exact.is_cut())
    return false;
  if (found.is != kind::whole) return exact.highest() == found.high.value();
  return exact.count() == found.count && exact.highest() == found.low.value() + (found.count - 1);
}

struct answers_in_words {
  std::string wrong;
  unsigned given = 0;
};
// Where words have an answer, it is the evaluator's, whichever way that leans.
inline answers_in_words asked_in_words(std::span<std::uint8_t const> bytes) {
  formula_maker make(bytes);
  auto const e = make.formula();
  auto const asked = make.condition();
  quick_formula const quickly(e);
  quick_formula const asked_quickly(asked);
  answers_in_words result;
  for (int k = 0; k < 2; ++k) {
    auto const names = make.names();
    bool const exclusive = make.below(2) == 1;
    quick_draw found{};
    bool const has_draw = quickly.draw(names.words.data(), exclusive, found);
    quick_number number{};
    bool const has_value = !e.draws && quickly.value(names.words.data(), number);
    auto const holds = asked_quickly.holds(names.words.data());
    result.given += has_draw ? 1 : 0;
    auto const wrong = [&](std::string const& what, expression const& of) {
      result.wrong = what + ": " + text_of(of, false) + " at";
      for (auto const& n : names.exact.exact) result.wrong += " " + n.value.str();
    };
    for (int const lean : {-1, 1}) {
      evaluator v(names.exact, lean, exclusive);
      if (has_draw) {
        auto const exact = v.draw(e);
        bool const is_so =
            !v.found() && is_as_exact(exact, found) && (e.draws || exact.fixed().rough == found.low.rough);
        if (!is_so) wrong("another delay", e);
      }
      if (has_value) {
        evaluator again(names.exact, lean);
        auto const exact = again.value(e).value;
        bool const is_exact = number.is == quick_number::kind::exact;
        bool const is_near = again.found() || std::isinf(number.roughly) || is_exact ||
                             std::abs(static_cast<double>(exact) / number.roughly - 1) < surely - 1;
        if (is_exact ? again.found() || exact != number.value() : !is_near) wrong("another value", e);
      }
      evaluator last(names.exact, lean);
      if (holds && (last.holds(asked) != *holds || last.found())) wrong("another truth", asked);
    }
  }
  return result;
}

}  // namespace backoff::policies
