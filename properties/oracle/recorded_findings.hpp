// What results files say of the findings of their run, where their answers, judged again, say so too. There is no port
// to ask. Checked by: properties/oracle/results_test.py.
#pragma once

#include <span>
#include <vector>

#include "files/results.hpp"
#include "oracle/explained_findings.hpp"
#include "session/breakdown.hpp"
#include "session/result_feed.hpp"

namespace backoff::oracle {

// The files are the parts of one run; settled is what became of their answers.
[[nodiscard]] explained_findings recorded_findings(std::span<results_file const> files, settled_results const& settled);
// Each way in which the port broke, once: as the first part that has it shows it.
[[nodiscard]] std::vector<broken_port> recorded_breakdowns(std::span<results_file const> files);

}  // namespace backoff::oracle
