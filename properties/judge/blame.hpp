// Under which joint reading a port is explained that no admitted one fits: the one under which the fewest histories
// break a claim; of several, the one that breaks the fewest claims; of these, the nearest to the canonical. A port that
// follows an open reading and has one fault is then told that fault, whatever history came first. Checked by:
// properties/judge/blame_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "judge/judged_system.hpp"

namespace backoff::judge {

// A history with the subject's result.
struct evidence {
  std::uint64_t index = 0;  // in the order of the run
  history tried;
  result got;
};

// One that blame is settled on, and the claims that were judged on it.
struct witnessed {
  evidence seen;
  claim_mask selected;
  claim_mask at_stake;  // as it was counted
};

// The joint readings of these cubes, one by one, from the nearest to the canonical to the farthest.
[[nodiscard]] std::vector<spec::cube> one_by_one(spec::reading_table const& table,
                                                 std::vector<spec::cube> const& cubes) noexcept;

// The joint reading that is blamed, and all those under which as few histories fail: a later history may tell them
// apart.
struct blamed {
  spec::cube reading;
  std::vector<spec::cube> as_few;
};
// `admitted` holds one joint reading at least.
[[nodiscard]] blamed least_blamed(examiner& with, spec::reading_table const& table,
                                  std::vector<spec::cube> const& admitted, std::span<witnessed const> histories,
                                  draw_source const& draws, claim_mask killing) noexcept;

}  // namespace backoff::judge
