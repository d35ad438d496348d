// A policy: what the author of a port wrote down about its waits, read from a file and checked.
// Checked by: properties/policies/program_test.py.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "policies/expression.hpp"
#include "relation/readings.hpp"

namespace backoff::policies {

// A place of the file, from 1; 0: none.
struct place {
  std::size_t line = 0;
  std::size_t column = 0;
};

// A parameter of a history, or an argument of each call.
struct parameter {
  std::string name;
  std::vector<std::string> choices;  // it is one of these words, by default the first; empty: it is a number
  std::uint8_t scale = 0;            // it counts units of 10^-scale, as do its ends and its default
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::optional<std::int64_t> by_default;  // nothing: the first of its words
  bool may_be_forever = false;
  bool may_be_unset = false;
  bool is_unset_by_default = false;

  // 10^scale
  [[nodiscard]] spec::rational units() const;
  // The words that may be its value, the default first.
  [[nodiscard]] std::vector<std::string_view> words() const;
};

// One way of stating a part of the policy.
struct formula {
  std::string name;  // where there are several
  spec::standing standing = spec::standing::canonical;
  std::string text;
  expression tree;
  place at;
};

struct policy {
  std::string file;
  std::string name;
  std::string unit;      // ns, us, ms or s
  std::string document;  // where the author states it; may be empty
  bool is_of_the_shelf = false;
  std::vector<parameter> parameters;
  std::vector<parameter> arguments;  // of each call; one that may be unset is then left out
  std::vector<formula> where;  // conditions on parameters, which hold in every history; the name tells what is expected
  std::vector<formula> draws_by_name;  // what the formulas of delays have in place of these names
  std::vector<formula> window;         // may be empty
  std::vector<formula> delay;          // one at least
  std::vector<formula> first;          // the first delay, where it has a formula of its own
  std::vector<formula> attempts;       // empty: no limit
  std::vector<formula> going_on;       // `while`: a condition under which a retry is granted; empty: always
  std::optional<formula> counts;       // a condition under which a granted retry counts; nothing: always
  std::optional<formula> renews;       // `reset`: a condition under which a call begins a fresh cycle
  std::optional<formula> prev;         // what the delay before the first one counts as
  std::optional<formula> prev2;        // what the one before that counts as
  std::vector<bool> exclusive;         // whether the upper end of a whole draw is left out, the canonical reading first
  place exclusive_at;
  bool demands_seeds = false;         // two processes must not draw alike; else it is advice
  std::vector<std::string> warnings;  // what is odd about the file, though it can be judged: each a line with its place

  // Which names of a formula these are; parameters have their index, and arguments come after them.
  [[nodiscard]] unsigned argument(std::size_t i) const noexcept { return static_cast<unsigned>(parameters.size() + i); }
  [[nodiscard]] unsigned n() const noexcept { return argument(arguments.size()); }
  [[nodiscard]] unsigned attempt() const { return n() + 1; }
  [[nodiscard]] unsigned previous() const noexcept { return n() + 2; }
  [[nodiscard]] unsigned before_previous() const noexcept { return n() + 3; }
  [[nodiscard]] unsigned elapsed() const { return n() + 4; }
  [[nodiscard]] unsigned window_name() const noexcept { return n() + 5; }
  [[nodiscard]] unsigned delay_name() const noexcept { return n() + 6; }  // in `while` only

  // Where a call has its draw: behind its arguments.
  [[nodiscard]] std::size_t draw_place() const noexcept { return arguments.size(); }

  // The parameter or the argument of that name.
  [[nodiscard]] parameter const& named_by(unsigned which) const noexcept {
    return which < parameters.size() ? parameters[which] : arguments[which - parameters.size()];
  }
  // Whether the expression depends on an argument of the call.
  [[nodiscard]] bool depends_on_call(expression const& e) const noexcept;
  // Whether what the expression is worth is the same at every retry.
  [[nodiscard]] bool stays(expression const& e) const;
  [[nodiscard]] bool draws() const;
  [[nodiscard]] bool draws_whole() const;
  [[nodiscard]] bool draws_real() const;
  // Whether a delay has several draws.
  [[nodiscard]] bool draws_several() const;
  // Whether any formula of the delays uses the name.
  [[nodiscard]] bool delays_use(unsigned which) const;
  // Whether one of those does, or `while`.
  [[nodiscard]] bool any_uses(unsigned which) const;
  [[nodiscard]] bool uses_previous() const { return any_uses(previous()) || any_uses(before_previous()); }
  // Whether a delay depends on those before it.
  [[nodiscard]] bool depends_on_delays() const;
  // The parameter that is the limit of attempts by itself.
  [[nodiscard]] std::optional<std::size_t> limit_parameter() const noexcept;
  // Whether the limit of attempts depends on the parameter, and nothing else does.
  [[nodiscard]] bool only_limits(std::size_t parameter) const noexcept;
  // Whether some setting has no limit of attempts.
  [[nodiscard]] bool may_be_endless() const;
};

// A file that is no policy: what() begins with the file, the line and the column, and says what was expected.
struct policy_error : std::runtime_error {
  using runtime_error::runtime_error;
};

// text: YAML, or JSON, which is YAML too. Throws policy_error.
[[nodiscard]] policy read_policy(std::string const& file, std::string const& text);

[[nodiscard]] std::string located(std::string const& file, place at, std::string_view what);

}  // namespace backoff::policies
