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

namespace backoff::oracle {

// Where each claim breaks; what becomes of the port outside all of that;
// what explains all answers.
struct explanations {
  // Of all findings that fail; empty where one of them has no region, and is broken anywhere.
  [[nodiscard]] std::vector<std::vector<conformance::constraint>> regions_of(
      conformance::shape const& s, std::vector<conformance::counterexample> const& shown) const;
  // That of the claim's regions which the finding is about: the first that its last history is in. None: there is none.
  [[nodiscard]] conformance::tested_region const* region_of(conformance::shape const& s,
                                                            conformance::counterexample const& shown) const;

  std::map<unsigned, std::vector<conformance::tested_region>> regions{};
  // Broken claims that another finding explains: all of them where one fault explains all answers; or those that break
  // only where an instance depends on another one, or a cycle on the one before, where that is a finding.
  struct folded {
    conformance::counterexample shown;
    unsigned into;  // the claim of that finding
  };
  std::vector<folded> dependent{};
  std::set<unsigned> cut_short{};  // claims whose regions were looked for until the time for it was over
  std::optional<conformance::outside> outside{};
  bool outside_cut_short = false;  // in the same way
  std::optional<conformance::probable> diagnosis{};
  std::vector<std::optional<conformance::probable>> apart{};  // of each finding, where nothing explains all

  // Takes the dependent ones out of the findings, once the regions are known.
  void fold(conformance::run const& judged, std::vector<conformance::counterexample>& shown);

  // Looks for those, once the regions are known: `diagnosed` says what explains all answers outside of some regions.
  void tell_apart(conformance::shape const& s, std::vector<conformance::counterexample> const& shown,
                  std::function<std::optional<conformance::probable>(
                      std::vector<std::vector<conformance::constraint>> const& elsewhere)> const& diagnosed);
};

}  // namespace backoff::oracle
