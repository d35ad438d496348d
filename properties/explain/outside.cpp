#include "explain/outside.hpp"

#include <algorithm>

#include "judge/plan.hpp"

namespace backoff::explain {
namespace {

constexpr std::uint64_t planned_max = 20'000;  // histories, of which regions may leave few
constexpr std::size_t batch = 64;

bool conforms(run const& judged, history const& h, result const& r) {
  auto const report = judged.system().broken_claims(h, r.answers, judged.about().takes.draws, judged.explained_by());
  for (unsigned claim = 0; claim < judged.system().claims().size(); ++claim) {
    if (includes(report.broken, claim) && judged.held_to().fails(claim)) return false;
  }
  return true;
}

// Whether a constraint says the opposite of c. None does for an argument: c holds where any call satisfies it.
bool has_opposite(constraint const& c) noexcept { return c.left.kind != quantity_kind::argument; }

constraint opposite(constraint c) noexcept {
  using enum constraint::relation;
  if (c.left.kind == quantity_kind::parity && c.op == equal && !c.param) {
    c.with.n = 1 - c.with.n;
    return c;
  }
  constexpr constraint::relation of[] = {unequal, equal, at_least, above, at_most, below};
  c.op = of[static_cast<std::size_t>(c.op)];
  return c;
}

}  // namespace

outside try_outside(run const& judged, subject& port, std::vector<std::vector<constraint>> regions,
                    std::span<evidence const> known, std::uint64_t seed, search_limits const& limits) {
  auto const& s = judged.system().shape();
  outside all{std::move(regions)};
  auto const is_outside = [&](history const& h) {
    return std::ranges::none_of(all.regions, [&](auto const& region) { return matches(s, region, h); });
  };
  for (auto const& e : known) {
    if (!is_outside(e.tried) || !judged.counts_as_answered(e.got) || conforms(judged, e.tried, e.got)) continue;
    all.tried = 1;
    return all;
  }
  plan histories(s, judged.about().takes, planned_max, seed + 1);
  std::uint64_t calls = 0;
  while (all.tried < outside::most && calls < limits.calls && !(limits.is_over && limits.is_over())) {
    auto const planned = histories.next(batch);
    if (planned.empty()) break;
    std::vector<history> asked;
    std::ranges::copy_if(planned, std::back_inserter(asked), is_outside);
    for (auto const& h : asked) calls += h.steps.size() + 1;
    auto const results = port.run(asked);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!judged.counts_as_answered(results[i])) continue;
      ++all.tried;
      if (conforms(judged, asked[i], results[i])) ++all.held;
    }
  }
  return all;
}

std::string to_words(shape const& s, domain const& takes, outside const& of) {
  std::string text;
  for (auto const& region : of.regions) {
    auto const words = region.size() > 1              ? "not (" + to_words(s, takes, region) + ")"
                       : has_opposite(region.front()) ? to_words(s, takes, opposite(region.front()))
                                                      : to_words_of_none(s, takes, region.front());
    if (text.find(words) == std::string::npos) text += (text.empty() ? "" : " and ") + words;
  }
  return text;
}

}  // namespace backoff::explain
