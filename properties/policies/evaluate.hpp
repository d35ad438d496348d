// What a formula is worth, exactly, once its names are: a number, or a number that depends on one draw. Where a
// machine's doubles may round or compare otherwise than the exact numbers do, both outcomes are found by leaning either
// way. Checked by: properties/policies/evaluate_test.cpp.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "policies/drawn.hpp"
#include "policies/expression.hpp"

namespace backoff::policies {

inline constexpr std::size_t names_max = 21;
inline constexpr double surely = 1 + 1e-6;  // a factor that is larger than the error of a value in doubles

// This value, rough if it is known to be or doubles miss it. What doubles miss anyway is kept to so many digits as a
// function of reals is: a fraction would get longer at each step.
[[nodiscard]] number checked(spec::rational value, bool rough);

// How the operation floor, ceil, round or trunc rounds a number.
[[nodiscard]] rounding how_of(operation op, bool is_negative) noexcept;

// What the names of a formula are worth; `about` is that as a double, for a quick look.
struct scope {
  std::array<number, names_max> exact{};
  std::array<double, names_max> about{};

  void set(unsigned name, number n);
  void set(unsigned name, spec::integer n);
};

// Why a formula has no value. too_large: beyond what any machine holds, and no fault of the policy.
struct fault {
  std::string_view what;
  std::size_t column = 0;
  bool too_large = false;
};

class evaluator {
 public:
  // lean: -1 or 1, which way doubles go where they may go either; 0: all is exact. exclusive: whether the end of a
  // whole draw is left out. drawn: what the draws with a name are, where that is known.
  evaluator(scope const& names, int lean, bool exclusive = false, std::span<number const> drawn = {}) noexcept
      : names_(&names), lean_(lean), exclusive_(exclusive), drawn_(drawn) {}

  // Of a formula without a draw, or whose draws are known.
  [[nodiscard]] number value(expression const& e);
  // Of a condition, by the lean where it is not decided.
  [[nodiscard]] bool holds(expression const& e);
  // Nothing where doubles may find either.
  [[nodiscard]] std::optional<bool> decided(expression const& e);
  [[nodiscard]] drawn draw(expression const& e);

  // The first fault; what was returned means nothing then.
  [[nodiscard]] std::optional<fault> const& found() const { return fault_; }
  // Whether leaning the other way may give something else.
  [[nodiscard]] bool leaned() const noexcept { return leaned_; }

 private:
  [[nodiscard]] number least(expression const& e);
  [[nodiscard]] number power(expression const& e);
  [[nodiscard]] number real_function(expression const& e);
  [[nodiscard]] number round(expression const& e);
  [[nodiscard]] number round(number const& n, spec::rational const& unit, rounding how, int lean);
  [[nodiscard]] spec::rational unit_of(expression const& e);
  [[nodiscard]] drawn whole_draw(expression const& e);
  [[nodiscard]] drawn real_draw(expression const& e);
  [[nodiscard]] drawn tangled(expression const& e);
  [[nodiscard]] double about(expression const& e) const;
  number fail(std::string_view what, expression const& at, bool too_large = false);

  scope const* names_;
  int lean_;
  bool exclusive_;
  std::span<number const> drawn_;
  bool leaned_ = false;
  std::optional<fault> fault_;
};

}  // namespace backoff::policies
