// The forms in which the program alone gives a report; its text is in text.hpp.
#pragma once

#include "files/output_file.hpp"
#include "reports/report.hpp"
#include "reports/text.hpp"

namespace backoff::reports {

[[nodiscard]] std::string to_json(report const& r);
[[nodiscard]] std::string to_markdown(report const& r);  // a summary for a CI job's page
// One test case a claim; what stands before it in a file is written at once, so that a full disk shows.
[[nodiscard]] std::string to_junit(report const& r);
inline constexpr std::string_view before_junit = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
// The rest of the file that begins with that, where one was asked for.
void end_junit(std::optional<output_file>& junit, std::string const& text);
// "does not conform" and the like.
[[nodiscard]] std::string verdict_word(report const& r);
// Replay lines are short: histories that would make one longer go into files of the working directory, which the lines
// name. Where one cannot be written, the report keeps why.
void write_long_histories(report& r);
// The text for people. Where it is too long, it is cut, and all of it goes into the file SYSTEM.verdict of the working
// directory. The first line, the first and the last of each finding, diagnoses and the verdict are kept. unwritten: is
// set to why, if the file cannot be written.
[[nodiscard]] std::string to_short_text(report const& r, look const& seen, std::string& unwritten);
// Prints the report to standard output. The format is human, json, markdown or quiet; quiet prints the verdict alone.
// Throws usage_error if a file for a part of the report cannot be written. The rest has been printed by then.
void print(report const& r, std::string_view format, look const& seen);
// A port that never got as far as a run, in these forms.
[[nodiscard]] std::string failed_start_json(histories::shape const& s, std::vector<std::string> const& command,
                                            session_failure const& e);
[[nodiscard]] std::string failed_start_junit(histories::shape const& s, session_failure const& e);

}  // namespace backoff::reports
