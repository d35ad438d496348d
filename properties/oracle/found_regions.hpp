// Finds where claims break and what the port does elsewhere: learns it from the answers of the run, then tries it on a
// fresh process. Finds nothing where the port breaks meanwhile.
// Checked by: properties/oracle/found_regions_test.cpp, properties/oracle/oracle_test.py.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "explain/where.hpp"
#include "judge/counterexample.hpp"
#include "oracle/asked_again.hpp"
#include "reports/explanations.hpp"
#include "session/result_feed.hpp"

namespace backoff::oracle {

class region_search {
 public:
  // The feed must have kept the answers.
  region_search(settled_results const& settled, asked_again const& again, std::uint64_t seed) noexcept
      : settled_(&settled), again_(&again), seed_(seed) {}

  // Adds the regions of the claim to `all`, several only if `parts`. Adds none where the claim is about draws.
  void find(judge::breach const& b, bool parts, explanations& all) const;
  // Tries the port outside the regions of all these findings; not where one of them has no region.
  void try_elsewhere(std::vector<judge::counterexample> const& shown, explanations& all) const;

 private:
  // Runs the search within its limits. Returns whether it ended in time.
  using search = std::function<void(judge::subject&, explain::search_limits)>;
  [[nodiscard]] bool in_time(judge::claim_mask about, search const& searched) const;
  [[nodiscard]] std::vector<std::vector<explain::constraint>> guessed(
      std::vector<judge::counterexample> const& shown) const;

  settled_results const* settled_;
  asked_again const* again_;
  std::uint64_t seed_;
};

}  // namespace backoff::oracle
