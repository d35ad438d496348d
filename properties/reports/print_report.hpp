// The forms of a report that only the program prints. The text form is in text.hpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.hpp"
#include "reports/text.hpp"

namespace backoff::reports {

[[nodiscard]] std::string to_json(report const& r);
[[nodiscard]] std::string to_markdown(report const& r);  // a summary for a CI job's page
// One test case for each claim.
[[nodiscard]] std::string to_junit(report const& r);
// "does not conform" and the like.
[[nodiscard]] std::string verdict_word(report const& r);
// Keeps replay lines short: writes long histories to files in the working directory, which the lines name. If a file
// cannot be written, the report keeps why.
void write_long_histories(report& r);
// The text for people. Where it is too long, it is cut, and all of it goes into the file SYSTEM.verdict of the working
// directory. The first line, the first and the last of each finding, diagnoses and the verdict are kept. If the file
// cannot be written, `unwritten` is set to the reason.
[[nodiscard]] std::string to_short_text(report const& r, look const& seen, std::string& unwritten);
// A form in which a report is printed. The program, its help and its fuzzer all take the forms from report_forms().
struct report_form {
  std::string_view name;
  // If a file for a part of the report cannot be written, `unwritten` is set to the reason.
  std::string (*text)(report const& r, look const& seen, std::string& unwritten);
  // The report on a port that failed to start; null: standard error alone says it.
  std::string (*failed_start)(histories::shape const& s, std::vector<std::string> const& command,
                              session_failure const& e);
};
[[nodiscard]] std::span<report_form const> report_forms() noexcept;
// The form of that name, which must exist.
[[nodiscard]] report_form const& form_named(std::string_view name) noexcept;

// Prints the report to standard output in that form; `quiet`: the verdict alone. Throws usage_error if a file for a
// part of the report cannot be written. The rest has been printed by then.
void print(report const& r, report_form const& form, bool quiet, look const& seen);
// The report on a port that failed to start.
[[nodiscard]] std::string failed_start_json(histories::shape const& s, std::vector<std::string> const& command,
                                            session_failure const& e);
[[nodiscard]] std::string failed_start_junit(histories::shape const& s, session_failure const& e);

}  // namespace backoff::reports
