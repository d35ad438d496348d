// Broken claims on their smallest histories, which must break them again in a fresh process: at once, or where that is
// a matter of chance, in some of many tries. Checked by: properties/oracle/shown_findings_test.cpp,
// properties/oracle/replay_test.py.
#pragma once

#include <vector>

#include "judge/counterexample.hpp"
#include "oracle/asked_again.hpp"
#include "oracle/asked_histories.hpp"
#include "session/result_feed.hpp"

namespace backoff::oracle {

// Settles blame. Asks the port again and compares it with itself, to see whether the claims of dependence that it broke
// really are broken.
[[nodiscard]] settled_results settle_blame(result_feed& judged, asked_again const& again);

// One for each finding. asked: what the process had been asked in the run, which a port may remember.
[[nodiscard]] std::vector<judge::counterexample> show_findings(settled_results const& settled, asked_again const& again,
                                                               asked_histories const& asked);

}  // namespace backoff::oracle
