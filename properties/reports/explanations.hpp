// What is known of a run beside what was judged. Checked by: properties/oracle/explained_findings_test.cpp,
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

// Where each claim breaks; what becomes of the port outside all of that;
// what explains all answers.
struct explanations {
  // Of all findings that fail; empty where one of them has no region, and is broken anywhere.
  [[nodiscard]] std::vector<std::vector<explain::constraint>> regions_of(
      histories::shape const& s, std::vector<judge::counterexample> const& shown) const;
  // That of the claim's regions which the finding is about: the first that its last history is in. None: there is none.
  [[nodiscard]] explain::tested_region const* region_of(histories::shape const& s,
                                                        judge::counterexample const& shown) const;

  std::map<unsigned, std::vector<explain::tested_region>> regions{};
  // Broken claims that another finding explains: all of them where one fault explains all answers; or those that break
  // only where an instance depends on another one, or a cycle on the one before, where that is a finding.
  struct folded {
    judge::counterexample shown;
    unsigned into;  // the claim of that finding
  };
  std::vector<folded> dependent{};
  std::set<unsigned> cut_short{};  // claims whose regions were looked for until the time for it was over
  std::optional<explain::outside> outside{};
  bool outside_cut_short = false;  // in the same way
  std::optional<explain::probable> diagnosis{};
  std::vector<std::optional<explain::probable>> apart{};  // of each finding, where nothing explains all

  // Takes the dependent ones out of the findings, once the regions are known.
  void fold(judge::run const& judged, std::vector<judge::counterexample>& shown);

  // Looks for those, once the regions are known: `diagnosed` says what explains all answers outside of some regions.
  void tell_apart(histories::shape const& s, std::vector<judge::counterexample> const& shown,
                  std::function<std::optional<explain::probable>(
                      std::vector<std::vector<explain::constraint>> const& elsewhere)> const& diagnosed);
};

}  // namespace backoff::reports
