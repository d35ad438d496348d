#include "judge/examiner.hpp"

#include <algorithm>
#include <utility>

#include "judge/judged_system.hpp"

namespace backoff::conformance {
namespace {

// Which instances the steps so far were called on.
class instances_called {
 public:
  // Whether another one was called before this step.
  bool others(step const& s) noexcept {
    unsigned const bit = 1U << s.on;
    bool const shared = (called_ & ~bit) != 0;
    called_ |= bit;
    return shared;
  }

 private:
  unsigned called_ = 0;
};

}  // namespace

struct examiner::call {
  place at;
  claim_mask selected;
  claim_mask killing;
};

bool is_admitted(shape const& s, spec::expectation const& documented, answer const& port) noexcept {
  if (documented[0].is() == spec::admissible::kind::unjudged) return false;
  for (std::size_t i = 0; i < s.answers.size(); ++i) {
    bool const left_out = s.answers[i].needs && port[i].is == observed::kind::absent;
    if (!left_out && !documented[i].admits(port[i])) return false;
  }
  return true;
}

seen_draw model_runner::draw(place const&, std::size_t, spec::chooser&, answer const&) noexcept { return {}; }

examiner::examiner(judged_system const& system) noexcept : table_(&system.readings()), model_(system.runner()) {}

std::span<fate const> examiner::judge(history const& h, std::span<answer const> answers, draw_source const& draws,
                                      std::span<spec::cube const> alive, claim_mask selected,
                                      claim_mask killing) noexcept {
  fates_.clear();
  auto* live = &branches_[0];
  auto* next = &branches_[1];
  live->clear();
  for (auto const where : alive) live->push_back({where, 0, 0});
  model_->start(h);
  instances_called before;
  for (std::size_t i = 0; i < answers.size() && !live->empty(); ++i) {
    call const asked{{h, i, draws, before.others(h.steps[i])}, selected, killing};
    next->clear();
    states_ = 0;
    for (auto const& from : *live) fork(asked, from, answers[i], *next);
    merge(*next);
    std::swap(live, next);
    model_->advance();
  }
  for (auto const& b : *live) fates_.push_back({b.where, true, 0, b.at_stake});
  return fates_;
}

// Runs the model from one branch for every alternative that it consults there.
void examiner::fork(call const& asked, branch const& from, answer const& port, std::vector<branch>& to) noexcept {
  pending_.assign(1, from.where);
  while (!pending_.empty()) {
    spec::chooser readings(*table_, pending_.back(), pending_);
    pending_.pop_back();
    auto const [unjudged, at_stake, broken] = model_->test(asked.at, from.state, readings, port, asked.selected);
    std::size_t const state = states_++;
    if (unjudged) {
      fates_.push_back({readings.here(), true, 0, from.at_stake});
    } else if (broken != 0) {
      fates_.push_back({readings.here(), (broken & asked.killing) == 0, broken, from.at_stake | at_stake});
    } else {
      to.push_back({readings.here(), state, from.at_stake | at_stake});
    }
  }
}

// Joins branches of equal state whose cubes differ in one reading alone, reading by reading.
void examiner::merge(std::vector<branch>& branches) noexcept {
  if (branches.size() < 2) return;
  for (unsigned r = 0; r < table_->readings().size(); ++r) {
    std::uint64_t const field = table_->field(r);
    auto const first = branches.front().where.bits & field;
    bool const differs =
        std::ranges::any_of(branches, [&](branch const& b) { return (b.where.bits & field) != first; });
    if (differs) merge_across(field, branches);
  }
}

// Sorted by the rest of their bits, the branches that may be joined stand side by side.
void examiner::merge_across(std::uint64_t field, std::vector<branch>& branches) noexcept {
  std::ranges::sort(branches, {}, [field](branch const& b) { return std::pair(b.where.bits & ~field, b.where.bits); });
  std::size_t kept = 0;
  std::size_t alike = 0;  // of the branches kept, the first that differs from this one in that reading alone
  for (auto const& b : branches) {
    auto const rest = b.where.bits & ~field;
    if (kept != 0 && (branches[kept - 1].where.bits & ~field) != rest) alike = kept;
    auto const joinable = std::find_if(branches.begin() + static_cast<std::ptrdiff_t>(alike),
                                       branches.begin() + static_cast<std::ptrdiff_t>(kept),
                                       [&](branch const& k) { return model_->same(k.state, b.state); });
    if (joinable != branches.begin() + static_cast<std::ptrdiff_t>(kept)) {
      joinable->where.bits |= b.where.bits;
      joinable->at_stake |= b.at_stake;
    } else {
      branches[kept++] = b;
    }
  }
  branches.resize(kept);
}

claim_report const& examiner::broken_claims(history const& h, std::span<answer const> answers, draw_source const& draws,
                                            spec::cube assignment) noexcept {
  report_.broken = 0;
  report_.at_stake = 0;
  report_.broken_at.clear();
  pending_.clear();
  model_->start(h);
  instances_called before;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    place const at{h, i, draws, before.others(h.steps[i])};
    spec::chooser readings(*table_, assignment, pending_);
    auto const [unjudged, at_stake, broken] = model_->test(at, 0, readings, answers[i], ~claim_mask{0});
    if (unjudged) break;
    report_.at_stake |= at_stake;
    report_.broken |= broken;
    report_.broken_at.push_back(broken);
    model_->advance();
  }
  return report_;
}

// Each step of one assignment in turn, until one is unjudged: `observe` is told where, and what is admitted there.
template <class Observe>
void examiner::follow(history const& h, draw_source const& draws, spec::cube assignment, Observe observe) noexcept {
  pending_.clear();
  model_->start(h);
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    place const at{h, i, draws, false};
    spec::chooser readings(*table_, assignment, pending_);
    auto e = model_->admitted(at, 0, readings);
    if (e[0].is() == spec::admissible::kind::unjudged) break;
    observe(at, std::move(e));
    model_->advance();
  }
}

std::vector<spec::expectation> examiner::admitted(history const& h, std::span<answer const> answers,
                                                  draw_source const& draws, spec::cube assignment) noexcept {
  std::vector<spec::expectation> result;
  follow(h, draws, assignment, [&](place const& at, spec::expectation e) noexcept {
    if (at.step < answers.size()) model_->observe(at, e, answers[at.step]);
    result.push_back(std::move(e));
  });
  return result;
}

namespace {

// What is admitted at one step, after one way that leads to it; the way to the first step is none.
struct way {
  std::size_t before;
  spec::expectation admitted;
};
constexpr std::size_t no_way = 0;

// Assignments that have come one way to one state.
struct traveller {
  spec::cube where;
  std::size_t state;
  std::size_t came;
};

std::vector<spec::expectation> steps_of(std::vector<way> const& ways, std::size_t last) noexcept {
  std::vector<spec::expectation> all;
  for (; last != no_way; last = ways[last].before) all.push_back(ways[last].admitted);
  std::ranges::reverse(all);
  return all;
}

}  // namespace

std::vector<foreseen> examiner::foresee(history const& h, draw_source const& draws,
                                        std::span<spec::cube const> of) noexcept {
  std::vector<way> ways(1);
  std::vector<traveller> live;
  std::vector<traveller> arrived;
  for (auto const where : of) live.push_back({where, 0, no_way});
  model_->start(h);
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    place const at{h, i, draws, false};
    std::size_t const first = ways.size();
    std::size_t states = 0;
    std::vector<traveller> next;
    for (auto const& from : live) {
      pending_.assign(1, from.where);
      while (!pending_.empty()) {
        spec::chooser readings(*table_, pending_.back(), pending_);
        pending_.pop_back();
        auto e = model_->admitted(at, from.state, readings);
        std::size_t const state = states++;
        if (e[0].is() == spec::admissible::kind::unjudged) {
          arrived.push_back({readings.here(), 0, from.came});
          continue;
        }
        auto const same_way = [&](way const& w) noexcept { return w.before == from.came && w.admitted == e; };
        auto const known = std::find_if(ways.begin() + static_cast<std::ptrdiff_t>(first), ways.end(), same_way);
        auto const came = static_cast<std::size_t>(known - ways.begin());
        if (known == ways.end()) ways.push_back({from.came, std::move(e)});
        auto const twin = std::ranges::find_if(next, [&](traveller const& t) noexcept {
          return t.came == came && model_->same(t.state, state) && table_->joined(t.where, readings.here());
        });
        if (twin == next.end()) {
          next.push_back({readings.here(), state, came});
        } else {
          twin->where = *table_->joined(twin->where, readings.here());
        }
      }
    }
    live = std::move(next);
    model_->advance();
  }
  arrived.insert(arrived.end(), live.begin(), live.end());
  std::vector<std::size_t> ends;
  std::vector<foreseen> result;
  for (auto const& t : arrived) {
    auto const at = static_cast<std::size_t>(std::ranges::find(ends, t.came) - ends.begin());
    if (at == ends.size()) {
      ends.push_back(t.came);
      result.push_back({{}, steps_of(ways, t.came)});
    }
    result[at].where.push_back(t.where);
  }
  for (auto& f : result) spec::join_cubes(*table_, f.where);
  return result;
}

played examiner::play(history const& h, draw_source const& draws, spec::cube assignment, random_bits& random) noexcept {
  played result;
  follow(h, draws, assignment, [&](place const& at, spec::expectation e) noexcept {
    result.answers.push_back(conformance::play(e, random));
    model_->observe(at, e, result.answers.back());
    result.admitted.push_back(std::move(e));
  });
  return result;
}

}  // namespace backoff::conformance
