// How sure a pass is: the tests of hidden randomness, run on draws that a fault made inside the very windows that the
// port was asked for. A fault that they would not have caught is one that a pass does not exclude.
// Checked by: properties/judge/draw_power_test.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "histories/random.hpp"
#include "judge/hidden_draws.hpp"

namespace backoff::judge {

// What a fault knows when it draws.
struct drawing {
  placed_draw const& at;
  bool widest;      // no window of the history is wider
  double previous;  // on the same instance; any, where there is none
  random_bits& random;
  random_bits& same_again;  // begins anew with each history
};

// A fault of randomness as shipped code has it.
struct draw_fault {
  std::string_view name;
  std::string_view sentence;
  bool gross;  // a pass must exclude it; the others are only visible in small windows, or in huge ones
  double (*draw)(drawing const&) noexcept;  // a point of [0, 1) that stands for a value of the window
};
[[nodiscard]] std::span<draw_fault const> draw_faults() noexcept;

// What it makes of these windows: a history with other values.
[[nodiscard]] draw_sequence drawn_by(draw_fault const& fault, draw_sequence windows, random_bits& random) noexcept;

// Of so many runs with that fault, so many were caught.
struct power {
  draw_fault const* fault;
  unsigned caught;
  unsigned tried;
};

// One line a fault. Each run repeats the histories in their order, and ends when it is caught.
[[nodiscard]] std::vector<power> power_on(sampled_draws const& sampled, double alpha, draw_tests_mask tests) noexcept;

// Gross faults that begin late: the smallest value of each window, or the largest, always, from some attempt on. Up to
// which attempt they would have been caught, wherever they begin, and up to which there were draws; 0: none.
struct attempts_tested {
  std::uint32_t tested = 0;
  std::uint32_t drawn = 0;
};
[[nodiscard]] attempts_tested late_power_on(sampled_draws const& sampled, double alpha, draw_tests_mask tests) noexcept;

}  // namespace backoff::judge
