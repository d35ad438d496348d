// What broke the port, on its smallest history. Checked by: properties/oracle/shown_breakdowns_test.cpp,
// properties/oracle/broken_ports_test.py.
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

// Shows each way of breaking once; ways that differ in numbers alone are one. Where the list says that the port may
// break anywhere, shows all breakdowns. where: the regions in which the port breaks.
[[nodiscard]] std::vector<broken_port> show_breakdowns(judge::run const& judged, std::span<breakdown const> breakdowns,
                                                       explain::breaking const& where, asked_again const& again);

// For each line of the list that says where the port breaks: one history that breaks it, if one is found in a few
// tries.
[[nodiscard]] std::vector<broken_port> known_breakdowns(judge::run const& judged, std::uint64_t seed,
                                                        asked_again const& again);

// The histories that broke the port where it is not known to break.
[[nodiscard]] std::vector<histories::history> unknown_breaks(std::span<breakdown const> breakdowns,
                                                             known_failing const& known);

}  // namespace backoff::oracle
