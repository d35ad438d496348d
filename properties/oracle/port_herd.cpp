#include "oracle/port_herd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "explain/delay_cycles.hpp"
#include "explain/documented.hpp"
#include "histories/text_parts.hpp"
#include "judge/drawn.hpp"
#include "plans/plan_report.hpp"
#include "reports/html.hpp"
#include "session/parameters.hpp"

namespace backoff::oracle {
namespace {

using json = nlohmann::ordered_json;
using reports::html::counted;

constexpr std::size_t retries_max = 12;
constexpr std::uint64_t clients = 10'000;
constexpr std::size_t ports = 2'048;  // with draws of their own
constexpr double longest_s = 60;      // to which all is stretched: herds are counted by the second

diagnosis const* named(std::span<diagnosis const> all, std::string_view name) {
  auto const at = std::ranges::find(all, name, &diagnosis::name);
  return at == all.end() ? nullptr : &*at;
}

// The delays of one client whose code has that fault.
std::vector<double> delays_of(diagnosis const& fault, documented& document, history const& h) {
  auto const& s = document.shape();
  auto const& only = s.answers[s.delay].only;
  double const unit = std::pow(10, unit_of(s));
  std::vector<double> all;
  document.answered_by_the_port({});
  auto const answers = fault.answers(h, document);
  for (auto at = calls_before(s); at < answers.size(); ++at) {
    auto const& a = answers[at];
    if (only && a[only->field] != observed::word(only->word)) break;
    if (a[s.delay].kind != observed_kind::number) break;
    all.push_back(std::max(0.0, as_double(a[s.delay].value)) * unit);
  }
  return all;
}

std::vector<std::vector<double>> clients_of(diagnosis const& fault, judge::run const& judged, history const& with,
                                            std::size_t retries) {
  auto const& s = judged.system().shape();
  auto const& draws = judged.about().takes.draws;
  documented document(judged, judged.explained_by());
  auto const takes = documented_domain(s, draws);
  random_bits random(1);
  std::vector<std::vector<double>> all;
  for (std::size_t n = 0; n < (s.has_draws() ? ports : 1); ++n) {
    std::vector<value> own(retries);
    for (auto& d : own)
      if (s.has_draws()) d = value::of(static_cast<std::int64_t>(random() % draws.size));
    history h = with;
    if (!add_calls(h, s, takes, own)) return {};
    all.push_back(delays_of(fault, document, h));
  }
  return all;
}

struct shown_law {
  std::string parameters;
  history with;
  plans::delay_law law;
};

// The parameters of the picture whose windows grow the longest and then stay.
std::optional<shown_law> most_telling(judged_system const& system, std::span<picture const> pictures) {
  std::optional<shown_law> best;
  int most = 3;
  for (auto const& each : pictures) {
    if (each.kind != "delays" || each.title.empty()) continue;
    std::vector<std::string> params;
    for (auto const part : text_parts::split(each.title, ' ')) params.emplace_back(part);
    auto const with = parameters_of(system.shape(), params);
    plans::delay_law law(system, with, retries_max);
    auto const delays = law.delays();
    int grows = 0;
    int stays = 0;
    for (std::size_t i = 1; i < delays.size(); ++i) ++(delays[i].greatest() > delays[i - 1].greatest() ? grows : stays);
    auto const telling = std::min(grows, 4) + std::min(stays, 6);
    if (grows < 2 || telling <= most || !law.clients().empty()) continue;
    most = telling;
    best = shown_law{each.title, with, std::move(law)};
  }
  return best;
}

}  // namespace

std::optional<picture> herd_of(report const& r, std::span<picture const> others) {
  auto const& judged = *r.judged;
  auto const& s = judged.system().shape();
  if (!r.diagnosis || draws_for_itself(judged) || !tells_delays(s)) return std::nullopt;
  auto const all = diagnoses_of(judged.system());
  auto const* const fault = named(all, r.diagnosis->name);
  auto const from = most_telling(judged.system(), others);
  if (fault == nullptr || !from) return std::nullopt;
  auto const& [shown, with, documented_law] = *from;
  auto const retries = documented_law.delays().size();
  double longest = 0;
  double passed = 0;
  for (auto const& each : documented_law.delays()) {
    longest = std::max(longest, each.greatest());
    passed += each.mean();
  }
  auto own = clients_of(*fault, judged, with, retries);
  if (own.empty() || longest <= 0 || passed <= 0) return std::nullopt;
  double const outage = 0.75 * passed;
  double const stretch = longest_s / longest;
  plans::delay_law const port_law(std::move(own), retries, stretch);
  plans::delay_law const right_law = documented_law.stretched(stretch);
  plans::herd_plan const plan{.clients = clients, .ramp_s = 0, .outage_s = outage * stretch, .capacity = {}, .seed = 1};
  auto const right = run_herd(plan, plans::as_documented(right_law));
  auto const port = run_herd(plan, plans::as_documented(port_law));
  auto const peak = [&](plans::herd const& h) { return h.requests[h.peak_after_start(plan.outage_s)]; };
  if (port.total <= right.total && peak(port) <= peak(right)) return std::nullopt;
  json const data{{"unit", 1 / stretch}, {"documented", right.requests}, {"port", port.requests}};
  auto says = fmt::format(
      "{} clients fail together, and the server is down for {}. With the documented delays they make {} requests, and "
      "at most {} at a time after the outage. With the delays of this port they make {}, and at most {}.",
      counted(clients), plans::time_text(outage), counted(right.total), counted(peak(right)), counted(port.total),
      counted(peak(port)));
  return picture{"herd", shown, std::move(says), data.dump()};
}

}  // namespace backoff::oracle
