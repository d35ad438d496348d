#include "reports/page_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/catalogue.hpp"
#include "reports/html.hpp"
#include "reports/not_checked.hpp"
#include "reports/words.hpp"

namespace backoff::reports::html {
namespace {

void table_head(std::string& out, runs_of_system const& runs, std::string_view first, std::string_view only) {
  out += fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\"><table "
      "class=\"matrix\">\n<thead><tr><th scope=\"col\">{0}</th>",
      first);
  for (auto const& r : runs)
    out += "<th scope=\"col\">" + (runs.size() == 1 ? std::string(only) : text(r.label)) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
}
constexpr std::string_view table_end = "</tbody></table></div>\n";

// Why no history of this run could put the claim at stake; empty where one could.
std::string out_of_reach(run const& judged, unsigned claim) {
  auto const& c = judged.system().claims()[claim];
  auto const& takes = judged.about().takes;
  if (!judged.held_to().selected(claim)) return "";
  if (c.needs && !takes.offers(*c.needs))
    return fmt::format("it does not list the feature {}", feature_names[static_cast<std::size_t>(*c.needs)]);
  if (c.draws && judged.grade() == grade::exact) return "its draws were given to it";
  if (c.draws && judged.grade() == grade::membership) return "its draws were not tested";
  if (c.possible != nullptr && !c.possible(takes)) return "the ranges that it declares exclude it";
  if (!judged.counts().tells(c)) return untold(judged.system().shape(), c);
  return "";
}

std::string claim_cell(report const& r, unsigned i) {
  auto const line = std::ranges::find(r.claims, &r.judged->system().claims()[i], &claim_line::claim);
  if (line == r.claims.end()) {
    if (!r.judged->held_to().selected(i)) return state("soft", "–", "not selected");
    auto const why = out_of_reach(*r.judged, i);
    return why.empty() ? state("unsure", "?", "never at stake")
                       : state("soft", "–", "not reachable") + "<br><span class=\"soft\">" + why + "</span>";
  }
  auto const histories =
      fmt::format("<br><span class=\"soft\">{}</span>", counted(line->at_stake, "history", "histories"));
  if (line->broken) return state(r.judged->held_to().fails(i) ? "bad" : "unsure", "✗", "broken") + histories;
  if (line->known) return state("unsure", "!", "known to fail") + histories;
  return state("good", "✓", unbroken_word(r, *line)) + histories;
}

// What became of a requirement. It failed if a claim about it is broken and follows from no other; otherwise it is
// checked if a claim was at stake; otherwise the cell says why not.
std::string requirement_cell(report const& r, requirement_text const& requirement) {
  auto const& judged = *r.judged;
  auto const all = judged.system().claims();
  std::vector<std::string> broken;
  std::vector<std::string> following;  // as HTML
  std::vector<std::string> known;
  std::vector<std::string> why;
  bool named = false;
  bool reachable = false;
  bool fails = false;
  std::uint64_t histories = 0;
  for (unsigned i = 0; i < all.size(); ++i) {
    if (std::ranges::find(all[i].requirements, requirement.id) == all[i].requirements.end()) continue;
    named = true;
    auto const line = std::ranges::find(r.claims, &all[i], &claim_line::claim);
    if (line == r.claims.end()) {
      auto reason = out_of_reach(judged, i);
      reachable = reachable || reason.empty();
      if (!reason.empty() && std::ranges::find(why, reason) == why.end()) why.push_back(std::move(reason));
      continue;
    }
    histories = std::max(histories, line->at_stake);
    if (line->broken && !line->follows_from.empty()) {
      following.push_back(code(all[i].name) + " follows from " + code(line->follows_from));
    } else if (line->broken) {
      fails = fails || judged.held_to().fails(i);
      broken.emplace_back(all[i].name);
    }
    if (line->known) known.emplace_back(all[i].name);
  }
  auto const soft = [](std::string const& html) {
    return html.empty() ? "" : "<br><span class=\"soft\">" + html + "</span>";
  };
  if (!broken.empty())
    return state(fails ? "bad" : "unsure", "✗", fails ? "failed" : "failed, and only reported") +
           soft(code(listed(broken, ", ")));
  if (!following.empty()) return state("unsure", "✗", "breaks with another") + soft(listed(following, "; "));
  if (!known.empty()) return state("unsure", "!", "known to fail") + soft(code(listed(known, ", ")));
  if (histories != 0) return state("good", "✓", "checked") + soft(counted(histories, "history", "histories"));
  if (!requirement.unchecked.empty()) return state("soft", "–", "not checked") + soft(text(requirement.unchecked));
  if (!named)
    return state("soft", "–", "not checked") +
           soft(requirement.specs.empty()
                    ? "nothing here shows it"
                    : "no answer of a port can show it; tests of the library and the model check it");
  if (!reachable) return state("soft", "–", "not reachable") + soft(text(listed(why, "; ")));
  return state("unsure", "?", "not checked") + soft("no history put it at stake");
}

}  // namespace

std::string reading_cell(report const& r, std::size_t reading) {
  auto const& line = r.readings[reading];
  if (line.left.empty()) return "<span class=\"bad\">none explains the port</span>";
  if (!line.is_asked) return "not tested: the port draws for itself";
  if (line.left.size() == 1) return code(line.left.front());
  std::vector<std::string> names;
  names.reserve(line.left.size());
  for (auto const& name : line.left) names.push_back(code(name));
  return listed(names, " or ") + ", <span class=\"unsure\">not told apart</span>";
}

bool is_explained(report const& r) {
  return std::ranges::any_of(r.readings, [](reading_line const& l) { return !l.left.empty(); });
}

void readings(std::string& out, runs_of_system const& runs, std::string_view heading) {
  if (std::ranges::all_of(runs, [](labelled const& r) { return answered_nothing(*r.said); })) return;
  if (runs.front().said->readings.empty()) return;
  auto const& document = catalogue_of(runs.front().said->judged->system().shape().stem);
  out += fmt::format(
      "<{0}>Readings</{0}>\n<p class=\"soft\">Where the document contradicts itself or is silent, the port follows "
      "these alternatives.</p>\n",
      heading);
  bool const explained = std::ranges::any_of(runs, [](labelled const& r) { return is_explained(*r.said); });
  if (!explained) {
    out += "<p>No admitted reading explains the port.</p>\n";
    return;
  }
  table_head(out, runs, "reading", "followed");
  for (std::size_t i = 0; i < runs.front().said->readings.size(); ++i) {
    auto const& name = runs.front().said->readings[i].name;
    auto const* reading = document.find_reading(name);
    out += fmt::format("<tr><th scope=\"row\">{}<br><span class=\"soft\">{}</span></th>", code(name),
                       reading == nullptr ? "" : text(reading->question));
    for (auto const& r : runs) out += "<td>" + reading_cell(*r.said, i) + "</td>";
    out += "</tr>\n";
  }
  out += table_end;
}

void claims(std::string& out, runs_of_system const& runs, std::string_view heading) {
  auto const all = runs.front().said->judged->system().claims();
  out += fmt::format(
      "<{0}>Claims</{0}>\n<p class=\"soft\">What was tested, and how many histories put each claim at stake.</p>\n",
      heading);
  table_head(out, runs, "claim", "outcome");
  for (unsigned i = 0; i < all.size(); ++i) {
    out += fmt::format("<tr><th scope=\"row\">{}{}<br><span class=\"soft\">{}</span></th>", code(all[i].name),
                       all[i].strength == strength::must ? "" : " (" + strength_name(all[i].strength) + ")",
                       text(all[i].sentence));
    for (auto const& r : runs) out += "<td>" + claim_cell(*r.said, i) + "</td>";
    out += "</tr>\n";
  }
  out += table_end;
}

void requirements(std::string& out, runs_of_system const& runs, std::string_view heading) {
  auto const stem = runs.front().said->judged->system().shape().stem;
  auto const all = runs.front().said->judged->system().claims();
  out += fmt::format(
      "<{0}>Requirements</{0}>\n<p class=\"soft\">Every statement of the document, in this project's words.</p>\n",
      heading);
  table_head(out, runs, "requirement", "outcome");
  for (auto const& requirement : catalogue_of(stem).requirements) {
    std::vector<std::string> by;
    for (auto const& c : all) {
      if (std::ranges::find(c.requirements, requirement.id) != c.requirements.end()) by.emplace_back(code(c.name));
    }
    out +=
        fmt::format("<tr><th scope=\"row\"><b>{}</b> <span class=\"soft\">({}), {}</span><br>{}{}</th>",
                    text(requirement.id), text(requirement.strength), text(requirement.place), text(requirement.text),
                    by.empty() ? "" : "<br><span class=\"soft\">by " + listed(by, ", ") + "</span>");
    for (auto const& r : runs) out += "<td>" + requirement_cell(*r.said, requirement) + "</td>";
    out += "</tr>\n";
  }
  out += table_end;
}

}  // namespace backoff::reports::html
