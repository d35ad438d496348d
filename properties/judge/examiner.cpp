#include "judge/examiner.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>

#include "judge/judged_system.hpp"

namespace backoff::judge {
namespace {

// The answer to the call before; none at the first.
answer const* before(std::span<answer const> answers, std::size_t call) noexcept {
  return call == 0 ? nullptr : &answers[call - 1];
}

}  // namespace

bool claim_report::leads(unsigned claim, claim_mask among) const noexcept {
  auto const first = std::ranges::find_if(broken_at, [among](claim_mask m) { return any(m & among); });
  return first != broken_at.end() && includes(*first, claim);
}
struct examiner::call {
  place at;
  claim_mask selected;
  claim_mask killing;
};

bool is_admitted(shape const& s, spec::expectation const& documented, answer const& port) {
  if (documented[0].kind() == spec::admissible_kind::unjudged) return false;
  std::size_t i = 0;
  for (auto const& field : s.answers) {
    bool const left_out = (field.needs && port[i].kind == observed_kind::absent) || !field.belongs_to(port);
    if (!left_out && !documented[i].admits(port[i])) return false;
    ++i;
  }
  return true;
}

void model_runner::let_pass(place const&, spec::decimal const&) {}

seen_draw model_runner::draw(place const&, std::size_t, spec::chooser&, answer const&) { return {}; }

examiner::examiner(judged_system const& system)
    : shape_(&system.shape()), table_(&system.readings()), model_(system.runner()) {}

std::span<assignment_outcome const> examiner::judge(history const& h, std::span<answer const> answers,
                                                    draw_source const& draws, std::span<spec::cube const> alive,
                                                    claim_mask selected, claim_mask killing) {
  outcomes_.clear();
  auto* live = branches_.data();
  auto* next = &branches_[1];
  live->clear();
  for (auto const where : alive) live->push_back({where, 0, 0, 0});
  model_->start(h);
  bool shared = false;  // whether another instance was called before; once two are called, that is so at each call
  for (std::size_t i = 0; i < answers.size() && !live->empty(); ++i) {
    shared |= h.steps[i].on != h.steps.front().on;
    call const asked{{h, i, draws, shared, before(answers, i)}, selected, killing};
    next->clear();
    states_ = 0;
    for (auto const& from : *live) fork(asked, from, answers[i], *next);
    merge(*next);
    std::swap(live, next);
    model_->advance();
  }
  for (auto const& b : *live) outcomes_.push_back({b.where, true, b.noted, b.at_stake});
  return outcomes_;
}

// Runs the model from one branch for every alternative that it consults there.
void examiner::fork(call const& asked, branch const& from, answer const& port, std::vector<branch>& to) {
  pending_ = {from.where};
  while (!pending_.empty()) {
    spec::chooser readings(*table_, pending_.back(), pending_);
    pending_.pop_back();
    auto const [unjudged, at_stake, broken, leaning] =
        model_->test(asked.at, from.state, readings, port, asked.selected);
    std::size_t const state = states_++;
    if (unjudged) {
      outcomes_.push_back({readings.here(), true, from.noted, from.at_stake});
    } else if (any(broken & asked.killing)) {
      outcomes_.push_back({readings.here(), false, broken, from.at_stake | at_stake});
    } else {
      to.push_back({readings.here(), state, from.at_stake | at_stake, from.noted | broken});
    }
  }
}

// Joins branches of equal state whose cubes differ in one reading alone, reading by reading.
void examiner::merge(std::vector<branch>& branches) {
  if (branches.size() < 2) return;
  for (unsigned const r : std::views::iota(0U, static_cast<unsigned>(table_->readings().size()))) {
    auto const in_field = [field = table_->field(r)](branch const& b) { return b.where.bits & field; };
    bool const differs = std::ranges::adjacent_find(branches, std::not_equal_to(), in_field) != branches.end();
    if (differs) merge_across(table_->field(r), branches);
  }
}

// Sorts the branches by the bits of all other readings, so that branches that may be joined stand side by side.
void examiner::merge_across(std::uint64_t field, std::vector<branch>& branches) {
  auto const rest = [field](branch const& b) { return b.where.bits & ~field; };
  std::ranges::sort(branches, {}, [&](branch const& b) { return std::pair(rest(b), b.where.bits); });
  auto alike = branches.begin();  // of the branches kept, the first that differs from this one in that reading alone
  auto end = branches.begin();    // of the branches kept
  for (auto const& b : branches) {
    if (rest(*alike) != rest(b)) alike = end;
    auto const joinable =
        std::find_if(alike, end, [&](branch const& k) { return k.noted == b.noted && model_->same(k.state, b.state); });
    if (joinable != end) {
      joinable->where.bits |= b.where.bits;
      joinable->at_stake |= b.at_stake;
    } else {
      *end++ = b;
    }
  }
  branches.erase(end, branches.end());
}

claim_report const& examiner::broken_claims(history const& h, std::span<answer const> answers, draw_source const& draws,
                                            spec::cube assignment) {
  report_.broken = 0;
  report_.at_stake = 0;
  report_.broken_at.clear();
  report_.leaning_at.clear();
  report_.cited.clear();
  model_->start(h);
  bool shared = false;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    shared |= h.steps[i].on != h.steps.front().on;
    place const at{h, i, draws, shared, before(answers, i)};
    spec::chooser readings(*table_, assignment, pending_);
    auto const [unjudged, at_stake, broken, leaning] = model_->test(at, 0, readings, answers[i], ~claim_mask{0});
    if (unjudged) break;
    report_.at_stake |= at_stake;
    for (claim_mask fresh = broken & ~report_.broken; fresh != 0; fresh &= fresh - 1) {
      auto const claim = static_cast<unsigned>(std::countr_zero(fresh));
      if (auto const id = model_->cited(claim); !id.empty()) report_.cited.emplace(claim, id);
    }
    report_.broken |= broken;
    report_.broken_at.push_back(broken);
    report_.leaning_at.push_back(leaning);
    model_->advance();
  }
  return report_;
}

namespace {

constexpr auto in_no_time = [](place const&) {};

}  // namespace

// Takes the steps under one assignment until one is unjudged. Tells `before` the place of each; then `observe` the
// place, and what is admitted there.
template <class Before, class Observe>
void examiner::follow(history const& h, draw_source const& draws, spec::cube assignment, Before before,
                      Observe observe) {
  model_->start(h);
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    place const at{h, i, draws, false};
    spec::chooser readings(*table_, assignment, pending_);
    before(at);
    auto e = model_->admitted(at, 0, readings);
    if (e[0].kind() == spec::admissible_kind::unjudged) break;
    observe(at, std::move(e));
    model_->advance();
  }
}

std::vector<spec::expectation> examiner::admitted(history const& h, std::span<answer const> answers,
                                                  draw_source const& draws, spec::cube assignment) {
  std::vector<spec::expectation> result;
  follow(h, draws, assignment, in_no_time, [&](place const& at, spec::expectation e) {
    if (at.step < answers.size()) model_->observe(at, e, answers[at.step]);
    result.push_back(std::move(e));
  });
  return result;
}

namespace {

// What is admitted at one step, and the entry for the step before; none before the first step.
struct path {
  std::optional<std::size_t> before;
  spec::expectation admitted;
};

// Assignments that admit the same so far, and the entry for the last step that they took.
struct finished_branch {
  spec::cube where;
  std::optional<std::size_t> came;
};
struct live_branch : finished_branch {
  std::size_t state;
};

std::vector<spec::expectation> steps_of(std::vector<path> const& paths, std::optional<std::size_t> last) {
  std::vector<spec::expectation> all;
  for (; last; last = paths[*last].before) all.push_back(paths[*last].admitted);
  std::ranges::reverse(all);
  return all;
}

}  // namespace

std::vector<foreseen> examiner::foresee(history const& h, draw_source const& draws, std::span<spec::cube const> of) {
  std::vector<path> paths;
  std::vector<live_branch> live;
  std::vector<finished_branch> finished;
  for (auto const where : of) live.push_back({{where, {}}, {}});
  model_->start(h);
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    place const at{h, i, draws, false};
    auto const first = static_cast<std::ptrdiff_t>(paths.size());
    std::size_t states = 0;
    std::vector<live_branch> next;
    for (auto const& from : live) {
      pending_ = {from.where};
      while (!pending_.empty()) {
        spec::chooser readings(*table_, pending_.back(), pending_);
        pending_.pop_back();
        auto e = model_->admitted(at, from.state, readings);
        std::size_t const state = states++;
        if (e[0].kind() == spec::admissible_kind::unjudged) {
          finished.push_back({readings.here(), from.came});
          continue;
        }
        auto const same_path = [&](path const& p) { return p.before == from.came && p.admitted == e; };
        auto known = std::find_if(std::next(paths.begin(), first), paths.end(), same_path);
        if (known == paths.end()) known = paths.insert(known, {from.came, std::move(e)});
        auto const came = static_cast<std::size_t>(std::distance(paths.begin(), known));
        auto const twin = std::ranges::find_if(next, [&](live_branch const& t) {
          return t.came == came && model_->same(t.state, state) && table_->joined(t.where, readings.here());
        });
        if (twin == next.end()) {
          next.push_back({{readings.here(), came}, state});
        } else {
          twin->where = *table_->joined(twin->where, readings.here());
        }
      }
    }
    live = std::move(next);
    model_->advance();
  }
  finished.insert(finished.end(), live.begin(), live.end());
  std::vector<std::optional<std::size_t>> ends;
  std::vector<foreseen> result;
  for (auto const& t : finished) {
    auto const known = std::ranges::find(ends, t.came);
    auto const at = static_cast<std::size_t>(std::distance(ends.begin(), known));
    if (known == ends.end()) {
      ends.push_back(t.came);
      result.push_back({{}, steps_of(paths, t.came)});
    }
    result[at].where.push_back(t.where);
  }
  for (auto& f : result) spec::join_cubes(*table_, f.where);
  return result;
}

played examiner::play(history const& h, draw_source const& draws, spec::cube assignment, random_bits& random) {
  return play(h, draws, assignment,
              [&](std::size_t, spec::expectation const& admitted) { return judge::play(admitted, random); });
}

played examiner::play(history const& h, draw_source const& draws, spec::cube assignment, chosen_answer const& choose) {
  return play(h, draws, assignment, choose, [](std::size_t) { return spec::decimal{}; });
}

played examiner::play(history const& h, draw_source const& draws, spec::cube assignment, chosen_answer const& choose,
                      passing_time const& passes) {
  played result;
  auto const pass = [&](place const& at) { model_->let_pass(at, passes(at.step)); };
  follow(h, draws, assignment, pass, [&](place const& at, spec::expectation e) {
    auto& answer = result.answers.emplace_back(choose(at.step, e));
    for (std::size_t i = 0; i < shape_->answers.size(); ++i) {
      if (!shape_->answers[i].belongs_to(answer)) answer[i] = {};
    }
    model_->observe(at, e, answer);
    result.admitted.push_back(std::move(e));
  });
  return result;
}

}  // namespace backoff::judge
