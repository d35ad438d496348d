#include "reports/page_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "histories/printable.hpp"
#include "judge/catalogue.hpp"
#include "reports/html.hpp"
#include "reports/print_report.hpp"
#include "reports/replay_line.hpp"
#include "reports/text.hpp"
#include "reports/words.hpp"

namespace backoff::reports::html {
namespace {

std::string grade_text(report const& r) {
  auto const g = r.judged->grade();
  if (!r.judged->system().shape().has_draws()) return "exact: nothing here is random";
  if (g == grade::exact) return "exact: the oracle supplied the draws, so it knows each answer";
  if (g == grade::distribution) return "distribution: the port draws for itself; its draws were tested";
  return "membership: the port draws for itself; only the admitted range was tested";
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
                       text(line.admitted), text(line.port), line.breaks ? "← wrong" : "");
  }
  gap();
  out += "</tbody></table></div>\n";
}

void replay(std::string& out, std::string const& line) {
  out += "<p class=\"soft\">Replay:</p>\n<pre tabindex=\"0\">" + text(line) + "</pre>\n";
}

void finding_article(std::string& out, report const& r, finding const& f) {
  out += fmt::format(
      "<article class=\"finding{}\">\n<h3>{}</h3>\n<p>Rule: {}.</p>\n<p class=\"soft\">{}{}, broken in {}</p>\n",
      f.fails ? "" : " noted", code(f.claim), text(f.sentence), f.strength,
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
    out += "<p>One process, in this order. By itself, the last one gets other answers.</p>\n";
  } else if (f.how == how_shown::lost) {
    out += "<p>It did not happen again, in a fresh process or after the same earlier histories.</p>\n";
  } else if (f.how == how_shown::seen) {
    out += "<p>" + capital(std::string(as_seen_text(f))) + ".</p>\n";
  } else if (f.how == how_shown::unsteady) {
    out += "<p>Asked again, the port answered as documented: it keeps state, or draws for itself.</p>\n";
  } else if (f.shown.size() > 1) {
    out += f.each_fits_some ? "<p>An admitted reading fits each of these; no admitted reading fits them all.</p>\n"
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
    out += "<p>It matches the " + text(readings_text(r, f.excuses)) + ".</p>\n";
  } else if (!f.fits.empty()) {
    out += fmt::format("<p>The {} explains what is shown here. No reading explains all answers.</p>\n",
                       text(readings_text(r, f.fits)));
  } else {
    out += "<p>No other reading explains it.</p>\n";
  }
  replay(out, replay_line(r, f));
  out += "</article>\n";
}

}  // namespace

void verdict(std::string& out, report const& r) {
  auto const& judged = *r.judged;
  auto const& counts = judged.counts();
  auto const& document = catalogue_of(judged.system().shape().stem);
  begin_verdict(out, standing_of(r), verdict_word(r), verdict_text(r));
  verdict_row(out, "port",
              text(port_name(r)) + (judged.about().language.empty() ? "" : " (" + text(judged.about().language) + ")"));
  verdict_row(out, "document",
              fmt::format("{}: {}, {}", code(judged.system().shape().stem), text(document.title),
                          text(document.document_version)));
  verdict_row(out, "grade", grade_text(r));
  auto histories = counted(counts.judged, "history", "histories") + " judged";
  if (counts.rejected != 0) histories += ", " + counted(counts.rejected) + " rejected";
  if (counts.skipped != 0) histories += ", " + counted(counts.skipped) + " skipped";
  if (counts.broke != 0) histories += ", " + counted(counts.broke) + " broke the port";
  verdict_row(out, "tried", fmt::format("{}; seed {}{}", histories, r.called.seed, options_text(judged.options())));
  if (!r.called.ranges.empty()) verdict_row(out, "ranges", code(listed(r.called.ranges, " ")));
  if (!r.called.part.is_whole())
    verdict_row(out, "part", fmt::format("shard {}/{} alone", r.called.part.number, r.called.part.of));
  if (!r.called.command.empty()) verdict_row(out, "command", code(histories::printable(listed(r.called.command, " "))));
  end_verdict(out);
}

void findings(std::string& out, report const& r, std::string_view heading) {
  if (r.findings.empty() && r.broke.empty() && r.also_broken.empty()) return;
  out += fmt::format("<{0}>Findings</{0}>\n", heading);
  for (auto const& b : r.broke) {
    out += fmt::format("<article class=\"finding\">\n<h3>The port broke</h3>\n<p>{}.</p>\n", text(capital(b.what)));
    if (b.shown) {
      out += fmt::format("<p>{}: {}</p>\n", b.cut_short ? "On a history, shrunk until time ran out" : "On the history",
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

void not_checked(std::string& out, report const& r, std::string_view heading) {
  if (r.not_checked.empty()) return;
  out += fmt::format("<{0}>Not checked</{0}>\n<ul>\n", heading);
  for (auto const& line : r.not_checked) out += "<li>" + text(line) + "</li>\n";
  out += "</ul>\n";
}

}  // namespace backoff::reports::html
