// A port that remembers what it should not: a history that it answers wrongly only after others, in one process. Finds
// the shortest sequence that does it again in a fresh process. Checked by: properties/oracle/shown_findings_test.cpp,
// properties/oracle/oracle_test.py.
#pragma once

#include "judge/counterexample.hpp"
#include "transport/restartable.hpp"

namespace backoff::oracle {

// The claim on the history that was seen to break it, which does not do it again.
[[nodiscard]] judge::counterexample as_seen(judge::run const& judged, judge::breach const& shown);

// `before` are the histories sent ahead of the one that was answered wrongly, oldest first. Where even all of them do
// not make it happen again, the counterexample is `lost` and shows what was seen; so does an `unsteady` one, of which
// chance may explain that the sequence makes it happen.
[[nodiscard]] judge::counterexample minimise_sequence(judge::run const& judged, restartable& port,
                                                      judge::breach const& shown,
                                                      std::vector<histories::history> before);

}  // namespace backoff::oracle
