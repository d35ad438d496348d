// Parts of the HTML page that all its sections use.
#pragma once

#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "histories/text_parts.hpp"
#include "reports/report.hpp"

namespace backoff::reports::html {

// Every text that is not the program's own goes through one of these. A line may end after an underscore or a slash,
// and after a comma or colon before a letter: so names and commands fit a phone, and no word is broken.
[[nodiscard]] std::string text(std::string_view s);
[[nodiscard]] inline std::string code(std::string_view s) { return "<code>" + text(s) + "</code>"; }

using histories::text_parts::listed;
[[nodiscard]] std::string capital(std::string s);
// With a comma before each three digits.
[[nodiscard]] std::string counted(std::uint64_t n);
[[nodiscard]] std::string counted(std::uint64_t n, std::string_view one, std::string_view more);

// good, bad or unsure: the classes of the style sheet. The sign that goes with each.
[[nodiscard]] std::string_view standing_of(exit_code ends_with);
[[nodiscard]] std::string_view standing_of(report const& r);
[[nodiscard]] std::string_view sign_of(std::string_view standing);
[[nodiscard]] std::string state(std::string_view standing, std::string_view sign, std::string_view word);
[[nodiscard]] std::string port_name(report const& r);

// The box of a verdict, up to its rows; a row of it, whose text is HTML; its end.
void begin_verdict(std::string& out, std::string_view standing, std::string const& word, std::string const& sentence);
void verdict_row(std::string& out, std::string_view term, std::string const& html);
void end_verdict(std::string& out);

}  // namespace backoff::reports::html
