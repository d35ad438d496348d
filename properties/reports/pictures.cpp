#include "reports/pictures.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "histories/present.hpp"
#include "reports/delay_pictures.hpp"
#include "reports/draw_pictures.hpp"
#include "reports/report.hpp"
#include "reports/timeline_pictures.hpp"

namespace backoff::reports {
namespace {

constexpr std::size_t pictures_max = 12;     // of one kind
constexpr std::size_t of_findings_max = 6;   // of these, histories that break something
constexpr std::size_t candidates_max = 400;  // histories, or sets of parameters, to choose pictures from
constexpr std::size_t alike_max = 60;        // histories of one set of parameters
constexpr std::size_t steps_max = 200;       // of a history that breaks nothing

auto key_of(history const& h) {
  std::array<std::tuple<int, int, std::int64_t>, params_max> key;
  std::ranges::transform(h.params, key.begin(), [](value const& v) {
    return std::tuple(static_cast<int>(v.kind), static_cast<int>(v.scale), v.n);
  });
  return key;
}

}  // namespace

struct picture_maker::collected {
  run const* judged;
  std::optional<std::size_t> action;
  std::vector<answered> broken;  // histories that break something, as they were shown
  std::map<decltype(key_of(history{})), std::size_t> known;
  std::vector<std::vector<answered>> groups;  // by parameters
  std::vector<answered> lanes;
  std::optional<draws_again> draws;

  [[nodiscard]] std::vector<picture> delays() const {
    auto const& s = judged->system().shape();
    delay_plots const plots(*judged);
    std::vector<picture> made;
    std::set<decltype(key_of(history{}))> done;
    auto const named = [&](history const& h) { return parameters_text(s, h); };
    for (auto const& a : broken) {
      if (made.size() == of_findings_max || !done.insert(key_of(a.tried)).second) continue;
      std::vector<answered> group{a};
      if (auto const more = known.find(key_of(a.tried)); more != known.end())
        group.insert(group.end(), groups[more->second].begin(), groups[more->second].end());
      made.push_back(drawn_delays(s, named(a.tried), plots.of(group)));
    }
    std::vector<std::tuple<double, std::size_t, delay_plot>> ranked;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (done.contains(key_of(groups[i].front().tried))) continue;
      auto plot = plots.of(groups[i]);
      if (auto const worth = interest(plot); worth != 0) ranked.emplace_back(worth, i, std::move(plot));
    }
    std::ranges::sort(ranked, [](auto const& a, auto const& b) {
      return std::get<0>(a) != std::get<0>(b) ? std::get<0>(a) > std::get<0>(b) : std::get<1>(a) < std::get<1>(b);
    });
    for (auto const& [worth, i, plot] : ranked) {
      if (made.size() == pictures_max) break;
      made.push_back(drawn_delays(s, named(groups[i].front().tried), plot));
    }
    return made;
  }

  // Histories that break something first; then the most telling, no more than a few that begin alike.
  [[nodiscard]] std::vector<picture> along_clocks() const {
    constexpr std::size_t alike = 2;
    auto const& by_clock = present(action);
    std::vector<picture> made;
    for (auto const& a : broken) {
      if (made.size() < of_findings_max && !polls(a, by_clock).empty())
        made.push_back(drawn_timeline(*judged, a, by_clock));
    }
    std::vector<std::pair<double, std::size_t>> ranked;  // the first of equals first
    ranked.reserve(lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) ranked.emplace_back(-interest(lanes[i], by_clock), i);
    std::ranges::sort(ranked);
    std::map<std::int64_t, std::size_t> begun;
    std::set<std::string> titles;
    for (auto const& [worth, i] : ranked) {
      auto const& a = lanes[i];
      auto& before = begun[a.tried.steps.front().args[0].n];
      if (made.size() == pictures_max || before == alike) continue;
      auto line = drawn_timeline(*judged, a, by_clock);
      if (!titles.insert(line.title).second) continue;
      ++before;
      made.push_back(std::move(line));
    }
    return made;
  }
};

picture_maker::picture_maker(run const& judged, std::vector<counterexample> const& shown)
    : all_(std::make_unique<collected>()) {
  all_->judged = &judged;
  all_->action = action_of(judged.system().shape());
  for (auto const& c : shown) {
    auto const& last = c.histories.back();
    if (last.got.kind == result_kind::answered) all_->broken.push_back({last.tried, last.got.answers});
  }
  if (judged.samples() != nullptr) all_->draws.emplace(judged);
}

picture_maker::~picture_maker() = default;

void picture_maker::see(history const& h, result const& r, bool is_sample) {
  if (r.kind != result_kind::answered) return;
  auto& all = *all_;
  if (is_sample && all.draws) all.draws->see(h, r.answers, {});
  if (h.steps.size() > steps_max) return;
  if (all.action) {
    if (answered a{h, r.answers}; all.lanes.size() < candidates_max && interest(a, *all.action) > 0)
      all.lanes.push_back(std::move(a));
    return;
  }
  auto const key = key_of(h);
  auto const at = all.known.find(key);
  if (at == all.known.end()) {
    if (all.groups.size() >= candidates_max && !is_sample) return;
    all.known.emplace(key, all.groups.size());
    all.groups.push_back({{h, r.answers}});
  } else if (auto& group = all.groups[at->second]; group.size() < alike_max) {
    group.push_back({h, r.answers});
  }
}

void picture_maker::see_twice(history const& h, result const& one, result const& other) {
  bool const both = one.kind == result_kind::answered && other.kind == result_kind::answered;
  if (auto& draws = all_->draws; both && draws) draws->see(h, one.answers, other.answers);
}

std::vector<picture> picture_maker::made() const {
  auto pictures = all_->action ? all_->along_clocks() : all_->delays();
  auto const& draws = all_->draws;
  if (!draws) return pictures;
  auto of_draws = draws->made();
  pictures.insert(pictures.begin(), std::make_move_iterator(of_draws.begin()), std::make_move_iterator(of_draws.end()));
  return pictures;
}

}  // namespace backoff::reports
