// What a run comes to. Checked by: properties/judge/verdict_test.cpp.
#pragma once

#include <cstdint>

#include "judge/judged_draws.hpp"
#include "judge/tally.hpp"

namespace backoff::judge {

enum class verdict : std::uint8_t { conforms, does_not_conform, breaks_the_interface, inconclusive };

// Claims of the strength must that a pass needs, and that no history put at stake.
[[nodiscard]] claim_mask unexercised_musts(terms const& held_to, tally const& seen, grade how) noexcept;

// The verdict if the interface counted for nothing. is_unexplained: no finding refutes the run, and yet no admitted
// reading is left that explains it.
[[nodiscard]] verdict verdict_by_the_document(terms const& held_to, breach_log const& broken, tally const& seen,
                                              judged_draws const& draws, bool is_unexplained) noexcept;
// The verdict, where that is what the document says.
[[nodiscard]] verdict verdict_with_the_interface(verdict by_the_document, breach_log const& broken) noexcept;

}  // namespace backoff::conformance
