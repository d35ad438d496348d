// The calls that ask for delays in a row, and what a document admits before each retry.
// Checked by: properties/waits/judged_waits_test.cpp, properties/plans/schedule_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "histories/shape.hpp"
#include "relation/relation.hpp"

namespace backoff::explain {

// The history with calls for one delay per draw, or for fewer where the document allows no more. Nothing: it allows
// none.
[[nodiscard]] std::optional<history> asking_for(history const& with, shape const& s, domain const& takes,
                                                std::vector<value> draws);

struct admitted_delay {
  bool may_retry = true;
  bool may_end = false;
  std::optional<std::pair<double, double>> range;  // the least and the greatest, in the unit of the system
};

[[nodiscard]] admitted_delay admitted_delay_of(shape const& s, spec::expectation const& admitted);
// One for each call after calls_before().
[[nodiscard]] std::vector<admitted_delay> admitted_delays(shape const& s, std::span<spec::expectation const> admitted);

}  // namespace backoff::explain
