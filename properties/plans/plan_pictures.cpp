// The pictures of a plan: when a client comes back, and how many requests a herd makes in each second. They are SVG
// with plain attributes: a page's content security policy allows no style of their own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "plans/plan_report.hpp"
#include "reports/escaped.hpp"
#include "reports/html.hpp"
#include "reports/page_frame.hpp"

namespace backoff::plans {
namespace {

using namespace reports::html;

constexpr double width = 480;  // readable on a phone
constexpr double left = 56;    // of the plot
constexpr double right = 464;
constexpr std::array colours{"#2f7fb8", "#c2571a", "#6a8f1f", "#8a5fb0"};  // readable on white and on black

std::string label(double x, double y, std::string_view anchor, std::string_view says) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"currentColor\">{}</text>\n", x, y,
                     anchor, reports::xml_content(says));
}

// In lines that fit the picture; each moves `y` on.
std::string wrapped(double& y, std::string_view says) {
  constexpr std::size_t fits = 52;  // characters
  std::string out;
  while (!says.empty()) {
    auto end = says.size() <= fits ? says.size() : says.rfind(' ', fits);
    if (end == 0 || end == std::string_view::npos) end = std::min(says.find(' ', fits), says.size());
    out += label(8, y, "start", says.substr(0, end));
    y += 18;
    says.remove_prefix(std::min(end + 1, says.size()));
  }
  return out;
}

std::string rule(double x1, double y1, double x2, double y2) {
  return fmt::format("<path d=\"M{:.1f},{:.1f}L{:.1f},{:.1f}\" stroke=\"currentColor\" stroke-opacity=\"0.25\"/>\n", x1,
                     y1, x2, y2);
}

// A round number of which `most` has two to five.
double step_of(double most) {
  double const power = std::pow(10, std::floor(std::log10(most)));
  for (double const k : {0.2, 0.5, 1.0}) {
    if (most / (k * power) <= 5) return k * power;
  }
  return 2 * power;
}

struct axis {
  double most;
  double from;
  double to;
  [[nodiscard]] double operator()(double value) const { return from + (to - from) * value / most; }
};

std::string time_axis(axis const& x, double top, double bottom) {
  std::string out;
  double const step = step_of(x.most);
  auto const marks = static_cast<std::size_t>(x.most * 1.0001 / step);
  for (std::size_t i = 0; i <= marks; ++i) {
    double const at = static_cast<double>(i) * step;
    out += rule(x(at), top, x(at), bottom);
    out += label(x(at), bottom + 16, "middle", time_text(at));
  }
  return out;
}

// Each retry as a bar from the least to the greatest time passed, with the mean as a mark.
std::string schedule_picture(planned_formula const& f, double top, double& height) {
  constexpr double row = 20;
  auto const& rows = f.one.retries;
  height = row * static_cast<double>(rows.size()) + 52;
  double const bottom = top + height - 28;
  axis const x{std::max(1e-9, rows.back().passed.greatest), left, right};
  std::string out = label(8, top + 12, "start", "Retries of one client, by the time since its first failure");
  out += time_axis(x, top + 22, bottom);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const& p = rows[i].passed;
    double const y = top + 24 + row * static_cast<double>(i);
    out += label(left - 8, y + 14, "end", fmt::format("{}", i + 1));
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"12\" rx=\"2\" fill=\"{}\" "
        "fill-opacity=\"0.45\"><title>retry {}: {} to {}, {} on average</title></rect>\n",
        x(p.least), y + 3, std::max(2.0, x(p.greatest) - x(p.least)), colours[0], i + 1, time_text(p.least),
        time_text(p.greatest), time_text(p.mean));
    out += fmt::format("<path d=\"M{0:.1f},{1:.1f}v16\" stroke=\"{2}\" stroke-width=\"2\"/>\n", x(p.mean), y + 1,
                       colours[0]);
  }
  return out;
}

// Seconds are joined where there are more than the picture has room for: the peak of each group is drawn.
std::string curve(std::vector<std::uint64_t> const& requests, axis const& x, axis const& y) {
  constexpr std::size_t points = 320;
  auto const seconds = std::min(requests.size(), static_cast<std::size_t>(x.most));
  auto const group = seconds / points + 1;
  std::string path;
  for (std::size_t from = 0; from < seconds; from += group) {
    std::uint64_t peak = 0;
    for (auto i = from; i < std::min(seconds, from + group); ++i) peak = std::max(peak, requests[i]);
    path += fmt::format("{}{:.1f},{:.1f}H{:.1f}", path.empty() ? "M" : "L", x(static_cast<double>(from)),
                        y(static_cast<double>(peak)), x(static_cast<double>(std::min(seconds, from + group))));
  }
  return path;
}

std::string herd_picture(planned_formula const& f, herd_plan const& plan, double top, double& height) {
  std::uint64_t most = 1;
  double seconds = 1;
  for (auto const& h : f.herds) {
    for (auto const n : h.seen.requests) most = std::max(most, n);
    seconds = std::max(seconds, std::ceil(h.seen.last_served_s) + 1);
  }
  double under = top + 12;
  auto out = wrapped(under, "Requests in each second");
  out += wrapped(under, capital(herd_text(plan)));
  double const bottom = under + 168;
  axis const x{seconds, left, right};
  axis const y{static_cast<double>(most), bottom, under};
  out += time_axis(x, under - 4, bottom);
  double const step = std::max(1.0, step_of(static_cast<double>(most)));
  auto const marks = static_cast<std::size_t>(static_cast<double>(most) / step);
  for (std::size_t i = 0; i <= marks; ++i) {
    double const at = static_cast<double>(i) * step;
    out += rule(left, y(at), right, y(at));
    out += label(left - 8, y(at) + 4, "end", counted(static_cast<std::uint64_t>(at)));
  }
  for (std::size_t i = f.herds.size(); i-- > 0;) {
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"><title>{}</title></path>\n",
                       curve(f.herds[i].seen.requests, x, y), colours[i % colours.size()], i == 0 ? 2.5 : 1.25,
                       reports::xml_content(f.herds[i].clients));
  }
  auto const y_of = [&](std::size_t i) { return bottom + 38 + 20 * static_cast<double>(i); };
  for (std::size_t i = 0; i < f.herds.size(); ++i) {
    out += fmt::format("<path d=\"M{:.1f},{:.1f}h18\" stroke=\"{}\" stroke-width=\"3\"/>\n", left, y_of(i),
                       colours[i % colours.size()]);
    out += label(left + 24, y_of(i) + 4, "start", f.herds[i].clients);
  }
  height = y_of(f.herds.size()) - top + 4;
  return out;
}

std::string pictures(planned_formula const& f, std::optional<herd_plan> const& plan, double top, double& height) {
  double one = 0;
  double many = 0;
  auto out = schedule_picture(f, top, one);
  if (plan) out += herd_picture(f, *plan, top + one, many);
  height = one + many;
  return out;
}

std::string svg(std::string const& body, double height, std::string_view says) {
  return fmt::format(
             "<svg class=\"plan\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"100%\" "
             "role=\"img\" "
             "aria-label=\"{}\" font-family=\"system-ui, sans-serif\" font-size=\"15.5\">\n",
             width, height, reports::xml_attribute(says)) +
         body + "</svg>\n";
}

void table(std::string& out, planned_formula const& f) {
  out +=
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"delays before each retry\"><table "
      "class=\"calls numbers\">\n<thead><tr><th scope=\"col\" rowspan=\"2\">retry</th><th scope=\"colgroup\" "
      "colspan=\"4\">delay before the retry</th><th scope=\"colgroup\" colspan=\"4\">time since the first "
      "failure</th></tr>\n<tr>";
  for (int i = 0; i < 2; ++i) {
    for (auto const* const name : {"least", "mean", "p99", "greatest"})
      out += fmt::format("<th scope=\"col\">{}</th>", name);
  }
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < f.one.retries.size(); ++i) {
    out += fmt::format("<tr><td>{}</td>", i + 1);
    for (auto const& s : {f.one.retries[i].delay, f.one.retries[i].passed}) {
      for (double const t : {s.least, s.mean, s.p99, s.greatest}) out += "<td>" + time_text(t) + "</td>";
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
}

void herd_table(std::string& out, planned_formula const& f, herd_plan const& plan) {
  out += "<p>" + text(herd_text(plan)) +
         ".</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"herds\"><table class=\"calls "
         "numbers\">\n"
         "<thead><tr><th scope=\"col\">clients</th><th scope=\"col\">requests</th><th scope=\"col\">wasted</th><th "
         "scope=\"col\">peak after the start</th><th scope=\"col\">all served after</th><th scope=\"col\">gave "
         "up</th></tr></thead>\n<tbody>\n";
  for (auto const& h : f.herds)
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", text(h.clients),
                       counted(h.seen.total), counted(h.seen.wasted), peak_text(h.seen, plan.ramp_s),
                       h.seen.served == 0 ? "none" : time_text(h.seen.last_served_s), counted(h.seen.gave_up));
  out += "</tbody></table></div>\n";
}

}  // namespace

std::string to_svg(plan_report const& r) {
  std::string body;
  double top = 0;
  for (auto const& f : r.formulas) {
    if (f.one.retries.empty()) continue;
    double height = 0;
    top += 16;
    body += fmt::format("<g font-weight=\"600\">{}</g>\n", wrapped(top, f.system));
    body += wrapped(top, f.parameters);
    body += pictures(f, r.herd, top, height);
    top += height + 8;
  }
  constexpr std::string_view palette =
      "<style>svg{color:#1b1f24}@media screen and (prefers-color-scheme:dark){svg{color:#d8dee4}}</style>\n";
  return svg(std::string(palette) + body, top, "when clients come back");
}

std::string to_page(plan_report const& r) {
  std::string body = "<h1>Plan of retries</h1>\n";
  for (auto const& f : r.formulas) {
    body += "<h2>" + code(f.system) + "</h2>\n";
    if (!f.parameters.empty()) body += "<p>" + code(f.parameters) + "</p>\n";
    if (f.one.retries.empty()) {
      body += "<p>No retry is granted.</p>\n";
      continue;
    }
    double height = 0;
    auto const drawn = pictures(f, r.herd, 0, height);
    body += svg(drawn, height, "when the clients of " + f.system + " come back");
    table(body, f);
    if (f.one.within) body += "<p>" + text(capital(within_text(f))) + ".</p>\n";
    if (f.one.error_p > 0) body += "<p>" + text(capital(simulation_text(f))) + ".</p>\n";
    if (r.herd) herd_table(body, f, *r.herd);
    if (!f.warnings.empty()) body += "<h3>Warnings</h3>\n<ul>\n";
    for (auto const& w : f.warnings) body += "<li>" + text(capital(w)) + ".</li>\n";
    if (!f.warnings.empty()) body += "</ul>\n";
  }
  return reports::framed_page("plan of " + r.formulas.front().system, body, nlohmann::ordered_json::array());
}

}  // namespace backoff::plans
