// Histories with what a port answered: while they are judged, and as they are kept.
#pragma once

#include <cstdint>

#include "histories/shape.hpp"
#include "judge/model_runner.hpp"

namespace backoff::judge {

// A history with the subject's result.
struct evidence {
  std::uint64_t index = 0;  // in the order of the run
  history tried;
  result got;
};

// A history while it is judged.
struct judged_history {
  std::uint64_t index;
  history const& tried;
  result const& got;
  claim_mask selected;  // claims to be judged
  [[nodiscard]] evidence kept() const { return {index, tried, got}; }
};

}  // namespace backoff::judge
