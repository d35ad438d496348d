// A report as people read it on a terminal: the verdict is the last line. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/history_table.hpp"
#include "reports/report.hpp"

namespace backoff::reports {

// A part of the text; `kept`: it stays whole where the text is cut, not only its first and its last line.
struct text_part {
  std::string text;
  bool kept = false;
};
// The parts of the text. The last is the verdict line.
[[nodiscard]] std::vector<text_part> text_parts_of(report const& r, look const& seen = {});
[[nodiscard]] std::string to_text(report const& r, look const& seen = {});
// The last line of the text.
[[nodiscard]] std::string verdict_line(report const& r, look const& seen = {});
// What a port wrote, each line marked so that none is taken for one of ours.
[[nodiscard]] std::string quoted_lines(std::string_view text);
// One finding as the text has it.
[[nodiscard]] std::string finding_text(report const& r, finding const& f, std::size_t number);
// What the port probably does, and how much that explains.
[[nodiscard]] std::string diagnosis_text(report const& r, explain::probable const& d);
// Where the port conforms: "conforms where base_ms <= max_ms: 1000 of 1000 fresh histories there". Empty where the
// search for this found nothing.
[[nodiscard]] std::string outside_text(report const& r);
// Where a finding's claim breaks and where it holds, with the counts: "breaks where A and B: 500 of 500 tried; …".
// Empty where there was no search for this.
[[nodiscard]] std::string region_text(report const& r, finding const& f);
// The excuses, each "reading=alternative": the hazards first, then the other alternatives that they need.
[[nodiscard]] std::string readings_text(report const& r, std::vector<std::string> const& excuses);
// The end of the sentence that lists the claims which a finding explains: one claim or several.
[[nodiscard]] std::string_view are_accounted_for(std::size_t claims) noexcept;
// Which other parts of the finding's rule are broken; empty where none is.
[[nodiscard]] std::string also_of_its_rule(finding const& f);
// The last line of the text, without "verdict: ".
[[nodiscard]] std::string verdict_text(report const& r);

// Which options make the verdict another than that of a plain run, each after a semicolon.
[[nodiscard]] std::string options_text(judge::run_options const& options);
}  // namespace backoff::reports
