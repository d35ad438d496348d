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
#include "policies/declare.hpp"
#include "reports/html.hpp"
#include "session/parameters.hpp"

namespace backoff::oracle {
namespace {

using json = nlohmann::ordered_json;
using reports::html::counted;

constexpr std::size_t retries_shown = 12;
constexpr std::size_t retries_asked = 64;
constexpr std::uint64_t clients = 10'000;
constexpr std::size_t ports = 2'048;       // with draws of their own
constexpr double seconds_of_longest = 60;  // requests are counted in such parts of the longest delay

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
  double longest_s = 0;
  double passed_s = 0;  // on average, when the retries that are shown are over
};

// The parameters of the picture whose windows grow the longest and then stay.
std::optional<shown_law> most_telling(judged_system const& document, shape const& s,
                                      std::span<picture const> pictures) {
  std::optional<shown_law> best;
  int most = 3;
  for (auto const& each : pictures) {
    if (each.kind != "delays" || each.title.empty()) continue;
    std::vector<std::string> params;
    for (auto const part : text_parts::split(each.title, ' ')) params.emplace_back(part);
    shown_law shown{each.title, parameters_of(s, params), plans::delay_law(document, parameters_of(s, params))};
    int grows = 0;
    int stays = 0;
    for (std::size_t n = 0; n < retries_shown && shown.law.retry(n) != nullptr; ++n) {
      auto const& delay = shown.law.retry(n)->delay;
      if (n > 0) ++(delay.greatest() > shown.longest_s ? grows : stays);
      shown.longest_s = std::max(shown.longest_s, delay.greatest());
      shown.passed_s += delay.mean();
    }
    auto const telling = std::min(grows, 4) + std::min(stays, 6);
    if (grows < 2 || telling <= most || shown.law.is_simulated()) continue;
    most = telling;
    best = std::move(shown);
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
  auto const exact = followed_exactly(judged.system());
  auto from = most_telling(exact ? *exact : judged.system(), s, others);
  if (fault == nullptr || !from) return std::nullopt;
  auto own = clients_of(*fault, judged, from->with, retries_asked);
  if (own.empty() || from->longest_s <= 0 || from->passed_s <= 0) return std::nullopt;
  plans::herd_plan const plan{.clients = clients,
                              .outage_s = 0.75 * from->passed_s,
                              .capacity = {},
                              .second_s = from->longest_s / seconds_of_longest};
  plans::delay_law port_law(std::move(own));
  auto const right = run_herd(plan, plans::as_documented(from->law));
  auto const port = run_herd(plan, plans::as_documented(port_law));
  if (port.total <= right.total && port.requests_at_peak() <= right.requests_at_peak()) return std::nullopt;
  json const data{{"unit", plan.second_s}, {"documented", right.requests}, {"port", port.requests}};
  auto says = fmt::format(
      "{} clients fail together, and the server is down for {}. With the documented delays they make {} requests, and "
      "at most {} at a time after the outage. With the delays of this port they make {}, and at most {}.",
      counted(clients), plans::time_text(plan.outage_s), counted(right.total), counted(right.requests_at_peak()),
      counted(port.total), counted(port.requests_at_peak()));
  return picture{"herd", from->parameters, std::move(says), data.dump()};
}

}  // namespace backoff::oracle
