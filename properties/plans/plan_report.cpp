#include "plans/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "histories/present.hpp"
#include "histories/text_parts.hpp"
#include "reports/html.hpp"

namespace backoff::plans {
namespace {

using json = nlohmann::ordered_json;
using reports::html::counted;

constexpr double too_long_s = 86'400;
constexpr double nearly_all = 0.99;
constexpr std::size_t retries_warned_of = 100;

// To nine digits: the rest is what doubles lose.
double rounded(double x) { return std::stod(fmt::format("{:.9g}", x)); }

json to_json(spread const& s) {
  return {{"least", rounded(s.least)},
          {"mean", rounded(s.mean)},
          {"p99", rounded(s.p99)},
          {"greatest", rounded(s.greatest)}};
}

template <class Value>
json or_null(std::optional<Value> const& value) {
  return value ? json(*value) : json();
}

double seconds_at(herd const& h, herd_plan const& plan, std::size_t second) {
  return h.first_second_s + static_cast<double>(second) * plan.second_s;
}

json to_json(named_herd const& h, herd_plan const& plan) {
  auto const& seen = h.seen;
  auto const peak = seen.peak();
  json one{{"clients", h.clients},
           {"requests", seen.total},
           {"wasted", seen.wasted},
           {"requests_after_outage", plan.outage_s > 0 ? json(seen.requests_at(seen.back)) : json()},
           {"peak", seen.requests_at_peak()},
           {"peak_s", peak ? json(seconds_at(seen, plan, *peak)) : json()},
           {"served", seen.served_s.size()},
           {"gave_up", seen.gave_up},
           {"still_waiting", seen.waiting},
           {"served_half_s", or_null(seen.served_after(0.5))},
           {"served_99_percent_s", or_null(seen.served_after(nearly_all))},
           {"served_all_s", or_null(seen.served_after(1))},
           {"first_second_s", seen.first_second_s},
           {"requests_by_second", seen.requests}};
  auto const& e = h.error;
  one["error"] = {{"requests", e.requests},
                  {"requests_after_outage", e.back},
                  {"peak", e.peak},
                  {"served_99_percent_s", rounded(e.served_s)},
                  {"served_all_s", rounded(e.all_served_s)},
                  {"gave_up", e.gave_up}};
  return one;
}

std::string span_text(double from, double to) {
  if (to == 0) return "0 s";
  if (time_text(from) == time_text(to)) return time_text(to);
  return from <= 0 ? "at most " + time_text(to) : time_text(from) + " to " + time_text(to);
}

std::string within_text(planned_formula const& f) {
  auto const& w = present(f.one.within);
  auto text = fmt::format("within {}: ", time_text(w.budget_s));
  if (w.most == w.least) return text + counted(w.least, "retry", "retries");
  if (!w.mean)
    return text + fmt::format("{} at least; more than {} may fit", counted(w.least, "retry", "retries"),
                              counted(w.probability.size()));
  auto const most = w.most ? fmt::format("{} at most", *w.most) : std::string("without an upper limit");
  text += fmt::format("{} at least, {:.1f} on average, {}", counted(w.least, "retry", "retries"), *w.mean, most);
  constexpr std::size_t shown = 4;
  constexpr double surely = 0.9995;
  std::vector<std::string> likely;
  for (std::size_t n = 0; n < w.probability.size() && likely.size() < shown; ++n) {
    if (w.probability[n] < surely && w.probability[n] >= 1 - surely)
      likely.push_back(fmt::format("{}: {:.1f} %", n + 1, 100 * w.probability[n]));
  }
  return likely.empty() ? text : text + "; this many or more: " + text_parts::comma_separated(likely);
}

void add_schedule(std::string& to, planned_formula const& f) {
  to += fmt::format("         {:<36}{}\n", "delay", "time passed");
  to += fmt::format("  retry{0:>9}{1:>9}{2:>9}{3:>9}{0:>9}{1:>9}{2:>9}{3:>9}\n", "least", "mean", "p99", "greatest");
  for (std::size_t i = 0; i < f.one.retries.size(); ++i) {
    to += fmt::format("  {:>5}", i + 1);
    for (auto const& s : {f.one.retries[i].delay, f.one.retries[i].passed}) {
      for (double const t : {s.least, s.mean, s.p99, s.greatest}) to += fmt::format(" {:>8}", time_text(t));
    }
    to += "\n";
  }
}

// Two formulas beside each other.
void add_both(std::string& to, planned_formula const& a, planned_formula const& b) {
  to += fmt::format("A: {}\nB: {}\n", title_text(a), title_text(b));
  to += fmt::format("         {0:<17}{1:<18} {2:<17}{3}\n", "A delay", "A time passed", "B delay", "B time passed");
  to += fmt::format("  retry{0:>9}{1:>9}{0:>9}{1:>9}{0:>9}{1:>9}{0:>9}{1:>9}\n", "mean", "greatest");
  auto const count = std::max(a.one.retries.size(), b.one.retries.size());
  for (std::size_t i = 0; i < count; ++i) {
    to += fmt::format("  {:>5}", i + 1);
    for (auto const* f : {&a, &b}) {
      bool const is_granted = i < f->one.retries.size();
      auto const row = is_granted ? f->one.retries[i] : planned_retry{};
      for (double const t : {row.delay.mean, row.delay.greatest, row.passed.mean, row.passed.greatest})
        to += fmt::format(" {:>8}", is_granted ? time_text(t) : "-");
    }
    to += "\n";
  }
}

void add_herds(std::string& to, std::vector<named_herd> const& herds, herd_plan const& plan) {
  auto rows = herd_rows(herds, plan);
  std::vector<std::string> names{""};
  for (auto const& h : herds) names.push_back(h.clients);
  if (herds.size() > 1) rows.insert(rows.begin(), names);
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::size_t width = 0;
      for (auto const& other : rows) width = std::max(width, other[i].size());
      auto const blanks = std::string(width - row[i].size(), ' ');
      line += i == 0 ? "  " + row[i] + blanks : "  " + blanks + row[i];
    }
    to += line + "\n";
  }
  if (auto const note = herd_note(herds); !note.empty()) to += note + "\n";
}

std::string with_error(std::string const& number, std::string const& error) {
  return error == "0" ? number : number + " +/- " + error;
}
std::string count_text(std::uint64_t n, double error) {
  return with_error(counted(n), counted(static_cast<std::uint64_t>(error)));
}

}  // namespace

std::string time_text(double s) {
  auto const plain = [](double x) {
    auto const digits = x < 10 ? 2 : x < 100 ? 1 : 0;
    auto text = fmt::format("{:.{}f}", x, digits);
    if (text.find('.') != std::string::npos) {
      text.erase(text.find_last_not_of('0') + 1);
      if (text.back() == '.') text.pop_back();
    }
    return text;
  };
  if (s == 0) return "0";
  if (s < 0.9995e-6) return plain(s * 1e9) + " ns";
  if (s < 0.9995e-3) return plain(s * 1e6) + " us";
  if (s < 0.9995) return plain(s * 1e3) + " ms";
  if (s < 600) return plain(s) + " s";
  if (s < 36'000) return plain(s / 60) + " min";
  if (s < 864'000) return plain(s / 3'600) + " h";
  if (s < 63'072'000) return plain(s / 86'400) + " days";
  return fmt::format("{:.3g} years", s / 31'536'000);
}

std::string limit_text(retry_limit const& limit) {
  auto const simulated = limit.is_simulated ? fmt::format(", in {} simulated clients", counted(simulated_clients)) : "";
  if (!limit.least) return "never gives up";
  if (limit.most == std::size_t{0}) return "does not retry";
  if (!limit.most)
    return fmt::format("some clients give up, after {} or more{}", counted(*limit.least, "retry", "retries"),
                       simulated);
  auto const retries = limit.least == limit.most ? counted(*limit.most, "retry", "retries")
                                                 : fmt::format("{} to {} retries", *limit.least, *limit.most);
  return fmt::format("gives up after {}, {} after the first failure{}", retries,
                     span_text(limit.least_s, limit.greatest_s), simulated);
}

std::string title_text(planned_formula const& f) {
  return f.system + (f.parameters.empty() ? "" : ", " + f.parameters) + ": " + limit_text(f.limit);
}

std::vector<std::string> schedule_texts(planned_formula const& f) {
  std::vector<std::string> all;
  if (f.one.granted_next > 0 && f.one.granted_next < 1)
    all.push_back(fmt::format("whether more retries follow depends on the delays: {:.1f} % of the clients get retry {}",
                              100 * f.one.granted_next, f.one.retries.size() + 1));
  if (f.one.within) all.push_back(within_text(f));
  auto const& e = f.one.error;
  if (e.mean_part > 0)
    all.push_back(fmt::format(
        "simulated with {} clients: {}in 99 of 100 cases, means are within {:.1f} % and p99 within {:.1f} %{}",
        counted(simulated_clients), e.are_ends_seen ? "least and greatest are those seen; " : "", 100 * e.mean_part,
        100 * e.p99_part, f.one.within ? fmt::format(", probabilities within {:.1f} %", 100 * e.probability) : ""));
  return all;
}

std::string herd_text(herd_plan const& plan) {
  auto text = (plan.clients == 1 ? "the first request of " : "the first requests of ") +
              counted(plan.clients, "client fails ", "clients fail ") +
              (plan.ramp_s > 0 ? "within " + time_text(plan.ramp_s) : std::string("together"));
  if (plan.outage_s > 0) text += "; the server is down for " + time_text(plan.outage_s);
  if (plan.capacity)
    text += std::string(plan.outage_s > 0 ? ", then" : "; the server") + " answers " + counted(*plan.capacity) +
            " a second";
  return text;
}

std::vector<std::vector<std::string>> herd_rows(std::vector<named_herd> const& herds, herd_plan const& plan) {
  using text_of = std::function<std::string(herd const&, herd_error const&)>;
  auto const served = [](herd const& h, double share) {
    auto const after = h.served_after(share);
    return after ? time_text(*after) : std::string("never");
  };
  bool const is_down = plan.outage_s > 0;
  std::vector<std::pair<std::string, text_of>> numbers{
      {"requests", [](auto const& h, auto const& e) { return count_text(h.total, e.requests); }},
      {"wasted", [](auto const& h, auto const& e) { return count_text(h.wasted, e.requests); }}};
  if (is_down)
    numbers.emplace_back("in the second after the outage",
                         [](auto const& h, auto const& e) { return count_text(h.requests_at(h.back), e.back); });
  numbers.insert(
      numbers.end(),
      {{is_down ? "peak after the outage" : "peak after the start",
        [&](auto const& h, auto const& e) {
          auto const at = h.peak();
          if (!at) return std::string("none");
          return count_text(h.requests_at_peak(), e.peak) + " at " + time_text(seconds_at(h, plan, *at));
        }},
       {"99 % served after",
        [&](auto const& h, auto const& e) { return with_error(served(h, nearly_all), time_text(e.served_s)); }},
       {"all served after",
        [&](auto const& h, auto const& e) { return with_error(served(h, 1), time_text(e.all_served_s)); }},
       {"gave up", [](auto const& h, auto const& e) {
          return h.gave_up == 0 && e.gave_up == 0 ? std::string("none") : count_text(h.gave_up, e.gave_up);
        }}});
  if (std::ranges::any_of(herds, [](named_herd const& h) { return h.seen.waiting > 0; }))
    numbers.emplace_back("still waiting", [](auto const& h, auto const&) { return counted(h.waiting); });
  std::vector<std::vector<std::string>> rows;
  for (auto const& [name, text] : numbers) {
    auto& row = rows.emplace_back(std::vector{name});
    for (auto const& h : herds) row.push_back(text(h.seen, h.error));
  }
  return rows;
}

std::string herd_note(std::vector<named_herd> const& herds) {
  bool const are_drawn = std::ranges::any_of(
      herds, [](named_herd const& h) { return h.error.requests > 0 || h.error.back > 0 || h.error.peak > 0; });
  return are_drawn ? "simulated; +/-: by how much other draws may change the number, in 99 of 100 cases" : "";
}

namespace {

// That clients gave up, and why; empty: none did.
std::string giving_up_text(planned_formula const& f, std::optional<herd_plan> const& plan) {
  if (f.herds.empty() || f.herds.front().seen.gave_up == 0) return {};
  auto const& seen = f.herds.front().seen;
  auto const& limit = f.limit;
  auto text = seen.served_s.empty()
                  ? std::string("none served: ")
                  : fmt::format("{} of {} clients give up: ", counted(seen.gave_up), counted(seen.clients()));
  if (limit.most == std::size_t{0}) return text + "clients do not retry";
  text += limit.least == limit.most ? counted(limit.least.value_or(0), "retry lasts", "retries last")
          : limit.most              ? fmt::format("{} to {} retries last", limit.least.value_or(0), *limit.most)
                                    : "retries last";
  text += " " + (limit.most ? span_text(limit.least_s, limit.greatest_s) : time_text(limit.least_s) + " or more");
  if (present(plan).outage_s > 0) text += fmt::format(", the outage {}", time_text(present(plan).outage_s));
  if (auto const capacity = present(plan).capacity)
    text += fmt::format(", and the server answers {} a second", counted(*capacity));
  return text;
}

}  // namespace

std::vector<std::string> warnings_of(delay_law& law, planned_formula const& f, std::optional<herd_plan> const& plan) {
  std::vector<std::string> all;
  std::vector<spread_delay> delays;
  for (std::size_t n = 0; n < retries_warned_of; ++n) {
    auto const* const r = law.retry(n);
    if (r == nullptr) break;
    delays.push_back(r->delay);
  }
  if (auto const text = giving_up_text(f, plan); !text.empty()) all.push_back(text);
  if (delays.empty()) return all;
  auto const last = delays.size() - 1;
  auto const longest = std::ranges::max_element(delays, {}, &spread_delay::greatest);
  if (std::ranges::none_of(delays, &spread_delay::is_drawn))
    all.emplace_back("no jitter: clients that fail together come back together");
  else if (last >= 2 && !longest->is_drawn())
    all.emplace_back("no jitter at the longest delay: clients that wait so long come back together");
  if (delays.front().greatest() == 0) all.emplace_back("the first delay is 0: the first retry comes at once");
  if (last >= 2 && longest->greatest() <= delays[0].greatest())
    all.emplace_back("delays do not grow: a server that is down keeps getting as many requests as at first");
  bool const still_grows = last >= 2 && delays[last].greatest() > delays[last - 1].greatest();
  auto const too_long = std::ranges::find_if(delays, [](auto const& d) { return d.greatest() > too_long_s; });
  if (!f.limit.least && still_grows && too_long != delays.end())
    all.push_back(fmt::format("no cap: before retry {} a client waits up to {}", too_long - delays.begin() + 1,
                              time_text(too_long->greatest())));
  if (f.one.within && f.limit.most && f.one.within->least < *f.limit.most) {
    auto const& w = *f.one.within;
    all.push_back(fmt::format("the budget of {} {} before retry {}", time_text(w.budget_s),
                              w.most == w.least ? "ends" : "may end", w.least + 1));
  }
  return all;
}

std::string to_text(plan_report const& r) {
  std::string text;
  if (r.formulas.size() == 2) {
    auto const& a = r.formulas[0];
    auto const& b = r.formulas[1];
    add_both(text, a, b);
    std::vector<named_herd> herds;
    char name = 'A';
    for (auto const& f : r.formulas) {
      for (auto const& says : schedule_texts(f)) text += fmt::format("{}: {}\n", name, says);
      for (auto h : f.herds) {
        h.clients = f.herds.size() == 1 ? std::string(1, name) : fmt::format("{}, {}", name, h.clients);
        herds.push_back(std::move(h));
      }
      ++name;
    }
    if (!herds.empty()) {
      text += herd_text(present(r.herd)) + "\n";
      add_herds(text, herds, present(r.herd));
    }
    name = 'A';
    for (auto const& f : r.formulas) {
      for (auto const& w : f.warnings) text += fmt::format("{}: warning: {}\n", name, w);
      ++name;
    }
    return text;
  }
  for (auto const& f : r.formulas) {
    if (!text.empty()) text += "\n";
    text += title_text(f) + "\n";
    if (!f.one.retries.empty()) add_schedule(text, f);
    for (auto const& says : schedule_texts(f)) text += says + "\n";
    if (!f.herds.empty()) {
      text += herd_text(present(r.herd)) + "\n";
      add_herds(text, f.herds, present(r.herd));
    }
    for (auto const& w : f.warnings) text += fmt::format("warning: {}\n", w);
  }
  return text;
}

std::string to_json(plan_report const& r) {
  json all = json::object();
  if (r.herd) {
    all["herd"] = {{"clients", present(r.herd).clients},
                   {"ramp_s", present(r.herd).ramp_s},
                   {"outage_s", present(r.herd).outage_s},
                   {"capacity", or_null(present(r.herd).capacity)},
                   {"seed", present(r.herd).seed}};
  }
  json formulas = json::array();
  for (auto const& f : r.formulas) {
    json rows = json::array();
    for (std::size_t i = 0; i < f.one.retries.size(); ++i)
      rows.push_back({{"retry", i + 1},
                      {"delay_s", to_json(f.one.retries[i].delay)},
                      {"passed_s", to_json(f.one.retries[i].passed)}});
    auto const& e = f.one.error;
    json one{{"system", f.system},
             {"parameters", f.parameters},
             {"gives_up_after",
              {{"least", or_null(f.limit.least)},
               {"most", or_null(f.limit.most)},
               {"least_s", f.limit.least ? json(rounded(f.limit.least_s)) : json()},
               {"greatest_s", f.limit.most ? json(rounded(f.limit.greatest_s)) : json()},
               {"is_simulated", f.limit.is_simulated}}},
             {"retries", rows},
             {"granted_next", f.one.granted_next},
             {"error",
              {{"seconds", e.seconds}, {"probability", e.probability}, {"mean", e.mean_part}, {"p99", e.p99_part}}}};
    if (f.one.within) {
      auto const& w = *f.one.within;
      one["within"] = {{"budget_s", w.budget_s},
                       {"least", w.least},
                       {"mean", or_null(w.mean)},
                       {"most", or_null(w.most)},
                       {"probability_of_at_least", w.probability}};
    }
    json herds = json::array();
    for (auto const& h : f.herds) herds.push_back(to_json(h, present(r.herd)));
    one["herds"] = herds;
    one["warnings"] = f.warnings;
    formulas.push_back(one);
  }
  all["formulas"] = formulas;
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string to_csv(plan_report const& r) {
  auto const number = [](auto const& x) { return x ? fmt::format("{:.6g}", static_cast<double>(*x)) : ""; };
  auto const within = [&](planned_formula const& f) {
    if (!f.one.within) return std::string(",,,");
    auto const& w = *f.one.within;
    return fmt::format(",{},{},{}", w.least, number(w.mean), number(w.most));
  };
  if (r.herd) {
    std::string text =
        "system,parameters,clients,requests,wasted,requests_after_outage,peak,peak_s,served_99_percent_s,served_all_s,"
        "served,gave_up,still_waiting,within_least,within_mean,within_most\n";
    for (auto const& f : r.formulas) {
      for (auto const& [clients, h, error] : f.herds) {
        auto const peak = h.peak();
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}{}\n", f.system, f.parameters, clients, h.total,
                            h.wasted, present(r.herd).outage_s > 0 ? std::to_string(h.requests_at(h.back)) : "",
                            h.requests_at_peak(),
                            number(peak ? std::optional(seconds_at(h, present(r.herd), *peak)) : std::nullopt),
                            number(h.served_after(nearly_all)), number(h.served_after(1)), h.served_s.size(), h.gave_up,
                            h.waiting, within(f));
      }
    }
    return text;
  }
  std::string text =
      "system,parameters,gives_up,retry,delay_least,delay_mean,delay_p99,delay_greatest,passed_least,passed_mean,"
      "passed_p99,passed_greatest,within_least,within_mean,within_most\n";
  for (auto const& f : r.formulas) {
    for (std::size_t i = 0; i < f.one.retries.size(); ++i) {
      auto const& [d, p] = f.one.retries[i];
      text +=
          fmt::format("{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}{}\n", f.system, f.parameters,
                      f.limit.most    ? std::to_string(*f.limit.most)
                      : f.limit.least ? ""
                                      : "never",
                      i + 1, d.least, d.mean, d.p99, d.greatest, p.least, p.mean, p.p99, p.greatest, within(f));
    }
  }
  return text;
}

std::string to_markdown(plan_report const& r) {
  std::string text;
  for (auto const& f : r.formulas) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", title_text(f));
    if (!f.one.retries.empty())
      text +=
          "\n| retry | delay: least | mean | p99 | greatest | passed: least | mean | p99 | greatest |\n"
          "|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for (std::size_t i = 0; i < f.one.retries.size(); ++i) {
      auto const& [d, p] = f.one.retries[i];
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", i + 1, time_text(d.least),
                          time_text(d.mean), time_text(d.p99), time_text(d.greatest), time_text(p.least),
                          time_text(p.mean), time_text(p.p99), time_text(p.greatest));
    }
    auto const sentence = [&](std::string const& says) { text += "\n" + reports::html::capital(says) + ".\n"; };
    for (auto const& says : schedule_texts(f)) sentence(says);
    if (!f.herds.empty()) {
      text += "\n" + herd_text(present(r.herd)) + ":\n\n| clients |";
      for (auto const& h : f.herds) text += " " + h.clients + " |";
      text += "\n|---|";
      for (std::size_t i = 0; i < f.herds.size(); ++i) text += "--:|";
      text += "\n";
      for (auto const& row : herd_rows(f.herds, present(r.herd))) {
        for (auto const& cell : row) text += "| " + cell + " ";
        text += "|\n";
      }
      if (auto const note = herd_note(f.herds); !note.empty()) sentence(note);
    }
    for (auto const& w : f.warnings) sentence("warning: " + w);
  }
  return text;
}

}  // namespace backoff::plans
