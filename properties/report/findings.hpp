// A counterexample, and what broke a port, as a report has them. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include "judge/counterexample.hpp"
#include "report/report.hpp"
#include "session/breakdown.hpp"

namespace backoff::oracle {

[[nodiscard]] finding make_finding(conformance::run const& judged, conformance::counterexample const& c);
[[nodiscard]] shown_breakdown make_breakdown(conformance::run const& judged, broken_port const& b);

}  // namespace backoff::oracle
