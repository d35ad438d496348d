// Explains findings: where each claim breaks, what the port does elsewhere, and which known fault explains all answers.
// Checked by: properties/oracle/explained_findings_test.cpp, properties/oracle/oracle_test.py.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "judge/counterexample.hpp"
#include "judge/plan.hpp"
#include "oracle/asked_again.hpp"
#include "reports/explanations.hpp"
#include "session/result_feed.hpp"

namespace backoff::oracle {

struct explained_findings {
  std::vector<judge::counterexample> shown;
  explanations why{};
};

struct explained_from {
  std::optional<judge::plan> const& planned;  // gives the histories again, to compare answers with known faults
  std::uint64_t seed;
  bool of_all;  // finds where all broken claims break, for a list of failures; else only those of findings
};

// A claim that breaks in several regions has a finding in each, unless an earlier finding accounts for what breaks
// there.
[[nodiscard]] explained_findings explain_findings(settled_results const& settled,
                                                  std::vector<judge::counterexample> shown, asked_again const& again,
                                                  explained_from const& from);

}  // namespace backoff::oracle
