#include "judge/tally.hpp"

#include <algorithm>

namespace backoff::judge {
namespace {

// The most calls that one instance of the history gets.
std::size_t calls_of_one_instance(history const& h) noexcept {
  std::array<std::size_t, instances_max> calls{};
  for (auto const& s : h.steps) ++calls[s.on];
  return std::ranges::max(calls);
}

}  // namespace

tally::tally(judged_system const& system) {
  for (auto const& c : system.claims()) {
    if (c.told_by) untold_.push_back(*c.told_by);
  }
}

void tally::take(history const& h, result const& r) {
  ++at_stake[breach::no_answer];
  if (r.kind == result_kind::broke) {
    ++broke;
  } else if (r.kind != result_kind::answered) {
    ++(r.kind == result_kind::rejected ? rejected : skipped);
  } else {
    ++judged;
    if (h.steps.size() > most_calls) most_calls = std::max(most_calls, calls_of_one_instance(h));
    std::erase_if(untold_, [&](std::uint8_t field) {
      return std::ranges::any_of(r.answers,
                                 [&](answer const& a) { return a[field].kind != spec::observed_kind::absent; });
    });
  }
}

void tally::put_at_stake(claim_mask claims) noexcept {
  for_each_bit(claims, [&](unsigned i) { ++at_stake[i]; });
}

void tally::take_back(claim_mask claims) noexcept {
  for_each_bit(claims, [&](unsigned i) { --at_stake[i]; });
}

bool tally::tells(claim_text const& c) const noexcept {
  return !c.told_by || std::ranges::find(untold_, *c.told_by) == untold_.end();
}

}  // namespace backoff::judge
