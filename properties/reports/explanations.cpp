#include "reports/explanations.hpp"

#include <algorithm>
#include <utility>

namespace backoff::reports {

tested_region const* explanations::region_of(shape const& s, counterexample const& shown) const {
  auto const known = regions.find(shown.shows.claim);
  if (known == regions.end()) return nullptr;
  auto const& h = shown.histories.back().tried;
  auto const at = std::ranges::find_if(known->second, [&](tested_region const& r) { return matches(s, r.where, h); });
  return at == known->second.end() ? nullptr : &*at;
}

std::vector<std::vector<constraint>> explanations::regions_of(shape const& s,
                                                              std::vector<counterexample> const& shown) const {
  std::vector<std::vector<constraint>> all;
  for (auto const& c : shown) {
    if (!c.shows.fails) continue;
    auto const* region = region_of(s, c);
    if (region == nullptr || !region->separates() || region->where.empty()) return {};
    all.push_back(region->where);
  }
  return all;
}

void explanations::fold(run const& judged, std::vector<counterexample>& shown) {
  auto const& s = judged.system().shape();
  auto const claims = judged.system().claims();
  auto const reset = s.find_operation("reset");
  auto const needs = [&](constraint const& c, dependence on) {
    using kind = quantity_kind;
    if (c.op != constraint::relation::above) return false;
    if (on == dependence::instances) return c.left.kind == kind::instances;
    return on == dependence::reset && reset && c.left.kind == kind::calls_of && c.left.one == *reset;
  };
  // Where a diagnosis or a hazard reading explains all answers, there is one fault, and one finding tells it.
  auto const is_cause = [](counterexample const& c) { return c.shows.fails && c.shows.is_of_a_claim(); };
  auto first = std::ranges::find_if(shown, [&](counterexample const& c) {
    return diagnosis && is_cause(c) && claims[c.shows.claim].name == diagnosis->claim;
  });
  if (first == shown.end()) first = std::ranges::find_if(shown, is_cause);
  bool const is_a_reading = judged.readings().admitted().empty() && !judged.readings().with_hazards().empty();
  bool const is_one_fault = (diagnosis || is_a_reading) && first != shown.end();
  auto const explained_by = [&](counterexample const& c) -> std::optional<unsigned> {
    if (is_one_fault && c.shows.claim != first->shows.claim) return first->shows.claim;
    auto const* region = region_of(s, c);
    if (region == nullptr || !region->separates() || claims[c.shows.claim].compares) return {};
    for (auto const& other : shown) {
      if (!other.shows.is_of_a_claim() || !other.shows.fails) continue;
      auto const on = claims[other.shows.claim].compares;
      if (on && std::ranges::any_of(region->where, [&](constraint const& r) { return needs(r, *on); }))
        return other.shows.claim;
    }
    return {};
  };
  std::vector<counterexample> left;
  for (auto const& c : shown) {
    auto const into = c.shows.is_of_a_claim() ? explained_by(c) : std::nullopt;
    if (into) {
      dependent.push_back({c, *into});
    } else {
      left.push_back(c);
    }
  }
  shown = std::move(left);
}

void explanations::tell_apart(
    shape const& s, std::vector<counterexample> const& shown,
    std::function<std::optional<probable>(std::vector<std::vector<constraint>> const&)> const& diagnosed) {
  auto const all = regions_of(s, shown);
  if (diagnosis || all.size() < 2 || all.size() != shown.size()) return;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    auto elsewhere = all;
    elsewhere.erase(elsewhere.begin() + static_cast<std::ptrdiff_t>(k));
    apart.push_back(diagnosed(elsewhere));
  }
}

}  // namespace backoff::reports
