// The tables of the page: readings, claims and requirements, a column a run.
// Checked by: properties/oracle/page_test.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/report.hpp"

namespace backoff::reports::html {

struct labelled {
  report const* said;
  std::string label;  // its port; with the number of the run where runs have the same port
};
using runs_of_system = std::vector<labelled>;

// Each adds a section with a heading of that level.
void readings(std::string& out, runs_of_system const& runs, std::string_view heading);
void claims(std::string& out, runs_of_system const& runs, std::string_view heading);
void requirements(std::string& out, runs_of_system const& runs, std::string_view heading);

[[nodiscard]] std::string reading_cell(report const& r, std::size_t reading);
// Whether some admitted reading is left that explains the port.
[[nodiscard]] bool is_explained(report const& r);

}  // namespace backoff::reports::html
