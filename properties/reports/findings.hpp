// A counterexample, and what broke a port, as a report has them. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include "judge/counterexample.hpp"
#include "reports/report.hpp"
#include "session/breakdown.hpp"

namespace backoff::reports {

[[nodiscard]] finding make_finding(judge::run const& judged, judge::counterexample const& c);
[[nodiscard]] shown_breakdown make_breakdown(judge::run const& judged, broken_port const& b);

}  // namespace backoff::reports
