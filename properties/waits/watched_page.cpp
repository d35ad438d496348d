// The page of a program that was watched: each wait is a dot over the band that the document admits.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "histories/printable.hpp"
#include "judge/catalogue.hpp"
#include "reports/history_table.hpp"
#include "reports/html.hpp"
#include "reports/page_frame.hpp"
#include "waits/watched_report.hpp"

namespace backoff::waits {
namespace {

using json = nlohmann::ordered_json;
using namespace reports::html;

constexpr std::size_t dots_max = 400;  // right waits of all rows; wrong ones are all shown, up to as many more

void verdict(std::string& out, watched_report const& r) {
  auto const says = verdict_of(r);
  begin_verdict(out, standing_of(code_of(r)), says.substr(0, says.find_first_of(":,")), says);
  verdict_row(out, "program", code(histories::printable(listed(r.seen.command, " "))));
  auto const with = settings_of(r);
  verdict_row(out, "document",
              code(r.seen.system) + ", " + text(judge::catalogue_of(r.seen.system).title) +
                  (with.empty() ? "" : ", with " + code(with)));
  verdict_row(out, "runs",
              fmt::format("{}, answered with {}: {}, {} judged, {} tested", counted(r.seen.runs), code(r.seen.failures),
                          counted(r.seen.attempts, "attempt", "attempts"), counted(r.judged.waits, "wait", "waits"),
                          counted(r.judged.draws, "draw", "draws")));
  if (auto const ends = ends_of(r); !ends.empty()) verdict_row(out, "gave up", text(listed(ends, "; ")));
  verdict_row(out, "allowed",
              fmt::format("{:.1f} ms too short, {:.1f} ms too long", static_cast<double>(r.allowed.early_ns) / per_ms,
                          static_cast<double>(r.allowed.late_ns) / per_ms));
  end_verdict(out);
}

void findings(std::string& out, std::vector<wait_finding> const& all, std::string_view heading, bool fail) {
  if (all.empty()) return;
  out += fmt::format("<h2>{}</h2>\n", heading);
  for (auto const& f : all) {
    auto const& claim = claim_of(f.what);
    out += fmt::format("<article class=\"finding{}\">\n<h3>{}</h3>\n<p>{}.</p>\n<p>{}. {}.</p>\n</article>\n",
                       fail ? "" : " noted", code(claim.name), capital(std::string(claim.sentence)),
                       capital(place_of(f)), text(capital(f.sentence)));
  }
}

// Waits of each row, evenly thinned where there are many.
json dots(std::span<wait_row const> rows, bool are_right) {
  std::size_t count = 0;
  for (auto const& w : rows)
    count += static_cast<std::size_t>(std::ranges::count(w.seen, are_right, &wait_row::seen_wait::is_right));
  auto const every = count / dots_max + 1;
  json all = json::array();
  std::size_t i = 0;
  for (auto const& w : rows) {
    for (auto const& each : w.seen) {
      if (each.is_right != are_right || i++ % every != 0) continue;
      json dot{w.retry, each.ns / per_ms};
      if (!are_right) {
        dot.push_back(range_text(w.documented) + " ms");
        dot.push_back(fmt::format("{:.1f} ms", each.ns / per_ms));
      }
      all.push_back(std::move(dot));
    }
  }
  return all;
}

void picture(std::string& out, watched_report const& r, json& data) {
  if (r.judged.rows.empty()) return;
  json band = json::array();
  for (auto const& w : r.judged.rows) band.push_back({w.retry, w.documented.low / per_ms, w.documented.high / per_ms});
  out += fmt::format(
      "<h2>Waits before each retry</h2>\n<ul class=\"legend\"><li><span class=\"key b\"></span>what the document "
      "admits</li><li><span class=\"key f\">●</span>a wait as documented</li><li><span class=\"key m\">✕</span>a wait "
      "that is not</li></ul>\n<div class=\"pictures\">\n<figure "
      "data-picture=\"{}\"><figcaption>{}</figcaption></figure>\n</div>\n<noscript><p>The picture is drawn by a script "
      "of this page; the table has its numbers.</p></noscript>\n",
      data.size(), counted(r.judged.waits, "wait", "waits"));
  data.push_back({{"kind", "delays"},
                  {"data",
                   {{"attempt", "retry"},
                    {"delay", "wait, ms"},
                    {"of", "the program"},
                    {"last", r.judged.rows.back().retry},
                    {"band", std::move(band)},
                    {"fits", dots(r.judged.rows, true)},
                    {"misfits", dots(r.judged.rows, false)}}}});
}

void table(std::string& out, watched_report const& r) {
  if (r.judged.rows.empty()) return;
  out +=
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"waits before each retry\"><table "
      "class=\"calls numbers\">\n<thead><tr>"
      "<th scope=\"col\">retry</th><th scope=\"col\">waits</th><th scope=\"col\">documented, ms</th><th "
      "scope=\"col\">least</th><th scope=\"col\">median</th><th scope=\"col\">most</th><th scope=\"col\">draws</th>"
      "</tr></thead>\n<tbody>\n";
  for (auto const& w : r.judged.rows) {
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.1f}</td><td>{:.1f}</td><td>{:.1f}</td><td>{}</td></tr>\n", w.retry,
        counted(w.seen.size()), range_text(w.documented), w.seen.front().ns / per_ms,
        w.seen[w.seen.size() / 2].ns / per_ms, w.seen.back().ns / per_ms, w.draws_tested ? "tested" : "");
  }
  out += "</tbody></table></div>\n";
}

}  // namespace

std::string to_page(watched_report const& r) {
  std::string body = "<h1>backoff-oracle " BACKOFF_VERSION "</h1>\n";
  auto pictures = json::array();
  verdict(body, r);
  findings(body, r.judged.findings, "Findings", true);
  if (auto const rule = in_common(r)) body += "<p>" + text(capital(*rule)) + ".</p>\n";
  findings(body, r.excused, "Known to fail", false);
  picture(body, r, pictures);
  table(body, r);
  if (auto const rest = not_judged(r); !rest.empty()) {
    body += "<h2>Not judged</h2>\n<ul>\n";
    for (auto const& line : rest) body += "<li>" + text(capital(line)) + ".</li>\n";
    body += "</ul>\n";
  }
  return reports::framed_page(fmt::format("{}: {}", histories::printable(r.seen.command.front()), verdict_of(r)), body,
                              pictures);
}

}  // namespace backoff::waits
