#include "judge/hidden_draws.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "judge/judged_system.hpp"

namespace backoff::judge {
namespace {

constexpr std::size_t latest_layouts = 16;         // how many of the latest layouts are searched for a known one
constexpr std::size_t layout_draws_max = 300'000;  // of all layouts together

// The order of a history's draws: by number, then by instance.
using place = std::pair<std::uint32_t, std::uint8_t>;
place place_of(placed_draw const& d) noexcept { return {d.number, d.on}; }

// The middle of the draw at that place.
std::optional<double> middle_at(std::span<placed_draw const> draws, place at) noexcept {
  auto const found = std::ranges::lower_bound(draws, at, {}, place_of);
  bool const absent = found == draws.end() || place_of(*found) != at;
  return absent ? std::nullopt : std::optional(found->part.middle());
}

drawn_before before(std::span<placed_draw const> history, std::size_t i, draw_sequence const& last,
                    draw_sequence const& elsewhere) noexcept {
  auto const [number, on] = place_of(history[i]);
  auto const first = std::ranges::lower_bound(history, number, {}, &placed_draw::number);
  bool const has_other = first->on != on;  // it came before
  auto const earlier = [&](std::optional<std::uint32_t> which) {
    return which ? middle_at(history.first(i), {*which, on}) : std::nullopt;
  };
  return {.in_cycle = number == 0 ? std::nullopt : earlier(number - 1),
          .cycle_ago = earlier(history[i].cycle_ago),
          .in_history = middle_at(last, {number, on}),
          .on_other = has_other ? std::optional(first->part.middle()) : std::nullopt,
          .in_process = middle_at(elsewhere, {number, on})};
}

// Numbers the draws of one instance, and finds its cycles: a cycle begins where the attempt does not increase.
class numbering {
 public:
  placed_draw next(drawn_part part, std::uint8_t on) {
    auto const last = std::exchange(attempt_, part.attempt);
    if (last && part.attempt <= *last) {
      again_ = true;
      before_ = std::exchange(begins_, number_);
    }
    part.again = again_;
    placed_draw d{part, on, number_, {}};
    auto const same = before_ + (number_ - begins_);
    if (same < begins_) d.cycle_ago = same;
    ++number_;
    return d;
  }

 private:
  std::uint32_t number_ = 0;
  std::optional<std::uint32_t> attempt_;  // of the draw before
  std::uint32_t begins_ = 0;              // the first draw of this cycle; before_: the first of the cycle before
  std::uint32_t before_ = 0;
  bool again_ = false;
};

}  // namespace

void sampled_draws::take_repeating(draw_sequence history, bool again) {
  // Under this reading at least every other history draws alike. These factors then have a mean of 1 at most.
  constexpr double growth_by_change = 1.8;
  constexpr double growth_by_repetition = 2 - growth_by_change;
  if (again) {
    bool const changes = history != before_;
    changes_gained_ += std::log(changes ? growth_by_change : growth_by_repetition);
    if (changes) fresh_ = 0;
  }
  std::uint32_t const seen = fresh_;
  for (auto const& d : history) {
    if (d.number < seen || d.part.again) {
      ++repeated_;
    } else {
      bets_.take(d.part, {});
      fresh_ = d.number + 1;
    }
  }
  before_ = std::move(history);
}

void sampled_draws::take(draw_sequence history, draw_sequence const& elsewhere, bool again, bool comes_again) {
  if (!history.empty() && history.front().part.repeats) {
    take_repeating(std::move(history), again);
    return;
  }
  for (std::size_t i = 0; i < history.size(); ++i) {
    auto const earlier = before(history, i, before_, elsewhere);
    bets_.take(history[i].part, earlier);
    kind_.take(history[i].part, history[i].on, earlier.in_cycle);
  }
  before_ = std::move(history);
  if (!comes_again) return;
  auto layout = before_;
  for (auto& d : layout) d.part.below = d.part.upto = 0;
  auto const searched = std::min<std::size_t>(layouts_.size(), latest_layouts);
  auto const latest = layouts_.end() - static_cast<std::ptrdiff_t>(searched);
  auto const known = std::find(latest, layouts_.end(), layout);
  if (known == layouts_.end()) {
    layout_draws_ += layout.size();
    if (layout_draws_ > layout_draws_max) return;
  }
  order_.push_back(static_cast<std::uint32_t>(known - layouts_.begin()));
  if (known == layouts_.end()) layouts_.push_back(std::move(layout));
}

void sampled_draws::take_beyond(draw_sequence const& history, draw_sequence const& elsewhere) {
  if (!beyond_) beyond_ = bets_;
  for (std::size_t i = 0; i < history.size(); ++i) {
    auto const earlier = before(history, i, before_, elsewhere);
    beyond_->take(history[i].part, earlier);
    kind_.take(history[i].part, history[i].on, earlier.in_cycle);
  }
  before_ = history;
}

struct hidden_draws::view {
  draw_sequence draws;
  std::vector<spec::cube> where;
};

hidden_draws::hidden_draws(judged_system const& system, double alpha, draw_tests_mask tests,
                           std::vector<spec::cube> alive)
    : system_(&system), model_(system.runner()), refuting_gain_(-std::log(alpha)) {
  alive_.push_back({std::move(alive), sampled_draws(tests)});
}

// Runs the model along the history, once for each choice of the readings that it consults. Draws that were given are
// treated as hidden: the question is how the delays fill their windows.
void hidden_draws::look(history const& h, std::span<answer const> answers, spec::cube from, std::vector<view>& to) {
  constexpr draw_source hidden{spec::draw_kind::hidden, 1};
  pending_.assign(1, from);
  while (!pending_.empty()) {
    spec::chooser readings(system_->readings(), pending_.back(), pending_);
    pending_.pop_back();
    draw_sequence seen;
    std::array<numbering, instances_max> drawn{};
    model_->start(h);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      auto const found = model_->draw({h, i, hidden, false}, 0, readings, answers[i]);
      if (!found.admitted) break;
      std::uint8_t const on = h.steps[i].on;
      if (found.part) seen.push_back(drawn[on].next(*found.part, on));
      model_->advance();
    }
    // Sorts the draws, so that no draw's value decides their order. Depending on its value, a draw may show at an
    // earlier or a later answer.
    std::ranges::sort(seen, {}, place_of);
    auto const alike = std::ranges::find(to, seen, &view::draws);
    if (alike == to.end()) {
      to.push_back({std::move(seen), {readings.here()}});
    } else {
      alike->where.push_back(readings.here());
    }
  }
}

draw_sequence hidden_draws::seen_by(spec::cube assignment, history const& h, std::span<answer const> answers) {
  std::vector<view> views;
  look(h, answers, assignment, views);
  return std::move(views.front().draws);
}

bool hidden_draws::absorb(history const& h, std::span<answer const> answers, std::span<answer const> elsewhere,
                          bool comes_again) {
  std::vector<suspects> next;
  bool refutes = false;
  bool const again = h == before_;
  if (!again) before_ = h;
  for (auto& s : refuted_) {
    if (followed_ && is_among(s, *followed_))
      s.draws.take_beyond(seen_by(*followed_, h, answers), seen_by(*followed_, h, elsewhere));
  }
  for (auto& s : alive_) {
    std::vector<view> views;
    for (auto const c : s.where) look(h, answers, c, views);
    auto const take = [&](suspects part, view& seen) {
      auto const other = seen_by(seen.where.front(), h, elsewhere);
      part.where = std::move(seen.where);
      spec::join_cubes(system_->readings(), part.where);
      part.draws.take(std::move(seen.draws), other, again, comes_again);
      bool const dies = part.draws.has_gained(refuting_gain_);
      refutes = refutes || dies;
      (dies ? refuted_ : next).push_back(std::move(part));
    };
    for (auto& seen : std::span(views).first(views.size() - 1)) take({{}, s.draws}, seen);
    take(std::move(s), views.back());
  }
  alive_ = std::move(next);
  return refutes;
}

void hidden_draws::narrow_to(std::vector<spec::cube> const& alive) {
  for (auto& s : alive_) s.where = spec::common_cubes(system_->readings(), s.where, alive);
  std::erase_if(alive_, [](suspects const& s) { return s.where.empty(); });
}

void hidden_draws::keep_testing(std::vector<spec::cube> const& cubes) {
  auto const& table = system_->readings();
  std::erase_if(alive_, [&](suspects const& s) {
    if (!spec::common_cubes(table, s.where, cubes).empty()) return false;
    untested_.insert(untested_.end(), s.where.begin(), s.where.end());
    return true;
  });
}

std::vector<spec::cube> hidden_draws::living(std::vector<spec::cube> const& of) const {
  auto result = spec::common_cubes(system_->readings(), untested_, of);
  for (auto const& s : alive_) {
    for (auto const c : spec::common_cubes(system_->readings(), s.where, of)) result.push_back(c);
  }
  spec::join_cubes(system_->readings(), result);
  return result;
}

bool hidden_draws::is_among(suspects const& s, spec::cube assignment) const {
  return !spec::common_cubes(system_->readings(), s.where, {assignment}).empty();
}

bool hidden_draws::refutes(spec::cube assignment) const {
  return std::ranges::any_of(refuted_, [&](suspects const& s) { return is_among(s, assignment); });
}

std::uint64_t hidden_draws::drawn(spec::cube assignment) const {
  auto const* seen = draws_of(assignment);
  return seen == nullptr ? 0 : seen->draws() + seen->bets_so_far().draws();
}

sampled_draws const* hidden_draws::draws_of(spec::cube assignment) const {
  for (auto const* all : {&alive_, &refuted_}) {
    for (auto const& s : *all) {
      if (is_among(s, assignment)) return &s.draws;
    }
  }
  return nullptr;
}

}  // namespace backoff::judge
