// A policy as a system of the judge, like those of the documents: it is known by its name from then on, and whoever
// asks for systems by name finds it. One object behind properties/judge/judged_system.hpp. Checked by:
// properties/policies/soundness_test.cpp, properties/policies/program_test.py.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "judge/judged_system.hpp"
#include "policies/policy.hpp"

namespace backoff::policies {

// version: what tells two files of one name apart. Throws policy_error: a name that is taken; a formula that has no
// value for parameters in their ranges.
judge::judged_system const& declare(policy p, std::string const& version);
// Such a system, whatever its name, known to its holder only. brief: for a search through many policies, which follows
// few and short histories to see whether formulas have values.
enum class thoroughness : std::uint8_t { full, brief };
[[nodiscard]] std::shared_ptr<judge::judged_system const> undeclared(policy p, thoroughness how);

// A declared policy as clients follow it that compute as model::compute_exactly() has it; it has no claims. Null: that
// system is no declared policy.
[[nodiscard]] std::shared_ptr<judge::judged_system const> followed_exactly(judge::judged_system const& declared);

}  // namespace backoff::policies
