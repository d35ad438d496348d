// What broke the port, on its smallest history. Checked by: properties/oracle/shown_breakdowns_test.cpp,
// properties/oracle/oracle_test.py.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "explain/breaking.hpp"
#include "judge/run.hpp"
#include "oracle/asked_again.hpp"
#include "session/breakdown.hpp"
#include "session/known_failing.hpp"

namespace backoff::oracle {

// Each way of breaking once, or, of a port that may break anywhere, all. where: what is known of where it breaks.
[[nodiscard]] std::vector<broken_port> show_breakdowns(judge::run const& judged, std::span<breakdown const> breakdowns,
                                                       explain::breaking const& where, asked_again const& again);

// Of histories on which the port is known to break: one that breaks it, for each line of the list.
[[nodiscard]] std::vector<broken_port> known_breakdowns(judge::run const& judged, std::uint64_t seed,
                                                        asked_again const& again);

// The histories that broke the port where it is not known to break.
[[nodiscard]] std::vector<histories::history> unknown_breaks(std::span<breakdown const> breakdowns,
                                                             known_failing const& known);

}  // namespace backoff::oracle
