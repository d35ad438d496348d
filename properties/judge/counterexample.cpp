#include "judge/counterexample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "history/shrink.hpp"

namespace backoff::conformance {
namespace {

bool is_about_draws(run const& judged, breach const& shown) noexcept {
  return shown.is_of_a_claim() && judged.system().claims()[shown.claim].draws.has_value();
}

std::vector<spec::cube> alive_of(std::span<fate const> fates) noexcept {
  std::vector<spec::cube> alive;
  for (auto const& f : fates) {
    if (f.alive) alive.push_back(f.where);
  }
  return alive;
}

// The nearest reading under which as many draws were tested, and which they speak little against. A reading that leaves
// out what speaks against it, or that was not tested to the end, explains nothing; one that says nothing of how draws
// are distributed has none to test.
std::vector<std::string> draws_excused_by(run const& judged) noexcept {
  double const little = -std::log(judged.alpha_of_a_test()) / 2;
  auto const& table = judged.system().readings();
  auto const tested = judged.samples()->draws();
  for (auto const c : one_by_one(table, judged.survivors_with_hazards())) {
    auto const* const under = judged.samples_under(c);
    if (under == nullptr || under->gained() >= little) continue;
    auto names = deviations(table, c);
    bool const undefined =
        std::ranges::any_of(names, [](std::string const& n) noexcept { return n.ends_with("=undefined"); });
    bool const unspecified = std::ranges::count(names, "distribution=unspecified") != 0;
    bool const has_all = under->draws() >= tested;
    bool const repeats = under->repeats_as_supposed();
    bool const is_tested = unspecified | (has_all & repeats);
    if (undefined | !is_tested) continue;  // what is not judged is not explained
    return names;
  }
  return {};
}

// Those under which this history breaks no claim.
std::vector<spec::cube> unbroken(run const& judged, evidence const& e, std::vector<spec::cube> const& from) noexcept {
  auto const all = judged.options().claims;
  return alive_of(judged.system().judge(e.tried, e.got.answers, judged.about().takes.draws, from, all, all));
}

// The nearest to the canonical reading of those left. One that merely ends the judging of a history before the broken
// step explains nothing.
std::vector<std::string> simplest_that_judges(run const& judged, breach const& shown, evidence const& last,
                                              std::vector<spec::cube> const& left) noexcept {
  if (left.empty()) return {};
  auto const& system = judged.system();
  auto const& draws = judged.about().takes.draws;
  auto const best = simplest_among(system.readings(), left);
  auto const report = system.broken_claims(last.tried, last.got.answers, draws, judged.explained_by());
  auto const broken =
      std::ranges::find_if(report.broken_at, [&](claim_mask m) noexcept { return includes(m, shown.claim); });
  auto const judged_steps = system.admitted(last.tried, last.got.answers, draws, best).size();
  if (judged_steps < static_cast<std::size_t>(std::distance(report.broken_at.begin(), broken))) return {};
  return deviations(system.readings(), best);
}

}  // namespace

// What survives when hazards count too, where nothing admitted does, and breaks no other claim instead.
std::vector<std::string> excuses_of(run const& judged, breach const& shown, evidence const& last) noexcept {
  if (!shown.is_of_a_claim()) return {};
  if (is_about_draws(judged, shown)) return draws_excused_by(judged);
  auto const& from = judged.kills(shown.claim) ? judged.survivors_with_hazards() : judged.unblemished();
  return simplest_that_judges(judged, shown, last, unbroken(judged, last, from));
}

std::vector<std::string> fits_of(run const& judged, breach const& shown, std::span<evidence const> histories) noexcept {
  if (!shown.is_of_a_claim()) return {};
  auto left = judged.initial_with_hazards();
  for (auto const& e : histories) left = unbroken(judged, e, left);
  return simplest_that_judges(judged, shown, histories.back(), left);
}

bool breaks_claim(run const& judged, breach const& shown, history const& h, result const& r) noexcept {
  if (!shown.is_of_a_claim()) return r.is == result::kind::rejected || r.is == result::kind::skipped;
  if (!judged.counts_as_answered(r)) return false;
  auto const report = judged.system().broken_claims(h, r.answers, judged.about().takes.draws, judged.explained_by());
  return shown.leads ? report.leads(shown.claim, judged.options().claims) : includes(report.broken, shown.claim);
}

bool still_shown(run const& judged, counterexample const& c, std::span<result const> results) noexcept {
  auto again = c.histories;
  std::ranges::transform(again, results, again.begin(),
                         [](evidence const& e, result const& r) noexcept { return evidence{e.index, e.tried, r}; });
  if (!breaks_claim(judged, c.shows, again.back().tried, again.back().got)) return false;
  return !judged.kills(c.shows.claim) || left_by(judged, again, judged.initial()).empty();
}

std::vector<spec::cube> left_by(run const& judged, std::span<evidence const> histories,
                                std::vector<spec::cube> from) noexcept {
  for (auto const& e : histories) {
    if (!judged.counts_as_answered(e.got)) continue;
    from = alive_of(judged.system().judge(e.tried, e.got.answers, judged.about().takes.draws, from,
                                          judged.options().claims, judged.killing()));
    spec::join_cubes(judged.system().readings(), from);
  }
  return from;
}

std::vector<std::string> deviations(spec::reading_table const& table, spec::cube assignment) noexcept {
  std::vector<std::string> result;
  unsigned r = 0;
  for (auto const& reading : table.readings()) {
    unsigned a = 0;
    for (auto const& alternative : reading.alternatives) {
      bool const chosen = static_cast<bool>(assignment.bits & table.bit(r, a++));
      if (chosen && alternative.is != spec::standing::canonical)
        result.emplace_back(reading.name).append("=").append(alternative.name);
    }
    ++r;
  }
  return result;
}

counterexample minimise(run const& judged, subject& port, breach const& shown) noexcept {
  if (is_about_draws(judged, shown)) {
    return {shown, judged.explained_by(), std::vector(1, shown.first), excuses_of(judged, shown, shown.first),
            how_shown::samples};
  }
  // Whether these histories leave none of the assignments: a claim that kills is shown only where none is left.
  auto const refuted = [&](std::span<evidence const> set, std::vector<spec::cube> const& from) noexcept {
    return !judged.kills(shown.claim) || left_by(judged, set, from).empty();
  };
  auto kept = judged.refuting();
  kept.push_back(shown.first);
  auto const enough = std::find_if(kept.rbegin(), kept.rend(), [&](evidence const& e) noexcept {
    return breaks_claim(judged, shown, e.tried, e.got) && refuted(std::span(&e, 1), judged.initial());
  });
  if (enough != kept.rend()) kept = std::vector(1, *enough);
  for (std::size_t i = 0; i + 1 < kept.size();) {
    auto fewer = kept;
    fewer.erase(std::next(fewer.begin(), static_cast<std::ptrdiff_t>(i)));
    if (refuted(fewer, judged.initial())) {
      kept = std::move(fewer);
    } else {
      ++i;
    }
  }

  for (auto& shrunk : kept) {
    bool const shows = &shrunk == &kept.back();
    std::vector<evidence> others;
    std::ranges::copy_if(kept, std::back_inserter(others), [&](evidence const& e) noexcept { return &e != &shrunk; });
    auto const left = left_by(judged, others, judged.initial());
    auto const failing = [&](std::vector<history> const& candidates) noexcept {
      auto const results = port.run(candidates);
      std::vector<bool> fails(candidates.size());
      std::transform(candidates.begin(), candidates.end(), results.begin(), fails.begin(),
                     [&](history const& h, result const& r) noexcept {
                       if (shows && !breaks_claim(judged, shown, h, r)) return false;
                       return refuted(std::array{evidence{shrunk.index, h, r}}, left);
                     });
      auto const taken = std::ranges::find(fails, true);
      if (taken != fails.end()) shrunk.got = results[static_cast<std::size_t>(taken - fails.begin())];
      return fails;
    };
    shrunk.tried = shrink(judged.system().shape(), judged.about().takes, shrunk.tried, failing);
  }
  auto excuses = excuses_of(judged, shown, kept.back());
  return {shown, judged.explained_by(), std::move(kept), std::move(excuses), how_shown::together};
}

}  // namespace backoff::conformance
