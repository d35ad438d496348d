// The pictures of a plan: when a client comes back, and how many requests a herd makes in each second. They are SVG
// with plain attributes: a page's content security policy allows no style of their own. Places across are parts of the
// width, so that a picture fills a page of any width with text of one size.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "histories/present.hpp"
#include "histories/text_parts.hpp"
#include "plans/plan_report.hpp"
#include "reports/escaped.hpp"
#include "reports/html.hpp"
#include "reports/page_frame.hpp"

namespace backoff::plans {
namespace {

using namespace reports::html;

constexpr double width = 480;  // of a picture that stands alone
constexpr double left = 9;     // of the bars, in percent of the width
constexpr double right = 98;
// Readable on white and on black, and told apart by their dashes.
struct line_style {
  char const* colour;
  char const* dashes;
};
constexpr std::array lines{line_style{"#2f7fb8", "none"}, line_style{"#c2571a", "8 4"}, line_style{"#6a8f1f", "2 4"},
                           line_style{"#8a5fb0", "12 3 2 3"}};

// x: in percent.
std::string label(double x, double y, std::string_view anchor, std::string_view says) {
  return fmt::format("<text x=\"{:.2f}%\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"currentColor\">{}</text>\n", x, y,
                     anchor, reports::xml_content(says));
}

// In lines that fit the picture; each moves `y` on.
std::string wrapped(double& y, std::string_view says) {
  constexpr std::size_t fits = 40;  // characters
  std::string out;
  while (!says.empty()) {
    auto end = says.size() <= fits ? says.size() : says.rfind(' ', fits);
    if (end == 0 || end == std::string_view::npos) end = std::min(says.find(' ', fits), says.size());
    out += label(0.5, y, "start", says.substr(0, end));
    y += 18;
    says.remove_prefix(std::min(end + 1, says.size()));
  }
  return out;
}

std::string line(double x1, double y1, double x2, double y2, std::string_view more) {
  return fmt::format("<line x1=\"{:.2f}%\" y1=\"{:.1f}\" x2=\"{:.2f}%\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, more);
}
constexpr std::string_view rule = "stroke=\"currentColor\" stroke-opacity=\"0.25\"";

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
  constexpr double near_the_edge = 8;
  std::string out;
  double const step = step_of(x.most);
  auto const marks = static_cast<std::size_t>(x.most * 1.0001 / step);
  for (std::size_t i = 0; i <= marks; ++i) {
    double const at = static_cast<double>(i) * step;
    out += line(x(at), top, x(at), bottom, rule);
    auto const* const anchor = x(at) < near_the_edge ? "start" : x(at) > 100 - near_the_edge ? "end" : "middle";
    out += label(std::clamp(x(at), 0.5, 99.5), bottom + 16, anchor, time_text(at));
  }
  return out;
}

// Each retry as a bar from the least to the greatest time passed, with the mean as a mark.
std::string schedule_picture(planned_formula const& f, double top, double& height) {
  constexpr double row = 20;
  auto const& rows = f.one.retries;
  double under = top + 12;
  std::string out = wrapped(under, "Retries of one client, by the time since its first failure");
  double const bottom = under + row * static_cast<double>(rows.size());
  height = bottom + 28 - top;
  axis const x{std::max(1e-9, rows.back().passed.greatest), left, right};
  out += time_axis(x, under - 6, bottom);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const& p = rows[i].passed;
    double const y = under - 4 + row * static_cast<double>(i);
    out += label(left - 1, y + 14, "end", fmt::format("{}", i + 1));
    out += fmt::format(
        "<rect x=\"{:.2f}%\" y=\"{:.1f}\" width=\"{:.2f}%\" height=\"12\" rx=\"2\" fill=\"{}\" "
        "fill-opacity=\"0.45\"><title>retry {}: {} to {}, {} on average</title></rect>\n",
        x(p.least), y + 3, std::max(0.4, x(p.greatest) - x(p.least)), lines[0].colour, i + 1, time_text(p.least),
        time_text(p.greatest), time_text(p.mean));
    out += line(x(p.mean), y + 1, x(p.mean), y + 17, fmt::format("stroke=\"{}\" stroke-width=\"2\"", lines[0].colour));
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
    path += fmt::format("{}{:.2f},{:.1f}H{:.2f}", path.empty() ? "M" : "L", x(static_cast<double>(from)),
                        y(static_cast<double>(peak)), x(static_cast<double>(std::min(seconds, from + group))));
  }
  return path;
}

// What is drawn of a herd, in words.
std::string legend(named_herd const& h, herd_plan const& plan) {
  std::vector<std::string> told;
  for (auto const& row : herd_rows({h}, plan)) {
    if (row.front().starts_with("peak")) told.push_back(row.front() + " " + row.back());
    if (row.front() == "gave up" || row.front() == "still waiting") told.push_back(row.back() + " " + row.front());
  }
  return h.clients + ": " + text_parts::comma_separated(told);
}

std::string herd_picture(planned_formula const& f, herd_plan const& plan, double top, double& height) {
  constexpr double plot = 168;
  std::uint64_t most = 1;
  double seconds = 1;
  for (auto const& h : f.herds) {
    for (auto const n : h.seen.requests) most = std::max(most, n);
    auto const last = h.seen.served_after(1);
    seconds = std::max(seconds, last ? std::ceil((*last - h.seen.first_second_s) / plan.second_s) + 1
                                     : static_cast<double>(h.seen.requests.size()));
  }
  double under = top + 12;
  auto out = wrapped(under, "Requests in each second");
  out += wrapped(under, capital(herd_text(plan)));
  double const bottom = under + plot;
  axis const x{seconds, 0, 100};
  axis const y{static_cast<double>(most), plot, 0};
  out += time_axis(x, under - 4, bottom);
  std::string numbers;
  double const step = std::max(1.0, step_of(static_cast<double>(most)));
  auto const marks = static_cast<std::size_t>(static_cast<double>(most) / step);
  for (std::size_t i = 0; i <= marks; ++i) {
    double const at = static_cast<double>(i) * step;
    out += line(0, under + y(at), 100, under + y(at), rule);
    numbers += label(99.5, under + y(at) - 3, "end", counted(static_cast<std::uint64_t>(at)));
  }
  out += fmt::format(
      "<svg class=\"plan\" x=\"0\" y=\"{:.1f}\" width=\"100%\" height=\"{}\" viewBox=\"0 0 100 {}\" "
      "preserveAspectRatio=\"none\" overflow=\"visible\">\n",
      under, plot, plot);
  for (std::size_t i = f.herds.size(); i-- > 0;) {
    auto const& [colour, dashes] = lines[i % lines.size()];
    out += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\" "
        "vector-effect=\"non-scaling-stroke\"><title>{}</title></path>\n",
        curve(f.herds[i].seen.requests, x, y), colour, i == 0 ? 2.5 : 1.5, dashes,
        reports::xml_content(f.herds[i].clients));
  }
  out += "</svg>\n" + numbers;
  double below = bottom + 38;
  for (std::size_t i = 0; i < f.herds.size(); ++i) {
    auto const& [colour, dashes] = lines[i % lines.size()];
    out += line(0.5, below, 20, below,
                fmt::format("stroke=\"{}\" stroke-width=\"3\" stroke-dasharray=\"{}\"", colour, dashes));
    below += 18;
    out += wrapped(below, legend(f.herds[i], plan));
    below += 4;
  }
  height = below - top;
  return out;
}

std::string pictures(planned_formula const& f, std::optional<herd_plan> const& plan, double top, double& height) {
  height = 0;
  std::string out;
  if (!f.one.retries.empty()) out += schedule_picture(f, top, height);
  double many = 0;
  if (!f.herds.empty()) out += herd_picture(f, present(plan), top + height, many);
  height += many;
  return out;
}

// frame: how large it is.
std::string svg(std::string const& body, std::string const& frame, std::string_view says) {
  return fmt::format(
             "<svg class=\"plan\" xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" {} role=\"img\" "
             "aria-label=\"{}\" font-family=\"system-ui, sans-serif\" font-size=\"15.5\">\n",
             frame, reports::xml_attribute(says)) +
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
         "numbers\">\n<thead><tr><th scope=\"col\">clients</th>";
  for (auto const& h : f.herds) out += "<th scope=\"col\">" + text(h.clients) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (auto const& row : herd_rows(f.herds, plan)) {
    out += "<tr><th scope=\"row\">" + text(row.front()) + "</th>";
    for (std::size_t i = 1; i < row.size(); ++i) out += "<td>" + text(row[i]) + "</td>";
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (auto const note = herd_note(f.herds); !note.empty()) out += "<p>" + text(capital(note)) + ".</p>\n";
}

}  // namespace

std::string to_svg(plan_report const& r) {
  std::string body;
  double top = 0;
  for (auto const& f : r.formulas) {
    double height = 0;
    top += 16;
    body += fmt::format("<g font-weight=\"600\">{}</g>\n", wrapped(top, f.system));
    body += wrapped(top, f.parameters);
    body += wrapped(top, capital(limit_text(f.limit)));
    body += pictures(f, r.herd, top, height);
    top += height + 8;
  }
  constexpr std::string_view palette =
      "<style>svg{color:#1b1f24}@media screen and (prefers-color-scheme:dark){svg{color:#d8dee4}}</style>\n";
  return svg(std::string(palette) + body, fmt::format("viewBox=\"0 0 {:.0f} {:.0f}\"", width, top),
             "when clients come back");
}

std::string to_page(plan_report const& r) {
  std::string body = "<h1>Plan of retries</h1>\n";
  auto const sentence = [&](std::string const& says) { body += "<p>" + text(capital(says)) + ".</p>\n"; };
  for (auto const& f : r.formulas) {
    body += "<h2>" + code(f.system) + "</h2>\n";
    if (!f.parameters.empty()) body += "<p>" + code(f.parameters) + "</p>\n";
    sentence(limit_text(f.limit));
    double height = 0;
    auto const drawn = pictures(f, r.herd, 0, height);
    if (height > 0)
      body += svg(drawn, fmt::format("height=\"{:.0f}\"", height), "when the clients of " + f.system + " come back");
    if (!f.one.retries.empty()) table(body, f);
    for (auto const& says : schedule_texts(f)) sentence(says);
    if (!f.herds.empty()) herd_table(body, f, present(r.herd));
    if (!f.warnings.empty()) body += "<h3>Warnings</h3>\n<ul>\n";
    for (auto const& w : f.warnings) body += "<li>" + text(capital(w)) + ".</li>\n";
    if (!f.warnings.empty()) body += "</ul>\n";
  }
  return reports::framed_page("plan of " + r.formulas.front().system, body, nlohmann::ordered_json::array());
}

}  // namespace backoff::plans
