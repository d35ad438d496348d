#include "judge/counterexample.hpp"

#include <algorithm>

#include "history/shrink.hpp"

namespace backoff::conformance {
namespace {

// A killing claim is shown only when no admitted assignment is left.
bool needs_refutation(run const& judged, breach const& shown) noexcept {
  return shown.claim != breach::no_answer && judged.kills(shown.claim);
}

bool is_about_draws(run const& judged, breach const& shown) noexcept {
  return shown.claim != breach::no_answer && judged.system().claims()[shown.claim].draws.has_value();
}

}  // namespace

// What survives when hazards count too, where nothing admitted does. A reading that merely ends the judging of a
// history before the broken step explains nothing.
std::vector<std::string> excuses_of(run const& judged, breach const& shown, evidence const& last) noexcept {
  auto const& table = judged.system().readings();
  if (shown.claim == breach::no_answer) return {};
  auto left = judged.kills(shown.claim) ? judged.survivors_with_hazards() : judged.unblemished();
  auto const& draws = judged.about().takes.draws;
  if (!is_about_draws(judged, shown)) {  // where any claim is broken instead, nothing is explained
    auto const all = judged.options().claims;
    auto const fates = judged.system().judge(last.tried, last.got.answers, draws, left, all, all);
    left.clear();
    for (auto const& f : fates) {
      if (f.alive) left.push_back(f.where);
    }
  }
  if (left.empty()) return {};
  auto const best = simplest_among(table, left);
  if (is_about_draws(judged, shown)) return deviations(table, best);
  auto const report = judged.system().broken_claims(last.tried, last.got.answers, draws, judged.explained_by());
  auto const broken =
      std::ranges::find_if(report.broken_at, [&](claim_mask m) noexcept { return ((m >> shown.claim) & 1U) != 0; });
  auto const judged_steps = judged.system().admitted(last.tried, last.got.answers, draws, best).size();
  if (judged_steps < static_cast<std::size_t>(broken - report.broken_at.begin())) return {};
  return deviations(table, best);
}

bool breaks_claim(run const& judged, breach const& shown, history const& h, result const& r) noexcept {
  if (shown.claim == breach::no_answer) return r.is == result::kind::rejected || r.is == result::kind::skipped;
  if (!judged.counts_as_answered(r)) return false;
  auto const report = judged.system().broken_claims(h, r.answers, judged.about().takes.draws, judged.explained_by());
  return ((report.broken >> shown.claim) & 1U) != 0;
}

bool still_shown(run const& judged, counterexample const& c, std::span<result const> results) noexcept {
  std::vector<evidence> again;
  for (std::size_t i = 0; i < results.size(); ++i)
    again.push_back({c.histories[i].index, c.histories[i].tried, results[i]});
  if (!breaks_claim(judged, c.shows, again.back().tried, again.back().got)) return false;
  return !needs_refutation(judged, c.shows) || left_by(judged, again, judged.initial()).empty();
}

std::vector<spec::cube> left_by(run const& judged, std::span<evidence const> histories,
                                std::vector<spec::cube> from) noexcept {
  for (auto const& e : histories) {
    if (!judged.counts_as_answered(e.got)) continue;
    auto const fates = judged.system().judge(e.tried, e.got.answers, judged.about().takes.draws, from,
                                             judged.options().claims, judged.killing());
    from.clear();
    for (auto const& f : fates) {
      if (f.alive) from.push_back(f.where);
    }
    spec::join_cubes(judged.system().readings(), from);
  }
  return from;
}

std::vector<std::string> deviations(spec::reading_table const& table, spec::cube assignment) noexcept {
  std::vector<std::string> result;
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
      auto const& alternative = table.readings()[r].alternatives[a];
      bool const chosen = (assignment.bits & table.bit(r, a)) != 0;
      if (chosen && alternative.is != spec::standing::canonical) {
        result.push_back(std::string(table.readings()[r].name) + "=" + std::string(alternative.name));
      }
    }
  }
  return result;
}

counterexample minimise(run const& judged, subject& port, breach const& shown) noexcept {
  if (is_about_draws(judged, shown)) {
    return {shown, judged.explained_by(), {shown.first}, excuses_of(judged, shown, shown.first), how_shown::samples};
  }
  bool const refutes = needs_refutation(judged, shown);
  std::vector<evidence> kept;
  if (refutes) {
    std::ranges::copy_if(judged.refuting(), std::back_inserter(kept),
                         [&](evidence const& e) noexcept { return e.index != shown.first.index; });
  }
  kept.push_back(shown.first);

  // Whether these histories leave none of the assignments, where the claim needs that.
  auto const refuted = [&](std::span<evidence const> set, std::vector<spec::cube> const& from) noexcept {
    if (!refutes) return true;
    return left_by(judged, set, from).empty();
  };
  for (std::size_t i = 0; i + 1 < kept.size();) {
    auto fewer = kept;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (refuted(fewer, judged.initial())) {
      kept = std::move(fewer);
    } else {
      ++i;
    }
  }

  auto const& s = judged.system().shape();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::vector<evidence> others = kept;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    auto const left = refutes ? left_by(judged, others, judged.initial()) : judged.initial();
    bool const shows = i + 1 == kept.size();
    auto const failing = [&](std::vector<history> const& candidates) noexcept {
      auto const results = port.run(candidates);
      std::vector<bool> fails(candidates.size());
      for (std::size_t k = 0; k < candidates.size(); ++k) {
        if (shows && !breaks_claim(judged, shown, candidates[k], results[k])) continue;
        evidence const e{0, candidates[k], results[k]};
        fails[k] = refuted(std::span(&e, 1), left);
      }
      return fails;
    };
    auto const smallest = shrink(s, judged.about().takes, kept[i].tried, failing);
    auto results = port.run(std::span(&smallest, 1));
    kept[i] = {kept[i].index, smallest, std::move(results.front())};
  }
  auto excuses = excuses_of(judged, shown, kept.back());
  return {shown, judged.explained_by(), std::move(kept), std::move(excuses), how_shown::together};
}

}  // namespace backoff::conformance
