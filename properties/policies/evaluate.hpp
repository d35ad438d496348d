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

// How the operation floor, ceil, round or trunc rounds a number.
[[nodiscard]] rounding how_of(operation op, bool is_negative) noexcept;

// What the names of a formula are worth; `about` is that as a double, for a quick look.
struct scope {
  std::array<number, names_max> exact{};
  std::array<double, names_max> about{};

  void set(unsigned name, number n) noexcept;
  void set(unsigned name, spec::integer n) noexcept;
};

// Why a formula has no value. too_large: beyond what any machine holds, and no fault of the policy.
struct fault {
  std::string_view what;
  std::size_t column = 0;
  bool too_large = false;
};

class evaluator {
 public:
  // lean: -1 or 1, which way doubles go where they may go either. exclusive: whether the end of a whole draw is left
  // out. drawn: what the draws with a name are, where that is known.
  evaluator(scope const& names, int lean, bool exclusive = false, std::span<number const> drawn = {}) noexcept
      : names_(&names), lean_(lean), exclusive_(exclusive), drawn_(drawn) {}

  // Of a formula without a draw, or whose draws are known.
  [[nodiscard]] number value(expression const& e) noexcept;
  // Of a condition.
  [[nodiscard]] bool holds(expression const& e) noexcept;
  [[nodiscard]] drawn draw(expression const& e) noexcept;

  // The first fault; what was returned means nothing then.
  [[nodiscard]] std::optional<fault> const& found() const noexcept { return fault_; }
  // Whether leaning the other way may give something else.
  [[nodiscard]] bool leaned() const noexcept { return leaned_; }

 private:
  [[nodiscard]] number least(expression const& e) noexcept;
  [[nodiscard]] number power(expression const& e) noexcept;
  [[nodiscard]] number real_function(expression const& e) noexcept;
  [[nodiscard]] number round(expression const& e) noexcept;
  [[nodiscard]] number round(number const& n, spec::rational const& unit, rounding how, int lean) noexcept;
  [[nodiscard]] spec::rational unit_of(expression const& e) noexcept;
  [[nodiscard]] drawn whole_draw(expression const& e) noexcept;
  [[nodiscard]] drawn real_draw(expression const& e) noexcept;
  [[nodiscard]] drawn tangled(expression const& e) noexcept;
  [[nodiscard]] double about(expression const& e) const noexcept;
  number fail(std::string_view what, expression const& at, bool too_large = false) noexcept;

  scope const* names_;
  int lean_;
  bool exclusive_;
  std::span<number const> drawn_;
  bool leaned_ = false;
  std::optional<fault> fault_;
};

}  // namespace backoff::policies
