// Finds where a claim breaks, by asking the port. The search learns a region from the answers of the run, asks
// histories on both sides of its edge, and learns again, until the region stays the same. Then it tests the region on
// histories from which nothing was learnt. Checked by: properties/explain/where_test.cpp.
#pragma once

#include <functional>

#include "explain/region.hpp"
#include "judge/run.hpp"

namespace backoff::explain {

// A region with what became of fresh histories: `broke` of those inside broke the claim, `held` of those elsewhere did
// not. Elsewhere is outside of all regions of the claim. Only histories count that put the claim at stake.
struct tested_region {
  std::vector<constraint> where{};
  std::uint64_t inside = 0;
  std::uint64_t broke = 0;
  std::uint64_t elsewhere = 0;
  std::uint64_t held = 0;
  bool with_some_draws = false;  // whether some of those that broke had held with other draws
  // Whether the claim breaks inside and holds elsewhere; without constraints, whether it always breaks.
  [[nodiscard]] bool separates() const noexcept {
    return broke != 0 && held == elsewhere && (!where.empty() || broke == inside);
  }
  friend bool operator==(tested_region const&, tested_region const&) noexcept = default;
};

// What one finding may cost. A port that is slow is asked less.
struct search_limits {
  std::uint64_t each_side = 500;    // histories of the final test
  std::uint64_t calls = 1'000'000;  // of all that is asked
  std::function<bool()> is_over{};  // whether the time is over; it does not throw
  bool parts = true;                // whether one claim may have several regions
};

// Whether the claim broke on a history, under the reading that explains the run; nothing where the port did not answer,
// or where no call put the claim at stake. Removes the calls after the one that broke the claim.
[[nodiscard]] std::optional<bool> breaks(run const& judged, unsigned claim, history& h, result const& r);

// Keeps histories of a run with their answers, to learn from: the first that failed, and the first that did not.
class answers_kept {
 public:
  void take(history const& h, result const& r, bool failed);
  // The kept histories as examples of the broken claim. `anywhere`: histories that did not put it at stake count as
  // ones where it held.
  [[nodiscard]] examples about(run const& judged, breach const& b, bool anywhere = false) const;
  [[nodiscard]] std::vector<evidence> const& failed() const noexcept { return failed_.all; }

 private:
  struct kept {
    std::vector<evidence> all;
    std::size_t calls = 0;
  };
  kept failed_;
  kept other_;
};

// The regions where the claim breaks: one; or, if the limits allow, one for each fault of the port. The port must break
// the claim whenever it is asked the same.
[[nodiscard]] std::vector<tested_region> find_regions(run const& judged, subject& port, unsigned claim,
                                                      examples const& seen, std::uint64_t seed,
                                                      search_limits const& limits);

}  // namespace backoff::explain
