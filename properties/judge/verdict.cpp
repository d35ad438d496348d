#include "judge/verdict.hpp"

#include <algorithm>

namespace backoff::judge {

claim_mask unexercised_musts(terms const& held_to, tally const& seen, grade how) noexcept {
  if (!held_to.options().whole) return 0;
  auto const& takes = held_to.about().takes;
  auto const all = held_to.claims_where([&](claim_text const& c, unsigned i) {
    bool const reachable =
        (!c.needs || takes.offers(*c.needs)) && (c.possible == nullptr || c.possible(takes)) && seen.tells(c);
    bool const tested = !c.draws || how == grade::distribution;
    return held_to.selected(i) && c.strength == strength::must && reachable && tested && seen.at_stake[i] == 0;
  });
  return all & ~held_to.options().known_everywhere;
}

verdict verdict_by_the_document(terms const& held_to, breach_log const& broken, tally const& seen,
                                judged_draws const& draws, bool is_unexplained) {
  bool const refuted = std::ranges::any_of(broken.all(), [&](auto const& b) {
    return refutes(held_to, b.second) ||
           (b.second.fails && held_to.system().claims()[b.first].strength == strength::recommended);
  });
  if (refuted) return verdict::does_not_conform;
  if (seen.judged == 0 || is_unexplained) return verdict::inconclusive;
  if (!held_to.options().whole) return verdict::conforms;  // a replay: no draws of many histories are tested
  if (draws.grade() == grade::membership || seen.turned_most_away()) return verdict::inconclusive;
  bool const is_sure = draws.grade() == grade::exact || draws.are_excused() || draws.exclude_gross_faults();
  if (!is_sure || any(unexercised_musts(held_to, seen, draws.grade()))) return verdict::inconclusive;
  return verdict::conforms;
}

verdict verdict_with_the_interface(verdict by_the_document, breach_log const& broken) {
  bool const fails = std::ranges::any_of(broken.all(), [](auto const& b) { return b.second.fails; });
  return fails && by_the_document != verdict::does_not_conform ? verdict::breaks_the_interface : by_the_document;
}

}  // namespace backoff::judge
