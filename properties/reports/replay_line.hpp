// The line that shows a finding again. Checked by: properties/oracle/replay_test.py, which runs them.
#pragma once

#include <string>

#include "reports/report.hpp"

namespace backoff::reports {

// A word of a command line, quoted for a shell where it must be.
[[nodiscard]] std::string quoted(std::string const& word);

// The line that shows a finding on the judged port again.
[[nodiscard]] std::string replay_line(report const& r, finding const& f);
[[nodiscard]] std::string replay_line(report const& r, shown_breakdown const& b);

}  // namespace backoff::reports
