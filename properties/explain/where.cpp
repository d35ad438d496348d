#include "explain/where.hpp"

#include <algorithm>
#include <unordered_set>

#include "explain/edge.hpp"

namespace backoff::explain {
namespace {

constexpr std::size_t example_max = 2'048;         // histories of each kind
constexpr std::size_t example_calls_max = 40'000;  // their answers are large
constexpr std::size_t learnt_max = 4'096;          // held examples; later ones are dropped
constexpr std::size_t batch_max = 64;
constexpr std::size_t rounds_max = 40;
constexpr std::size_t quiet_rounds = 4;  // rounds in a row that change nothing, before the test
constexpr std::size_t tests_max = 4;
constexpr std::size_t batches_max = 64;  // of the test
constexpr std::size_t tries_max = 32;    // of making a history on the side that is wanted
constexpr std::size_t draws_max = 8;     // tries with other draws where the claim held inside: it may hold by chance
constexpr std::size_t doubtful_max = 512;

std::size_t hash_of(history const& h) noexcept {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  auto const add = [&](value const& v) {
    hash = (hash ^ static_cast<std::uint64_t>(v.n) ^ (static_cast<std::uint64_t>(v.kind) << 56)) * 1'099'511'628'211U;
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
        limits_(limits),
        draws_(judged.system().shape().has_draws()) {}

  std::vector<tested_region> found() {
    std::vector<tested_region> last;
    for (std::size_t test = 0; test < tests_max && !is_over(); ++test) {
      settle();
      auto const tested = regions_;
      last = tried();
      if (hold_elsewhere(last) && learnt() == tested) return last;
    }
    return last;
  }

 private:
  [[nodiscard]] bool is_over() const { return calls_ >= limits_.calls || (limits_.is_over && limits_.is_over()); }

  static bool hold_elsewhere(std::vector<tested_region> const& all) {
    return std::ranges::all_of(all, [](tested_region const& t) { return t.held == t.elsewhere; });
  }

  [[nodiscard]] std::vector<region> learnt() const {
    return limits_.parts ? learn_parts(seen_) : std::vector{learn(seen_)};
  }

  // The index of the first region that contains the history; the number of regions where none does.
  [[nodiscard]] std::size_t side_of(history const& h) const {
    auto const inside = [&](region const& r) { return matches(seen_.shape(), r.where, h); };
    return static_cast<std::size_t>(std::ranges::find_if(regions_, inside) - regions_.begin());
  }

  // A history that was not asked before, within what the port takes.
  std::optional<history> fresh() {
    auto h = near_edge(seen_, regions_[random_() % regions_.size()], random_);
    auto const& s = seen_.shape();
    bool const may_be_asked =
        !h.steps.empty() && inside(s, seen_.takes(), h) && allowed(s, h) && !leaves_to_default(s, seen_.takes(), h);
    if (!may_be_asked || !asked_.insert(hash_of(h)).second) return {};
    return h;
  }

  // Asks the port. Calls `visit` with each answered history, as `breaks` leaves it, and with its side. Where the claim
  // held inside a region, asks the history again with other draws, draws_max times at most.
  template <class Visit>
  void ask(std::vector<history> histories, Visit visit) {
    for (std::size_t tries = 0; !histories.empty(); ++tries) {
      for (auto const& h : histories) calls_ += h.steps.size() + 1;
      auto const results = port_.run(histories);
      std::vector<history> again;
      for (std::size_t i = 0; i < results.size(); ++i) {
        auto const side = side_of(histories[i]);
        auto const broke = breaks(judged_, claim_, histories[i], results[i]);
        if (!broke) continue;
        bool const is_inside = side != regions_.size();
        if (!*broke && is_inside && draws_ && tries < draws_max && !is_over()) {
          again.push_back(with_other_draws(std::move(histories[i]), seen_, random_));
        } else {
          broke_with_others_ = broke_with_others_ || (*broke && tries != 0);
          visit(histories[i], side, *broke);
        }
      }
      histories = std::move(again);
    }
  }

  void learn_from(history h, bool broke) {
    if (!broke && seen_.held().size() >= learnt_max) return;
    seen_.add(std::move(h), broke);
  }

  // Learns until rounds change nothing.
  void settle() {
    regions_ = learnt();
    if (draws_) {
      auto doubtful = seen_.take_held_in(regions_);
      if (doubtful.size() > doubtful_max) doubtful.resize(doubtful_max);
      ask(std::move(doubtful), [&](history& h, std::size_t, bool broke) { learn_from(std::move(h), broke); });
      regions_ = learnt();
    }
    std::size_t quiet = 0;
    for (std::size_t round = 0; round < rounds_max && quiet < quiet_rounds && !is_over() && 2 * calls_ < limits_.calls;
         ++round) {
      std::vector<history> asked;
      for (std::size_t i = 0; i < 4 * batch_max && asked.size() < batch_max; ++i) {
        if (auto h = fresh()) asked.push_back(std::move(*h));
      }
      ask(std::move(asked), [&](history& h, std::size_t, bool broke) { learn_from(std::move(h), broke); });
      auto now = learnt();
      quiet = now == regions_ ? quiet + 1 : 0;
      regions_ = std::move(now);
    }
  }

  // Tests all sides in turns. If the time runs out, all sides have had nearly the same number of histories.
  std::vector<tested_region> tried() {
    auto const sides = regions_.size() + 1;
    bool const everywhere = regions_.front().where.empty();
    std::vector<std::uint64_t> asked_of(sides);
    std::vector<std::uint64_t> broke_of(sides);
    std::vector<std::pair<history, bool>> shown;
    broke_with_others_ = false;
    auto const held_elsewhere = [&] { return broke_of.back() == 0; };
    auto const wanted = [&](std::size_t side) {
      return side + 1 == sides && everywhere ? 0 : limits_.each_side - std::min(limits_.each_side, asked_of[side]);
    };
    auto const is_enough = [&] {
      for (std::size_t side = 0; side < sides; ++side) {
        if (wanted(side) != 0) return false;
      }
      return true;
    };
    for (std::size_t i = 0; i < batches_max && !is_over() && held_elsewhere() && !is_enough(); ++i) {
      std::vector<history> asked;
      std::vector<std::uint64_t> made(sides);
      for (std::size_t tries = 0; tries < tries_max * batch_max && asked.size() < batch_max; ++tries) {
        auto h = fresh();
        if (!h) continue;
        auto const side = side_of(*h);
        if (made[side] >= std::min<std::uint64_t>(wanted(side), batch_max / sides)) continue;
        ++made[side];
        asked.push_back(std::move(*h));
      }
      if (asked.empty()) break;
      ask(std::move(asked), [&](history& h, std::size_t side, bool broke) {
        ++asked_of[side];
        if (broke) ++broke_of[side];
        shown.emplace_back(std::move(h), broke);
      });
    }
    for (auto& [h, broke] : shown) learn_from(std::move(h), broke);
    std::vector<tested_region> all;
    all.reserve(regions_.size());
    for (std::size_t k = 0; k < regions_.size(); ++k)
      all.push_back({regions_[k].where, asked_of[k], broke_of[k], asked_of.back(), asked_of.back() - broke_of.back(),
                     broke_with_others_});
    return all;
  }

  run const& judged_;
  subject& port_;
  unsigned claim_;
  examples seen_;
  std::vector<region> regions_;
  random_bits random_;
  search_limits const& limits_;
  bool draws_;                      // whether calls have draws
  bool broke_with_others_ = false;  // whether one that held broke with other draws, since the test began
  std::uint64_t calls_ = 0;
  std::unordered_set<std::size_t> asked_;
};

}  // namespace

std::optional<bool> breaks(run const& judged, unsigned claim, history& h, result const& r) {
  bool const refused = r.kind == result_kind::rejected || r.kind == result_kind::skipped;
  if (!judged.counts_as_answered(r)) {
    if (claim != breach::no_answer || !refused) return {};
    return true;
  }
  if (claim == breach::no_answer) return false;
  auto const report = judged.system().broken_claims(h, r.answers, judged.about().takes.draws, judged.explained_by());
  auto const at = std::ranges::find_if(report.broken_at, [&](claim_mask m) { return includes(m, claim); });
  if (at == report.broken_at.end() && !includes(report.broken | report.at_stake, claim)) return {};
  if (at == report.broken_at.end()) return includes(report.broken, claim);
  h.steps.resize(static_cast<std::size_t>(at - report.broken_at.begin()) + 1);
  return true;
}

void answers_kept::take(history const& h, result const& r, bool failed) {
  auto& to = failed ? failed_ : other_;
  if (to.all.size() >= example_max || to.calls >= example_calls_max) return;
  to.calls += h.steps.size() + 1;
  to.all.push_back({0, h, r});
}

examples answers_kept::about(run const& judged, breach const& b, bool anywhere) const {
  examples all(judged.system().shape(), judged.about().takes);
  auto const add = [&](evidence const& e) {
    auto h = e.tried;
    auto const broke = breaks(judged, b.claim, h, e.got);
    bool const counts = broke || (anywhere && judged.counts_as_answered(e.got));
    if (counts) all.add(std::move(h), broke.value_or(false));
  };
  add(b.first);
  for (auto const& e : failed_.all) add(e);
  for (auto const& e : other_.all) add(e);
  return all;
}

std::vector<tested_region> find_regions(run const& judged, subject& port, unsigned claim, examples const& seen,
                                        std::uint64_t seed, search_limits const& limits) {
  if (seen.broken().empty()) return {};
  auto all = search(judged, port, claim, seen, seed, limits).found();
  bool const tells = std::ranges::all_of(all, &tested_region::separates);
  if (all.size() < 2 || tells) return all;
  auto one = limits;
  one.parts = false;
  return search(judged, port, claim, seen, seed, one).found();
}

}  // namespace backoff::explain
