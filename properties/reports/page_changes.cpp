#include "reports/page_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/html.hpp"
#include "reports/page_tables.hpp"

namespace backoff::reports::html {
namespace {

std::set<std::string> broken_in(report const& r) {
  std::set<std::string> names(r.also_broken.begin(), r.also_broken.end());
  for (auto const& f : r.findings) names.insert(f.claim);
  for (auto const& c : r.claims) {
    if (c.broken) names.emplace(c.claim->name);
  }
  return names;
}

bool at_stake_in(report const& r, std::string const& claim) {
  return claim == no_answer_name ||
         std::ranges::any_of(r.claims, [&](claim_line const& c) { return c.claim->name == claim; });
}

// What differs between `was` and `now`, one line each.
std::vector<std::string> changes(report const& was, report const& now) {
  std::vector<std::string> lines;
  auto const old_word = verdict_word(was);
  auto const new_word = verdict_word(now);
  lines.push_back(old_word == new_word ? fmt::format("verdict: {} as before", text(new_word))
                                       : fmt::format("verdict: was {}, is <b class=\"{}\">{}</b>", text(old_word),
                                                     standing_of(now), text(new_word)));
  if (was.judged->grade() != now.judged->grade())
    lines.push_back(
        fmt::format("grade: was {}, is {}", grade_name(was.judged->grade()), grade_name(now.judged->grade())));
  auto const before = broken_in(was);
  auto const after = broken_in(now);
  for (auto const& name : after) {
    if (!before.contains(name)) lines.push_back(state("bad", "✗", "newly broken") + ": " + code(name));
  }
  for (auto const& name : before) {
    if (after.contains(name)) continue;
    lines.push_back(
        (at_stake_in(now, name) ? state("good", "✓", "mended") : state("unsure", "?", "no longer at stake")) + ": " +
        code(name));
  }
  if (is_explained(was) != is_explained(now)) {
    lines.emplace_back(is_explained(now) ? "readings: none explained the port, now some do"
                                         : "readings: none explains the port any more");
  }
  for (std::size_t i = 0; is_explained(was) && is_explained(now) && i < now.readings.size(); ++i) {
    if (was.readings[i].left == now.readings[i].left) continue;
    lines.push_back(fmt::format("reading {}: was {}; is {}", code(now.readings[i].name), reading_cell(was, i),
                                reading_cell(now, i)));
  }
  return lines;
}

}  // namespace

void cards(std::string& out, std::span<page_run const> runs, std::vector<std::string> const& labels) {
  out += "<ul class=\"cards\">\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto const& r = *runs[i].said;
    auto const standing = standing_of(r);
    std::vector<std::string> failing;
    for (auto const& f : r.findings) {
      if (f.fails) failing.push_back(code(f.claim));
    }
    out += fmt::format(
        "<li class=\"card {0}\"><p class=\"word\"><span class=\"{0}\"><span aria-hidden=\"true\">{1}</span> "
        "{2}</span></p>\n<p><a href=\"#run-{3}\">{4}</a></p>\n<p class=\"soft\">{5}, grade {6}</p>\n",
        standing, sign_of(standing), capital(verdict_word(r)), i + 1, text(labels[i]),
        text(r.judged->system().shape().stem), grade_name(r.judged->grade()));
    if (!r.broke.empty()) out += "<p>" + text(r.broke.front().what) + "</p>\n";
    if (!failing.empty()) out += "<p>" + listed(failing, ", ") + "</p>\n";
    out += "</li>\n";
  }
  out += "</ul>\n";
}

void what_changed(std::string& out, std::span<page_run const> runs, std::vector<std::string> const& labels) {
  std::string sections;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    auto const& now = *runs[i].said;
    auto const same = [&](page_run const& other) {
      return &other.said->judged->system() == &now.judged->system() &&
             other.said->judged->about().name == now.judged->about().name;
    };
    auto const earlier = runs.first(i);
    auto const was = std::ranges::find_if(earlier.rbegin(), earlier.rend(), same);
    if (was == earlier.rend()) continue;
    sections += fmt::format("<h3>From {} to {}</h3>\n<ul>\n",
                            text(labels[static_cast<std::size_t>(earlier.rend() - was) - 1]), text(labels[i]));
    for (auto const& line : changes(*was->said, now)) sections += "<li>" + line + "</li>\n";
    sections += "</ul>\n";
  }
  if (!sections.empty()) out += "<section id=\"changes\">\n<h2>What changed</h2>\n" + sections + "</section>\n";
}

}  // namespace backoff::reports::html
