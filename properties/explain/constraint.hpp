// A constraint: one comparison that a history satisfies or not. People write it in a list of known failures; a verdict
// says with it where a claim breaks:
//
//   base_ms>max_ms   calls>1024   max_ms%2=1   base_ms*2^(attempts-1)>max_ms   http_status=429   max_attempts=forever
//
// QUANTITY OP VALUE, or QUANTITY OP PARAMETER; OP is one of = != < <= > >=. A quantity is
//
//   a parameter      its value; its default where it is left out
//   NAME%2           0 where the parameter is even, 1 where it is odd
//   NAME*OTHER       the product of two whole parameters
//   NAME*2^(N-1)     the window that doubling leads to; N is `attempts`, or `retry_count` where each call says its own
//   calls            how many calls the history has
//   calls.NAME       how many of them are of that operation
//   attempts         the most calls of the first operation on one instance since it was made or reset
//   instances        how many instances are called
//   an argument      its value in a call: the constraint holds if it holds in some call
//
// Checked by: properties/explain/constraint_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "histories/text.hpp"

namespace backoff::explain {

enum class quantity_kind : std::uint8_t {
  param,
  parity,
  product,
  growth,
  calls,
  calls_of,
  attempts,
  instances,
  argument
};
struct quantity {
  quantity_kind kind = quantity_kind::calls;
  std::uint8_t one = 0;    // a parameter; of calls_of and argument, an operation
  std::uint8_t other = 0;  // of a product, the other parameter; of an argument, its index among the operation's
  friend bool operator==(quantity const&, quantity const&) noexcept = default;

  // Whether further calls never make the quantity smaller.
  [[nodiscard]] bool only_grows() const noexcept {
    return kind >= quantity_kind::growth && kind < quantity_kind::argument;
  }
};

struct constraint {
  enum class relation : std::uint8_t { equal, unequal, below, at_most, above, at_least };
  quantity left;
  relation op = relation::equal;
  value with{};
  std::optional<std::uint8_t> param{};  // compared with this parameter instead
  friend bool operator==(constraint const&, constraint const&) noexcept = default;
};

// Every quantity of a system's histories, the easiest to understand first, without those of fields that the port does
// not take.
[[nodiscard]] std::vector<quantity> quantities_of(shape const& s, domain const& takes);

// The argument of the first operation that counts the attempts, in a system where no call depends on earlier calls.
[[nodiscard]] std::optional<std::size_t> own_count(shape const& s) noexcept;
// The parameter, or its default where it is left out.
[[nodiscard]] value value_of(shape const& s, history const& h, std::size_t param) noexcept;
// The values of a quantity in a history: of an argument, one for each call that has it; of any other quantity, one. A
// product or a growth beyond 2^62 counts as 2^62.
[[nodiscard]] std::vector<value> values_of(shape const& s, history const& h, quantity q);
[[nodiscard]] bool is_number(value const& v) noexcept;

// The field that says how values of the quantity are written; never null.
[[nodiscard]] field const* field_of(shape const& s, quantity q) noexcept;

[[nodiscard]] bool matches(shape const& s, constraint const& c, history const& h);
[[nodiscard]] bool matches(shape const& s, std::vector<constraint> const& all, history const& h);

// As in a list of known failures: "base_ms>max_ms".
[[nodiscard]] std::string to_text(shape const& s, constraint const& c);
// As in a verdict: "base_ms > max_ms", "max_ms odd", "draw = largest".
[[nodiscard]] std::string to_words(shape const& s, domain const& takes, constraint const& c);
// That no call satisfies the constraint on its argument.
[[nodiscard]] std::string to_words_of_none(shape const& s, domain const& takes, constraint const& c);
// All of them: "A and B"; "everywhere" where there is none.
[[nodiscard]] std::string to_words(shape const& s, domain const& takes, std::vector<constraint> const& all);

// Throws text_error, naming the text and what was expected.
[[nodiscard]] constraint parse_constraint(shape const& s, std::string_view text);

}  // namespace backoff::explain
