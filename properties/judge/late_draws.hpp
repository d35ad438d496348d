// Tests of hidden randomness attempt by attempt. A fault that shows at one attempt only, or only from some attempt on,
// is lost among the draws of all attempts together. Each attempt has bets of its own. The product of the bets from one
// attempt on is a further capital, as each draw is bet on once. The mean of all these capitals is a capital again.
// Checked by: properties/judge/late_draws_test.cpp; e_process_test.cpp has the expectation over all outcomes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "judge/bets.hpp"

namespace backoff::judge {

// Groups of attempts that are bet on together. Attempts stand alone as far as retry code usually goes, and where
// machine words end.
inline constexpr std::uint32_t attempts_apart = 72;
[[nodiscard]] std::span<std::uint32_t const> attempt_groups() noexcept;  // the first attempt of each, ascending from 0
[[nodiscard]] std::size_t group_of(std::uint32_t attempt);

// How many tests a group has: those that draw_test names late_…, in that order.
inline constexpr std::size_t late_tests = 5;

class late_draws {
 public:
  // previous: the middle of the draw before, on the same instance.
  void take(drawn_part const& part, std::optional<double> previous);
  // The logarithm of each test's capital: the mean over each group alone, and over each group with all that follow it.
  [[nodiscard]] std::array<double, late_tests> gained() const;

  // An upper bound on gained(), which takes less time.
  [[nodiscard]] std::array<double, late_tests> most() const noexcept;

  // Where the largest of these capitals is.
  struct place {
    std::uint32_t attempt;
    bool and_later;
    friend bool operator==(place const&, place const&) noexcept = default;
  };
  [[nodiscard]] place found(std::size_t test) const;
  // The test that has gained most on the draws before the first attempt, where these alone are wrong.
  [[nodiscard]] std::optional<std::size_t> found_at_the_start() const;
  // How often the largest or the smallest value was drawn there.
  [[nodiscard]] event_count at_an_end(bool upper, place const& of) const;
  // What that test has gained from that group on, less what the mean costs.
  [[nodiscard]] double gained_from(std::size_t from, std::size_t test) const noexcept;
  // The last attempt that was drawn at; 0: none.
  [[nodiscard]] std::uint32_t last() const noexcept { return last_; }

 private:
  struct group {
    event_bet lower, upper, again;
    density_of<2> halves{usual_prior};
    density_of<16> grains{sparse_prior};
    [[nodiscard]] std::array<double, late_tests> gained() const {
      return {lower.gained(), upper.gained(), halves.gained(), grains.gained(), again.gained()};
    }
  };
  void bet_on_a_repeat(group& g, drawn_part const& part, double previous);
  // Whether the draw before is a value that has repeated already, as a number or as a share of its window. It may be
  // one that comes often, for which other tests look: its repetition is no evidence of dependence.
  [[nodiscard]] bool repeated_before(double previous, double values) const noexcept;

  struct repeated {
    double share;
    double number;
  };
  std::vector<group> groups_;       // as far as draws came
  std::vector<repeated> repeated_;  // in wide windows; the first ones
  std::uint32_t last_ = 0;
};

}  // namespace backoff::judge
