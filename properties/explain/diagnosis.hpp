// What the code of a port probably does. A hypothesis answers as a port with one fault would. It is tried on all
// answers of the port, and is told only if it explains every one, from the first call on or from a later attempt on.
// The hypotheses of a system are in properties/systems/STEM/diagnoses.cpp; those of a policy are its variants; those
// for every system are in common_faults.cpp. Checked by: properties/explain/diagnosis_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/answers_log.hpp"
#include "explain/constraint.hpp"
#include "explain/documented.hpp"
#include "judge/run.hpp"

namespace backoff::explain {

struct diagnosis {
  std::string name;
  std::string sentence;  // the port probably …
  std::function<std::vector<answer>(history const&, documented&)> answers;
  std::string_view claim{};  // the broken claim whose finding tells it; empty: the first of the broken claims
};

// Of every system. The first one is that a port does not wait.
[[nodiscard]] std::vector<diagnosis> common_faults();

// The hypotheses of the system, then those of every system; the most telling first.
[[nodiscard]] std::vector<diagnosis> diagnoses_of(judged_system const& system);

struct probable {
  std::string name;
  std::string sentence;
  std::int64_t from = 1;        // the attempt of a cycle from which on it explains the answers
  std::uint64_t histories = 0;  // how many it explains: all that were answered
  bool apart = false;           // histories in which another fault may show are left out
  std::string_view claim{};     // whose finding tells it
};

// Begins the run's histories anew, and gives them some at a time; none after the last.
using histories_again = std::function<std::function<std::span<history const>()>()>;

// The diagnosis that explains all answers. None where no hypothesis explains them, or where they show no fault.
// `failed` are some of the answers that are wrong. `elsewhere`: regions of other faults, whose histories need no
// explanation.
[[nodiscard]] std::optional<probable> diagnose(run const& judged, std::span<evidence const> failed,
                                               answers_log const& log, histories_again const& again,
                                               std::vector<std::vector<constraint>> const& elsewhere = {});

}  // namespace backoff::explain
