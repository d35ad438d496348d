// Which results files are parts of one run. Checked by: properties/oracle/results_test.py.
#pragma once

#include <vector>

#include "files/results.hpp"

namespace backoff::oracle {

// Throws usage_error where these are not the parts of one run, each once. Sorts them.
void demand_one_run(std::vector<results_file>& files);
// The files, grouped by run. The runs come in the order in which they are first named. A whole run is one file.
[[nodiscard]] std::vector<std::vector<results_file>> runs_of(std::vector<results_file> files);

}  // namespace backoff::oracle
