#include "session/result_feed.hpp"

#include <algorithm>
#include <array>

namespace backoff::session {

run& settled_results::judged() const noexcept { return from_->judged(); }

settled_results result_feed::settle_blame(comparison const& compare) {
  run_.settle_blame();
  auto all = compare ? compare(run_) : std::vector<compared>();
  for (auto& c : all) c.excused = known_.excused(c.seen.tried);
  run_.settle_dependence(all);
  return {*this, std::move(all)};
}

std::vector<counterexample> shown_breaches(settled_results const& settled,
                                           std::function<counterexample(breach const&)> const& shown_breach) {
  auto& judged = settled.judged();
  std::vector<counterexample> shown;
  auto const rank = [&](breach const& b) { return judged.refutes(b) ? 0 : b.fails ? 1 : 2; };
  auto const breaches = judged.breaches();  // by rank
  for (auto const& b : breaches) {
    if (rank(b) > rank(breaches.front())) break;
    if (!b.is_a_finding()) continue;
    constexpr std::array searched{how_shown::sequence, how_shown::lost, how_shown::seen};
    bool const remembers = !shown.empty() && std::ranges::count(searched, shown.front().how) != 0;
    if (remembers) break;  // one finding shows that the port remembers; the other claims are only named
    shown.push_back(shown_breach(b));
    auto& shows = shown.back().shows;
    if (shows.told_with) judged.tell_first(shows.claim);
    shows.told_with.reset();
  }
  return shown;
}

}  // namespace backoff::session
