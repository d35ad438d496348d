// A formula of a policy as a tree: numbers, names, operations and draws. Parsed from text, with the column of every
// part, so that an error can point at it. What it is worth: policies/evaluate.hpp. Checked by:
// properties/policies/evaluate_test.cpp, properties/policies/program_test.py.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "relation/rational.hpp"

namespace backoff::policies {

enum class operation : std::uint8_t {
  number,
  name,
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,
  min,
  max,
  clamp,  // (x, low, high)
  floor,  // (x) or (x, unit), as ceil, round and trunc
  ceil,
  round,  // halves upwards
  trunc,  // towards 0
  exp,    // of one number, as are the next three: to 50 digits
  log,
  sqrt,
  tanh,
  choose,   // if(condition, then, else)
  uniform,  // (low, high): a real draw
  integer,  // (low, high): a whole draw
  less,
  at_most,
  greater,
  at_least,
  equal,
  unequal,
  both,
  any,
  negation,
};

struct expression {
  operation op = operation::number;
  std::size_t column = 0;  // of its text, from 0
  spec::rational number = 0;
  unsigned name = 0;  // which of the names that the formula may use; of a draw, which of the draws with a name
  std::vector<expression> of{};
  // Of the whole tree under it.
  std::uint32_t names = 0;  // used, a bit each
  bool draws = false;
  bool draws_whole = false;  // by `integer`
  bool is_tangled = false;   // a draw is used twice, compared or an exponent, or there are several
  bool has_power = false;

  [[nodiscard]] bool uses(unsigned which) const noexcept { return ((names >> which) & 1U) != 0; }
};

// Of these parts, with what follows from them.
[[nodiscard]] expression expression_of(operation op, std::vector<expression> parts);
[[nodiscard]] expression number_of(spec::rational const& n);
[[nodiscard]] expression named(unsigned which);
[[nodiscard]] bool draws_itself(operation op) noexcept;
// Whether a real draw is in one branch of an `if` and a whole one in the other.
[[nodiscard]] bool mixes_draws(expression const& e) noexcept;
// The draws that one evaluation of it uses, each as often as it does; those in conditions count twice.
[[nodiscard]] std::vector<unsigned> uses_of_draws(expression const& e);
[[nodiscard]] bool draws_several(expression const& e);
// The expression, with what `by` puts in place of some of its parts.
[[nodiscard]] expression rewritten(expression const& e,
                                   std::function<std::optional<expression>(expression const&)> const& by);
// How many numbers, names and operations it has.
[[nodiscard]] std::size_t size_of(expression const& e);
[[nodiscard]] std::size_t uses_of_name(expression const& e, unsigned name);
// The expression, as if all of it stood at that column.
[[nodiscard]] expression at_column(expression e, std::size_t column);
// The expression, with another in place of the name: an error in that one has the column of the name.
[[nodiscard]] expression with(expression const& e, unsigned name, expression const& in_its_place);

// `forever`, a number larger than any that is judged; `unset`, the value of a parameter that is left out; the words of
// a parameter that is one of several words. These and `unset` are never a number.
[[nodiscard]] spec::rational const& endless();
[[nodiscard]] spec::rational const& unset();
[[nodiscard]] spec::rational word_value(std::size_t which);
// Whether it compares the parameter, or any, with `unset`.
[[nodiscard]] bool asks_whether_set(expression const& e, std::optional<unsigned> parameter = {}) noexcept;
// Whether it compares the parameter, or any, with `unset` or another word.
[[nodiscard]] bool asks_for_a_word(expression const& e, std::optional<unsigned> parameter = {}) noexcept;

// Text that is no formula; what() says what was found and what was expected there.
struct expression_error : std::runtime_error {
  expression_error(std::string const& what, std::size_t at) : runtime_error(what), column(at) {}
  std::size_t column;
};

// What a formula may use: its names, and the words of each; a name without words is a number.
struct vocabulary {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> words{};  // by name; those behind the end have none

  void add(std::string name, std::vector<std::string> its_words = {});
  // The first so many names, and what belongs to them.
  [[nodiscard]] vocabulary first(std::size_t count) const;
};

// may_draw: whether it may be random. Throws expression_error.
[[nodiscard]] expression parse_expression(std::string_view text, vocabulary const& of, bool may_draw);
// The same of a condition, such as base <= cap.
[[nodiscard]] expression parse_condition(std::string_view text, vocabulary const& of);

// "; did you mean 'base'?" where one of the names is near to what was written; otherwise nothing.
[[nodiscard]] std::string nearest_name(std::string_view written, std::span<std::string const> names);

}  // namespace backoff::policies
