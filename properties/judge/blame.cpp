#include "judge/blame.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace backoff::conformance {
namespace {

// One joint reading, and what is broken under it.
struct candidate {
  spec::cube reading;
  std::uint64_t histories = 0;
  claim_mask claims = 0;
};

constexpr claim_mask most_telling(claim_mask broken) noexcept { return broken & (~broken + 1); }

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

spec::cube least_blamed(examiner& with, spec::reading_table const& table, std::vector<spec::cube> const& admitted,
                        std::span<witnessed const> histories, draw_source const& draws, claim_mask killing) noexcept {
  std::vector<candidate> candidates;
  for (auto const reading : one_by_one(table, admitted)) candidates.push_back({reading});
  for (auto const& h : histories) {
    auto const fates = with.judge(h.seen.tried, h.seen.got.answers, draws, admitted, h.selected, killing);
    for (auto const& f : fates) {
      if (f.alive) continue;
      for (auto& c : candidates) {
        if ((c.reading.bits & ~f.where.bits) != 0) continue;
        ++c.histories;
        c.claims |= most_telling(f.broken & killing);
      }
    }
  }
  return std::ranges::min_element(
             candidates, {},
             [](candidate const& c) noexcept { return std::pair(c.histories, std::popcount(c.claims)); })
      ->reading;
}

}  // namespace backoff::conformance
