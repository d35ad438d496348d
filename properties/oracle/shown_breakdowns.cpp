#include "oracle/shown_breakdowns.hpp"

#include <algorithm>

#include "histories/present.hpp"
#include "histories/printable.hpp"
#include "histories/shrink.hpp"
#include "judge/plan.hpp"
#include "transport/port_session.hpp"

namespace backoff::oracle {

namespace {

// The history shrunk while the port still breaks on it in the same way.
history smallest_breaking(run const& judged, breakdown const& b, asked_again const& again) {
  again.now("shrinking what breaks the port");
  auto& port = again.port();
  patience const of_known_alone(port, again.until(), [&](history const& h) {
    return again.known().holds_back(h) ? port_session::known_to_break : std::string_view();
  });
  history best = present(b.culprit);
  try {
    port.restart(fresh_process::restarts_max);
    static_cast<void>(
        shrink(judged.system().shape(), judged.about().takes, best, [&](std::vector<history> const& candidates) {
          std::vector<bool> fails(candidates.size());
          for (std::size_t i = 0; i < candidates.size(); ++i) {  // one by one: every break costs a process
            auto const got = port.run(std::span(&candidates[i], 1));
            if (got.front().kind != result_kind::broke || !are_alike(got.front().why, b.what)) continue;
            best = candidates[i];
            fails[i] = true;
            break;
          }
          return fails;
        }));
  } catch (session_failure const&) {
    return best;  // the restarts or the time are used up: the smallest history so far will do
  }
  return best;
}

// Of these histories, the first that breaks the port.
std::optional<broken_port> first_that_breaks(restartable& port, std::span<history const> asked) {
  port.restart(fresh_process::restarts_max);
  for (auto const& h : asked) {
    auto const r = port.run(std::span(&h, 1)).front();
    if (r.kind == result_kind::broke) return broken_port{{printable(r.why), {}, h, false, ""}, h};
  }
  return {};
}

}  // namespace

// Shrinks only the first breakdown, and no hang, as each try would cost a time-out.
std::vector<broken_port> show_breakdowns(run const& judged, std::span<breakdown const> breakdowns,
                                         breaking const& where, asked_again const& again) {
  std::vector<broken_port> shown;
  bool const anywhere = again.known().may_break_anywhere();
  for (auto const& b : breakdowns) {
    if (std::ranges::any_of(shown, [&](broken_port const& s) { return are_alike(s.what.what, b.what); }) && !anywhere)
      continue;
    bool const shrinks = shown.empty() && b.culprit && !b.timed_out && !anywhere;
    shown.push_back({b, shrinks ? smallest_breaking(judged, b, again) : b.culprit});
    shown.back().cut_short = shrinks && again.is_over();
    if (!b.culprit) continue;
    if (auto const* r = where.around(*b.culprit))
      shown.back().what.where = to_words(judged.system().shape(), judged.about().takes, *r);
  }
  return shown;
}

std::vector<broken_port> known_breakdowns(run const& judged, std::uint64_t seed, asked_again const& again) {
  constexpr std::size_t tries_max = 8;
  constexpr std::uint64_t planned_max = 20'000;
  std::vector<broken_port> all;
  patience const of_all(again.port(), {}, {});
  for (auto const& l : again.known().lines()) {
    if (!l.breaks() || l.on.everything()) continue;
    std::vector<history> asked;
    plan histories(judged.system().shape(), judged.about().takes, planned_max, seed + 1, judged.draws().are_tested());
    for (auto some = histories.next(1); !some.empty() && asked.size() < tries_max; some = histories.next(1)) {
      if (l.on.matches(some.front())) asked.push_back(some.front());
    }
    try {
      if (auto b = first_that_breaks(again.port(), asked)) all.push_back(std::move(*b));
    } catch (session_failure const&) {  // NOLINT(bugprone-empty-catch)
      // It does not start again, which ends the run anyhow.
    }
  }
  return all;
}

std::vector<history> unknown_breaks(std::span<breakdown const> breakdowns, known_failing const& known) {
  std::vector<history> all;
  for (auto const& b : breakdowns) {
    if (b.culprit && !known.may_break_anywhere() && !known.holds_back(*b.culprit)) all.push_back(*b.culprit);
  }
  return all;
}

}  // namespace backoff::oracle
