#include "reports/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "files/sha256.hpp"
#include "judge/catalogue.hpp"
#include "page_parts.hpp"  // generated: page_css, page_js, page_d3
#include "reports/escaped.hpp"
#include "reports/not_checked.hpp"
#include "reports/replay_line.hpp"
#include "reports/words.hpp"

namespace backoff::reports {
namespace {

// Every text that is not the program's own goes through one of these.
std::string text(std::string_view s) { return xml_content(s); }
std::string code(std::string_view s) { return "<code>" + text(s) + "</code>"; }

std::string listed(std::vector<std::string> const& items, std::string_view separator) {
  return fmt::format("{}", fmt::join(items, separator));
}

std::string capital(std::string s) {
  if (!s.empty()) s[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(s[0])));
  return s;
}

std::string counted(std::uint64_t n) {
  auto digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view more) {
  return counted(n) + " " + std::string(n == 1 ? one : more);
}

// ---- Scripts and their digests ----

std::string whole(std::span<std::string_view const> pieces) {
  std::string all;
  for (auto const piece : pieces) all += piece;
  return all;
}

// As a content security policy names a script or a style.
std::string source_of(std::string_view content) {
  sha256 digest;
  digest.add(content);
  auto const hex = digest.digest();
  std::array<unsigned, 33> bytes{};  // 32, and one more to make groups of three
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<unsigned>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string base64;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    auto const group = bytes[i] << 16U | bytes[i + 1] << 8U | bytes[i + 2];
    for (unsigned shift = 24; shift != 0;) base64 += digits[(group >> (shift -= 6)) & 63U];
  }
  base64.back() = '=';
  return "'sha256-" + base64 + "'";
}

// JSON for an HTML element: it cannot end the element or begin a comment.
std::string json_in_html(nlohmann::ordered_json const& j) {
  auto const plain = j.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string out;
  for (char const c : plain) out += c == '<' ? "\\u003c" : std::string(1, c);
  return out;
}

// ---- What a run says ----

std::string_view standing_of(report const& r) {
  if (r.ends_with == conforms) return "good";
  return r.ends_with == inconclusive ? "unsure" : "bad";
}
std::string_view sign_of(std::string_view standing) { return standing == "good" ? "✓" : standing == "bad" ? "✗" : "?"; }

std::string port_name(report const& r) {
  auto const& about = r.judged->about();
  auto name = about.name + (about.version.empty() ? "" : " " + about.version);
  return name.empty() ? "(a port without a name)" : name;
}

void row(std::string& out, std::string_view term, std::string const& html) {
  out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, html);
}

std::string grade_text(report const& r) {
  auto const g = r.judged->grade();
  if (!r.judged->system().shape().has_draws()) return "exact: nothing here is random";
  if (g == grade::exact) return "exact: its draws were given to it, so that each answer is known";
  if (g == grade::distribution) return "distribution: it draws for itself, and its draws were tested";
  return "membership: it draws for itself, and only the admitted set was tested";
}

void verdict(std::string& out, report const& r) {
  auto const& judged = *r.judged;
  auto const& counts = judged.counts();
  auto const& document = catalogue_of(judged.system().shape().stem);
  auto const standing = standing_of(r);
  auto says = capital(verdict_text(r));
  out += fmt::format(
      "<div class=\"verdict {0}\">\n<p class=\"word\"><span class=\"{0}\" aria-hidden=\"true\">{1}</span> {2}</p>\n<p "
      "class=\"says\">{3}.</p>\n<dl>\n",
      standing, sign_of(standing), capital(verdict_word(r)), text(says));
  row(out, "port",
      text(port_name(r)) + (judged.about().language.empty() ? "" : " (" + text(judged.about().language) + ")"));
  row(out, "held to",
      fmt::format("{}: {}, {}", code(judged.system().shape().stem), text(document.title),
                  text(document.document_version)));
  row(out, "grade", grade_text(r));
  auto histories = counted(counts.judged, "history", "histories") + " judged";
  if (counts.rejected != 0) histories += ", " + counted(counts.rejected) + " rejected";
  if (counts.skipped != 0) histories += ", " + counted(counts.skipped) + " skipped";
  if (counts.broke != 0) histories += ", " + counted(counts.broke) + " broke the port";
  row(out, "tried", fmt::format("{}; seed {}{}", histories, r.called.seed, options_text(judged.options())));
  if (!r.called.ranges.empty()) row(out, "ranges", code(listed(r.called.ranges, " ")));
  if (!r.called.part.is_whole())
    row(out, "part", fmt::format("shard {}/{} alone", r.called.part.number, r.called.part.of));
  if (!r.called.command.empty()) row(out, "started as", code(listed(r.called.command, " ")));
  out += "</dl>\n</div>\n";
}

// Long runs of calls are cut in the middle, but for those that break something.
void calls(std::string& out, shown_history const& h) {
  constexpr std::size_t head = 4;
  constexpr std::size_t tail = 5;
  auto const head_of_these = head_of_arguments(h);
  out += fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"calls of a history\"><table class=\"calls\">\n"
      "<thead><tr><th scope=\"col\">step</th><th scope=\"col\">call</th>{}<th scope=\"col\">admitted</th><th "
      "scope=\"col\">port</th><td></td></tr></thead>\n<tbody>\n",
      head_of_these.empty() ? "" : fmt::format("<th scope=\"col\">{}</th>", head_of_these));
  std::size_t left_out = 0;
  auto const gap = [&] {
    if (left_out != 0)
      out += fmt::format("<tr><td></td><td colspan=\"{}\" class=\"soft\">{} more</td></tr>\n",
                         head_of_these.empty() ? 4 : 5, counted(left_out));
    left_out = 0;
  };
  for (std::size_t i = 0; i < h.rows.size(); ++i) {
    auto const& line = h.rows[i];
    if (i >= head && i + tail < h.rows.size() && !line.breaks) {
      ++left_out;
      continue;
    }
    gap();
    out += fmt::format("<tr{}><td>{}</td><td>{}</td>{}<td>{}</td><td>{}</td><td>{}</td></tr>\n",
                       line.breaks ? " class=\"breaks\"" : "", line.step, text(line.call),
                       head_of_these.empty() ? "" : "<td>" + text(arguments_text(line, head_of_these)) + "</td>",
                       text(line.admitted), text(line.port), line.breaks ? "← breaks it" : "");
  }
  gap();
  out += "</tbody></table></div>\n";
}

void replay(std::string& out, std::string const& line) {
  out += "<p class=\"soft\">Again, on a command line:</p>\n<pre tabindex=\"0\">" + text(line) + "</pre>\n";
}

void finding_article(std::string& out, report const& r, finding const& f) {
  out +=
      fmt::format("<article class=\"finding{}\">\n<h3>{}</h3>\n<p>{}.</p>\n<p class=\"soft\">{}{}, broken in {}</p>\n",
                  f.fails ? "" : " noted", code(f.claim), text(capital(f.sentence)), f.strength,
                  f.fails ? "" : ", which does not fail the port", counted(f.histories, "history", "histories"));
  if (f.sampled) {
    out += fmt::format(
        "<p>Found in {}: {} (test {}). {} to 1 against it, where {:.0e} to 1 refutes; the last of them: {}.</p>\n",
        counted(f.sampled->draws, "hidden draw", "hidden draws"), text(f.sampled->found), text(f.sampled->test),
        odds_text(f.sampled->odds), 1 / r.judged->draws().alpha_of_a_test(), text(f.sampled->windows));
    if (!f.sampled->probably.empty())
      out += "<p>The port probably " + text(f.sampled->probably) + ": this explains all of these draws.</p>\n";
  }
  for (std::size_t i = 0; i < f.shown.size(); ++i) {
    out += fmt::format("<p>{}{}: {}</p>\n", capital(std::string(history_word(f))),
                       f.shown.size() == 1 ? "" : fmt::format(" {} of {}", i + 1, f.shown.size()),
                       f.shown[i].parameters.empty() ? "" : code(f.shown[i].parameters));
    calls(out, f.shown[i]);
  }
  if (f.how == how_shown::sequence) {
    out += "<p>One process, in this order; it answers the last one otherwise when that comes first.</p>\n";
  } else if (f.how == how_shown::lost) {
    out += "<p>It did not show again, neither in a fresh process nor after the histories sent before it.</p>\n";
  } else if (f.how == how_shown::seen) {
    out += "<p>" + capital(std::string(as_seen_text(f))) + ".</p>\n";
  } else if (f.how == how_shown::unsteady) {
    out += "<p>Asked again, the port answered this as documented: it remembers, or draws by itself.</p>\n";
  } else if (f.shown.size() > 1) {
    out += f.each_fits_some
               ? "<p>Each of these alone could be read in the port's favour; no admitted reading fits them all.</p>\n"
               : "<p>No admitted reading fits all of these.</p>\n";
  }
  if (auto const again = again_text(r, f); !again.empty()) out += "<p>" + capital(again) + ".</p>\n";
  if (auto const where = region_text(r, f); !where.empty()) out += "<p>Where: " + text(where) + ".</p>\n";
  if (f.diagnosis && f.why.empty()) out += "<p>Why: " + text(diagnosis_text(r, *f.diagnosis)) + ".</p>\n";
  if (!f.why.empty()) out += "<p>The port says: " + code(f.why.substr(0, 400)) + "</p>\n";
  for (auto const& id : f.requirements) {
    auto const* requirement = catalogue_of(r.judged->system().shape().stem).find_requirement(id);
    out += fmt::format("<p><b>{}</b> ({}), {}: {}</p>\n", text(id), text(requirement->strength),
                       text(requirement->place), text(requirement->text));
  }
  if (!f.consequences.empty())
    out += fmt::format("<p>It explains {}, {}.</p>\n", code(listed(f.consequences, ", ")),
                       are_accounted_for(f.consequences.size()));
  if (!f.same_rule.empty()) out += "<p>" + capital(text(also_of_its_rule(f))) + ".</p>\n";
  if (!f.reading.empty())
    out +=
        fmt::format("<p>Shown under {}, the reading that explains the port best.</p>\n", code(listed(f.reading, ", ")));
  if (!f.excuses.empty()) {
    out += fmt::format("<p>It matches the reading {}.</p>\n", code(listed(f.excuses, ", ")));
  } else if (!f.fits.empty()) {
    out += fmt::format("<p>The reading {} would explain what is shown here. No reading explains all answers.</p>\n",
                       code(listed(f.fits, ", ")));
  } else {
    out += "<p>No other reading would explain it.</p>\n";
  }
  replay(out, replay_line(r, f));
  out += "</article>\n";
}

void findings(std::string& out, report const& r, std::string_view heading) {
  if (r.findings.empty() && r.broke.empty() && r.also_broken.empty()) return;
  out += fmt::format("<{0}>Findings</{0}>\n", heading);
  for (auto const& b : r.broke) {
    out += fmt::format("<article class=\"finding\">\n<h3>The port broke</h3>\n<p>{}.</p>\n", text(capital(b.what)));
    if (b.shown) {
      out += fmt::format("<p>{}: {}</p>\n",
                         b.cut_short ? "On a history, shrunk until the time was over" : "On the history",
                         code(b.shown->parameters));
      calls(out, *b.shown);
    }
    if (!b.where.empty()) out += "<p><b>Where</b>: " + text(b.where) + ".</p>\n";
    if (!b.stderr_tail.empty())
      out += "<p>The end of its standard error:</p>\n<pre tabindex=\"0\">" + text(b.stderr_tail) + "</pre>\n";
    if (!b.token.empty()) replay(out, replay_line(r, b));
    out += "</article>\n";
  }
  if (r.diagnosis) out += "<p><b>Diagnosis</b>: " + text(diagnosis_text(r, *r.diagnosis)) + ".</p>\n";
  if (auto const where = outside_text(r); !where.empty()) out += "<p><b>Elsewhere</b>: " + text(where) + ".</p>\n";
  for (auto const& f : r.findings) finding_article(out, r, f);
  if (!r.also_broken.empty()) out += "<p>Also broken: " + code(listed(r.also_broken, ", ")) + ".</p>\n";
}

void known_failures(std::string& out, report const& r, std::string_view heading) {
  if (r.excused.empty() && r.stale.empty()) return;
  out += fmt::format("<{0}>Known to fail</{0}>\n<ul>\n", heading);
  for (auto const& l : r.excused)
    out += fmt::format("<li>{} {}, in {}: {}</li>\n", code(l.id), code(l.pattern),
                       counted(l.failed, "history", "histories"), text(l.reason));
  for (auto const& l : r.stale)
    out += fmt::format("<li><b class=\"bad\">stale</b>: {} {}, nothing failed: {}</li>\n", code(l.id), code(l.pattern),
                       text(l.place));
  out += "</ul>\n";
}

// ---- Pictures ----

struct part_of_pictures {
  std::string_view kind;
  std::string_view heading;
  std::string_view legend;
};
constexpr std::array parts{
    part_of_pictures{"draws", "Hidden draws",
                     "<p class=\"soft\">Where each draw stands in the window that the document makes it one of: even, "
                     "but for chance, where the port is right (dashed). "
                     "Beside it what bets against that have made of 1: a right port ever lets them reach the dashed "
                     "line with the probability that <code>--alpha</code> says.</p>\n"},
    part_of_pictures{"delays", "Delays by attempt",
                     "<ul class=\"legend\"><li><span class=\"key b\"></span>what the document admits, whatever is "
                     "drawn</li><li><span class=\"key f\">●</span>a delay as documented</li>"
                     "<li><span class=\"key m\">✕</span>an answer that is not, drawn at 0 where it has no delay; a "
                     "wrong one may stand inside the band where its draw is known</li></ul>\n"},
    part_of_pictures{"timeline", "Answers along the clock",
                     "<p class=\"soft\">The bar is what the document admits at each instant, whatever is drawn: how "
                     "long a wait may be, and where it must end; the marks are what the port answered.</p>\n"
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
        "</div>\n<noscript><p>The pictures are drawn by a script of this page; what they show stands in words "
        "above.</p></noscript>\n";
  }
}

// ---- Tables, a column a run ----

struct labelled {
  report const* said;
  std::string label;  // its port; with the number of the run where runs have the same port
};
using runs_of_system = std::vector<labelled>;

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

std::string reading_cell(report const& r, std::size_t i) {
  auto const& line = r.readings[i];
  if (line.left.empty()) return "<span class=\"bad\">none explains the port</span>";
  if (!line.is_asked) return "not asked: the port makes its own draws";
  if (line.left.size() == 1) return code(line.left.front());
  std::vector<std::string> names;
  for (auto const& name : line.left) names.push_back(code(name));
  return listed(names, " or ") + ", <span class=\"unsure\">not told apart</span>";
}

// Whether some admitted reading is left that explains the port.
bool is_explained(report const& r) {
  return std::ranges::any_of(r.readings, [](reading_line const& l) { return !l.left.empty(); });
}

void readings(std::string& out, runs_of_system const& runs, std::string_view heading) {
  if (std::ranges::all_of(runs, [](labelled const& r) { return answered_nothing(*r.said); })) return;
  auto const& document = catalogue_of(runs.front().said->judged->system().shape().stem);
  out += fmt::format(
      "<{0}>Readings</{0}>\n<p class=\"soft\">Where the document contradicts itself or is silent: what the port "
      "follows, as far as its answers tell.</p>\n",
      heading);
  bool const explained = std::ranges::any_of(runs, [](labelled const& r) { return is_explained(*r.said); });
  if (!explained) {
    out += "<p>None of the admitted readings explains the port.</p>\n";
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

std::string state(std::string_view standing, std::string_view sign, std::string_view word) {
  return fmt::format("<span class=\"{}\"><span aria-hidden=\"true\">{}</span> {}</span>", standing, sign, word);
}

// Why no history of this run could put the claim at stake; empty where one could.
std::string out_of_reach(run const& judged, unsigned claim) {
  auto const& c = judged.system().claims()[claim];
  auto const& takes = judged.about().takes;
  if (!judged.held_to().selected(claim)) return "";
  if (c.needs && !takes.offers(*c.needs))
    return fmt::format("it does not list the feature {}", feature_names[static_cast<std::size_t>(*c.needs)]);
  if (c.draws && judged.grade() == grade::exact) return "its draws were given to it";
  if (c.draws && judged.grade() == grade::membership) return "its draws were not tested";
  if (c.possible != nullptr && !c.possible(takes)) return "not with the ranges that it declares";
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

void claims(std::string& out, runs_of_system const& runs, std::string_view heading) {
  auto const all = runs.front().said->judged->system().claims();
  out += fmt::format(
      "<{0}>Claims</{0}>\n<p class=\"soft\">What was tried, and in how many histories it was at stake.</p>\n", heading);
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
           soft(requirement.specs.empty() ? "nothing here shows it"
                                          : "no answer of a port shows it; the library and the model are held to it");
  if (!reachable) return state("soft", "–", "not reachable") + soft(text(listed(why, "; ")));
  return state("unsure", "?", "not checked") + soft("no history put it at stake");
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

void not_checked(std::string& out, report const& r, std::string_view heading) {
  if (r.not_checked.empty()) return;
  out += fmt::format("<{0}>Not checked</{0}>\n<ul>\n", heading);
  for (auto const& line : r.not_checked) out += "<li>" + text(line) + "</li>\n";
  out += "</ul>\n";
}

// ---- Several runs ----

std::vector<std::string> labels_of(std::span<page_run const> runs) {
  std::vector<std::string> names;
  for (auto const& run : runs) names.push_back(port_name(*run.said));
  auto labels = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) labels[i] += fmt::format(" (run {})", i + 1);
  }
  return labels;
}

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
    return fmt::format("{} held to {}: {}", port_name(*runs.front().said),
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
  auto const css = whole(page_css);
  auto const d3 = whole(page_d3);
  auto const js = whole(page_js);
  auto const policy =
      fmt::format("default-src 'none'; style-src {}; script-src {} {}; base-uri 'none'; form-action 'none'",
                  source_of(css), source_of(d3), source_of(js));
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"generator\" "
      "content=\"backoff-oracle " BACKOFF_VERSION "\">\n<title>{}</title>\n<style>",
      policy, text(summary(runs)));
  page.append(css)
      .append("</style>\n</head>\n<body>\n<main>\n")
      .append(body)
      .append("</main>\n<script type=\"application/json\" id=\"pictures\">");
  page.append(json_in_html(data))
      .append("</script>\n<script>")
      .append(d3)
      .append("</script>\n<script>")
      .append(js)
      .append("</script>\n</body>\n</html>\n");
  return page;
}

}  // namespace backoff::reports
