// RapidCheck as an engine: tries to falsify one claim about one subject with generated histories, and shrinks what it
// finds. It brings the search and nothing else: histories, shrinking and claims are those of every other engine.
// Checked by: properties/engines/rapidcheck/engine_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "judge/judged_system.hpp"
#include "judge/subject.hpp"

namespace backoff::engines::rapidcheck {

struct falsified {
  history smallest;
  std::string text;  // the claim, the history as JSON, and the line that replays it
};

struct search {
  std::uint64_t seed = 1;
  int histories = 5'000;
};

// Nothing where `histories` of them, judged under the assignment, did not break the claim.
[[nodiscard]] std::optional<falsified> falsify(judged_system const& system, subject& port, unsigned claim,
                                               spec::cube assignment, search how);

}  // namespace backoff::engines::rapidcheck
