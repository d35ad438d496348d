// Names what is wrong with refuted draws: their windows are not filled evenly, or they depend on each other. A value
// that is drawn again and again looks like a window with few values; a window that changes its shape at the cap looks
// like a draw that depends on the one before. The kind that predicts the draws better is therefore named. This refutes
// nothing. Checked by: properties/judge/kind_of_fault_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "claims/claim.hpp"
#include "histories/history.hpp"
#include "judge/e_process.hpp"

namespace backoff::judge {

class kind_of_fault {
 public:
  // previous: the middle of the draw before in its cycle, on the same instance.
  void take(drawn_part const& drawn, std::uint8_t on, std::optional<double> previous);
  // Of those claims that the bets test, the one whose break predicts the draws best. The bets took the same draws.
  [[nodiscard]] about_draws broken(draw_bets const& bets) const;

 private:
  struct taken {
    double below;
    double upto;
    std::uint32_t attempt;
    bool as_before;  // its window is as wide as the one before in its cycle, as windows at the cap are
    std::optional<double> previous;
  };
  [[nodiscard]] double gained_by_place(std::uint32_t from) const;
  [[nodiscard]] double gained_by_distance(std::uint32_t from) const;

  std::vector<taken> draws_;                           // the first ones
  std::array<std::uint64_t, instances_max> values_{};  // of the window before, by instance
};

}  // namespace backoff::judge
