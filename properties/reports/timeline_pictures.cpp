#include "reports/timeline_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "histories/text.hpp"

namespace backoff::reports {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t clock_argument = 0;
constexpr double longest_clock = 1e6;  // seconds of a timeline that breaks nothing

double later_by(step const& from, step const& to) {
  return static_cast<double>(to.args[clock_argument].n) - static_cast<double>(from.args[clock_argument].n);
}

class timelines {
 public:
  timelines(run const& judged, std::size_t action)
      : judged_(&judged), action_(action), hidden_{spec::draw_kind::hidden, 0} {
    hidden_.size = judged.about().takes.draws.size;
  }

  [[nodiscard]] picture of(answered const& a) const {
    auto const& s = judged_->system().shape();
    auto const at = polls(a, action_);
    auto const bare = without_draws(s, a.tried);
    auto const broken = judged_->system()
                            .broken_claims(a.tried, a.answers, judged_->about().takes.draws, judged_->explained_by())
                            .broken_at;
    auto const& first = a.tried.steps[at.front()];
    json answers = json::array();
    json zones = json::array();
    std::size_t misfits = 0;
    double from = 0;
    double to = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      auto const& now = a.tried.steps[at[k]];
      double const x = later_by(first, now);
      from = std::min(from, x);
      to = std::max(to, x);
      bool const fits = at[k] >= broken.size() || (broken[at[k]] & judged_->options().claims) == 0;
      misfits += fits ? 0 : 1;
      answers.push_back({x, s.answers[action_].words[a.answers[at[k]][action_].keyword], fits});
      if (k > 0)
        add_zones(zones, bare, a.answers, at[k], a.tried.steps[at[k - 1]].args[clock_argument].n,
                  now.args[clock_argument].n, first);
    }
    // What would be admitted soon after the last call.
    double const room = std::max(1.0, std::floor((to - from) / 8));
    history more = bare;
    more.steps.resize(a.answers.size());
    more.steps.push_back(bare.steps[at.back()]);
    auto const last = more.steps.back().args[clock_argument].n;
    std::int64_t end = 0;
    if (room < 1e15 && !__builtin_add_overflow(last, static_cast<std::int64_t>(room), &end)) {
      add_zones(zones, more, a.answers, a.answers.size(), last, end, first);
      to = std::max(to, later_by(first, more.steps.back()) + room);
    }
    json const data{{"clock", s.operations[waiting_call].args[clock_argument].name},
                    {"from", from},
                    {"to", to},
                    {"zones", std::move(zones)},
                    {"answers", answers}};
    auto const says = fmt::format("{} answers in {:.0f} s of the clock, {}.", answers.size(),
                                  later_by(first, a.tried.steps[at.back()]),
                                  misfits == 0 ? "each as documented" : fmt::format("{} not as documented", misfits));
    return {"timeline", title(a), says, data.dump(-1, ' ', false, json::error_handler_t::replace)};
  }

 private:
  // The calls on the first instance that set the history up, with their arguments.
  [[nodiscard]] std::string title(answered const& a) const {
    constexpr std::size_t most = 6;
    std::string text;
    std::size_t n = 0;
    auto const& s = judged_->system().shape();
    for (auto const& call : a.tried.steps) {
      if (call.op == waiting_call || call.on != 0 || ++n > most) continue;
      text += (text.empty() ? "" : ", ") + std::string(s.operations[call.op].name);
      auto const args = s.operations[call.op].args;
      for (std::size_t k = 0; k < args.size(); ++k) {
        if (call.args[k].kind != value_kind::absent)
          text += fmt::format(" {}={}", args[k].name, histories::to_text(args[k], call.args[k]));
      }
    }
    return text + (n > most ? ", …" : "");
  }

  // The words that would be admitted if the call read that time.
  [[nodiscard]] std::uint32_t admitted_at(history& h, std::vector<answer> const& answers, std::size_t call,
                                          std::int64_t reading) const {
    h.steps[call].args[clock_argument] = value::of(reading);
    auto const all = judged_->system().admitted(h, std::span(answers).first(std::min(call, answers.size())), hidden_,
                                                judged_->explained_by());
    if (call >= all.size()) return 0;
    auto const& a = all[call][action_];
    return a.kind() == spec::admissible_kind::keyword ? a.words() : 0;
  }

  // Adds the zones between two times that the clock showed. What is admitted changes a few times at most there, and
  // never back, so that bisection finds each change.
  void add_zones(json& zones, history h, std::vector<answer> const& answers, std::size_t call, std::int64_t from,
                 std::int64_t to, step const& first) const {
    if (to <= from || from == -1) return;
    h.steps.resize(call + 1);
    step reading;
    auto const place = [&](std::int64_t t) {
      reading.args[clock_argument] = value::of(t);
      return later_by(first, reading);
    };
    auto low = from;
    auto words = admitted_at(h, answers, call, low);
    auto const at_end = admitted_at(h, answers, call, to);
    while (words != at_end) {
      auto same = low;
      auto other = to;
      auto next = at_end;
      while (static_cast<std::uint64_t>(other) - static_cast<std::uint64_t>(same) > 1) {
        auto const middle = same + static_cast<std::int64_t>(
                                       (static_cast<std::uint64_t>(other) - static_cast<std::uint64_t>(same)) / 2);
        auto const there = admitted_at(h, answers, call, middle);
        if (there == words) {
          same = middle;
        } else {
          other = middle;
          next = there;
        }
      }
      if (other > low) add_zone(zones, place(low), place(other), words);
      low = other;
      words = next;
      if (other == to) break;
    }
    if (low < to) add_zone(zones, place(low), place(to), words);
  }

  void add_zone(json& zones, double from, double to, std::uint32_t words) const {
    auto const& s = judged_->system().shape();
    if (words == 0) return;
    std::string text;
    for (auto left = words; left != 0; left &= left - 1)
      text += (text.empty() ? "" : " or ") +
              std::string(s.answers[action_].words[static_cast<std::size_t>(std::countr_zero(left))]);
    zones.push_back({from, to, text});
  }

  run const* judged_;
  std::size_t action_;
  draw_source hidden_;
};

}  // namespace

std::optional<std::size_t> action_of(shape const& s) {
  auto const args = s.operations[waiting_call].args;
  auto const at = std::ranges::find(s.answers, "action", &answer_field::name);
  bool const has_clock = !args.empty() && args[clock_argument].name == "clock";
  if (at == s.answers.end() || !has_clock) return std::nullopt;
  return static_cast<std::size_t>(at - s.answers.begin());
}

std::vector<std::size_t> polls(answered const& a, std::size_t action) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < a.answers.size(); ++i) {
    auto const& s = a.tried.steps[i];
    bool const said = a.answers[i][action].kind == observed_kind::keyword;
    if (s.on == 0 && s.op == waiting_call && said) found.push_back(i);
  }
  return found;
}

double interest(answered const& a, std::size_t action) {
  auto const at = polls(a, action);
  if (at.size() < 3 || at.size() > 24) return 0;
  std::set<std::uint8_t> words;
  for (std::size_t k = 0; k < at.size(); ++k) {
    auto const& s = a.tried.steps[at[k]];
    words.insert(a.answers[at[k]][action].keyword);
    bool const moves = s.args[clock_argument + 1].kind != value_kind::absent || s.args[clock_argument].n == -1;
    bool const goes_on = k == 0 || (at[k] == at[k - 1] + 1 && later_by(a.tried.steps[at[k - 1]], s) >= 0);
    if (moves || !goes_on) return 0;
  }
  auto const span = later_by(a.tried.steps[at.front()], a.tried.steps[at.back()]);
  if (span <= 0 || span > longest_clock) return 0;
  auto const calls = static_cast<double>(std::min<std::size_t>(at.size(), 12));
  return 40 + 5.0 * static_cast<double>(words.size()) + calls - 4 * std::abs(std::log10(span) - 1.7);  // 50 s are best
}

picture drawn_timeline(run const& judged, answered const& a, std::size_t action) {
  return timelines(judged, action).of(a);
}

}  // namespace backoff::reports
