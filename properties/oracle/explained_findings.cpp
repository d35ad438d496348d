#include "oracle/explained_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "explain/diagnosis.hpp"
#include "oracle/found_regions.hpp"
#include "session/names.hpp"

namespace backoff::oracle {

namespace {

// What breaks a claim in one of its regions.
class part_of_a_claim {
 public:
  // accounted: claims that explain what breaks where one of them breaks too.
  part_of_a_claim(settled_results const& settled, std::span<tested_region const> regions, std::size_t part,
                  claim_mask accounted) noexcept
      : settled_(&settled), regions_(regions), part_(part), accounted_(accounted) {}

  // The first failure that shows it; nothing where there is none, or where all of them are accounted for.
  [[nodiscard]] std::optional<breach> first(breach const& b) const {
    auto const& judged = settled_->judged();
    std::optional<breach> found;
    bool is_accounted_for = true;
    for (auto const& e : settled_->from().answers()->failed()) {
      auto h = e.tried;
      if (!breaks(judged, b.claim, h, e.got).value_or(false) || !contains(h)) continue;
      auto got = e.got;
      got.answers.resize(std::min(got.answers.size(), h.steps.size()));
      auto const report =
          judged.system().broken_claims(h, got.answers, judged.about().takes.draws, judged.explained_by());
      is_accounted_for = is_accounted_for && (report.broken & accounted_) != 0;
      bool const leads = report.leads(b.claim, judged.options().claims);
      if (found && (found->leads || !leads)) continue;
      found = b;
      found->first = {e.index, h, got};
      found->leads = leads;
    }
    return is_accounted_for ? std::nullopt : found;
  }

  // The break on its smallest history; nothing where that history is not in this region alone, or where the port
  // breaks.
  [[nodiscard]] std::optional<counterexample> shown(breach const& first, asked_again const& again) const {
    auto const& judged = settled_->judged();
    again.now(fmt::format("shrinking {}", claim_name(judged.system(), first.claim)));
    try {
      auto asked = again.fresh(claim_mask{1} << first.claim);
      patience const in_time(again.port(), again.until());
      auto c = minimise(judged, asked, first, [this](history const& h) { return contains(h); });
      if (c.how == how_shown::together && c.histories.size() == 1 && contains(c.histories.front().tried)) return c;
    } catch (session_failure const&) {
      return {};
    }
    return {};
  }

 private:
  // Whether it is in this region alone.
  [[nodiscard]] bool contains(history const& h) const {
    auto const& s = settled_->judged().system().shape();
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      if (matches(s, regions_[i].where, h) != (i == part_)) return false;
    }
    return true;
  }

  settled_results const* settled_;
  std::span<tested_region const> regions_;
  std::size_t part_;
  claim_mask accounted_;
};

// The finding and those in the other regions of its claim, in the order of the regions. before: the earlier findings.
std::vector<counterexample> with_parts(settled_results const& settled, std::span<counterexample const> before,
                                       counterexample const& c, asked_again const& again, explanations& all) {
  auto const known = all.regions.find(c.shows.claim);
  if (known == all.regions.end() || known->second.size() < 2) return {c};
  auto const& regions = known->second;
  auto const* mine = all.region_of(settled.judged().system().shape(), c);
  claim_mask accounted = 0;
  for (auto const& earlier : before) accounted |= claim_mask{1} << earlier.shows.claim;
  std::vector<counterexample> parts;
  for (std::size_t k = 0; k < regions.size(); ++k) {
    if (&regions[k] == mine) {
      parts.push_back(c);
      continue;
    }
    part_of_a_claim const part(settled, regions, k, accounted);
    auto const first = part.first(c.shows);
    auto shown = first ? part.shown(*first, again) : std::nullopt;
    if (shown) parts.push_back(std::move(*shown));
  }
  if (again.is_over()) all.cut_short.insert(c.shows.claim);
  return parts;
}

std::vector<counterexample> with_regions(settled_results const& settled, std::vector<counterexample> const& shown,
                                         asked_again const& again, region_search const& search, explanations& all) {
  std::vector<counterexample> found;
  for (auto const& c : shown) {
    bool const is_sought = all.regions.contains(c.shows.claim);
    if (is_sought || c.how != how_shown::together || c.histories.size() != 1) {
      found.push_back(c);
      continue;
    }
    search.find(c.shows, !all.diagnosis, all);  // a fault that explains all answers has one region
    // What it was learnt from need not be near the smallest history. A region without that one is none.
    if (all.region_of(settled.judged().system().shape(), c) == nullptr) all.regions.erase(c.shows.claim);
    std::ranges::move(with_parts(settled, found, c, again, all), std::back_inserter(found));
  }
  return found;
}

}  // namespace

explained_findings explain_findings(settled_results const& settled, std::vector<counterexample> shown,
                                    asked_again const& again, explained_from const& from) {
  auto const& judged = settled.judged();
  explained_findings all{std::move(shown)};
  if (settled.from().answers() == nullptr) {
    all.why.fold(judged, all.shown);
    return all;
  }
  auto const diagnosed = [&](std::vector<std::vector<constraint>> const& elsewhere) {
    again.now_without_asking("comparing the answers with known faults");
    return settled.from().diagnosed(*from.planned, elsewhere);
  };
  if (from.planned) all.why.diagnosis = diagnosed({});
  region_search const search(settled, again, from.seed);
  all.shown = with_regions(settled, all.shown, again, search, all.why);
  for (auto const& b : judged.breaches()) {
    bool const is_told =
        std::ranges::any_of(all.shown, [&](counterexample const& c) { return c.shows.claim == b.claim; });
    if (from.of_all && b.fails && !is_told && !failing_list::is_rare(b)) search.find(b, true, all.why);
  }
  all.why.fold(judged, all.shown);
  search.try_elsewhere(all.shown, all.why);
  if (from.planned) all.why.tell_apart(judged.system().shape(), all.shown, diagnosed);
  return all;
}

}  // namespace backoff::oracle
