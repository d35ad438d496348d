// The hidden draws of a run: where each lies in its window, and what bets against documented draws have won.
// Checked by: properties/oracle/page_test.py.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "judge/hidden_draws.hpp"
#include "judge/run.hpp"
#include "reports/pictures.hpp"

namespace backoff::reports {

// Sees the draws of a run again, under the assignment that explains the run.
class draws_again {
 public:
  explicit draws_again(run const& judged);
  void see(history const& h, std::span<answer const> answers, std::span<answer const> elsewhere);
  [[nodiscard]] std::vector<picture> made() const;

 private:
  static constexpr std::size_t bins = 20;
  // Counts a draw. A value of a coarse window counts in all bins that its part of the window covers.
  void add(drawn_part const& d);

  run const* judged_;
  draw_tests_mask tests_;
  hidden_draws seen_;
  sampled_draws bets_;
  std::array<double, bins> bins_{};
  std::vector<std::pair<std::uint64_t, double>> path_;
};

}  // namespace backoff::reports
