#include "policies/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "histories/text_parts.hpp"

namespace backoff::policies {
namespace {

constexpr std::size_t length_max = 1'000;
constexpr unsigned depth_max = 40;
constexpr std::int32_t exponent_max = 80;  // of a number: to_rational is exact so far

struct function {
  std::string_view name;
  operation op;
  std::size_t least;  // arguments
  std::size_t most;
};
constexpr std::array functions{
    function{"min", operation::min, 2, 8},         function{"max", operation::max, 2, 8},
    function{"clamp", operation::clamp, 3, 3},     function{"floor", operation::floor, 1, 2},
    function{"ceil", operation::ceil, 1, 2},       function{"round", operation::round, 1, 2},
    function{"trunc", operation::trunc, 1, 2},     function{"if", operation::choose, 3, 3},
    function{"exp", operation::exp, 1, 1},         function{"log", operation::log, 1, 1},
    function{"sqrt", operation::sqrt, 1, 1},       function{"tanh", operation::tanh, 1, 1},
    function{"uniform", operation::uniform, 2, 2}, function{"integer", operation::integer, 2, 2},
};

struct symbol {
  std::string_view text;
  operation op;
};
constexpr std::array comparisons{symbol{"<=", operation::at_most}, symbol{">=", operation::at_least},
                                 symbol{"==", operation::equal},   symbol{"!=", operation::unequal},
                                 symbol{"<", operation::less},     symbol{">", operation::greater}};
constexpr std::array sums{symbol{"+", operation::add}, symbol{"-", operation::subtract}};
constexpr std::array products{symbol{"*", operation::multiply}, symbol{"×", operation::multiply},
                              symbol{"·", operation::multiply}, symbol{"/", operation::divide},
                              symbol{"÷", operation::divide}};

// What people write, and what a formula has for it.
struct synonym {
  std::string_view written;
  std::string_view meant;
};
constexpr std::string_view a_draw = "uniform(low, high) for a real draw, integer(low, high) for a whole one";
constexpr std::string_view a_count = "n, the retries granted before, or attempt, which is n + 1";
constexpr std::string_view the_one_before = "prev, the delay before";
constexpr std::string_view a_power = "^ for a power, such as 2^n";
constexpr std::array functions_for{synonym{"random", a_draw},      synonym{"rand", a_draw},
                                   synonym{"randint", a_draw},     synonym{"randrange", a_draw},
                                   synonym{"randbetween", a_draw}, synonym{"random_between", a_draw},
                                   synonym{"pow", a_power}};
constexpr std::array names_for{synonym{"i", a_count},
                               synonym{"k", a_count},
                               synonym{"count", a_count},
                               synonym{"retry", a_count},
                               synonym{"retries", a_count},
                               synonym{"attempts", a_count},
                               synonym{"previous", the_one_before},
                               synonym{"last", the_one_before},
                               synonym{"last_delay", the_one_before},
                               synonym{"sleep", the_one_before},
                               synonym{"random", a_draw},
                               synonym{"rand", a_draw}};
constexpr std::array signs_for{synonym{"**", a_power},
                               synonym{"<<", a_power},
                               synonym{"%", "a fraction, such as 0.2 for 20 %"},
                               synonym{"±", "uniform(0.8 * x, 1.2 * x) for x ± 20 %"},
                               synonym{"==", "if(condition, then, else) around a comparison"},
                               synonym{"=", "== for a comparison"},
                               synonym{"?", "if(condition, then, else) for a choice"},
                               synonym{"&&", "and"},
                               synonym{"||", "or"},
                               synonym{"!", "not"},
                               synonym{".", "a digit before the point, such as 0.5"}};
constexpr std::array<std::string_view, 10> units_of_time{"ns",      "us", "ms",  "s",       "sec",
                                                         "seconds", "m",  "min", "minutes", "h"};

bool is_real_function(operation op) noexcept { return op >= operation::exp && op <= operation::tanh; }
bool is_condition(expression const& e) noexcept { return e.op >= operation::less; }
bool is_equality(operation op) noexcept { return op == operation::equal || op == operation::unequal; }
bool is_unset(expression const& e) { return e.op == operation::number && e.number == unset(); }
bool is_word(expression const& e) { return e.op == operation::number && e.number <= unset(); }
// Whether these parts are a name, or that one, and what `is` holds for.
bool compares(operation op, std::span<expression const> parts, bool (*is)(expression const&),
              std::optional<unsigned> name = {}) {
  auto const is_it = [&](expression const& part) {
    return part.op == operation::name && (!name || part.name == *name);
  };
  return is_equality(op) && std::ranges::any_of(parts, is) && std::ranges::any_of(parts, is_it);
}
bool begins_name(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// Why no draw can be followed through the operation; empty where it can.
std::string_view tangle_of(operation op, std::vector<expression> const& of) {
  auto const drawing = std::ranges::count(of, true, &expression::draws);
  if (drawing == 0 || draws_itself(op)) return {};
  bool const compares = op >= operation::less || (op == operation::choose && of[0].draws);
  if (compares) return "a comparison of a draw: expected a value that is known before the draw";
  if (drawing > 1 && op != operation::choose) return "two draws in one formula: expected one at most";
  bool const has_bounds = op == operation::clamp || op == operation::floor || op == operation::ceil ||
                          op == operation::round || op == operation::trunc;
  bool const is_undrawable = (op == operation::divide && of[1].draws) || op == operation::power ||
                             is_real_function(op) || (has_bounds && !of[0].draws);
  if (is_undrawable || (has_bounds && drawing > 1))
    return "a draw as a divisor, a power, a bound or a unit, or in exp, log, sqrt or tanh: expected it elsewhere";
  return {};
}

// A vector in braces would copy them, and so a long sum as often as it has parts.
template <std::size_t N>
std::vector<expression> parts_of(std::array<expression, N> parts) {
  return {std::move_iterator(parts.begin()), std::move_iterator(parts.end())};
}

class parser {
 public:
  parser(std::string_view text, vocabulary const& of, bool may_draw)
      : text_(text), names_(of.names), words_(of.words), may_draw_(may_draw) {}

  expression whole() {
    if (text_.size() > length_max)
      throw expression_error(
          "a formula of " + std::to_string(text_.size()) + " bytes: expected at most " + std::to_string(length_max), 0);
    auto e = number(alternatives());
    demand_end();
    if (e.draws && !may_draw_) throw expression_error("a draw: expected a formula without uniform or integer", 0);
    return e;
  }

  expression whole_condition() {
    auto e = condition(alternatives());
    demand_end();
    return e;
  }

 private:
  void demand_end() {
    bool const is_list = at_ < text_.size() && text_[at_] == ',';
    if (is_list) fail("expected one formula; delays one after the other are a list, such as delays: [250, 500]");
    if (at_ < text_.size()) fail("expected an operator or the end of the formula");
  }

  [[noreturn]] void fail(std::string const& expected) {
    auto const found = here();
    auto const* const meant = std::ranges::find_if(signs_for, [&](synonym const& s) { return is_here(s.written); });
    std::string instead = meant == signs_for.end() ? expected : "expected " + std::string(meant->meant);
    bool const is_unit =
        at_ < text_.size() && behind_a_number() &&
        std::ranges::any_of(units_of_time, [&](std::string_view unit) { return found == quoted(unit); });
    if (is_unit) instead = "expected a number without a unit: all are in the unit of the policy";
    throw expression_error("found " + found + ": " + instead, at_);
  }

  [[nodiscard]] bool is_here(std::string_view symbol) const { return text_.substr(at_).starts_with(symbol); }

  [[nodiscard]] bool behind_a_number() const {
    auto const last = text_.substr(0, at_).find_last_not_of(' ');
    return last != std::string_view::npos && is_digit(text_[last]);
  }

  // What stands at this place, for an error.
  std::string here() {
    blanks();
    if (at_ == text_.size()) return "the end";
    std::size_t end = at_ + 1;
    auto const part_of_word = [&](char c) { return begins_name(c) || is_digit(c); };
    while (end < text_.size() && part_of_word(text_[at_]) && part_of_word(text_[end])) ++end;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0U) == 0x80U) ++end;  // one character
    return quoted(text_.substr(at_, end - at_));
  }

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  bool accept(std::string_view symbol) {
    blanks();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }

  bool accept_here(char c) {  // without blanks before it
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool accept_word(std::string_view word) {
    blanks();
    auto const rest = text_.substr(at_);
    if (!rest.starts_with(word)) return false;
    if (rest.size() > word.size() && (begins_name(rest[word.size()]) || is_digit(rest[word.size()]))) return false;
    at_ += word.size();
    return true;
  }

  void demand(std::string_view symbol, std::string const& why) {
    if (!accept(symbol)) fail("expected " + quoted(symbol) + why);
  }

  // Demands a number, or a condition.
  expression number(expression e) {
    if (is_condition(e)) throw expression_error("a comparison: expected a number here", e.column);
    if (is_unset(e)) throw expression_error("unset: expected it beside == or != only", e.column);
    demand_no_word(e);
    return e;
  }
  // The words that the name may be; none where it is a number.
  [[nodiscard]] std::span<std::string const> words_of(expression const& e) const {
    if (e.op != operation::name || e.name >= words_.size()) return {};
    return words_[e.name];
  }
  void demand_no_word(expression const& e) const {
    auto const words = words_of(e);
    if (words.empty()) return;
    throw expression_error(quoted(std::string_view(names_[e.name])) +
                               " is one of several words: expected a comparison, such as " + names_[e.name] +
                               " == " + words.front(),
                           e.column);
  }
  expression condition(expression e) {
    demand_no_word(e);
    if (!is_condition(e)) throw expression_error("a number: expected a comparison here, such as base < 3", e.column);
    return e;
  }

  expression make(operation op, std::size_t column, std::vector<expression> of) {
    if (draws_itself(op) && std::ranges::any_of(of, &expression::draws))
      throw expression_error("a draw inside a draw: expected one draw", column);
    if (auto const tangle = tangle_of(op, of); !tangle.empty())
      throw expression_error(std::string(tangle) + ", or a draw with a name: draws: {u: uniform(0, 1)}", column);
    auto e = expression_of(op, std::move(of));
    if (e.draws && mixes_draws(e))
      throw expression_error("uniform in one branch, integer in the other: expected the same in both", column);
    e.column = column;
    return e;
  }

  template <std::size_t N>
  std::optional<operation> accept_any(std::array<symbol, N> const& symbols) {
    for (auto const& s : symbols) {
      if (accept(s.text)) return s.op;
    }
    return std::nullopt;
  }

  expression alternatives() {
    if (++depth_ > depth_max) fail("nested too deeply: expected fewer parentheses");
    auto left = conjunction();
    for (auto at = at_; accept_word("or"); at = at_)
      left = make(operation::any, at, parts_of(std::array{condition(std::move(left)), condition(conjunction())}));
    --depth_;
    return left;
  }

  expression conjunction() {
    auto left = denial();
    for (auto at = at_; accept_word("and"); at = at_)
      left = make(operation::both, at, parts_of(std::array{condition(std::move(left)), condition(denial())}));
    return left;
  }

  expression denial() {
    blanks();
    auto const at = at_;
    if (!accept_word("not")) return comparison();
    if (++depth_ > depth_max) fail("nested too deeply: expected fewer operators in a row");
    auto e = make(operation::negation, at, parts_of(std::array{condition(denial())}));
    --depth_;
    return e;
  }

  expression comparison() {
    auto left = sum();
    blanks();
    auto const at = at_;
    if (is_here("<<")) fail("expected a comparison");
    auto const op = accept_any(comparisons);
    if (!op && is_here("=")) fail("expected a comparison");
    if (!op) return left;
    if (auto const words = words_of(left); !words.empty()) {
      if (!is_equality(*op)) demand_no_word(left);
      auto which = one_of(words, names_[left.name]);
      return make(*op, at, parts_of(std::array{std::move(left), std::move(which)}));
    }
    std::vector<expression> sides{std::move(left), sum()};
    if (!compares(*op, sides, is_unset)) {
      for (auto& side : sides) side = number(std::move(side));
    }
    return make(*op, at, std::move(sides));
  }

  expression one_of(std::span<std::string const> words, std::string const& name) {
    blanks();
    auto const at = at_;
    while (at_ < text_.size() && (begins_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
    auto const word = text_.substr(at, at_ - at);
    auto const found = std::ranges::find(words, word);
    if (found == words.end()) {
      at_ = at;
      throw expression_error("found " + here() + ": expected a word of '" + name + "', one of: " +
                                 histories::text_parts::comma_separated(words) + nearest_name(word, words),
                             at);
    }
    auto e = number_of(word_value(static_cast<std::size_t>(found - words.begin())));
    e.column = at;
    return e;
  }

  expression sum() {
    auto left = product();
    for (;;) {
      blanks();
      auto const at = at_;
      auto const op = accept_any(sums);
      if (!op) return left;
      left = make(*op, at, parts_of(std::array{number(std::move(left)), number(product())}));
    }
  }

  expression product() {
    auto left = sign();
    for (;;) {
      blanks();
      auto const at = at_;
      if (is_here("**")) fail("expected another operator");
      auto const op = accept_any(products);
      if (!op) return left;
      left = make(*op, at, parts_of(std::array{number(std::move(left)), number(sign())}));
    }
  }

  expression sign() {
    blanks();
    auto const at = at_;
    if (!accept("-")) return power();
    if (++depth_ > depth_max) fail("nested too deeply: expected fewer signs in a row");
    auto e = make(operation::negate, at, parts_of(std::array{number(sign())}));
    --depth_;
    return e;
  }

  expression power() {
    auto base = atom();
    blanks();
    auto const at = at_;
    if (!accept("^")) return base;
    return make(operation::power, at, parts_of(std::array{number(std::move(base)), number(sign())}));
  }

  expression atom() {
    blanks();
    auto const at = at_;
    if (accept("(")) {
      auto e = alternatives();
      demand(")", " for the '(' of column " + std::to_string(at + 1));
      return e;
    }
    if (at_ < text_.size() && is_digit(text_[at_])) return literal();
    if (at_ < text_.size() && begins_name(text_[at_])) return name_or_call();
    fail("expected a number, a name or '('");
  }

  // Of a number: e3, E+3 or e-3. Without a digit it is none.
  void scientific() {
    auto end = at_;
    auto const next_is = [&](std::string_view any) {
      return end < text_.size() && any.find(text_[end]) != std::string_view::npos;
    };
    if (!next_is("eE")) return;
    ++end;
    if (next_is("+-")) ++end;
    if (!next_is("0123456789")) return;
    at_ = end;
    digits();
  }

  void digits() {
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  }

  expression literal() {
    auto const at = at_;
    digits();
    if (accept_here('.')) digits();
    scientific();
    auto const text = text_.substr(at, at_ - at);
    auto const value = spec::parse_decimal(text);
    if (!value || value->inexact)
      throw expression_error("found " + quoted(text) + ": expected a number of at most 18 digits, such as 0.5 or 1e3",
                             at);
    if (value->exponent > exponent_max || value->exponent < -exponent_max)
      throw expression_error("found " + quoted(text) + ": expected a number from 1e-80 to 1e80", at);
    auto e = number_of(spec::to_rational(*value));
    e.column = at;
    return e;
  }

  expression name_or_call() {
    auto const at = at_;
    while (at_ < text_.size() && (begins_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
    auto const name = text_.substr(at, at_ - at);
    auto const* const known = std::ranges::find(functions, name, &function::name);
    blanks();
    bool const called = at_ < text_.size() && text_[at_] == '(';
    auto const found = std::ranges::find(names_, name);
    if (known != functions.end() && (called || found == names_.end())) {
      if (!called) fail("expected '(' after " + std::string(name));
      return call(*known, at);
    }
    if (!called && (name == "forever" || name == "unset")) {
      auto e = number_of(name == "unset" ? unset() : endless());
      e.column = at;
      return e;
    }
    if (found == names_.end() || called) unknown(name, at, called);
    auto e = named(static_cast<unsigned>(found - names_.begin()));
    e.column = at;
    return e;
  }

  [[noreturn]] void unknown(std::string_view name, std::size_t at, bool called) {
    std::vector<std::string> all;
    if (called) {
      for (auto const& f : functions) all.emplace_back(f.name);
    } else {
      all.assign(names_.begin(), names_.end());
    }
    auto const listed = histories::text_parts::comma_separated(all);
    std::span<synonym const> const synonyms =
        called ? std::span<synonym const>(functions_for) : std::span<synonym const>(names_for);
    auto const meant = std::ranges::find(synonyms, name, &synonym::written);
    bool const counts = std::ranges::find(names_, "n") != names_.end();  // else a formula of parameters alone
    auto const hint =
        counts && meant != synonyms.end() ? "; write " + std::string(meant->meant) : nearest_name(name, all);
    throw expression_error("unknown " + std::string(called ? "function " : "name ") + quoted(name) +
                               (listed.empty() ? ": expected a number" : ", expected one of: " + listed) + hint,
                           at);
  }

  expression call(function const& f, std::size_t at) {
    demand("(", "");
    std::vector<expression> of;
    do {
      auto argument = alternatives();
      bool const wants_condition = f.op == operation::choose && of.empty();
      if (wants_condition) {
        of.push_back(condition(std::move(argument)));
      } else {
        of.push_back(number(std::move(argument)));
      }
    } while (accept(","));
    demand(")", " or ',' in the arguments of " + std::string(f.name));
    if (of.size() < f.least || of.size() > f.most) {
      throw expression_error(
          std::string(f.name) + " of " + std::to_string(of.size()) + (of.size() == 1 ? " argument" : " arguments") +
              ": expected " +
              (f.least == f.most ? std::to_string(f.least) : std::to_string(f.least) + " to " + std::to_string(f.most)),
          at);
    }
    return make(f.op, at, std::move(of));
  }

  std::string_view text_;
  std::span<std::string const> names_;
  std::span<std::vector<std::string> const> words_;
  bool may_draw_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

// How many letters must be inserted, removed, replaced or swapped with the next to make one of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> next(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::move(row);
    row = std::move(next);
  }
  return row.back();
}

}  // namespace

spec::rational const& endless() {
  static spec::rational const n = spec::rational(1'000'000'000'000'000) * 1'000'000'000'000'000;
  return n;
}
spec::rational const& unset() {
  static spec::rational const n = -endless() * endless();
  return n;
}

spec::rational word_value(std::size_t which) { return unset() - 1 - which; }

bool asks_whether_set(expression const& e, std::optional<unsigned> parameter) noexcept {
  return compares(e.op, e.of, is_unset, parameter);
}

bool asks_for_a_word(expression const& e, std::optional<unsigned> parameter) noexcept {
  return compares(e.op, e.of, is_word, parameter);
}

bool draws_itself(operation op) noexcept { return op == operation::uniform || op == operation::integer; }

expression expression_of(operation op, std::vector<expression> parts) {
  expression e;
  e.op = op;
  e.has_power = op == operation::power || op == operation::exp;
  e.draws = draws_itself(op);
  e.draws_whole = op == operation::integer;
  for (auto const& part : parts) {
    e.names |= part.names;
    e.draws |= part.draws;
    e.draws_whole |= part.draws_whole;
    e.has_power |= part.has_power;
    e.is_tangled |= part.is_tangled;
  }
  e.is_tangled |= !tangle_of(op, parts).empty();
  e.of = std::move(parts);
  return e;
}

bool mixes_draws(expression const& e) noexcept {
  bool const both = e.op == operation::choose && e.of[1].draws && e.of[2].draws;
  return (both && e.of[1].draws_whole != e.of[2].draws_whole) || std::ranges::any_of(e.of, mixes_draws);
}

std::vector<unsigned> uses_of_draws(expression const& e) {
  if (draws_itself(e.op)) return {e.name};
  std::vector<unsigned> all;
  auto const add = [&](std::vector<unsigned> const& more) { all.insert(all.end(), more.begin(), more.end()); };
  if (e.op != operation::choose) {
    for (auto const& part : e.of) add(uses_of_draws(part));
    return all;
  }
  auto const asked = uses_of_draws(e.of[0]);
  auto const yes = uses_of_draws(e.of[1]);
  auto const no = uses_of_draws(e.of[2]);
  for (int i = 0; i < 2; ++i) add(asked);
  add(yes);
  for (auto const which : no) {
    if (std::ranges::count(all, which) < std::ranges::count(no, which)) all.push_back(which);
  }
  return all;
}

bool draws_several(expression const& e) {
  auto const uses = uses_of_draws(e);
  return std::ranges::any_of(uses, [&](unsigned which) { return which != uses.front(); });
}

expression number_of(spec::rational const& n) {
  expression e;
  e.number = n;
  return e;
}

expression named(unsigned which) {
  expression e;
  e.op = operation::name;
  e.name = which;
  e.names = 1U << which;
  return e;
}

expression rewritten(expression const& e, std::function<std::optional<expression>(expression const&)> const& by) {
  if (auto other = by(e)) return *std::move(other);
  if (e.of.empty()) return e;
  std::vector<expression> parts;
  parts.reserve(e.of.size());
  for (auto const& part : e.of) parts.push_back(rewritten(part, by));
  auto made = expression_of(e.op, std::move(parts));
  made.column = e.column;
  if (draws_itself(e.op)) made.name = e.name;
  return made;
}

std::size_t size_of(expression const& e) {
  std::size_t all = 1;
  for (auto const& part : e.of) all += size_of(part);
  return all;
}

std::size_t uses_of_name(expression const& e, unsigned name) {
  if (!e.uses(name)) return 0;
  if (e.op == operation::name) return 1;
  std::size_t all = 0;
  for (auto const& part : e.of) all += uses_of_name(part, name);
  return all;
}

expression at_column(expression e, std::size_t column) {
  e.column = column;
  for (auto& part : e.of) part = at_column(std::move(part), column);
  return e;
}

expression with(expression const& e, unsigned name, expression const& in_its_place) {
  return rewritten(e, [&](expression const& part) {
    bool const is_it = part.op == operation::name && part.name == name;
    return is_it ? std::optional(at_column(in_its_place, part.column)) : std::nullopt;
  });
}

void vocabulary::add(std::string name, std::vector<std::string> its_words) {
  names.push_back(std::move(name));
  words.resize(names.size() - 1);
  words.push_back(std::move(its_words));
}

vocabulary vocabulary::first(std::size_t count) const {
  vocabulary some;
  for (std::size_t i = 0; i < count; ++i) some.add(names[i], i < words.size() ? words[i] : std::vector<std::string>{});
  return some;
}

expression parse_expression(std::string_view text, vocabulary const& of, bool may_draw) {
  return parser(text, of, may_draw).whole();
}

expression parse_condition(std::string_view text, vocabulary const& of) {
  return parser(text, of, false).whole_condition();
}

std::string nearest_name(std::string_view written, std::span<std::string const> names) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(1, written.size() / 2) + 1;  // farther away than that is no slip
  for (std::string_view const name : names) {
    auto const d = distance(written.substr(0, 64), name);
    if (d >= least || d >= name.size()) continue;
    best = name;
    least = d;
  }
  return best.empty() ? "" : "; did you mean " + quoted(best) + "?";
}

}  // namespace backoff::policies
