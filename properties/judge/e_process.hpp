// Tests of hidden randomness that may be looked at after every draw. Each test bets against the claim that the draws
// are independent and uniform: its capital starts at 1 and is multiplied, at each draw, by a density that was chosen
// before the draw was seen. Where the claim is true the capital is a martingale of mean 1, so that it ever reaches
// 1/alpha with a probability of alpha at most (Ville's inequality), whenever one stops; the mean of all capitals is
// such a capital again. A test can only gain from what is there: what is absent for a while proves nothing.
// Checked by: properties/judge/e_process_test.cpp, which computes the expectation over all outcomes of small cases.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "claims/claim.hpp"

namespace backoff::conformance {

// Where an observed value stands among those that a document makes possible: its probability-integral transform, as
// the interval [below, upto] that the value occupies, or one point where values are real. Uniform on [0, 1) as a whole.
struct drawn_part {
  double below = 0;          // P(smaller values)
  double upto = 0;           // P(smaller values or this one); as below: a real value
  double lowest = 0;         // P(the smallest value); 0: no value has a mass of its own there
  double highest = 0;        // P(the largest value)
  std::uint64_t values = 0;  // of how many equally likely ones it is one; 0: it is not
  std::uint64_t cells = 0;   // of a real value that was only seen to lie in one of some cells: about how many; or 0
  [[nodiscard]] double width() const noexcept { return upto - below; }
  [[nodiscard]] double middle() const noexcept { return below + width() / 2; }
  friend bool operator==(drawn_part const& a, drawn_part const& b) noexcept {
    return std::tie(a.below, a.upto, a.lowest, a.highest, a.values, a.cells) ==
           std::tie(b.below, b.upto, b.lowest, b.highest, b.values, b.cells);
  }
};

// What a draw is compared with, each the middle of an earlier draw; absent: nothing to compare with.
struct drawn_before {
  std::optional<double> in_cycle{};    // the draw before, on the same instance
  std::optional<double> in_history{};  // the draw at the same place of the history before
  std::optional<double> on_other{};    // the draw with the same number on another instance of the history
  std::optional<double> in_process{};  // the same draw of another process
};

// A bet that the next point falls where earlier ones fell (Krichevsky and Trofimov, on equal bins of the circle [0,1)).
class density_bet {
 public:
  // prior: pseudo-counts of each bin; less of it learns sooner where few bins are used.
  density_bet(unsigned bins, double prior) noexcept;
  // [low, high], high - low <= 1; read modulo 1.
  void bet(double low, double high) noexcept;
  // The logarithm of the capital.
  [[nodiscard]] double gained() const noexcept { return gained_; }

 private:
  std::vector<double> mass_;
  double total_;
  double gained_ = 0;
};

// A bet on one event whose documented probability may change from draw to draw, by how often it came before.
class event_bet {
 public:
  void bet(bool happened, double probability) noexcept;
  [[nodiscard]] double gained() const noexcept { return gained_; }
  [[nodiscard]] double share() const noexcept { return seen_ / tried_; }

 private:
  double seen_ = 0.5;
  double tried_ = 1;
  double gained_ = 0;
};

// The tests, in the order of test_names.
enum class draw_test : std::uint8_t {
  halves,
  quarters,
  sixteenths,
  grains,
  single_values,
  upper_end,
  lower_end,
  half_ends,
  fine_digits,
  after_previous,
  near_previous,
  near_history_before,
  near_other_instance,
  near_other_process,
};
inline constexpr std::size_t draw_tests = 14;

struct draw_test_text {
  std::string_view name;
  std::string_view finding;  // what is the case where it has gained most
  about_draws claim;         // what it is evidence against
};
[[nodiscard]] draw_test_text const& text_of(draw_test t) noexcept;

// A set of tests.
using draw_tests_mask = std::uint32_t;
[[nodiscard]] constexpr draw_tests_mask bit(draw_test t) noexcept {
  return draw_tests_mask{1} << static_cast<unsigned>(t);
}
// Those of windows that are not filled evenly, or those of dependence.
[[nodiscard]] draw_tests_mask tests_of(about_draws claim) noexcept;

// Some tests on one sequence of draws.
class draw_bets {
 public:
  explicit draw_bets(draw_tests_mask tests) noexcept;
  void take(drawn_part const& drawn, drawn_before const& before) noexcept;

  [[nodiscard]] std::uint64_t draws() const noexcept { return draws_; }
  // The logarithm of the mean of all capitals.
  [[nodiscard]] double gained() const noexcept;
  [[nodiscard]] double gained_by(draw_test t) const noexcept;
  // The test that has gained most, the first of several; one test at least is in the set.
  [[nodiscard]] draw_test best() const noexcept;
  // How often the largest and the smallest value came, where a value can have a mass of its own.
  [[nodiscard]] event_bet const& at(draw_test end) const noexcept {
    return end == draw_test::upper_end ? upper_ : lower_;
  }

 private:
  template <class Visit>
  void for_each_test(Visit visit) const noexcept {
    for (auto left = tests_; left != 0; left &= left - 1) visit(static_cast<draw_test>(std::countr_zero(left)));
  }
  void take_value(drawn_part const& drawn) noexcept;

  draw_tests_mask tests_;
  std::uint64_t draws_ = 0;
  density_bet halves_, quarters_, sixteenths_, grains_, digits_;
  std::map<std::uint64_t, density_bet> values_;
  double single_values_ = 0;
  event_bet upper_, lower_;
  double half_ends_ = 0;
  std::array<density_bet, 4> after_;  // by the quarter of the draw before
  std::array<density_bet, 4> near_;   // near_previous and those that follow it
};

}  // namespace backoff::conformance
