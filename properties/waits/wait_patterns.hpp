// What wrong waits have in common: one rule that all of them keep to. It describes what was seen, and nothing else: a
// rule is told only where each wait fits it, and where it leaves no more room than the waits fill.
// Checked by: wait_patterns_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "waits/judged_waits.hpp"

namespace backoff::waits {

// next: what the document admits before the retry after the last row. Nothing: no rule fits, the waits are right, or
// there are fewer than three retries.
[[nodiscard]] std::optional<std::string> pattern_of(std::span<wait_row const> rows, std::optional<range_ns> next,
                                                    tolerance const& allowed);

}  // namespace backoff::waits
