#include "reports/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "reports/html.hpp"
#include "reports/page_changes.hpp"
#include "reports/page_frame.hpp"
#include "reports/page_run.hpp"
#include "reports/page_tables.hpp"

namespace backoff::reports {
namespace {

using namespace html;

struct part_of_pictures {
  std::string_view kind;
  std::string_view heading;
  std::string_view legend;
};
constexpr std::array parts{
    part_of_pictures{
        "draws", "Hidden draws",
        "<p class=\"soft\">Each draw by its place in the window of the document. The draws of a correct port are "
        "spread evenly, up to chance (dashed). Beside it: the growth of a stake of 1 that bets against the port. With "
        "a correct port, the stake reaches the dashed line with a probability of at most <code>--alpha</code>.</p>\n"},
    part_of_pictures{"delays", "Delays by attempt",
                     "<ul class=\"legend\"><li><span class=\"key b\"></span>what the document admits, for any "
                     "draw</li><li><span class=\"key f\">●</span>a delay as documented</li>"
                     "<li><span class=\"key m\">✕</span>any other answer, at 0 if it has no delay; if the draw is "
                     "known, a wrong delay can lie inside the band</li></ul>\n"},
    part_of_pictures{"herd", "Many clients",
                     "<ul class=\"legend\"><li><span class=\"key f\">●</span>requests of clients as documented</li>"
                     "<li><span class=\"key m\">●</span>of clients that wait as the port does</li></ul>\n"},
    part_of_pictures{"timeline", "Answers along the clock",
                     "<p class=\"soft\">The bars show what the document admits at each instant, for any draw: how long "
                     "a wait may be, and where it must end. The marks show the answers of the port.</p>\n"
                     "<ul class=\"legend\"><li><span class=\"key f\">▲</span>NOW</li><li><span class=\"key "
                     "f\">●</span>LATER</li><li><span class=\"key f\">■</span>STOP</li>"
                     "<li><span class=\"key m\">✕</span>not as documented</li><li><span class=\"key zone "
                     "later\"></span>only LATER</li>"
                     "<li><span class=\"key zone either\"></span>NOW or LATER</li><li><span class=\"key zone "
                     "now\"></span>only NOW</li>"
                     "<li><span class=\"key zone stop\"></span>only STOP</li></ul>\n"},
};

void pictures(std::string& out, page_run const& run, nlohmann::ordered_json& data, std::string_view heading) {
  for (auto const& p : parts) {
    bool const first = std::ranges::find(run.pictures, p.kind, &picture::kind) != run.pictures.end();
    if (!first) continue;
    out += fmt::format("<{0}>{1}</{0}>\n{2}<div class=\"pictures\">\n", heading, p.heading, p.legend);
    for (auto const& shown : run.pictures) {
      bool const also = p.kind == "draws" && shown.kind == "evidence";
      if (shown.kind != p.kind && !also) continue;
      out += fmt::format("<figure data-picture=\"{}\"><figcaption><b>{}</b> {}</figcaption></figure>\n", data.size(),
                         text(shown.title.empty() ? "all parameters" : shown.title), text(shown.says));
      data.push_back({{"kind", shown.kind}, {"data", nlohmann::ordered_json::parse(shown.data)}});
    }
    out +=
        "</div>\n<noscript><p>A script of this page draws the pictures. The text above states what they "
        "show.</p></noscript>\n";
  }
}

std::vector<std::string> labels_of(std::span<page_run const> runs) {
  std::vector<std::string> names;
  for (auto const& run : runs) names.push_back(port_name(*run.said));
  auto labels = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) labels[i] += fmt::format(" (run {})", i + 1);
  }
  return labels;
}

std::vector<runs_of_system> by_system(std::span<page_run const> runs, std::vector<std::string> const& labels) {
  std::vector<runs_of_system> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto const& system = runs[i].said->judged->system();
    auto const same = [&](runs_of_system const& group) { return &group.front().said->judged->system() == &system; };
    auto const known = std::ranges::find_if(all, same);
    (known == all.end() ? all.emplace_back() : *known).push_back({runs[i].said, labels[i]});
  }
  return all;
}

// What was found, in words.
std::string summary(std::span<page_run const> runs) {
  if (runs.size() == 1)
    return fmt::format("{} against {}: {}", port_name(*runs.front().said),
                       runs.front().said->judged->system().shape().stem, verdict_word(*runs.front().said));
  std::vector<std::pair<std::string, std::size_t>> words;
  for (auto const& run : runs) {
    auto const word = verdict_word(*run.said);
    auto const known = std::ranges::find(words, word, &std::pair<std::string, std::size_t>::first);
    (known == words.end() ? words.emplace_back(word, 0) : *known).second += 1;
  }
  std::string all = std::to_string(runs.size()) + " runs: ";
  for (std::size_t i = 0; i < words.size(); ++i)
    all += fmt::format("{}{} × {}", i == 0 ? "" : ", ", words[i].second, words[i].first);
  return all;
}

}  // namespace

std::string to_page(std::span<page_run const> runs) {
  std::string body;
  auto data = nlohmann::ordered_json::array();
  bool const alone = runs.size() == 1;
  if (alone) {
    auto const& r = *runs.front().said;
    body += "<h1>backoff-oracle " BACKOFF_VERSION "</h1>\n";
    verdict(body, r);
    findings(body, r, "h2");
    readings(body, {{&r, {}}}, "h2");
    pictures(body, runs.front(), data, "h2");
    claims(body, {{&r, {}}}, "h2");
    requirements(body, {{&r, {}}}, "h2");
    known_failures(body, r, "h2");
    not_checked(body, r, "h2");
  } else {
    body += fmt::format("<h1>backoff-oracle " BACKOFF_VERSION " · {}</h1>\n", text(summary(runs)));
    auto const labels = labels_of(runs);
    cards(body, runs, labels);
    what_changed(body, runs, labels);
    auto const groups = by_system(runs, labels);
    for (auto const& group : groups) {
      if (group.size() == 1) continue;
      body +=
          fmt::format("<section>\n<h2>{} side by side</h2>\n", code(group.front().said->judged->system().shape().stem));
      readings(body, group, "h3");
      claims(body, group, "h3");
      requirements(body, group, "h3");
      body += "</section>\n";
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      auto const& r = *runs[i].said;
      body += fmt::format("<section class=\"run\" id=\"run-{}\">\n<h2>{}</h2>\n", i + 1, text(labels[i]));
      verdict(body, r);
      bool const beside = std::ranges::any_of(groups, [&](runs_of_system const& g) {
        return g.size() > 1 && std::ranges::find(g, &r, &labelled::said) != g.end();
      });
      findings(body, r, "h3");
      if (!beside) readings(body, {{&r, {}}}, "h3");
      pictures(body, runs[i], data, "h3");
      if (!beside) {
        claims(body, {{&r, {}}}, "h3");
        requirements(body, {{&r, {}}}, "h3");
      }
      known_failures(body, r, "h3");
      not_checked(body, r, "h3");
      body += "</section>\n";
    }
  }
  return framed_page(summary(runs), body, data);
}

}  // namespace backoff::reports
