// Where claims break, and what becomes of the port elsewhere: learnt from the answers of the run, then tried on a fresh
// process. Where the port breaks, nothing is found. Checked by: properties/oracle/found_regions_test.cpp,
// properties/oracle/oracle_test.py.
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
  // The answers were kept.
  region_search(settled_results const& settled, asked_again const& again, std::uint64_t seed) noexcept
      : settled_(&settled), again_(&again), seed_(seed) {}

  // The regions of the claim, of which there may be several where `parts` says so. Nothing where one answer does not
  // show it, or where the port draws for itself.
  void find(judge::breach const& b, bool parts, explanations& all) const;
  // What becomes of the port outside the regions of all these; nothing where one of them has no region.
  void try_elsewhere(std::vector<judge::counterexample> const& shown, explanations& all) const;

 private:
  // Whether it came to its end in its time.
  using search = std::function<void(judge::subject&, explain::search_limits)>;
  [[nodiscard]] bool in_time(judge::claim_mask about, search const& searched) const;
  [[nodiscard]] std::vector<std::vector<explain::constraint>> guessed(
      std::vector<judge::counterexample> const& shown) const;

  settled_results const* settled_;
  asked_again const* again_;
  std::uint64_t seed_;
};

}  // namespace backoff::oracle
