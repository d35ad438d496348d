#include "oracle/shown_sequence.hpp"

#include <algorithm>

#include "histories/shrink.hpp"
#include "session/breakdown.hpp"

namespace backoff::oracle {
namespace {

constexpr int processes_max = 200;  // each try needs a fresh one

// How many processes are asked, and how often each. Processes may begin with the same seed, and the draws of one second
// may be alike. Where a break may be chance, several processes are therefore asked several times.
struct design {
  std::size_t processes;
  std::size_t times;
};
constexpr design of_chance{5, 8};
constexpr design of_given_draws{12, 1};

class search {
 public:
  search(run const& judged, restartable& port, breach const& shown)
      : judged_(judged), port_(port), shown_(shown), asks_(is_chance(judged) ? of_chance : of_given_draws) {}

  // Whether a fresh process that is given the histories in order breaks the claim on the last one, in one try at least.
  // If several tries are made, the last history alone must not break it in any.
  bool breaks(std::vector<history> const& histories) {
    if (++processes_ > processes_max) return false;
    try {
      if (how_often(histories) == 0) return false;
      return asks_.times == 1 || histories.size() == 1 || !breaks_alone(histories);
    } catch (session_failure const&) {
      if (port_.out_of_time()) return false;
      throw;
    }
  }

  // Whether the sequence breaks the claim and its last history alone does not, asked in turns. If both broke it equally
  // often, chance would make it seem so in one of 10^6 cases at most (Fisher's exact test).
  bool depends(std::vector<history> const& sequence) {
    std::size_t asked = 0;
    std::size_t broke = 0;
    for (std::size_t i = 0; i < asks_.processes; ++i) {
      asked += times(sequence);
      broke += how_often(sequence);
      if (breaks_alone(sequence)) return false;
    }
    double by_chance = 1;
    for (std::size_t i = 0; i < broke; ++i)
      by_chance *= static_cast<double>(asked - i) / static_cast<double>(2 * asked - i);
    return by_chance <= 1e-6;
  }

  // The results that broke it last.
  [[nodiscard]] std::vector<result> const& seen() const noexcept { return seen_; }

  // The shortest end of `before` that suffices, by doubling; nothing where all of it does not.
  std::vector<history> shortest_end(std::vector<history> const& before, history const& h) {
    for (std::size_t length = 1;; length *= 2) {
      std::size_t const used = std::min(length, before.size());
      std::vector<history> tried(before.end() - static_cast<std::ptrdiff_t>(used), before.end());
      tried.push_back(h);
      if (breaks(tried)) return tried;
      if (used == before.size()) return {};
    }
  }

  // Drops each chunk that is not needed, down to single histories.
  void drop_histories(std::vector<history>& sequence) {
    for (std::size_t chunk = sequence.size() / 2; chunk > 0; chunk /= 2) {
      for (std::size_t from = 0; from + chunk < sequence.size();) {
        auto fewer = sequence;
        auto const first = fewer.begin() + static_cast<std::ptrdiff_t>(from);
        fewer.erase(first, first + static_cast<std::ptrdiff_t>(chunk));
        if (breaks(fewer)) {
          sequence = std::move(fewer);
        } else {
          from += chunk;
        }
      }
    }
  }

  void shrink_each(std::vector<history>& sequence) {
    auto const& s = judged_.system().shape();
    for (auto& h : sequence) {
      history const smallest = shrink(s, judged_.about().takes, h, [&](std::vector<history> const& candidates) {
        std::vector<bool> fails(candidates.size());
        for (std::size_t i = 0; i < candidates.size() && !fails[i == 0 ? 0 : i - 1]; ++i) {
          h = candidates[i];
          fails[i] = breaks(sequence);
        }
        return fails;
      });
      h = smallest;
    }
  }

 private:
  // A long sequence is asked fewer times, as its search goes through thousands of histories.
  [[nodiscard]] std::size_t times(std::vector<history> const& histories) const {
    constexpr std::size_t histories_max = 1'024;
    return std::clamp<std::size_t>(histories_max / histories.size(), 1, asks_.times);
  }

  // Whether the last history alone breaks the claim, asked as often as the sequence.
  bool breaks_alone(std::vector<history> const& histories) {
    port_.restart(0);
    std::vector const all(times(histories), histories.back());
    auto const results = port_.run(all);
    return std::ranges::any_of(results,
                               [&](result const& r) { return breaks_claim(judged_, shown_, histories.back(), r); });
  }

  // How often the histories break the claim in a fresh process.
  std::size_t how_often(std::vector<history> const& histories) {
    port_.restart(0);
    std::size_t broke = 0;
    for (std::size_t i = 0; i < times(histories); ++i) {
      auto results = port_.run(histories);
      if (!breaks_claim(judged_, shown_, histories.back(), results.back())) continue;
      ++broke;
      seen_ = std::move(results);
    }
    return broke;
  }

  run const& judged_;
  restartable& port_;
  breach const& shown_;
  design asks_;
  std::vector<result> seen_;
  int processes_ = 0;
};

}  // namespace

counterexample as_seen(run const& judged, breach const& shown) {
  return {shown, judged.explained_by(), {shown.first}, excuses_of(judged, shown, shown.first), how_shown::seen};
}

counterexample minimise_sequence(run const& judged, restartable& port, breach const& shown,
                                 std::vector<history> const& before) {
  auto c = as_seen(judged, shown);
  search tries(judged, port, shown);
  try {
    auto sequence = tries.shortest_end(before, shown.first.tried);
    if (port.out_of_time()) return c;
    c.how = how_shown::lost;
    if (sequence.empty()) return c;
    tries.drop_histories(sequence);
    tries.shrink_each(sequence);
    c.how = how_shown::unsteady;
    if (sequence.size() == 1 || !tries.depends(sequence)) return c;
    c.how = how_shown::sequence;
    c.histories.clear();
    for (std::size_t i = 0; i < sequence.size(); ++i) c.histories.push_back({0, sequence[i], tries.seen()[i]});
    c.excuses = excuses_of(judged, shown, c.histories.back());
  } catch (session_failure const&) {
    c.how = how_shown::seen;
  }
  return c;
}

}  // namespace backoff::oracle
