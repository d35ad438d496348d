// The sections of the page that several runs share: a card each, and what changed between runs of the same port.
// Checked by: properties/oracle/page_test.py.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/page.hpp"

namespace backoff::reports::html {

// labels: what each run is called.
void cards(std::string& out, std::span<page_run const> runs, std::vector<std::string> const& labels);
void what_changed(std::string& out, std::span<page_run const> runs, std::vector<std::string> const& labels);

}  // namespace backoff::reports::html
