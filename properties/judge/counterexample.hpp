// The smallest histories that show a broken claim. Usually that is one history. There are several where each alone
// still fits some reading of the document. Checked by: properties/judge/counterexample_test.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "judge/run.hpp"
#include "judge/subject.hpp"

namespace backoff::judge {

// together: no reading fits all the histories. sequence: the earlier histories only prepare the process for the last
// one, which it would answer otherwise if it came first. lost: a fresh process does not break the claim again. Chance
// explains neither of the two. unsteady: asked again, the port answers as documented, which chance may explain. seen:
// the break is given as it was found, because the port broke or the time ran out before it could be shown again.
// samples: no single history shows the break, but the draws of many do; the last of these is given.
enum class how_shown : std::uint8_t { together, sequence, lost, samples, unsteady, seen };
// Its names in files, in that order.
inline constexpr std::string_view how_shown_names[] = {"together", "sequence", "lost", "samples", "unsteady", "seen"};

// How often histories were asked again, and how often they broke the claim then.
struct tries {
  std::size_t asked = 0;
  std::size_t broke = 0;
};

struct counterexample {
  breach shows;
  spec::cube explained_by;          // the assignment under which it is shown
  std::vector<evidence> histories;  // the last one breaks the claim; the others refute the readings that it leaves
  // Non-canonical alternatives that would make the port right, as "reading=alternative"; empty where none would.
  std::vector<std::string> excuses;
  how_shown how = how_shown::together;
  tries again{};           // how often it was shown again, where that is a matter of chance
  bool cut_short = false;  // the time to make it smaller, or to show it again, was over
};

// Whether a history may break a claim on one try and not on the next: draws are not given, or the port is not known to
// use them.
[[nodiscard]] inline bool is_chance(run const& judged) noexcept { return judged.grade() != grade::exact; }

// The breach, then the other broken parts of its rule: chance may show any of them.
[[nodiscard]] std::vector<breach> parts_of_rule(run const& judged, breach const& shown);

// Whether this result breaks the claim under the assignment that explains the run. If the breach leads (see
// breach::leads), nothing may be broken at an earlier call here either.
[[nodiscard]] bool breaks_claim(run const& judged, breach const& shown, history const& h, result const& r);

// Whether these results, those of c's histories asked again, still show it.
[[nodiscard]] bool still_shown(run const& judged, counterexample const& c, std::span<result const> results);

// Asks c's histories again: once; or, where the break is a matter of chance, in rounds of 32 tries until a round shows
// it, 1,024 tries at most. Then c says how many tries showed it, and has the results of the last one that did. If the
// breach shows in fewer than one try in eight, c shows the part of its rule that breaks most often.
[[nodiscard]] bool show_again(run const& judged, subject& port, counterexample& c);

// Non-canonical alternatives that would make the port right on the histories that show the breach. last: the last of
// these.
[[nodiscard]] std::vector<std::string> excuses_of(run const& judged, breach const& shown, evidence const& last);

// Non-canonical alternatives that would make the port right on these histories, whatever it answers elsewhere: those of
// the joint reading that is nearest to the canonical one, hazards included. Empty where there is none.
[[nodiscard]] std::vector<std::string> fits_of(run const& judged, breach const& shown,
                                               std::span<evidence const> histories);

// Shrinks the histories that show the breach, by asking the subject again: first drops histories, then steps, then
// makes values simpler. Where the break is a matter of chance, a smaller history must break the claim in an eighth of
// its tries; for a rarer fault, half as often as the history that was found. If the history that was found does not
// break the claim again, the result is `unsteady`. within: which histories may show the breach.
[[nodiscard]] counterexample minimise(
    run const& judged, subject& port, breach const& shown,
    std::function<bool(history const&)> const& within = [](history const&) { return true; });

// The assignments of `from` that these answers leave.
[[nodiscard]] std::vector<spec::cube> left_by(run const& judged, std::span<evidence const> histories,
                                              std::vector<spec::cube> from);

// "reading=alternative" for each reading of the assignment that is not canonical.
[[nodiscard]] std::vector<std::string> deviations(spec::reading_table const& table, spec::cube assignment);

}  // namespace backoff::judge
