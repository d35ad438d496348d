#include "reports/delay_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "judge/drawn.hpp"
#include "reports/report.hpp"

namespace backoff::reports {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t points_max = 400;

// The number; null where it is not finite.
json number(double x) { return std::isfinite(x) ? json(x) : json(); }

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

// The example calls for these parameters, without draws.
history example_of(shape const& s, history const& h) {
  constexpr std::size_t calls = 10;
  history e{h.params, {}};
  e.steps = s.example == nullptr ? std::vector<step>(calls) : s.example(e, {});
  return e;
}

// The last attempt that a picture shows: at most `usual`, or a later one whose answer is not as documented.
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

// A long band is thinned: its first 64 attempts and the last one stay, and one in every few of the others.
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

}  // namespace

void delay_plot::admit(std::int64_t at, spec::admissible const& a) {
  auto const e = ends_of(a);
  if (!e) return;
  auto const [where, is_new] = band.emplace(at, *e);
  ++admitted;
  if (!is_new && (where->second.low != e->low || where->second.high != e->high)) ++otherwise;
  if (!is_new) where->second = {std::min(where->second.low, e->low), std::max(where->second.high, e->high)};
}

delay_plot delay_plots::of(std::span<answered const> group) const {
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

void delay_plots::add(delay_plot& plot, answered const& a) const {
  auto const& s = judged_->system().shape();
  auto const& draws = judged_->about().takes.draws;
  auto const explained = judged_->explained_by();
  auto const whatever = judged_->system().admitted(without_draws(s, a.tried), a.answers, hidden_, explained);
  auto const broken = judged_->system().broken_claims(a.tried, a.answers, draws, explained).broken_at;
  auto const breaks = [&](std::size_t i) { return i < broken.size() && (broken[i] & judged_->options().claims) != 0; };
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

}  // namespace backoff::reports
