// The claims that follow from a policy: what its formulas, its limit and its draws promise, each with a name.
// Checked by: properties/policies/soundness_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "claims/claim.hpp"
#include "judge/catalogue.hpp"
#include "policies/model.hpp"

namespace backoff::policies {

// The requirements of a policy, which its claims and its catalogue name.
struct requirement_ids {
  std::deque<std::string> all;  // which do not move
  std::string_view delay, window, first, attempts, going_on, renews, draws, seeds, interface;
  std::deque<std::array<std::string_view, 1>> lists;
};

struct policy_claims {
  static constexpr std::size_t functions_max = 17;

  std::vector<claims::claim<facts>> all;
  std::array<std::uint64_t, functions_max> bits{};  // by function of a claim, the claim that has it

  [[nodiscard]] claims::claim_list<facts> list() const noexcept;
};

[[nodiscard]] policy_claims claims_of(policy const& p, model const& m, requirement_ids& ids);

// The policy as a catalogue: where each part stands in the file, and its formula. version: what tells two files apart.
[[nodiscard]] judge::catalogue catalogue_of(policy const& p, model const& m, requirement_ids const& ids,
                                            std::string const& version);

}  // namespace backoff::policies
