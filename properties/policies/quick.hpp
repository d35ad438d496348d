// A formula on machine words: what the evaluator finds (policies/evaluate.hpp), for the numbers of ordinary histories.
// Where words do not hold a number, doubles tell whether another one is surely smaller, as the cap of a power is. Where
// that is not sure, where doubles may go either way, and at any fault, there is no answer: the evaluator is then asked.
// Checked by: properties/policies/quick_test.cpp; against the evaluator, properties/policies/formulas_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/evaluate.hpp"

namespace backoff::policies {

struct quick_number {
  enum class kind : std::uint8_t { exact, about, word, unknown };
  kind is;            // nothing is cleared before it is computed
  bool rough;         // exact: as of a number
  spec::integer num;  // exact: above the line, without a common factor; word: which one, from `unset` on
  spec::integer den;  // exact: > 0
  double roughly;     // about: the number, within a millionth; above 0

  [[nodiscard]] spec::rational value() const { return den == 1 ? spec::rational(num) : spec::rational(num) / den; }
  [[nodiscard]] double about() const {
    return is == kind::about ? roughly
           : den == 1        ? static_cast<double>(num)
                             : static_cast<double>(num) / static_cast<double>(den);
  }
};

// A number below 0 that words do not hold, or with a larger term on the way to it, is unknown.
[[nodiscard]] quick_number quick(number const& n);
[[nodiscard]] inline quick_number quick(spec::integer n) { return {quick_number::kind::exact, false, n, 1, 0}; }
// Writes the number where it belongs: a copy of what was only just written part by part would wait for all parts.
inline void set(quick_number& to, spec::integer num, spec::integer den = 1, bool rough = false) {
  to.is = quick_number::kind::exact;
  to.rough = rough;
  to.num = num;
  to.den = den;
}
// n / 10^scale, rough where doubles miss it.
[[nodiscard]] quick_number quick_decimal(spec::integer n, unsigned scale);
// Of exact ones.
[[nodiscard]] bool is_less(quick_number const& a, quick_number const& b) noexcept;
[[nodiscard]] inline bool is_equal(quick_number const& a, quick_number const& b) noexcept {
  return a.num == b.num && a.den == b.den;
}

// What a delay is drawn from.
struct quick_draw {
  enum class kind : std::uint8_t { none, real, whole };
  kind is;
  bool is_open;         // whole
  quick_number low;     // whole: a whole number
  quick_number high;    // none: as low
  spec::integer count;  // whole: so many numbers from `low` on
};

// By name. Only names that a formula uses need a value.
using quick_names = quick_number const*;

class quick_formula {
 public:
  explicit quick_formula(expression const& e);

  // Of a formula without a draw; exact, or about a number.
  [[nodiscard]] bool value(quick_names names, quick_number& result) const;
  [[nodiscard]] std::optional<bool> holds(quick_names names) const;
  [[nodiscard]] bool draw(quick_names names, bool exclusive, quick_draw& result) const;

 private:
  struct node {
    operation op = operation::number;
    bool draws = false;
    bool has_power = false;
    bool is_tangled = false;
    std::uint16_t parts = 0;  // how many, side by side
    std::uint16_t first = 0;
    std::uint16_t name = 0;
    quick_number number = quick(0);
  };
  class run;

  void add(std::size_t at, expression const& e);

  std::vector<node> nodes_;
};

}  // namespace backoff::policies
