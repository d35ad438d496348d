#include "explain/where.hpp"

#include <algorithm>
#include <unordered_set>

#include "explain/edge.hpp"

namespace backoff::conformance {
namespace {

constexpr std::size_t kept_max = 2'048;         // histories of each kind
constexpr std::size_t kept_calls_max = 40'000;  // their answers are large
constexpr std::size_t learnt_max = 4'096;       // held examples; what comes later replaces nothing
constexpr std::size_t batch = 64;
constexpr std::size_t rounds_max = 40;
constexpr std::size_t quiet_rounds = 4;  // that change nothing, before the test
constexpr std::size_t tests_max = 4;
constexpr std::size_t batches_max = 64;  // of the test
constexpr std::size_t tries_max = 32;    // of making a history on the side that is wanted

std::size_t hash_of(history const& h) noexcept {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  auto const add = [&](value const& v) noexcept {
    hash = (hash ^ static_cast<std::uint64_t>(v.n) ^ (static_cast<std::uint64_t>(v.is) << 56)) * 1'099'511'628'211U;
    hash ^= hash >> 32;
  };
  for (auto const& v : h.params) add(v);
  for (auto const& step : h.steps) {
    add(value::of(step.op * 16 + step.on));
    for (auto const& v : step.args) add(v);
  }
  return hash;
}

class search {
 public:
  search(run const& judged, subject& port, unsigned claim, examples seen, std::uint64_t seed,
         search_limits const& limits)
      : judged_(judged),
        port_(port),
        claim_(claim),
        seen_(std::move(seen)),
        random_(seed, 0x6567'6465),
        limits_(limits) {}

  tested_region found() {
    tested_region last;
    for (std::size_t test = 0; test < tests_max && !is_over(); ++test) {
      settle();
      last = tried();
      if (last.held == last.elsewhere && learn(seen_).where == region_.where) return last;
    }
    return last;
  }

 private:
  [[nodiscard]] bool is_over() const { return calls_ >= limits_.calls || (limits_.is_over && limits_.is_over()); }

  // A history that was not asked before, within what the port takes.
  std::optional<history> fresh() {
    auto h = near_edge(seen_, region_, random_);
    auto const& s = seen_.shape();
    bool const may_be_asked =
        !h.steps.empty() && inside(s, seen_.takes(), h) && allowed(s, h) && !leaves_to_default(s, seen_.takes(), h);
    if (!may_be_asked || !asked_.insert(hash_of(h)).second) return {};
    return h;
  }

  // Asks, and calls back with each history that was answered, as `breaks` leaves it.
  template <class Visit>
  void ask(std::vector<history>& histories, Visit visit) {
    for (auto const& h : histories) calls_ += h.steps.size() + 1;
    auto const results = port_.run(histories);
    for (std::size_t i = 0; i < results.size(); ++i) {
      bool const is_inside = matches(seen_.shape(), region_.where, histories[i]);
      if (auto const broke = breaks(judged_, claim_, histories[i], results[i])) visit(histories[i], is_inside, *broke);
    }
  }

  void learn_from(history h, bool broke) {
    if (!broke && seen_.held().size() >= learnt_max) return;
    seen_.add(std::move(h), broke);
  }

  // Learns until rounds change nothing.
  void settle() {
    region_ = learn(seen_);
    std::size_t quiet = 0;
    for (std::size_t round = 0; round < rounds_max && quiet < quiet_rounds && !is_over() && 2 * calls_ < limits_.calls;
         ++round) {
      std::vector<history> asked;
      for (std::size_t i = 0; i < 4 * batch && asked.size() < batch; ++i) {
        if (auto h = fresh()) asked.push_back(std::move(*h));
      }
      ask(asked, [&](history& h, bool, bool broke) { learn_from(std::move(h), broke); });
      auto now = learn(seen_);
      quiet = now == region_ ? quiet + 1 : 0;
      region_ = std::move(now);
    }
  }

  // On both sides in turns, so that as many of each are tried where there is no time for all.
  tested_region tried() {
    tested_region t;
    t.where = region_.where;
    std::vector<std::pair<history, bool>> shown;
    for (std::size_t i = 0; i < batches_max && !is_over(); ++i) {
      std::vector<history> asked;
      std::uint64_t const wanted[2] = {t.where.empty() ? 0 : limits_.each_side - t.elsewhere,
                                       limits_.each_side - t.inside};
      if (wanted[0] == 0 && wanted[1] == 0) break;
      std::uint64_t made[2] = {0, 0};
      for (std::size_t tries = 0; tries < tries_max * batch && asked.size() < batch; ++tries) {
        auto h = fresh();
        if (!h) continue;
        bool const side = matches(seen_.shape(), region_.where, *h);
        if (made[side] >= std::min<std::uint64_t>(wanted[side], batch / 2)) continue;
        ++made[side];
        asked.push_back(std::move(*h));
      }
      ask(asked, [&](history& h, bool is_inside, bool broke) {
        ++(is_inside ? t.inside : t.elsewhere);
        if (is_inside && broke) ++t.broke;
        if (!is_inside && !broke) ++t.held;
        shown.emplace_back(std::move(h), broke);
      });
      if (t.held != t.elsewhere) break;  // the region is too small: there is more to learn
      if (asked.empty()) break;
    }
    for (auto& [h, broke] : shown) learn_from(std::move(h), broke);
    return t;
  }

  run const& judged_;
  subject& port_;
  unsigned claim_;
  examples seen_;
  region region_;
  random_bits random_;
  search_limits const& limits_;
  std::uint64_t calls_ = 0;
  std::unordered_set<std::size_t> asked_;
};

}  // namespace

std::optional<bool> breaks(run const& judged, unsigned claim, history& h, result const& r) {
  bool const refused = r.is == result::kind::rejected || r.is == result::kind::skipped;
  if (!judged.counts_as_answered(r)) {
    if (claim != breach::no_answer || !refused) return {};
    return true;
  }
  if (claim == breach::no_answer) return false;
  auto const report = judged.system().broken_claims(h, r.answers, judged.about().takes.draws, judged.explained_by());
  auto const at = std::ranges::find_if(report.broken_at, [&](claim_mask m) { return includes(m, claim); });
  if (at == report.broken_at.end()) return includes(report.broken, claim);
  h.steps.resize(static_cast<std::size_t>(at - report.broken_at.begin()) + 1);
  return true;
}

void answers_kept::take(history const& h, result const& r, bool failed) {
  auto& to = failed ? failed_ : other_;
  if (to.all.size() >= kept_max || to.calls >= kept_calls_max) return;
  to.calls += h.steps.size() + 1;
  to.all.push_back({0, h, r});
}

examples answers_kept::about(run const& judged, breach const& b) const {
  examples all(judged.system().shape(), judged.about().takes);
  auto const add = [&](evidence const& e) {
    auto h = e.tried;
    if (auto const broke = breaks(judged, b.claim, h, e.got)) all.add(std::move(h), *broke);
  };
  add(b.first);
  for (auto const& e : failed_.all) add(e);
  for (auto const& e : other_.all) add(e);
  return all;
}

tested_region find_region(run const& judged, subject& port, unsigned claim, examples seen, std::uint64_t seed,
                          search_limits const& limits) {
  if (seen.broken().empty()) return {};
  return search(judged, port, claim, std::move(seen), seed, limits).found();
}

}  // namespace backoff::conformance
