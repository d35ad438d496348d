// A report as Markdown, short enough for the page of a CI job: the verdict, the claims, what was violated.
#include <fmt/format.h>

#include "reports/escaped.hpp"
#include "reports/print_report.hpp"
#include "reports/replay_line.hpp"
#include "reports/words.hpp"

namespace backoff::reports {

std::string to_markdown(report const& r) {
  auto const& judged = *r.judged;
  auto const& about = judged.about();
  auto const& counts = judged.counts();
  auto const escaped = [](std::string_view text) { return markdown_escaped(text); };
  std::string out = fmt::format("## {}: {}\n\n", judged.system().shape().stem, verdict_word(r));
  out += fmt::format("**{}**\n\n", escaped(verdict_text(r)));
  if (r.diagnosis) out += fmt::format("Diagnosis: {}.\n\n", escaped(diagnosis_text(r, *r.diagnosis)));
  if (auto const where = outside_text(r); !where.empty()) out += fmt::format("Elsewhere: {}.\n\n", escaped(where));
  out += fmt::format("Port {} {}, grade {}: {} histories judged, {} rejected, {} skipped, {} broke the port; seed {}",
                     escaped(about.name), escaped(about.version), grade_name(judged.grade()), counts.judged,
                     counts.rejected, counts.skipped, counts.broke, r.called.seed);
  if (!r.called.part.is_whole()) out += fmt::format(", shard {}/{}", r.called.part.number, r.called.part.of);
  out += ".\n\n| claim | strength | | histories |\n|---|---|---|---:|\n";
  for (auto const& line : r.claims) {
    auto const word = line.broken ? "**broken**" : unbroken_word(r, line);
    out += fmt::format("| {} | {} | {} | {} |\n", escaped(line.claim->name), strength_name(line.claim->strength), word,
                       line.at_stake);
  }
  if (!r.called.known.empty()) {
    out += "\n| known to fail | on | | reason |\n|---|---|---|---|\n";
    for (auto const& l : r.called.known) {
      auto const stale = l.seen()                   ? fmt::format("in {}", l.failed)
                         : r.called.part.is_whole() ? "**stale**"
                                                    : "not here";
      out += fmt::format("| {} | {} | {} | {} |\n", escaped(l.id), escaped(l.pattern), stale, escaped(l.reason));
    }
  }
  for (std::size_t i = 0; i < r.findings.size(); ++i) {
    out += fmt::format("\n<details><summary>{}: {}</summary>\n\n{}\n</details>\n",
                       r.findings[i].fails ? "violation" : "finding", r.findings[i].claim,
                       markdown_block(finding_text(r, r.findings[i], i + 1)));
  }
  for (auto const& b : r.broke) {
    out += fmt::format("\n<details><summary>the port broke</summary>\n\n{}\n</details>\n",
                       markdown_block(b.what + "\n" + (b.where.empty() ? "" : "where " + b.where + "\n") +
                                      b.stderr_tail + (b.token.empty() ? "" : "\nreplay " + replay_line(r, b))));
  }
  if (!r.not_checked.empty()) out += "\n<details><summary>not checked</summary>\n\n";
  for (auto const& line : r.not_checked) out += "- " + escaped(line) + "\n";
  if (!r.not_checked.empty()) out += "\n</details>\n";
  return out;
}

}  // namespace backoff::reports
