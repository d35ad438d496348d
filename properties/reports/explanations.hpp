// What the search for reasons found beyond the verdict: where each claim breaks, whether the port conforms elsewhere,
// and what explains all answers. Checked by: properties/oracle/explained_findings_test.cpp,
// properties/oracle/oracle_test.py.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "explain/diagnosis.hpp"
#include "explain/outside.hpp"
#include "explain/where.hpp"
#include "judge/counterexample.hpp"
#include "judge/run.hpp"

namespace backoff::reports {

// What that search found.
struct explanations {
  // The regions of all findings that fail a port; empty unless each of these has a region that separates.
  [[nodiscard]] std::vector<std::vector<explain::constraint>> regions_of(
      histories::shape const& s, std::vector<judge::counterexample> const& shown) const;
  // The region that a finding is about: the claim's first region that contains its last history; null where none does.
  [[nodiscard]] explain::tested_region const* region_of(histories::shape const& s,
                                                        judge::counterexample const& shown) const;

  std::map<unsigned, std::vector<explain::tested_region>> regions{};
  // Broken claims that another finding explains. Where one fault explains all answers, they are all the other claims.
  // Elsewhere they are the claims that break only with several instances or after a reset, if it is a finding that
  // answers depend on other instances, or on calls before the reset.
  struct folded {
    judge::counterexample shown;
    unsigned into;  // the claim of that finding
  };
  std::vector<folded> dependent{};
  std::set<unsigned> cut_short{};  // claims whose regions were looked for until the time for it was over
  std::optional<explain::outside> outside{};
  bool outside_cut_short = false;  // the search for it ended because its time was over
  std::optional<explain::probable> diagnosis{};
  std::vector<std::optional<explain::probable>> apart{};  // one for each finding, where no one fault explains all

  // Moves the findings that another one explains from `shown` to `dependent`. Call when the regions are known.
  void fold(judge::run const& judged, std::vector<judge::counterexample>& shown);

  // Sets `apart`. Call when the regions are known. `diagnosed` says what explains all answers outside of some regions.
  void tell_apart(histories::shape const& s, std::vector<judge::counterexample> const& shown,
                  std::function<std::optional<explain::probable>(
                      std::vector<std::vector<explain::constraint>> const& elsewhere)> const& diagnosed);
};

}  // namespace backoff::reports
