// A report as JUnit XML, for CI systems: one test case for each claim. failure: the claim is violated. skipped: it was
// not at stake or not selected, needs a feature that the port lacks, or is known to fail. error, on the case `run`: the
// port broke, or the run is inconclusive.
#include "reports/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/escaped.hpp"
#include "reports/print_report.hpp"

namespace backoff::reports {
namespace {

finding const* finding_of(report const& r, std::string_view claim) {
  auto const at = std::ranges::find(r.findings, claim, &finding::claim);
  return at == r.findings.end() ? nullptr : &*at;
}

std::string shown_text(report const& r, finding const* f) {
  return f == nullptr ? "shown with another claim; see the report"
                      : finding_text(r, *f, static_cast<std::size_t>(f - r.findings.data()) + 1);
}

test_case violated(report const& r, std::string_view name, std::string_view sentence) {
  return {std::string(name), "failure", std::string(sentence), shown_text(r, finding_of(r, name))};
}

// Why the claim says nothing of the port; empty where it does.
std::string why_skipped(report const& r, unsigned claim) {
  auto const& judged = *r.judged;
  auto const& text = judged.system().claims()[claim];
  if (is_known_to_fail(r, claim)) return "known to fail";
  if (!judged.held_to().selected(claim)) return "not selected";
  if (text.needs && !judged.about().takes.offers(*text.needs)) {
    return fmt::format("the port does not list the feature {}", feature_names[static_cast<std::size_t>(*text.needs)]);
  }
  if (text.draws && judged.grade() != grade::distribution) return "the oracle supplied the draws, or did not test them";
  return judged.counts().at_stake[claim] == 0 ? "no history put it at stake" : "";
}

std::vector<test_case> cases_of(report const& r) {
  std::vector<test_case> all;
  all.push_back({"run"});
  if (r.ends_with == port_broke || r.ends_with == inconclusive) {
    all.front().outcome = "error";
    all.front().message = verdict_text(r);
    for (auto const& b : r.broke)
      all.front().text += b.what + "\n" + (b.where.empty() ? "" : "where " + b.where + "\n") + b.stderr_tail + "\n";
  }
  auto const breaches = r.judged->breaches();
  auto const claims = r.judged->system().claims();
  for (unsigned i = 0; i < claims.size(); ++i) {
    std::string const name(claims[i].name);
    auto const broken = std::ranges::find(breaches, i, &breach::claim);
    if (broken != breaches.end() && broken->fails) {
      all.push_back(violated(r, name, claims[i].sentence));
    } else if (broken != breaches.end()) {
      all.push_back({name, "system-out", "",
                     "broken, but does not fail the port (" + strength_name(claims[i].strength) + ")\n" +
                         shown_text(r, finding_of(r, name))});
    } else if (auto why = why_skipped(r, i); !why.empty()) {
      all.push_back({name, "skipped", std::move(why)});
    } else {
      all.push_back({name});
    }
  }
  if (std::ranges::count(breaches, breach::no_answer, &breach::claim) != 0)
    all.push_back(violated(r, no_answer_name, no_answer_sentence));
  for (auto const& l : r.stale)
    all.push_back(
        {"known to fail: " + l.id + " " + l.pattern, "failure", "nothing failed there: the line is stale", l.place});
  return all;
}

}  // namespace

std::string junit_suite(std::string_view name, std::span<test_case const> cases) {
  auto const count = [&](std::string_view outcome) { return std::ranges::count(cases, outcome, &test_case::outcome); };
  std::string const counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\"",
                                         cases.size(), count("failure"), count("error"), count("skipped"));
  std::string out = fmt::format("<testsuites name=\"backoff-oracle\" {}>\n", counts);
  out += fmt::format("  <testsuite name=\"{}\" {}>\n", xml_attribute(name), counts);
  for (auto const& c : cases) {
    out += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"", xml_attribute(name),
                       xml_attribute(c.name));
    if (c.outcome.empty()) {
      out += "/>\n";
    } else if (c.outcome == "system-out") {
      out += fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", xml_content(c.text));
    } else {
      auto const type = c.outcome == "skipped" ? "" : fmt::format(" type=\"{}\"", c.outcome);
      out += fmt::format(">\n      <{0} message=\"{1}\"{2}>{3}</{0}>\n    </testcase>\n", c.outcome,
                         xml_attribute(c.message), type, xml_content(c.text));
    }
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string to_junit(report const& r) {
  auto const& about = r.judged->about();
  auto const port = about.version.empty() ? about.name : about.name + " " + about.version;
  auto const& part = r.called.part;
  auto const alone = part.is_whole() ? "" : fmt::format(", shard {}/{} alone", part.number, part.of);
  return junit_suite(fmt::format("{}.{}{}", r.judged->system().shape().stem, port, alone), cases_of(r));
}

void end_junit(std::optional<output_file>& junit, std::string const& text) {
  if (!junit) return;
  junit->write(text);
  junit->commit();
}

std::string failed_start_junit(shape const& s, session_failure const& e) {
  test_case const only{"run", "error", e.what(), e.stderr_tail};
  return junit_suite(s.stem, {&only, 1});
}

}  // namespace backoff::reports
