// The sections of the page about one run: its verdict, its findings, known failures and what is not checked.
// Checked by: properties/oracle/page_test.py.
#pragma once

#include <string>
#include <string_view>

#include "reports/report.hpp"

namespace backoff::reports::html {

void verdict(std::string& out, report const& r);
// Each adds a section with a heading of that level, where there is something to say.
void findings(std::string& out, report const& r, std::string_view heading);
void known_failures(std::string& out, report const& r, std::string_view heading);
void not_checked(std::string& out, report const& r, std::string_view heading);

}  // namespace backoff::reports::html
