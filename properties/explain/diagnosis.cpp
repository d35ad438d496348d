#include "explain/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <ranges>

#include "explain/changes.hpp"
#include "explain/uniform.hpp"
#include "judge/plan.hpp"

namespace backoff::systems {

#define BACKOFF_SYSTEM(stem) std::vector<diagnosis> stem##_diagnoses();
#include "systems.def"
#undef BACKOFF_SYSTEM

}  // namespace backoff::systems

namespace backoff::explain {

namespace {

// Hidden draws, as a hypothesis sees them.
class seen_draws {
 public:
  // Takes the delays of a history that the hypothesis explains.
  void take(std::span<answer const> answers, std::size_t delay, std::span<drawn_range const> ranges,
            std::span<drawn_range const> documented) {
    if (ranges.size() < answers.size()) return;  // it changes the calls: it is not about delays
    for (std::size_t i = 0; i < answers.size(); ++i) {
      auto const& r = ranges[i];
      if (!r.is_drawn() || answers[i][delay].kind != observed_kind::number) continue;
      auto const values = r.cell > 0 ? (r.high - r.low) / r.cell + 1 : 0;
      unlikely_ += std::log(values > 0 ? values : r.high - r.low);
      bool const is_disputed = i >= documented.size() || !(documented[i] == r);
      if (!is_disputed || places_.size() == places_max) continue;
      double const x = encoded(answers[i][delay]) - r.low;
      places_.push_back(values > 0 ? (x / r.cell + 0.5) / values : x / (r.high - r.low));
      cell_ = std::max(cell_, values > 0 ? 0.5 / values : 0);
    }
  }
  // The less likely it makes the delays, the larger; a logarithm.
  [[nodiscard]] double unlikely() const noexcept { return unlikely_; }
  // Whether delays fill the ranges that differ from the documented ones, or there are none. Few delays do not tell.
  [[nodiscard]] bool fill_their_ranges() {
    constexpr std::size_t few = 50;
    constexpr double alpha = 1e-4;
    if (places_.empty()) return true;
    if (places_.size() < few) return false;
    std::ranges::sort(places_);
    return distance_from_uniform(places_) - cell_ <= distance_by_chance(places_.size(), alpha);
  }

 private:
  static constexpr std::size_t places_max = 20'000;

  double unlikely_ = 0;
  std::vector<double> places_;  // of the delays in those ranges
  double cell_ = 0;
};

// A hypothesis, and the attempt from which on the port follows it.
struct trial {
  diagnosis const* hypothesis;
  std::int64_t from;
  seen_draws draws{};
};

struct prediction {
  std::vector<answer> answers;
  std::vector<drawn_range> ranges;
};

prediction predicted(trial const& t, history const& h, documented& document) {
  prediction all;
  all.answers = t.hypothesis->answers(h, document);
  all.ranges = document.ranges();
  auto const& s = document.shape();
  if (t.from > 1) {
    auto const before = document.answers(h);
    auto const& ranges = document.ranges();
    auto const attempts = attempts_of(s, h);
    for (std::size_t i = 0; i < std::min(all.answers.size(), before.size()); ++i) {
      if (attempts[i] == 0 || attempts[i] >= t.from) continue;
      all.answers[i] = before[i];
      if (i < std::min(all.ranges.size(), ranges.size())) all.ranges[i] = ranges[i];
    }
  }
  cut_behind_error(s, all.answers);
  return all;
}

// The first call to which the port's answer is none of the documented ones.
std::optional<std::size_t> first_wrong_call(evidence const& e, documented& document) {
  document.answered_by_the_port(e.got.answers);
  auto const right = document.answers(e.tried);
  for (std::size_t i = 0; i < std::min(e.got.answers.size(), right.size()); ++i) {
    if (!alike(e.got.answers[i], right[i])) return i;
  }
  return {};
}

// Hypotheses that the first wrong answer suggests.
std::vector<diagnosis> suggested_by(std::span<evidence const> failed, documented& document) {
  auto const& s = document.shape();
  for (auto const& e : failed) {
    auto const i = first_wrong_call(e, document);
    if (!i) continue;
    auto all = likenesses_of(s, e.tried.steps[*i]);
    std::ranges::move(bounds_at(s, e.got.answers[*i][s.delay]), std::back_inserter(all));
    return all;
  }
  return {};
}

// The first attempt that is answered otherwise than documented.
std::int64_t first_wrong(std::span<evidence const> failed, documented& document) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (auto const& e : failed) {
    auto const i = first_wrong_call(e, document);
    auto const attempt = i ? attempts_of(document.shape(), e.tried)[*i] : 0;
    if (attempt != 0) first = std::min(first, attempt);
  }
  return first;
}

// Whether the hypothesis predicts most of the first wrong answers. It may predict nothing for some calls.
bool tells_most(trial const& t, std::span<evidence const> failed, documented& document) {
  std::size_t wrong = 0;
  std::size_t told = 0;
  for (auto const& e : failed) {
    auto const first = first_wrong_call(e, document);
    if (!first) continue;
    ++wrong;
    document.fill_up(false);
    told += predicted(t, e.tried, document).answers.size() > *first ? 1 : 0;
    document.fill_up(true);
  }
  return 2 * told >= wrong;
}

}  // namespace

std::vector<diagnosis> diagnoses_of(judged_system const& system) {
  std::vector<diagnosis> all;
#define BACKOFF_SYSTEM(name) \
  if (system.shape().stem == #name) all = systems::name##_diagnoses();
#include "systems.def"
#undef BACKOFF_SYSTEM
  auto variants = system.variants();
  // The variants of a policy cover its formulas. A policy gets no changes of input: a formula may have no value for
  // other parameters.
  bool const is_declared = !variants.empty();
  for (auto& v : variants) {
    all.push_back({std::move(v.name), std::move(v.sentence),
                   [system = v.system, asked = std::make_shared<examiner>(*v.system)](
                       history const& h, documented& document) { return document.answers(h, *asked); }});
  }
  // A port that does not wait comes first: it also waits as shortly as another fault says where its delays are short.
  auto common = common_faults();
  all.insert(all.begin(), std::move(common.front()));
  std::ranges::move(common | std::views::drop(1), std::back_inserter(all));
  if (!is_declared) std::ranges::move(changes_of(system.shape()), std::back_inserter(all));
  return all;
}

namespace {

// Adds the simplest assignment with each alternative of a policy. A wrong port may follow any of them, and its fault
// hides which.
void add_alternatives(run const& judged, std::vector<spec::cube>& all) {
  auto const& table = judged.system().readings();
  auto const mapping = table.find("draw-mapping");  // none without draws
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    for (unsigned a = 0; mapping != r && a < table.readings()[r].alternatives.size(); ++a) {
      std::vector<spec::cube> with;
      for (auto const c : judged.readings().initial()) {
        if (auto const both = table.common(c, table.with(c, r, a))) with.push_back(*both);
      }
      auto const simplest = with.empty() ? all.front() : simplest_among(table, with);
      if (std::ranges::count(all, simplest) == 0) all.push_back(simplest);
    }
  }
}

// The assignments under which hypotheses are tried. Where the port's mapping of draws is known: the one that explains
// the run, and the simplest one. Where it is not, because a fault may hide it: the simplest with each listed mapping.
std::vector<spec::cube> assignments_of(run const& judged) {
  if (judged.mapping() == mapped::exactly) {  // a fault may look like another reading
    auto const plainest = simplest_among(judged.system().readings(), judged.readings().initial());
    std::vector<spec::cube> all{judged.explained_by()};
    if (plainest != judged.explained_by()) all.push_back(plainest);
    if (is_declared(judged.system())) add_alternatives(judged, all);
    return all;
  }
  auto const& table = judged.system().readings();
  auto const mapping = *table.find("draw-mapping");
  std::vector<spec::cube> all;
  for (unsigned i = 0; i < table.readings()[mapping].alternatives.size(); ++i) {
    std::vector<spec::cube> with;
    for (auto const c : judged.system().assignments(judged.about().takes.draws.kind)) {
      auto const both = table.common(c, table.with(spec::exactly_mapped(table), mapping, i));
      if (both && (both->bits & spec::exactly_mapped(table).bits) == both->bits) with.push_back(*both);
    }
    if (!with.empty()) all.push_back(simplest_among(table, with));
  }
  return all;
}

// The answers that are to be explained.
struct answered {
  std::span<evidence const> failed;
  answers_log const& log;
  histories_again const& again;
  std::vector<std::vector<constraint>> const& elsewhere;
  [[nodiscard]] bool leaves_out(shape const& s, history const& h) const {
    return std::ranges::any_of(elsewhere, [&](auto const& where) { return matches(s, where, h); });
  }
};

// Of the other hypotheses that explain the run, the first that differs from the best one in another run, at a call that
// is judged and whose delay fits every type. The port may have either fault.
diagnosis const* rival_of(std::vector<trial> const& alive, documented& document, run const& judged) {
  constexpr std::uint64_t tried = 300;
  constexpr std::uint64_t seed = 2;
  auto const& best = alive.front();
  auto others = alive;
  // A hypothesis that two words are not told apart may only restate another one.
  std::erase_if(others, [&](trial const& t) {
    return t.hypothesis->name == best.hypothesis->name || t.hypothesis->name == "not-told-apart" || t.from != best.from;
  });
  if (others.empty()) return nullptr;
  document.answered_by_the_port({});
  plan fresh(document.shape(), judged.about().takes, tried, seed);
  for (auto const& h : fresh.next(tried)) {
    auto const judged_calls = document.answers(h).size();
    auto const answers = [&](trial const& t) {
      auto all = predicted(t, h, document).answers;
      all.resize(std::min(all.size(), judged_calls));
      all.erase(std::ranges::find_if(all, [&](answer const& a) { return document.is_too_large(a); }), all.end());
      return all;
    };
    auto const of_the_best = answers(best);
    auto const rival = std::ranges::find_if(others, [&](trial const& t) { return !alike(answers(t), of_the_best); });
    if (rival != others.end()) return rival->hypothesis;
  }
  return nullptr;
}

std::optional<probable> diagnose(answered const& by, documented& document, std::vector<diagnosis> const& all,
                                 run const& judged) {
  auto const& [failed, log, again, elsewhere] = by;
  auto const first = first_wrong(failed, document);
  auto const suggested = suggested_by(failed, document);
  diagnosis const no_fault{"", "", [](history const& h, documented& d) { return d.answers(h); }};
  std::vector<trial> alive{{&no_fault, 1}};
  auto const delay = document.shape().delay;
  bool const is_hidden = draws_for_itself(judged);
  for (auto const& d : all) alive.push_back({&d, 1});
  for (auto const& d : suggested) alive.push_back({&d, 1});
  bool const late = first > 1 && first != std::numeric_limits<std::int64_t>::max();
  auto const simplest = common_faults();  // goes first: others may be the same from that attempt on
  for (auto const& d : simplest) {
    if (late) alive.push_back({&d, first});
  }
  // How a cycle starts says nothing of what goes wrong later.
  auto const is_of_the_start = [](diagnosis const& d) {
    return d.name.starts_with("first") || d.name.starts_with("start");
  };
  for (auto const& d : all) {
    if (late && !is_of_the_start(d)) alive.push_back({&d, first});
  }
  for (auto const& e : failed) {
    if (e.got.kind != result_kind::answered) return {};
    document.answered_by_the_port(e.got.answers);
    std::erase_if(alive,
                  [&](trial const& t) { return !alike(predicted(t, e.tried, document).answers, e.got.answers); });
    if (alive.empty()) return {};
  }
  std::erase_if(alive, [&](trial const& t) { return t.hypothesis != &no_fault && !tells_most(t, failed, document); });
  std::size_t index = 0;
  std::uint64_t explained = 0;
  auto const histories = again();
  for (auto some = histories(); !some.empty() && index < log.size(); some = histories()) {
    for (auto const& h : some) {
      if (index == log.size()) break;
      auto const at = index++;
      if (!log.is_answered(at) || by.leaves_out(document.shape(), h)) continue;
      auto const answers = log.at(at);
      document.answered_by_the_port(answers);
      std::vector<drawn_range> as_documented;
      if (is_hidden) {
        static_cast<void>(document.answers(h));
        as_documented = document.ranges();
      }
      std::erase_if(alive, [&](trial& t) {
        auto const of = predicted(t, h, document);
        if (!log.has(at, of.answers)) return true;
        if (is_hidden) t.draws.take(answers, delay, of.ranges, as_documented);
        return false;
      });
      if (alive.empty()) return {};
      ++explained;
    }
  }
  if (index != log.size()) return {};
  if (alive.front().hypothesis == &no_fault) return {};
  // Of several that admit the delays, the one that makes them most likely, and what comes near it.
  constexpr double far = 14;  // a millionth as likely
  // Equal ones stay in their order. Not std::stable_sort: clang warns that it calls a deprecated allocation function.
  auto const unlikely = [](trial const& t) { return t.draws.unlikely(); };
  std::vector<trial> sorted;
  for (auto& t : alive) sorted.insert(std::ranges::upper_bound(sorted, unlikely(t), {}, unlikely), std::move(t));
  alive = std::move(sorted);
  auto& best = alive.front();
  if (!best.draws.fill_their_ranges()) return {};
  std::erase_if(alive, [limit = unlikely(best) + far, &unlikely](trial const& t) { return unlikely(t) > limit; });
  auto const* const rival = rival_of(alive, document, judged);
  auto const sentence = best.hypothesis->sentence + (rival == nullptr ? "" : ", or " + rival->sentence);
  return probable{best.hypothesis->name, sentence, best.from, explained, !elsewhere.empty(), best.hypothesis->claim};
}

}  // namespace

std::optional<probable> diagnose(run const& judged, std::span<evidence const> failed, answers_log const& log,
                                 histories_again const& again, std::vector<std::vector<constraint>> const& elsewhere) {
  bool const is_right = failed.empty() && (draws_for_itself(judged) || judged.mapping() == mapped::exactly);
  if (is_right || !log.is_whole()) return {};
  answered by{failed, log, again, elsewhere};
  std::vector<evidence> here;
  if (!elsewhere.empty()) {
    auto const& s = judged.system().shape();
    std::ranges::copy_if(failed, std::back_inserter(here),
                         [&](evidence const& e) { return !by.leaves_out(s, e.tried); });
    if (here.empty()) return {};
    by.failed = here;
  }
  auto all = diagnoses_of(judged.system());
  // Where no answer is wrong, parameters that change places only draw from the other end.
  if (failed.empty()) std::erase_if(all, [](diagnosis const& d) { return d.name == "swapped"; });
  for (auto const assignment : assignments_of(judged)) {
    documented document(judged, assignment);
    if (auto found = diagnose(by, document, all, judged)) return found;
  }
  return {};
}

}  // namespace backoff::explain
