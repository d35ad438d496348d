// The answers of a port along its clock, with what the document admits at each instant, for systems whose answers show
// no delay. Checked by: properties/oracle/page_test.py.
#pragma once

#include <optional>
#include <vector>

#include "judge/run.hpp"
#include "reports/answered.hpp"
#include "reports/pictures.hpp"

namespace backoff::reports {

// The answer field that says how to go on, in a system whose calls read a clock and whose answers show no delay.
[[nodiscard]] std::optional<std::size_t> action_of(shape const& s);
// The calls on the first instance whose answers say how to go on.
[[nodiscard]] std::vector<std::size_t> polls(answered const& a, std::size_t action);
// How telling a history is along its clock. 0 where its clock goes back, stands still or spans too long, or where other
// calls come between.
[[nodiscard]] double interest(answered const& a, std::size_t action);

// The picture of `a` along its clock. polls() must find at least one call of `a`.
[[nodiscard]] picture drawn_timeline(run const& judged, answered const& a, std::size_t action);

}  // namespace backoff::reports
