#include "judge/blame.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace backoff::judge {
namespace {

// To see every claim that is broken, a history is judged up to its end under every reading that is left, which takes
// several times as long as to see whether any is.
constexpr std::size_t sampled_for_claims = 256;

// One joint reading, and what is broken under it.
struct candidate {
  spec::cube reading;
  std::uint64_t histories = 0;
  claim_mask claims = 0;
  [[nodiscard]] bool is_in(spec::cube c) const noexcept { return (reading.bits & ~c.bits) == 0; }
};

}  // namespace

std::vector<spec::cube> one_by_one(spec::reading_table const& table, std::vector<spec::cube> const& cubes) noexcept {
  std::vector<spec::cube> all = cubes;
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    std::vector<spec::cube> split;
    for (auto const c : all) {
      for (auto left = c.bits & table.field(r); left != 0; left &= left - 1)
        split.push_back({(c.bits & ~table.field(r)) | (left & (~left + 1))});
    }
    all = std::move(split);
  }
  std::ranges::sort(all, {}, [&](spec::cube c) noexcept { return std::pair(table.deviations(c), c.bits); });
  auto const again = std::ranges::unique(all);
  all.erase(again.begin(), again.end());
  return all;
}

blamed least_blamed(examiner& with, spec::reading_table const& table, std::vector<spec::cube> const& admitted,
                    std::span<witnessed const> histories, draw_source const& draws, claim_mask killing) noexcept {
  std::vector<candidate> candidates;
  std::vector<witnessed const*> failing;  // under some reading
  for (auto const reading : one_by_one(table, admitted)) candidates.push_back({reading});
  for (auto const& h : histories) {
    bool fails = false;
    for (auto const& f : with.judge(h.seen.tried, h.seen.got.answers, draws, admitted, h.selected, killing)) {
      if (f.alive) continue;
      fails = true;
      for (auto& c : candidates) c.histories += static_cast<std::uint64_t>(c.is_in(f.where));
    }
    if (fails) failing.push_back(&h);
  }
  auto const fewest = std::ranges::min_element(candidates, {}, &candidate::histories)->histories;
  std::erase_if(candidates, [&](candidate const& c) noexcept { return c.histories != fewest; });
  std::vector<spec::cube> left;
  for (auto const& c : candidates) left.push_back(c.reading);
  if (candidates.size() == 1) return {candidates.front().reading, left};
  spec::join_cubes(table, left);
  std::size_t const apart = failing.size() / sampled_for_claims + 1;
  for (std::size_t i = 0; i < failing.size(); i += apart) {
    auto const& h = *failing[i];
    for (auto const& f : with.judge(h.seen.tried, h.seen.got.answers, draws, left, h.selected, 0)) {
      for (auto& c : candidates) {
        if (c.is_in(f.where)) c.claims |= f.broken;
      }
    }
  }
  auto const best =
      std::ranges::min_element(candidates, {}, [](candidate const& c) noexcept { return std::popcount(c.claims); });
  return {best->reading, left};
}

}  // namespace backoff::judge
