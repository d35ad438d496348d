#include "oracle/found_regions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explain/outside.hpp"
#include "explain/region.hpp"
#include "session/names.hpp"

namespace backoff::oracle {

namespace {

constexpr std::chrono::milliseconds region_max{
    30'000};  // of one finding: calls end it first, so that counts do not depend on load
constexpr std::uint64_t calls_max = 250'000;  // some seconds of a slow port, so that the clock seldom decides

}  // namespace

bool region_search::in_time(claim_mask about, search const& searched) const {
  try {
    auto& port = again_->port();
    auto asked = again_->fresh(about);
    patience const limited(port, std::min(again_->until(), std::chrono::steady_clock::now() + region_max));
    search_limits limits;
    limits.calls = calls_max;
    limits.is_over = [&] { return port.out_of_time(); };
    searched(asked, limits);
    return !port.out_of_time();
  } catch (session_failure const&) {
    return true;
  }
}

void region_search::find(breach const& b, bool parts, explanations& all) const {
  auto const& judged = settled_->judged();
  if (is_about_draws(judged.system(), b)) return;
  again_->now(fmt::format("looking for where {} breaks", claim_name(judged.system(), b.claim)));
  bool const ended = in_time(claim_mask{1} << b.claim, [&](subject& port, search_limits limits) {
    limits.parts = parts;
    auto const seen = settled_->from().answers()->about(judged, b);
    all.regions[b.claim] = find_regions(judged, port, b.claim, seen, seed_, limits);
  });
  if (!ended) all.cut_short.insert(b.claim);
}

// Guesses of the regions, learnt from all histories, so that a region may only say where a claim applies. Empty where a
// finding has no region. Histories that are tried outside them are the test.
std::vector<std::vector<constraint>> region_search::guessed(std::vector<counterexample> const& shown) const {
  std::vector<std::vector<constraint>> all;
  for (auto const& c : shown) {
    if (!c.shows.fails) continue;
    if (c.how != how_shown::together || c.histories.size() != 1) return {};
    for (auto const& r : learn_parts(settled_->from().answers()->about(settled_->judged(), c.shows, true))) {
      if (r.where.empty()) return {};
      if (std::ranges::count(all, r.where) == 0) all.push_back(r.where);
    }
  }
  return all;
}

void region_search::try_elsewhere(std::vector<counterexample> const& shown, explanations& all) const {
  auto const& judged = settled_->judged();
  auto known = settled_->from().answers()->failed();
  for (auto const& c : shown) known.insert(known.end(), c.histories.begin(), c.histories.end());
  for (auto const& regions : {guessed(shown), all.regions_of(judged.system().shape(), shown)}) {
    if (regions.empty() || (all.outside && all.outside->conforms())) continue;
    again_->now("trying histories elsewhere");
    all.outside_cut_short = !in_time(~claim_mask{0}, [&](subject& port, search_limits const& limits) {
      all.outside = try_outside(judged, port, regions, known, seed_, limits);
    });
  }
}

}  // namespace backoff::oracle
