// The power of the tests of hidden randomness, which says how sure a pass is. The tests run on draws that a fault makes
// in the windows that the port was asked for. A pass does not exclude a fault that they would not have caught.
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
  double previous;  // the point drawn before on the same instance; 0 where there is none
  random_bits& random;
  random_bits& same_again;  // begins anew with each history
};

// A fault of randomness as shipped code has it.
struct draw_fault {
  std::string_view name;
  std::string_view sentence;
  bool gross;  // a pass must exclude it; the others are only visible in small windows, or in huge ones
  double (*draw)(drawing const&);  // a point of [0, 1) that stands for a value of the window
};
[[nodiscard]] std::span<draw_fault const> draw_faults() noexcept;

// These windows, filled with draws of that fault.
[[nodiscard]] draw_sequence drawn_by(draw_fault const& fault, draw_sequence windows, random_bits& random);

// How many of the runs with a fault the tests caught.
struct power {
  draw_fault const* fault;
  unsigned caught;
  unsigned tried;
};

// One entry per fault. Each run repeats the histories in their order, and ends when the fault is caught.
[[nodiscard]] std::vector<power> power_on(sampled_draws const& sampled, double alpha, draw_tests_mask tests);

// The power against gross faults that begin late: from some attempt on, always the smallest value of each window, or
// always the largest. tested: the last attempt such that a fault which begins there or earlier would have been caught.
// drawn: the last attempt with draws. 0: none.
struct attempts_tested {
  std::uint32_t tested = 0;
  std::uint32_t drawn = 0;
};
[[nodiscard]] attempts_tested late_power_on(sampled_draws const& sampled, double alpha, draw_tests_mask tests);

}  // namespace backoff::judge
