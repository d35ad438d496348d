// Reports as one self-contained HTML page. Text, tables and findings are plain HTML, which needs no script. A script in
// the page draws the pictures, with d3, which is in the page too. The page's content security policy allows these two
// scripts and one style, by their digests, and no request. Nothing that others wrote becomes markup: C++ escapes it,
// and the script inserts it as text. Checked by: properties/oracle/page_test.py, in a browser.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/pictures.hpp"
#include "reports/print_report.hpp"

namespace backoff::reports {

struct page_run {
  report const* said;
  std::vector<picture> pictures;
};

// The page of one run, or of several side by side. It begins with what changed between runs of the same port.
[[nodiscard]] std::string to_page(std::span<page_run const> runs);

}  // namespace backoff::reports
