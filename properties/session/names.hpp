// Words of the judge, and names of claims, as files and reports print them.
#pragma once

#include <string>
#include <string_view>

#include "claims/claim.hpp"
#include "judge/run.hpp"

namespace backoff::session {

[[nodiscard]] std::string_view grade_name(judge::grade g);
[[nodiscard]] std::string strength_name(claims::strength s);

// The pseudo-claim that histories are answered.
inline constexpr std::string_view no_answer_name = "declared_histories_are_answered";
inline constexpr std::string_view no_answer_sentence = "the port answers every history inside the declared ranges";
// The judge knows nothing of this pseudo-claim.
inline constexpr std::string_view no_break_name = "no_history_breaks_the_port";
inline constexpr std::string_view no_break_sentence = "the port neither crashes nor hangs nor breaks the protocol";
// The name of a claim, or no_answer_name.
[[nodiscard]] std::string_view claim_name(judge::judged_system const& system, unsigned claim);

}  // namespace backoff::session
