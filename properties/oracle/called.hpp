// How a run was called, as the header of its results says it. Checked by: properties/oracle/oracle_test.py,
// properties/oracle/results_test.py.
#pragma once

#include "files/results.hpp"
#include "reports/report.hpp"

namespace backoff::oracle {

[[nodiscard]] invocation called_by(results_header const& header);
// Notes how the run, or a part of it, ended.
void note_end(invocation& called, how_ended how) noexcept;

}  // namespace backoff::oracle
