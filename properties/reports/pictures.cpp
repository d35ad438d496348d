#include "reports/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "histories/text.hpp"
#include "judge/drawn.hpp"
#include "judge/hidden_draws.hpp"
#include "relation/rational.hpp"
#include "reports/report.hpp"

namespace backoff::reports {
namespace {

using json = nlohmann::ordered_json;

constexpr std::uint8_t waiting_call = 0;     // in every shape the first operation is the one that asks how to go on
constexpr std::size_t clock_argument = 0;    // of that operation, in systems without a delay in their answers
constexpr std::size_t pictures_max = 12;     // of one kind
constexpr std::size_t of_findings_max = 6;   // of these, histories that break something
constexpr std::size_t candidates_max = 400;  // histories, or sets of parameters, to choose pictures from
constexpr std::size_t alike_max = 60;        // histories of one set of parameters
constexpr std::size_t steps_max = 200;       // of a history that breaks nothing
constexpr std::size_t points_max = 400;      // of one picture
constexpr std::size_t path_max = 300;        // points of a path
constexpr std::size_t bins = 20;
constexpr double longest_clock = 1e6;  // seconds of a timeline that breaks nothing

struct answered {
  history tried;
  std::vector<answer> answers;
};

// ---- Delays by attempt ----

// The number; null where it is not finite.
json number(double x) { return std::isfinite(x) ? json(x) : json(); }

struct ends {
  double low;
  double high;
};

std::optional<ends> ends_of(spec::admissible const& a) {
  using kind = spec::admissible_kind;
  if (a.kind() == kind::interval || a.kind() == kind::either)
    return ends{static_cast<double>(a.ends().low), static_cast<double>(a.ends().high)};
  if (a.kind() != kind::lattice) return std::nullopt;
  auto const first = static_cast<double>(a.first());
  ends e{first, first + static_cast<double>(a.step()) * static_cast<double>(a.count() - 1)};
  if (!a.has_ends()) return e;
  auto const more = static_cast<double>(a.ends().low);
  return ends{std::min(e.low, more), std::max(e.high, more)};
}

// Which attempt a call is. Where no call depends on earlier ones, its first argument says so; elsewhere attempts are
// counted on each instance, anew after a call of another operation.
class attempts {
 public:
  explicit attempts(shape const& s) : counted_(s.remembers) {}
  std::optional<std::int64_t> operator()(step const& s) {
    auto& n = made_[s.on];
    if (s.op != waiting_call) {
      n = 0;
      return std::nullopt;
    }
    ++n;
    return counted_ ? n : s.args[0].n;
  }

 private:
  bool counted_;
  std::array<std::int64_t, instances_max> made_{};
};

history without_draws(shape const& s, history h) {
  for (auto& step : h.steps) {
    auto const at = s.draw_of(step.op);
    auto const args = s.operations[step.op].args;
    if (at < args.size() && args[at].kind == field_kind::draw) step.args[at] = {};
  }
  return h;
}

// The example calls for these parameters, without draws.
history example_of(shape const& s, history const& h) {
  constexpr std::size_t calls = 10;
  history e{h.params, {}};
  e.steps = s.example == nullptr ? std::vector<step>(calls) : s.example(e, {});
  return e;
}

struct delay_plot {
  std::map<std::int64_t, ends> band;
  std::set<std::pair<std::int64_t, double>> fits;
  std::set<std::tuple<std::int64_t, std::optional<double>, std::string, std::string>> misfits;
  std::size_t histories = 0;
  std::size_t delays = 0;
  std::size_t admitted = 0;   // how many sets of admitted delays were seen
  std::size_t otherwise = 0;  // of these, how many differ from the set seen before at the same attempt

  void admit(std::int64_t at, spec::admissible const& a) {
    auto const e = ends_of(a);
    if (!e) return;
    auto const [where, is_new] = band.emplace(at, *e);
    ++admitted;
    if (!is_new && (where->second.low != e->low || where->second.high != e->high)) ++otherwise;
    if (!is_new) where->second = {std::min(where->second.low, e->low), std::max(where->second.high, e->high)};
  }
};

class delay_plots {
 public:
  explicit delay_plots(run const& judged) : judged_(&judged), hidden_{spec::draw_kind::hidden, 0} {
    hidden_.size = judged.about().takes.draws.size;
  }

  [[nodiscard]] delay_plot of(std::span<answered const> group) const {
    auto const& system = judged_->system();
    auto const& s = system.shape();
    delay_plot plot;
    random_bits random(1);
    auto const example = example_of(s, group.front().tried);
    auto const expected = system.play(example, hidden_, judged_->explained_by(), random).admitted;
    attempts counted(s);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (auto const at = counted(example.steps[i])) plot.admit(*at, expected[i][s.delay]);
    }
    for (auto const& a : group) add(plot, a);
    return plot;
  }

 private:
  void add(delay_plot& plot, answered const& a) const {
    auto const& s = judged_->system().shape();
    auto const& draws = judged_->about().takes.draws;
    auto const explained = judged_->explained_by();
    auto const whatever = judged_->system().admitted(without_draws(s, a.tried), a.answers, hidden_, explained);
    auto const broken = judged_->system().broken_claims(a.tried, a.answers, draws, explained).broken_at;
    auto const breaks = [&](std::size_t i) {
      return i < broken.size() && (broken[i] & judged_->options().claims) != 0;
    };
    std::vector<table_row> rows;
    ++plot.histories;
    attempts counted(s);
    for (std::size_t i = 0; i < a.answers.size(); ++i) {
      auto const at = counted(a.tried.steps[i]);
      if (!at) continue;
      if (i < whatever.size()) plot.admit(*at, whatever[i][s.delay]);
      auto const& port = a.answers[i][s.delay];
      bool const is_number = port.kind == observed_kind::number;
      auto const delay = is_number ? std::optional(as_double(port.value)) : std::nullopt;
      if (is_number) ++plot.delays;
      if (breaks(i) && plot.misfits.size() < points_max) {
        if (rows.empty())
          rows = show_history(*judged_, {0, a.tried, {result_kind::answered, a.answers, {}}}, explained).rows;
        plot.misfits.emplace(*at, delay, rows[i].admitted, rows[i].port);
      } else if (delay && !breaks(i) && plot.fits.size() < points_max) {
        plot.fits.emplace(*at, *delay);
      }
    }
  }

  run const* judged_;
  draw_source hidden_;
};

// The last attempt to draw: `usual`, or a later one whose answer is not as documented.
std::int64_t last_drawn(delay_plot const& p) {
  constexpr std::int64_t usual = 64;
  constexpr std::int64_t reason = 4'096;
  std::int64_t last = 1;
  auto const reach = [&](std::int64_t at, std::int64_t most) { last = at <= most ? std::max(last, at) : last; };
  for (auto const& b : p.band) reach(b.first, usual);
  for (auto const& f : p.fits) reach(f.first, usual);
  for (auto const& m : p.misfits) reach(std::get<0>(m), reason);
  return last;
}

// How telling a plot is: it shows windows that grow and then stay, many delays, and numbers of everyday size. 0 where
// the admitted delays depend on more than the parameters.
double interest(delay_plot const& p) {
  if (p.band.size() < 2 || p.fits.size() + p.misfits.size() < 2 || 2 * p.otherwise > p.admitted) return 0;
  std::size_t grows = 0;
  std::size_t stays = 0;
  double before = -1;
  double highest = 1;
  auto const last = last_drawn(p);
  for (auto const& [at, e] : p.band) {
    if (at > last) break;
    if (before >= 0) ++(e.high > before ? grows : stays);
    before = e.high;
    highest = std::max(highest, e.high);
  }
  auto const few = [](std::size_t n, std::size_t most) { return static_cast<double>(std::min(n, most)); };
  auto const size = std::isfinite(highest) ? std::log10(highest) : 300;
  return 10 + 3 * few(grows, 8) + 2 * few(stays, 3) + few(p.fits.size(), 60) / 4 - 2 * std::max(0.0, size - 5);
}

// A long band is thinned: its first 64 attempts and the last one stay, and one of several of the others.
json band_json(std::map<std::int64_t, ends> const& band, std::int64_t last) {
  json all = json::array();
  std::size_t i = 0;
  for (auto const& [at, e] : band) {
    if (at > last) break;
    bool const kept = i < 64 || i % (band.size() / 64 + 1) == 0 || at == last;
    if (kept) all.push_back({at, number(e.low), number(e.high)});
    ++i;
  }
  return all;
}

// As people write it.
std::string plain(double x) {
  if (!std::isfinite(x)) return "no end";
  return std::abs(x) < 1e15 ? fmt::format("{}", std::round(x * 1000) / 1000) : fmt::format("{:.3g}", x);
}

picture drawn_delays(shape const& s, std::string const& parameters, delay_plot const& p) {
  json fits = json::array();
  json misfits = json::array();
  auto const end = last_drawn(p);
  for (auto const& [at, delay] : p.fits) {
    if (at <= end) fits.push_back({at, number(delay)});
  }
  for (auto const& [at, delay, admitted, port] : p.misfits)
    misfits.push_back({at, delay ? number(*delay) : json(), admitted, port});
  bool const own = !s.remembers && !s.operations[waiting_call].args.empty();
  auto const attempt = own ? s.operations[waiting_call].args[0].name : std::string_view("attempt");
  json const data{
      {"attempt", attempt},      {"delay", s.answers[s.delay].name}, {"last", end}, {"band", band_json(p.band, end)},
      {"fits", std::move(fits)}, {"misfits", std::move(misfits)}};
  auto const what = [](std::size_t n, char const* one, char const* more) {
    return fmt::format("{} {}", n, n == 1 ? one : more);
  };
  auto says = fmt::format("{} in {}", what(p.delays, "delay", "delays"), what(p.histories, "history", "histories"));
  says += p.misfits.empty()
              ? ", each as documented."
              : fmt::format("; {} as documented.", what(p.misfits.size(), "answer is not", "answers are not"));
  if (!p.band.empty()) {
    auto const& [first, e] = *p.band.begin();
    auto const& [last, f] = *std::prev(p.band.upper_bound(std::max(end, first)));
    says += fmt::format(" The band: {} to {} at {} {}", plain(e.low), plain(e.high), attempt, first);
    says += first == last ? "." : fmt::format(", {} to {} at {}.", plain(f.low), plain(f.high), last);
  }
  return {"delays", parameters, std::move(says), data.dump(-1, ' ', false, json::error_handler_t::replace)};
}

// ---- Answers along a clock ----

// The answer field that says how to go on, in a system whose calls read a clock and whose answers show no delay.
std::optional<std::size_t> action_of(shape const& s) {
  auto const args = s.operations[waiting_call].args;
  auto const at = std::ranges::find(s.answers, "action", &answer_field::name);
  bool const has_clock = !args.empty() && args[clock_argument].name == "clock";
  if (at == s.answers.end() || !has_clock) return std::nullopt;
  return static_cast<std::size_t>(at - s.answers.begin());
}

// The calls on the first instance that were answered how to go on.
std::vector<std::size_t> polls(answered const& a, std::size_t action) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < a.answers.size(); ++i) {
    auto const& s = a.tried.steps[i];
    bool const said = a.answers[i][action].kind == observed_kind::keyword;
    if (s.on == 0 && s.op == waiting_call && said) found.push_back(i);
  }
  return found;
}

double later_by(step const& from, step const& to) {
  return static_cast<double>(to.args[clock_argument].n) - static_cast<double>(from.args[clock_argument].n);
}

// How telling a history is along its clock. 0 where its clock goes back, stands still or spans too long, or where other
// calls come between.
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

  // Adds the zones between two readings. What is admitted changes a few times at most there, and never back, so that
  // bisection finds each change.
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

// ---- Hidden draws ----

// The draws of a run again, as the assignment that explains it sees them.
class draws_again {
 public:
  explicit draws_again(run const& judged)
      : judged_(&judged),
        tests_(tests(judged)),
        seen_(judged.system(), judged.draws().alpha_of_a_test(), tests_, {judged.explained_by()}),
        bets_(tests_) {}

  void see(history const& h, std::span<answer const> answers, std::span<answer const> elsewhere) {
    double const refutes = -std::log(judged_->draws().alpha_of_a_test());
    if (bets_.bets().draws() != 0 && bets_.bets().gained() >= refutes) return;
    auto const explained = judged_->explained_by();
    auto const here = seen_.seen_by(explained, h, answers);
    auto const there = seen_.seen_by(explained, h, elsewhere);
    for (auto const& d : here) add(d.part);
    bets_.take(here, there);
    auto const n = bets_.bets().draws();
    if (!path_.empty() && path_.back().first == n) path_.pop_back();
    path_.emplace_back(n, bets_.bets().gained() / std::log(10));
  }

  [[nodiscard]] std::vector<picture> made() const {
    auto const n = bets_.bets().draws();
    if (n == 0) return {};
    json path = json::array({json::array({0, 0})});
    double highest = 0;
    for (auto const& p : path_) highest = std::max(highest, p.second);
    auto const every = path_.size() / path_max + 1;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      bool const peak = path_[i].second == highest;
      if (i % every == 0 || i + 1 == path_.size() || peak) path.push_back({path_[i].first, path_[i].second});
    }
    auto const threshold = -std::log10(judged_->draws().alpha_of_a_test());
    auto const expected = static_cast<double>(n) / bins;
    auto const [fewest, most] = std::ranges::minmax(bins_);
    json const histogram{{"bins", bins_}, {"expected", expected}};
    json const evidence{{"path", path}, {"threshold", threshold}};
    return {{"draws", "Where the draws stand in their windows",
             fmt::format("{} draws by where each stands in the window that the document makes it one of, in {} equal "
                         "parts: as documented "
                         "{:.4g} in each, seen {:.4g} to {:.4g}.",
                         n, bins, expected, fewest, most),
             histogram.dump()},
            {"evidence", "Evidence against the port, draw by draw",
             fmt::format("What bets against documented draws have made of 1: 10^{:.2f} at most, 10^{:.2f} after the "
                         "last of {} draws; "
                         "10^{:.3g} refutes.",
                         highest, path_.back().second, n, threshold),
             evidence.dump()}};
  }

 private:
  static draw_tests_mask tests(run const& judged) {
    draw_tests_mask mask = 0;
    auto const claims = judged.system().claims();
    for (unsigned i = 0; i < claims.size(); ++i) {
      if (claims[i].draws && judged.held_to().selected(i) && judged.held_to().refutes_readings(i))
        mask |= tests_of(*claims[i].draws);
    }
    return mask;
  }

  // Counts a draw. A value of a coarse window counts in all bins that its part of the window covers.
  void add(drawn_part const& d) {
    auto const upto = std::max(d.upto, d.below);
    if (upto - d.below <= 0) {
      bins_[std::min(bins - 1, static_cast<std::size_t>(d.below * bins))] += 1;
      return;
    }
    for (std::size_t k = 0; k < bins; ++k) {
      auto const low = std::max(d.below, static_cast<double>(k) / bins);
      auto const high = std::min(upto, static_cast<double>(k + 1) / bins);
      if (high > low) bins_[k] += (high - low) / (upto - d.below);
    }
  }

  run const* judged_;
  draw_tests_mask tests_;
  hidden_draws seen_;
  sampled_draws bets_;
  std::array<double, bins> bins_{};
  std::vector<std::pair<std::uint64_t, double>> path_;
};

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
    timelines const lines(*judged, *action);
    std::vector<picture> made;
    for (auto const& a : broken) {
      if (made.size() < of_findings_max && !polls(a, *action).empty()) made.push_back(lines.of(a));
    }
    std::vector<std::pair<double, std::size_t>> ranked;  // the first of equals first
    for (std::size_t i = 0; i < lanes.size(); ++i) ranked.emplace_back(-interest(lanes[i], *action), i);
    std::ranges::sort(ranked);
    std::map<std::int64_t, std::size_t> begun;
    std::set<std::string> titles;
    for (auto const& [worth, i] : ranked) {
      auto const& a = lanes[i];
      auto& before = begun[a.tried.steps.front().args[0].n];
      if (made.size() == pictures_max || before == alike) continue;
      auto line = lines.of(a);
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
  if (both && all_->draws) all_->draws->see(h, one.answers, other.answers);
}

std::vector<picture> picture_maker::made() const {
  auto pictures = all_->action ? all_->along_clocks() : all_->delays();
  if (!all_->draws) return pictures;
  auto of_draws = all_->draws->made();
  pictures.insert(pictures.begin(), std::make_move_iterator(of_draws.begin()), std::make_move_iterator(of_draws.end()));
  return pictures;
}

}  // namespace backoff::reports
