#include "oracle/sequence.hpp"

#include <algorithm>

#include "history/shrink.hpp"

namespace backoff::oracle {
namespace {

using namespace conformance;

constexpr int processes_max = 200;  // each try needs a fresh one

class search {
 public:
  search(run const& judged, port_session& port, breach const& shown) : judged_(judged), port_(port), shown_(shown) {}

  // Whether a fresh process, given the histories in order, breaks the claim on the last one.
  bool breaks(std::vector<history> const& histories) {
    if (++processes_ > processes_max) return false;
    try {
      port_.restart(0);
      return breaks_claim(judged_, shown_, histories.back(), port_.run(histories).back());
    } catch (session_failure const&) {
      if (port_.out_of_time()) return false;
      throw;
    }
  }

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

  // Without each chunk in turn that is not needed, down to single histories.
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

  [[nodiscard]] std::vector<result> answers(std::vector<history> const& sequence) {
    port_.until({});
    port_.restart(0);
    return port_.run(sequence);
  }

 private:
  run const& judged_;
  port_session& port_;
  breach const& shown_;
  int processes_ = 0;
};

}  // namespace

counterexample as_seen(run const& judged, breach const& shown) {
  return {shown, judged.explained_by(), {shown.first}, excuses_of(judged, shown, shown.first), how_shown::seen};
}

counterexample minimise_sequence(run const& judged, port_session& port, breach const& shown,
                                 std::vector<history> before) {
  auto c = as_seen(judged, shown);
  search tries(judged, port, shown);
  try {
    auto sequence = tries.shortest_end(before, shown.first.tried);
    if (port.out_of_time()) return c;
    c.how = how_shown::lost;
    if (sequence.empty()) return c;
    tries.drop_histories(sequence);
    tries.shrink_each(sequence);
    auto const results = tries.answers(sequence);
    if (!breaks_claim(judged, shown, sequence.back(), results.back())) return c;
    c.how = sequence.size() == 1 ? how_shown::unsteady : how_shown::sequence;
    c.histories.clear();
    for (std::size_t i = 0; i < sequence.size(); ++i) c.histories.push_back({0, sequence[i], results[i]});
    c.excuses = excuses_of(judged, shown, c.histories.back());
  } catch (session_failure const&) {
    c.how = how_shown::seen;
  }
  return c;
}

}  // namespace backoff::oracle
