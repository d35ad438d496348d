#include "judge/counterexample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "histories/shrink.hpp"

namespace backoff::judge {
namespace {

std::vector<spec::cube> alive_of(std::span<assignment_outcome const> outcomes) {
  std::vector<spec::cube> alive;
  for (auto const& f : outcomes) {
    if (f.alive) alive.push_back(f.where);
  }
  return alive;
}

// How the nearest reading that excuses the draws departs from the canonical one. Such a reading has little evidence
// against it, and at least as many of its draws were tested as of the reading that explains the run. A reading explains
// nothing if it leaves out draws that speak against it, or if it was not tested to the end. A reading that says nothing
// of how draws are distributed has none to test.
std::vector<std::string> draws_excused_by(run const& judged) {
  double const little = -std::log(judged.draws().alpha_of_a_test()) / 2;
  auto const& table = judged.system().readings();
  auto const tested = judged.samples()->draws();
  for (auto const c : one_by_one(table, judged.readings().with_hazards())) {
    auto const* const under = judged.draws().samples_under(c);
    if (under == nullptr || under->gained() >= little) continue;
    auto names = deviations(table, c);
    bool const undefined = std::ranges::any_of(names, [](std::string const& n) { return n.ends_with("=undefined"); });
    bool const unspecified = std::ranges::count(names, "distribution=unspecified") != 0;
    bool const has_all = under->draws() >= tested;
    bool const repeats = under->repeats_as_supposed();
    // NOLINTBEGIN(readability-implicit-bool-conversion): none is looked at alone
    bool const is_tested = unspecified | (has_all & repeats);
    if (undefined | !is_tested) continue;  // what is not judged is not explained
    // NOLINTEND(readability-implicit-bool-conversion)
    return names;
  }
  return {};
}

// The readings of `from` under which this history breaks no claim.
std::vector<spec::cube> unbroken(run const& judged, evidence const& e, std::vector<spec::cube> const& from) {
  auto const all = judged.options().claims;
  return alive_of(judged.system().judge(e.tried, e.got.answers, judged.about().takes.draws, from, all, all));
}

// How the nearest reading in `left` departs from the canonical one. A reading explains nothing if it only ends the
// judging before the broken step.
std::vector<std::string> simplest_that_judges(run const& judged, breach const& shown, evidence const& last,
                                              std::vector<spec::cube> const& left) {
  if (left.empty()) return {};
  auto const& system = judged.system();
  auto const& draws = judged.about().takes.draws;
  auto const best = simplest_among(system.readings(), left);
  auto const report = system.broken_claims(last.tried, last.got.answers, draws, judged.explained_by());
  auto const broken = std::ranges::find_if(report.broken_at, [&](claim_mask m) { return includes(m, shown.claim); });
  auto const judged_steps = system.admitted(last.tried, last.got.answers, draws, best).size();
  if (judged_steps < static_cast<std::size_t>(std::distance(report.broken_at.begin(), broken))) return {};
  return deviations(system.readings(), best);
}

bool breaks_claim(run const& judged, examiner& with, breach const& shown, history const& h, result const& r) {
  if (!shown.is_of_a_claim()) return r.kind == result_kind::rejected || r.kind == result_kind::skipped;
  if (!judged.counts_as_answered(r)) return false;
  auto const& report = with.broken_claims(h, r.answers, judged.about().takes.draws, judged.explained_by());
  return shown.leads ? report.leads(shown.claim, judged.options().claims) : includes(report.broken, shown.claim);
}

std::vector<spec::cube> left_by(run const& judged, examiner& with, std::span<evidence const> histories,
                                std::vector<spec::cube> from) {
  for (auto const& e : histories) {
    if (!judged.counts_as_answered(e.got)) continue;
    from = alive_of(with.judge(e.tried, e.got.answers, judged.about().takes.draws, from, judged.options().claims,
                               judged.held_to().must_claims()));
    spec::join_cubes(judged.system().readings(), from);
  }
  return from;
}

constexpr std::size_t tries_first = 32;
constexpr std::size_t tries_max = 1'024;
constexpr std::size_t calls_max = 400'000;  // to shrink one finding

std::vector<history> repeated(std::span<history const> all, std::size_t times) {
  std::vector<history> more;
  for (std::size_t i = 0; i < times; ++i) more.insert(more.end(), all.begin(), all.end());
  return more;
}

constexpr bool breaks_often(tries const& t) noexcept { return 8 * t.broke >= t.asked; }

// How often a smaller history is asked, and how often it must break: see minimise.
struct effort {
  std::size_t tries = 1;
  std::size_t enough = 1;
  // A history that has not broken after so many tries is given up.
  [[nodiscard]] std::size_t screening() const noexcept { return (tries + 3) / 4; }
};

effort effort_after(tries const& seen) noexcept {
  constexpr std::size_t tries_of_rare = 256;
  auto const n = std::clamp(8 * seen.asked / seen.broke, tries_first, tries_of_rare);
  return {n, std::max<std::size_t>(1, std::min(n / 8, n * seen.broke / (2 * seen.asked)))};
}

// A part of a rule, how often it broke, and the results that showed it last.
struct seen_part {
  breach broken;
  std::size_t broke = 0;
  std::vector<result> round{};
};

// Counts one more try: `round` has the results of c's histories.
void take_round(run const& judged, counterexample& c, std::span<result const> round, std::vector<seen_part>& parts) {
  bool breaks = false;
  for (auto& p : parts) {
    c.shows = p.broken;
    if (!still_shown(judged, c, round)) continue;
    breaks = true;
    ++p.broke;
    p.round.assign(round.begin(), round.end());
  }
  c.shows = parts.front().broken;
  c.again.asked += round.back().kind == result_kind::broke ? 0 : 1;
  c.again.broke += breaks ? 1 : 0;
}

}  // namespace

// For a claim that refutes readings, all readings left count, hazards too; for another, only those under which nothing
// was broken. The history may break no other claim under the reading.
std::vector<std::string> excuses_of(run const& judged, breach const& shown, evidence const& last) {
  if (!shown.is_of_a_claim()) return {};
  if (is_about_draws(judged.system(), shown)) return draws_excused_by(judged);
  auto const& from = judged.held_to().refutes_readings(shown.claim) ? judged.readings().with_hazards()
                                                                    : judged.readings().never_broken();
  return simplest_that_judges(judged, shown, last, unbroken(judged, last, from));
}

std::vector<std::string> fits_of(run const& judged, breach const& shown, std::span<evidence const> histories) {
  if (!shown.is_of_a_claim()) return {};
  auto left = judged.readings().initial_with_hazards();
  for (auto const& e : histories) left = unbroken(judged, e, left);
  return simplest_that_judges(judged, shown, histories.back(), left);
}

bool breaks_claim(run const& judged, breach const& shown, history const& h, result const& r) {
  examiner once(judged.system());
  return breaks_claim(judged, once, shown, h, r);
}

bool still_shown(run const& judged, counterexample const& c, std::span<result const> results) {
  auto again = c.histories;
  std::ranges::transform(again, results, again.begin(),
                         [](evidence const& e, result const& r) { return evidence{e.index, e.tried, r}; });
  if (!breaks_claim(judged, c.shows, again.back().tried, again.back().got)) return false;
  return !judged.held_to().refutes_readings(c.shows.claim) ||
         left_by(judged, again, judged.readings().initial()).empty();
}

std::vector<spec::cube> left_by(run const& judged, std::span<evidence const> histories, std::vector<spec::cube> from) {
  examiner once(judged.system());
  return left_by(judged, once, histories, std::move(from));
}

std::vector<std::string> deviations(spec::reading_table const& table, spec::cube assignment) {
  std::vector<std::string> result;
  unsigned r = 0;
  for (auto const& reading : table.readings()) {
    unsigned a = 0;
    for (auto const& alternative : reading.alternatives) {
      bool const chosen = static_cast<bool>(assignment.bits & table.bit(r, a++));
      if (chosen && alternative.standing != spec::standing::canonical)
        result.emplace_back(reading.name).append("=").append(alternative.name);
    }
    ++r;
  }
  return result;
}

std::vector<breach> parts_of_rule(run const& judged, breach const& shown) {
  std::vector parts(1, shown);
  auto const leader = shown.told_with.value_or(shown.claim);
  for (auto const& b : judged.breaches()) {
    bool const is_part = b.claim == leader || b.told_with == leader;
    if (is_part && b.claim != shown.claim) parts.push_back(b);
  }
  return parts;
}

bool show_again(run const& judged, subject& port, counterexample& c) {
  std::vector<history> set;
  set.reserve(c.histories.size());
  for (auto const& e : c.histories) set.push_back(e.tried);
  if (!is_chance(judged)) return still_shown(judged, c, port.run(set));
  std::vector<seen_part> parts;
  for (auto const& b : parts_of_rule(judged, c.shows)) parts.push_back({b});
  c.again = {};
  for (std::size_t i = 0; i < tries_max && c.again.broke == 0; i += tries_first) {
    auto const results = port.run(repeated(set, tries_first));
    for (auto round = std::span(results); !round.empty(); round = round.subspan(set.size()))
      take_round(judged, c, round.first(set.size()), parts);
  }
  if (c.again.broke == 0) return false;
  bool const leads = breaks_often({c.again.asked, parts.front().broke});
  auto const told = leads ? parts.begin() : std::ranges::max_element(parts, {}, &seen_part::broke);
  c.shows = told->broken;
  for (std::size_t i = 0; i < set.size(); ++i) c.histories[i].got = told->round[i];
  c.excuses = excuses_of(judged, c.shows, c.histories.back());
  return true;
}

counterexample minimise(run const& judged, subject& port, breach const& shown,
                        std::function<bool(history const&)> const& within) {
  if (is_about_draws(judged.system(), shown)) {
    return {shown, judged.explained_by(), {shown.first}, excuses_of(judged, shown, shown.first), how_shown::samples};
  }
  examiner with(judged.system());
  // Whether these histories leave no assignment of `from`. A claim that refutes readings is shown only then.
  auto const refuted = [&](std::span<evidence const> set, std::vector<spec::cube> const& from) {
    return !judged.held_to().refutes_readings(shown.claim) || left_by(judged, with, set, from).empty();
  };
  auto kept = judged.refuting();
  kept.push_back(shown.first);
  auto const enough = std::find_if(kept.rbegin(), kept.rend(), [&](evidence const& e) {
    bool const shows = within(e.tried) && breaks_claim(judged, with, shown, e.tried, e.got);
    return shows && refuted(std::span(&e, 1), judged.readings().initial());
  });
  if (enough != kept.rend()) kept = {*enough};
  for (std::size_t i = 0; i + 1 < kept.size();) {
    auto fewer = kept;
    fewer.erase(std::next(fewer.begin(), static_cast<std::ptrdiff_t>(i)));
    if (refuted(fewer, judged.readings().initial())) {
      kept = std::move(fewer);
    } else {
      ++i;
    }
  }

  counterexample c{shown, judged.explained_by(), std::move(kept), {}, how_shown::together};
  std::vector parts(1, shown);
  effort needs;
  if (is_chance(judged)) {
    if (!show_again(judged, port, c)) {
      // Where it was not even asked, as when the time was over, nothing is known of chance.
      if (c.again.asked != 0) c.how = how_shown::unsteady;
      c.excuses = excuses_of(judged, shown, c.histories.back());
      return c;
    }
    needs = effort_after(std::exchange(c.again, {}));
    if (c.shows.claim != shown.claim) parts = parts_of_rule(judged, shown);
  }
  auto const breaks = [&](history const& h, result const& r) {
    return std::ranges::any_of(parts, [&](breach const& b) { return breaks_claim(judged, with, b, h, r); });
  };
  std::size_t calls = 0;
  auto const ask = [&](std::span<history const> all, std::size_t times) {
    for (auto const& h : all) calls += times * (h.steps.size() + 1);
    return port.run(repeated(all, times));
  };
  for (auto& shrunk : c.histories) {
    bool const shows = &shrunk == &c.histories.back();
    std::vector<evidence> others;
    std::ranges::copy_if(c.histories, std::back_inserter(others), [&](evidence const& e) { return &e != &shrunk; });
    auto const left = left_by(judged, with, others, judged.readings().initial());
    auto const fails = [&](history const& h, result const& r) {
      if (shows && !within(h)) return false;
      if (shows && !breaks(h, r)) return false;
      return refuted(std::array{evidence{shrunk.index, h, r}}, left);
    };
    auto const failing = [&](std::vector<history> const& candidates) {
      std::vector<bool> taken(candidates.size());
      if (is_chance(judged) && calls >= calls_max) return taken;
      auto const results = ask(candidates, needs.screening());
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        std::size_t broke = 0;
        result const* got = nullptr;
        for (std::size_t k = i; k < results.size(); k += candidates.size()) {
          if (!fails(candidates[i], results[k])) continue;
          ++broke;
          got = &results[k];
        }
        if (broke == 0) continue;
        if (broke < needs.enough) {
          for (auto const& r : ask(std::span(&candidates[i], 1), needs.tries - needs.screening()))
            broke += fails(candidates[i], r) ? 1 : 0;
        }
        if (broke < needs.enough) continue;
        shrunk.got = *got;
        taken[i] = true;
        break;
      }
      return taken;
    };
    shrunk.tried = shrink(judged.system().shape(), judged.about().takes, shrunk.tried, failing);
  }
  c.excuses = excuses_of(judged, c.shows, c.histories.back());
  return c;
}

}  // namespace backoff::judge
