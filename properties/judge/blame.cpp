#include "judge/blame.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <ranges>
#include <utility>

#include "histories/present.hpp"

namespace backoff::judge {
namespace {

// To find every broken claim, a history is judged to its end under every reading that is left. That takes several times
// as long as to find whether any claim is broken, so this is done for some histories only.
constexpr std::size_t sampled_for_claims = 256;

// After so many failing histories it is known which reading fits well. One that fails in more histories than that is
// judged no further.
constexpr std::size_t failing_first = 16;

// One joint reading, and what is broken under it.
struct candidate {
  spec::cube reading;
  std::uint64_t histories = 0;
  claim_mask claims = 0;
  [[nodiscard]] bool is_in(spec::cube c) const noexcept { return (reading.bits & ~c.bits) == 0; }
};

std::vector<spec::cube> joined(spec::reading_table const& table, std::span<candidate const> all) {
  std::vector<spec::cube> cubes;
  for (auto const& c : all) cubes.push_back(c.reading);
  spec::join_cubes(table, cubes);
  return cubes;
}

}  // namespace

std::vector<spec::cube> one_by_one(spec::reading_table const& table, std::vector<spec::cube> const& cubes) {
  std::vector<spec::cube> all = cubes;
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    std::vector<spec::cube> split;
    for (auto const c : all) {
      for (auto left = c.bits & table.field(r); left != 0; left &= left - 1)
        split.push_back({(c.bits & ~table.field(r)) | (left & (~left + 1))});
    }
    all = std::move(split);
  }
  std::ranges::sort(all, {}, [&](spec::cube c) { return std::pair(table.deviations(c), c.bits); });
  auto const again = std::ranges::unique(all);
  all.erase(again.begin(), again.end());
  return all;
}

blamed least_blamed(examiner& with, terms const& held_to, std::vector<spec::cube> const& among,
                    std::span<witnessed const> histories) {
  auto const& table = held_to.system().readings();
  auto const& draws = held_to.draws();
  auto const outcomes_of = [&](witnessed const& h, std::span<spec::cube const> under, claim_mask killing) {
    return with.judge(h.seen.tried, h.seen.got.answers, draws, under, h.selected, killing);
  };
  auto const fails = [](assignment_outcome const& o) { return !o.alive; };
  auto const times_failed = [&](spec::cube reading) {
    return static_cast<std::uint64_t>(std::ranges::count_if(histories, [&](witnessed const& h) {
      return std::ranges::any_of(outcomes_of(h, {&reading, 1}, held_to.must_claims()), fails);
    }));
  };
  std::vector<candidate> candidates;
  for (auto const reading : one_by_one(table, among)) candidates.push_back({reading});
  std::vector<spec::cube> under = among;  // all candidates, and a few that have failed too often since
  std::size_t under_at_first = candidates.size();
  std::uint64_t too_often = std::numeric_limits<std::uint64_t>::max();
  std::vector<witnessed const*> failing;  // under some candidate
  for (auto const& h : histories) {
    auto const outcomes = outcomes_of(h, under, held_to.must_claims());
    if (std::ranges::none_of(outcomes, fails)) continue;
    failing.push_back(&h);
    for (auto const& o : outcomes | std::views::filter(fails)) {
      for (auto& c : candidates) c.histories += static_cast<std::uint64_t>(c.is_in(o.where));
    }
    if (failing.size() == failing_first)
      too_often = 1 + times_failed(std::ranges::min_element(candidates, {}, &candidate::histories)->reading);
    std::erase_if(candidates, [&](candidate const& c) { return c.histories >= too_often; });
    if (candidates.size() > under_at_first / 2) continue;
    under_at_first = candidates.size();
    under = joined(table, candidates);
  }
  auto const fewest = std::ranges::min_element(candidates, {}, &candidate::histories)->histories;
  std::erase_if(candidates, [&](candidate const& c) { return c.histories != fewest; });
  std::vector<spec::cube> const left = joined(table, candidates);
  if (candidates.size() == 1) return {candidates.front().reading, left};
  std::size_t const apart = failing.size() / sampled_for_claims + 1;
  for (std::size_t i = 0; i < failing.size(); i += apart) {
    auto const& h = *failing[i];
    for (auto const& o : outcomes_of(h, left, 0)) {
      for (auto& c : candidates) {
        if (c.is_in(o.where)) c.claims |= o.broken;
      }
    }
  }
  auto const best =
      std::ranges::min_element(candidates, {}, [](candidate const& c) { return std::popcount(c.claims); });
  return {best->reading, left};
}

bool blame::keep(judged_history const& seen, claim_mask at_stake, bool refutes_one) {
  constexpr std::size_t histories_max = 1'024;
  constexpr std::size_t steps_max = 20'000;
  std::size_t const times = on_ ? 2 : 1;  // as many again once all is refuted
  auto const is_enough = [&]() { return kept_.size() >= times * histories_max || kept_steps_ >= times * steps_max; };
  if (is_enough() && !refutes_one) return false;
  kept_.push_back({seen.kept(), seen.selected, at_stake});
  kept_steps_ += seen.tried.steps.size();
  return on_ && is_enough();
}

bool blame::settle(examiner& with, readings_left const& left, judged_draws const& draws) {
  is_settled_ = true;
  auto const [best, as_few] = least_blamed(with, *held_to_, left.initial(), kept_);
  if (!draws.are_tested()) as_few_ = as_few;
  // Draws may have refuted the reading that fits the answers best. Then blame stays where it is: the answers that
  // refuted the last reading are the finding.
  if (best == present(on_) || (draws.are_tested() && draws.refute(best))) return false;
  on_ = best;
  return true;
}

bool blame::moves_with(judged_history const& seen, examiner& with) {
  if (std::ranges::all_of(as_few_, [&](spec::cube c) { return c == *on_; })) return false;
  auto const outcomes =
      with.judge(seen.tried, seen.got.answers, held_to_->draws(), as_few_, seen.selected, held_to_->must_claims());
  std::vector<spec::cube> left;
  for (auto const& o : outcomes) {
    if (o.alive) left.push_back(o.where);
  }
  if (left.empty() || left.size() == outcomes.size()) return false;
  spec::join_cubes(held_to_->system().readings(), left);
  as_few_ = std::move(left);
  kept_.push_back({seen.kept(), seen.selected, 0});
  on_ = least_blamed(with, *held_to_, as_few_, kept_).reading;
  return true;
}

}  // namespace backoff::judge
