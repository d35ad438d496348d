#include "plans/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "histories/present.hpp"
#include "histories/text_parts.hpp"
#include "reports/html.hpp"

namespace backoff::plans {
namespace {

using json = nlohmann::ordered_json;
using reports::html::counted;

constexpr std::size_t shown_max = 10;  // retries, in the text
constexpr double too_long_s = 86'400;

json to_json(spread const& s) {
  return {{"least", s.least}, {"mean", s.mean}, {"p99", s.p99}, {"greatest", s.greatest}};
}

json to_json(named_herd const& h, double ramp_s) {
  return {{"clients", h.clients},
          {"requests", h.seen.total},
          {"wasted", h.seen.wasted},
          {"peak_second", h.seen.peak_after_start(ramp_s)},
          {"served", h.seen.served},
          {"gave_up", h.seen.gave_up},
          {"still_waiting", h.seen.waiting},
          {"median_served_s", h.seen.median_served_s},
          {"last_served_s", h.seen.last_served_s},
          {"requests_by_second", h.seen.requests}};
}

std::string title_of(planned_formula const& f) { return f.system + (f.parameters.empty() ? "" : ", " + f.parameters); }

std::string left_text(herd const& h) {
  std::string text;
  if (h.gave_up > 0) text = counted(h.gave_up) + " gave up";
  if (h.waiting > 0) text += (text.empty() ? "" : ", ") + counted(h.waiting) + " still wait";
  return text;
}

void add_schedule(std::string& to, planned_formula const& f) {
  auto const& rows = f.one.retries;
  to += fmt::format("         {:<36}{}\n", "delay", "time passed");
  to += fmt::format("  retry{0:>9}{1:>9}{2:>9}{3:>9}{0:>9}{1:>9}{2:>9}{3:>9}\n", "least", "mean", "p99", "greatest");
  auto const shown = rows.size() <= shown_max ? rows.size() : shown_max - 1;
  auto const line = [&](std::size_t i) {
    to += fmt::format("  {:>5}", i + 1);
    for (auto const& s : {rows[i].delay, rows[i].passed}) {
      for (double const t : {s.least, s.mean, s.p99, s.greatest}) to += fmt::format(" {:>8}", time_text(t));
    }
    to += "\n";
  };
  for (std::size_t i = 0; i < shown; ++i) line(i);
  if (shown < rows.size()) line(rows.size() - 1);
}

// Two formulas beside each other.
void add_both(std::string& to, planned_formula const& a, planned_formula const& b) {
  to += fmt::format("A: {}\nB: {}\n", title_of(a), title_of(b));
  to += fmt::format("         {0:<17}{1:<18} {2:<17}{3}\n", "A delay", "A time passed", "B delay", "B time passed");
  to += fmt::format("  retry{0:>9}{1:>9}{0:>9}{1:>9}{0:>9}{1:>9}{0:>9}{1:>9}\n", "mean", "greatest");
  auto const count = std::max(a.one.retries.size(), b.one.retries.size());
  for (std::size_t i = 0; i < std::min(count, shown_max); ++i) {
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

void add_herds(std::string& to, planned_formula const& f, herd_plan const& plan) {
  to += fmt::format("  {:<22}{:>12}{:>12}{:>22}{:>10}\n", "clients", "requests", "wasted", "peak after the start",
                    "served");
  for (auto const& h : f.herds) {
    auto const served = h.seen.served == 0 ? std::string("none") : time_text(h.seen.last_served_s);
    auto const left = left_text(h.seen);
    to += fmt::format("  {:<22}{:>12}{:>12}{:>22}{:>10}{}\n", h.clients, counted(h.seen.total), counted(h.seen.wasted),
                      peak_text(h.seen, plan.ramp_s), served, left.empty() ? "" : "  " + left);
  }
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

std::string within_text(planned_formula const& f) {
  auto const& w = present(f.one.within);
  auto const shown = f.one.retries.size();
  auto text = fmt::format("within {}: ", time_text(w.budget_s));
  auto const most = w.most == shown && !f.ends ? fmt::format("all {} shown", shown) : std::to_string(w.most);
  if (w.least == w.most) return text + (w.most == shown && !f.ends ? most : counted(w.most, "retry", "retries"));
  text += fmt::format("{} at least, {:.1f} on average, {} at most", counted(w.least, "retry", "retries"), w.mean, most);
  std::vector<std::string> likely;
  for (auto n = w.least + 1; n <= std::min({w.most, w.least + 4, w.probability.size()}); ++n)
    likely.push_back(fmt::format("{}: {:.1f} %", n, 100 * w.probability[n - 1]));
  return text + fmt::format("; this many or more: {}", text_parts::comma_separated(likely));
}

std::string peak_text(herd const& h, double ramp_s) {
  auto const at = h.peak_after_start(ramp_s);
  return at == 0 ? "none" : fmt::format("{} at {}", counted(h.requests[at]), time_text(static_cast<double>(at)));
}

std::string simulation_text(planned_formula const& f) {
  return fmt::format("simulated, because delays depend on earlier ones: probabilities are within {:.1f} %",
                     100 * f.one.error_p);
}

std::string herd_text(herd_plan const& plan) {
  auto text = counted(plan.clients, "client fails ", "clients fail ") +
              (plan.ramp_s > 0 ? "within " + time_text(plan.ramp_s) : std::string("together"));
  if (plan.outage_s > 0) text += "; the server is down for " + time_text(plan.outage_s);
  if (plan.capacity)
    text += std::string(plan.outage_s > 0 ? ", then" : "; the server") + " answers " + counted(*plan.capacity) +
            " a second";
  return text;
}

std::vector<std::string> warnings_of(delay_law const& law, schedule const& one) {
  std::vector<std::string> all;
  auto const delays = law.delays();
  if (delays.empty()) return all;
  auto const last = delays.size() - 1;
  if (std::ranges::none_of(delays, &quantiles::is_drawn))
    all.emplace_back("no jitter: clients that fail together come back together");
  else if (last >= 2 && !delays[last].is_drawn())
    all.emplace_back("no jitter at the longest delay: clients that wait so long come back together");
  if (delays.front().greatest() == 0) all.emplace_back("the first delay is 0: the first retry comes at once");
  if (last >= 2 && delays[last].greatest() <= delays[0].greatest())
    all.emplace_back("delays do not grow: a server that is down keeps getting as many requests as at first");
  bool const still_grows = last >= 2 && delays[last].greatest() > delays[last - 1].greatest();
  auto const too_long = std::ranges::find_if(delays, [](quantiles const& d) { return d.greatest() > too_long_s; });
  if (!law.ends() && still_grows && too_long != delays.end())
    all.push_back(fmt::format("no cap: before retry {} a client waits up to {}", too_long - delays.begin() + 1,
                              time_text(too_long->greatest())));
  if (one.within && one.within->least < one.retries.size()) {
    auto const& w = *one.within;
    all.push_back(fmt::format("the budget of {} {} before retry {}", time_text(w.budget_s),
                              w.most > w.least ? "may end" : "ends", w.least + 1));
  }
  return all;
}

std::string to_text(plan_report const& r) {
  std::string text;
  if (r.formulas.size() == 2) {
    add_both(text, r.formulas[0], r.formulas[1]);
    if (r.herd) text += fmt::format("{}\n", herd_text(*r.herd));
    char name = 'A';
    for (auto const& f : r.formulas) {
      auto const line = [&](std::string const& what) { text += fmt::format("{}: {}\n", name, what); };
      if (f.one.within) line(within_text(f));
      for (auto const& h : f.herds)
        line(fmt::format("{} requests, {} wasted, peak after the start {}, all served after {}", counted(h.seen.total),
                         counted(h.seen.wasted), peak_text(h.seen, present(r.herd).ramp_s),
                         time_text(h.seen.last_served_s)));
      for (auto const& w : f.warnings) line("warning: " + w);
      ++name;
    }
    return text;
  }
  for (auto const& f : r.formulas) {
    if (!text.empty()) text += "\n";
    text += title_of(f) + "\n";
    if (f.one.retries.empty()) {
      text += "  no retry is granted\n";
      continue;
    }
    add_schedule(text, f);
    if (f.may_go_on) {
      text += "  whether more retries follow depends on the delays\n";
    } else if (f.ends) {
      text += "  no retry after these\n";
    }
    if (f.one.within) text += within_text(f) + "\n";
    if (f.one.error_p > 0) text += simulation_text(f) + "\n";
    if (r.herd) {
      text += fmt::format("{}\n", herd_text(*r.herd));
      add_herds(text, f, *r.herd);
    }
    for (auto const& w : f.warnings) text += fmt::format("warning: {}\n", w);
  }
  return text;
}

std::string to_json(plan_report const& r) {
  json all = json::object();
  if (r.herd) {
    all["herd"] = {{"clients", r.herd->clients},
                   {"ramp_s", r.herd->ramp_s},
                   {"outage_s", r.herd->outage_s},
                   {"capacity", r.herd->capacity ? json(*r.herd->capacity) : json()},
                   {"seed", r.herd->seed}};
  }
  json formulas = json::array();
  for (auto const& f : r.formulas) {
    json rows = json::array();
    for (std::size_t i = 0; i < f.one.retries.size(); ++i)
      rows.push_back({{"retry", i + 1},
                      {"delay_s", to_json(f.one.retries[i].delay)},
                      {"passed_s", to_json(f.one.retries[i].passed)}});
    json one{{"system", f.system},
             {"parameters", f.parameters},
             {"retries", rows},
             {"ends", f.ends},
             {"error", {{"seconds", f.one.error_s}, {"probability", f.one.error_p}}}};
    if (f.one.within) {
      auto const& w = *f.one.within;
      one["within"] = {{"budget_s", w.budget_s},
                       {"least", w.least},
                       {"mean", w.mean},
                       {"most", w.most},
                       {"probability_of_at_least", w.probability}};
    }
    json herds = json::array();
    for (auto const& h : f.herds) herds.push_back(to_json(h, present(r.herd).ramp_s));
    one["herds"] = herds;
    one["warnings"] = f.warnings;
    formulas.push_back(one);
  }
  all["formulas"] = formulas;
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string to_csv(plan_report const& r) {
  std::string text =
      "system,parameters,retry,delay_least,delay_mean,delay_p99,delay_greatest,passed_least,passed_mean,passed_p99,"
      "passed_greatest\n";
  for (auto const& f : r.formulas) {
    for (std::size_t i = 0; i < f.one.retries.size(); ++i) {
      auto const& [d, p] = f.one.retries[i];
      text += fmt::format("{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}\n", f.system, f.parameters,
                          i + 1, d.least, d.mean, d.p99, d.greatest, p.least, p.mean, p.p99, p.greatest);
    }
  }
  return text;
}

std::string to_markdown(plan_report const& r) {
  std::string text;
  for (auto const& f : r.formulas) {
    text += fmt::format(
        "{}{}\n\n| retry | delay: least | mean | p99 | greatest | passed: least | mean | p99 | greatest |\n"
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        text.empty() ? "" : "\n", title_of(f));
    for (std::size_t i = 0; i < f.one.retries.size(); ++i) {
      auto const& [d, p] = f.one.retries[i];
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", i + 1, time_text(d.least),
                          time_text(d.mean), time_text(d.p99), time_text(d.greatest), time_text(p.least),
                          time_text(p.mean), time_text(p.p99), time_text(p.greatest));
    }
    if (f.one.within) text += "\n" + within_text(f) + ".\n";
    if (f.one.error_p > 0) text += "\n" + simulation_text(f) + ".\n";
    if (r.herd) {
      text += fmt::format(
          "\n{}:\n\n| clients | requests | wasted | peak after the start | all served |\n|---|--:|--:|--:|--:|\n",
          herd_text(*r.herd));
      for (auto const& h : f.herds)
        text += fmt::format("| {} | {} | {} | {} | {} |\n", h.clients, counted(h.seen.total), counted(h.seen.wasted),
                            peak_text(h.seen, present(r.herd).ramp_s),
                            h.seen.served == 0 ? "none" : time_text(h.seen.last_served_s));
    }
    for (auto const& w : f.warnings) text += "\nWarning: " + w + ".\n";
  }
  return text;
}

}  // namespace backoff::plans
