// Words that every form of a report has. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include <string>
#include <string_view>

#include "reports/report.hpp"

namespace backoff::reports {

// The word for a claim that is not broken: known, inside or holds.
[[nodiscard]] std::string_view unbroken_word(report const& r, claim_line const& line) noexcept;
// Odds that are given as a logarithm.
[[nodiscard]] std::string odds_text(double log_odds);
// How often the finding showed again, where that is a matter of chance; empty elsewhere.
[[nodiscard]] std::string again_text(report const& r, finding const& f);
// What a finding calls its history: "history" where it is as found, otherwise "smallest history".
[[nodiscard]] std::string_view history_word(finding const& f) noexcept;
// Why a finding was not shown again.
[[nodiscard]] std::string_view as_seen_text(finding const& f) noexcept;

}  // namespace backoff::reports
