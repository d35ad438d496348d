// Words that every form of a report has. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include <string>
#include <string_view>

#include "reports/report.hpp"

namespace backoff::reports {

// What is said of a claim that is not broken: known, inside or holds.
[[nodiscard]] std::string_view unbroken_word(report const& r, claim_line const& line) noexcept;
// Odds that are given as a logarithm.
[[nodiscard]] std::string odds_text(double log_odds);
// How often it showed again, where that is a matter of chance; empty where it is not.
[[nodiscard]] std::string again_text(report const& r, finding const& f);
// What its histories are: history where they are those that were found, else the smallest.
[[nodiscard]] std::string_view history_word(finding const& f) noexcept;
// Why a finding was not shown again.
[[nodiscard]] std::string_view as_seen_text(finding const& f) noexcept;

}  // namespace backoff::reports
