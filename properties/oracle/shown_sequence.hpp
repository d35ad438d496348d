// For a port that remembers what it should not, and answers a history wrongly only after others in one process: finds a
// shortest sequence that makes a fresh process do so again. Checked by: properties/oracle/shown_findings_test.cpp,
// properties/oracle/replay_test.py.
#pragma once

#include "judge/counterexample.hpp"
#include "transport/restartable.hpp"

namespace backoff::oracle {

// The breach on the history that was seen to show it, and does not show it again.
[[nodiscard]] judge::counterexample as_seen(judge::run const& judged, judge::breach const& shown);

// `before` are the histories sent ahead of the one that was answered wrongly, oldest first. If even all of them do not
// make it happen again, the counterexample is `lost`. If chance may explain that the sequence makes it happen, it is
// `unsteady`. Both show what was seen in the run.
[[nodiscard]] judge::counterexample minimise_sequence(judge::run const& judged, restartable& port,
                                                      judge::breach const& shown,
                                                      std::vector<histories::history> const& before);

}  // namespace backoff::oracle
