#include "oracle/shown_findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/dependence.hpp"
#include "oracle/shown_sequence.hpp"
#include "oracle/silent_port.hpp"
#include "session/names.hpp"

namespace backoff::oracle {

namespace {

constexpr std::chrono::milliseconds showing_max{
    10'000};  // of a finding that is small, where that is a matter of chance

// Nothing where a fresh process does not break the claim: the port may remember other histories. Throws session_failure
// where the port breaks while it is asked, or where there is no time left.
std::optional<counterexample> shown_alone(run const& judged, breach const& b, asked_again const& again) {
  auto& port = again.port();
  bool const chance = is_chance(judged);
  claim_mask claims = claim_mask{1} << b.claim;
  for (auto const& part : parts_of_rule(judged, b)) claims |= chance ? claim_mask{1} << part.claim : 0;
  auto asked = again.fresh(claims);
  if (!chance && !breaks_claim(judged, b, b.first.tried, port.run(std::span(&b.first.tried, 1)).front())) return {};
  std::vector<counterexample> tried;
  {
    patience const in_time(port, again.until());
    tried.push_back(minimise(judged, asked, b));
  }
  asked.demand_unbroken();
  if (tried.front().how == how_shown::unsteady) return {};
  std::optional<restartable::time_point> until;
  if (chance) {  // what was found is tried, too: a smaller history may have broken by luck
    tried.push_back({b, judged.explained_by(), {b.first}, {}});
    until = std::max(again.until(), std::chrono::steady_clock::now() + showing_max);
  }
  patience const in_time(port, until);
  for (auto& c : tried) {
    auto fresh = again.fresh(0);
    bool const shows = show_again(judged, fresh, c);
    fresh.demand_unbroken();
    if (shows) return c;
  }
  return {};
}

// A fault may by chance not come again once, but hardly twenty times. If chance explained it, each break would be as
// likely in the run as in the same histories asked again; all twenty are in the run with a probability of 2^-20.
how_shown never_again(run& judged, breach const& b, restartable& port, asked_histories const& in_run) {
  constexpr std::size_t enough = 20;
  auto broke = judged.witnesses_of(b);
  if (broke.size() < enough) return how_shown::unsteady;
  std::ranges::sort(broke, {}, &evidence::index);
  auto const asked = in_run.before(broke[enough - 1].index + 1);
  try {
    port.restart(fresh_process::restarts_max);
    auto const results = port.run(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (breaks_claim(judged, b, asked[i], results[i])) return how_shown::unsteady;
    }
    return how_shown::lost;
  } catch (session_failure const&) {
    return how_shown::seen;
  }
}

counterexample shown_breach(run& judged, breach const& b, asked_again const& again, asked_histories const& in_run) {
  again.now(fmt::format("shrinking {}", claim_name(judged.system(), b.claim)));
  silent_port nobody(judged.about());
  if (is_about_draws(judged.system(), b) || again.is_over()) return minimise(judged, nobody, b);
  try {
    if (auto c = shown_alone(judged, b, again)) return *c;
  } catch (session_failure const&) {
    return as_seen(judged, b);
  }
  patience const in_time(again.port(), again.until());
  auto c = minimise_sequence(judged, again.port(), b, in_run.before(b.first.index));
  if (c.how == how_shown::lost && is_chance(judged)) c.how = never_again(judged, b, again.port(), in_run);
  return c;
}

}  // namespace

settled_results settle_blame(result_feed& judged, asked_again const& again) {
  return judged.settle_blame([&](run& r) -> std::vector<compared> {
    if (r.breaches().empty()) return {};
    again.now("asking again");
    try {
      auto asked = again.fresh(no_answer_mask);
      return compare_with_itself(r, asked);
    } catch (session_failure const&) {
      return {};  // as it was seen
    }
  });
}

std::vector<counterexample> show_findings(settled_results const& settled, asked_again const& again,
                                          asked_histories const& asked) {
  return shown_breaches(settled, [&](breach const& b) {
    auto c = shown_breach(settled.judged(), b, again, asked);
    c.cut_short = c.how != how_shown::samples && again.is_over();
    return c;
  });
}

}  // namespace backoff::oracle
