// Sequential tests of hidden randomness, by e-processes: the result may be read after every draw. Each test bets
// against the claim that the draws are independent and uniform. Its capital starts at 1; each draw multiplies it by a
// density that was chosen before the draw was seen. Where the claim is true, the capital is a martingale of mean 1, so
// that it ever reaches 1/alpha with probability alpha at most (Ville's inequality), whenever one stops. The mean of all
// capitals is such a capital again. Only a draw that is seen changes a capital: that no draw is seen proves nothing.
// Checked by: properties/judge/e_process_test.cpp, which computes the expectation over all outcomes of small cases.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "claims/claim.hpp"
#include "judge/late_draws.hpp"

namespace backoff::judge {

// What a draw is compared with, each the middle of an earlier draw; absent: nothing to compare with.
struct drawn_before {
  std::optional<double> in_cycle{};    // the draw before, on the same instance
  std::optional<double> cycle_ago{};   // the draw at the same place of the cycle before, on the same instance
  std::optional<double> in_history{};  // the draw at the same place of the history before
  std::optional<double> on_other{};    // the draw with the same number on another instance of the history
  std::optional<double> in_process{};  // the same draw of another process
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
  low_bit,
  after_previous,
  near_previous,
  near_cycle_before,
  near_history_before,
  near_other_instance,
  near_other_process,
  late_lower_end,  // from here on, the tests of late_draws
  late_upper_end,
  late_halves,
  late_grains,
  late_repeats,
};
inline constexpr std::size_t draw_tests = 21;
static_assert(draw_tests == static_cast<std::size_t>(draw_test::late_lower_end) + late_tests);
// The index of a late test; nothing for another test.
[[nodiscard]] constexpr std::optional<std::size_t> late_test(draw_test t) noexcept {
  if (t < draw_test::late_lower_end) return std::nullopt;
  return static_cast<std::size_t>(t) - static_cast<std::size_t>(draw_test::late_lower_end);
}

struct draw_test_text {
  std::string_view name;
  std::string_view finding;  // what is wrong with the draws if it has gained most
  about_draws claim;         // the claim that it is evidence against
};
[[nodiscard]] draw_test_text const& text_of(draw_test t) noexcept;

// A set of tests.
using draw_tests_mask = std::uint32_t;
[[nodiscard]] constexpr draw_tests_mask bit(draw_test t) noexcept {
  return draw_tests_mask{1} << static_cast<unsigned>(t);
}
// The tests that are evidence against that claim.
[[nodiscard]] draw_tests_mask tests_of(about_draws claim) noexcept;

// Some tests on one sequence of draws.
class draw_bets {
 public:
  explicit draw_bets(draw_tests_mask tests);
  void take(drawn_part const& drawn, drawn_before const& before);

  [[nodiscard]] std::uint64_t draws() const { return draws_; }
  // The logarithm of the mean of all capitals.
  [[nodiscard]] double gained() const;
  // Whether gained() is at least `gain`; cheap enough to be asked after each draw.
  [[nodiscard]] bool has_gained(double gain) const;
  [[nodiscard]] double gained_by(draw_test t) const { return gains(late_gained())[static_cast<std::size_t>(t)]; }
  // Of the tests of `among` that are run, the one that has gained most; the first of equal ones. At least one of them
  // must be run.
  [[nodiscard]] draw_test best(draw_tests_mask among) const;
  // The most that one of these tests has gained, a late one at the attempts where it gained most; 0: none gained.
  [[nodiscard]] double most_gained(draw_tests_mask among) const;
  [[nodiscard]] draw_tests_mask tests() const noexcept { return tests_; }
  // How often the largest or the smallest value was drawn, where values have a mass of their own.
  [[nodiscard]] event_count at_an_end(bool upper) const noexcept { return (upper ? upper_ : lower_).count(); }
  // The share of each sixteenth of their range among the draws.
  [[nodiscard]] std::vector<double> sixteenths() const { return sixteenths_.shares(); }
  // The smallest part of the window that meets the interval of every draw: from the lowest upper end to the highest
  // lower end.
  struct part {
    double low = 1;
    double high = 0;
  };
  [[nodiscard]] part spread() const noexcept { return spread_; }
  // Where a late test has gained most.
  struct late_place {
    late_draws::place attempt;
    bool after_reset;
  };
  [[nodiscard]] late_place found(std::size_t late) const;
  // The late test that shows best what is wrong with the draws before the first attempt, where these alone are wrong.
  [[nodiscard]] std::optional<draw_test> found_at_the_start() const;
  [[nodiscard]] event_count at_an_end(bool upper, late_place const& of) const;

 private:
  template <class Visit>
  void for_each_test(draw_tests_mask among, Visit visit) const {
    for (auto left = tests_ & among; left != 0; left &= left - 1) visit(static_cast<draw_test>(std::countr_zero(left)));
  }
  void take_value(drawn_part const& drawn);
  [[nodiscard]] std::array<double, draw_tests> gains(std::array<double, late_tests> const& late) const noexcept;
  [[nodiscard]] std::array<double, late_tests> late_gained() const;
  [[nodiscard]] std::array<double, late_tests> late_most() const noexcept;
  [[nodiscard]] double most_of(std::array<double, draw_tests> const& all) const;

  draw_tests_mask tests_;
  std::uint64_t draws_ = 0;
  part spread_;
  density_bet halves_, quarters_, sixteenths_, grains_, digits_;
  std::map<std::uint64_t, density_bet> values_;
  double single_values_ = 0;
  event_bet upper_, lower_, low_bit_;
  double half_ends_ = 0;
  std::array<density_bet, 4> after_;  // by the quarter of the draw before
  std::array<density_bet, 5> near_;   // near_previous and those that follow it
  late_draws late_;
  late_draws late_again_;  // of the cycles after a reset only
};

}  // namespace backoff::judge
