// What a run comes to. Checked by: properties/judge/verdict_test.cpp.
#pragma once

#include <cstdint>

#include "judge/judged_draws.hpp"
#include "judge/tally.hpp"

namespace backoff::judge {

enum class verdict : std::uint8_t { conforms, does_not_conform, breaks_the_interface, inconclusive };

// `must` claims that a pass needs at stake, and that no history put at stake.
[[nodiscard]] claim_mask unexercised_musts(terms const& held_to, tally const& seen, grade how) noexcept;

// The verdict without the claims about the interface. is_unexplained: no finding refutes the run, yet no admitted
// reading is left.
[[nodiscard]] verdict verdict_by_the_document(terms const& held_to, breach_log const& broken, tally const& seen,
                                              judged_draws const& draws, bool is_unexplained);
// The verdict with the claims about the interface: a break that fails the port, and does not refute the document,
// breaks the interface.
[[nodiscard]] verdict verdict_with_the_interface(verdict by_the_document, breach_log const& broken);

}  // namespace backoff::judge
