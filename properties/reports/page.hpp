// Reports as one page that asks for nothing else: text, tables and findings are plain HTML, so that they are there for
// every reader and without scripts; the pictures alone are drawn by a script, with d3, both in the page. Its policy
// lets these two scripts and one style through, by their digests, and no request. Nothing that others wrote is markup:
// C++ escapes it, and the script makes text of it. Checked by: properties/oracle/page_test.py, in a browser.
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

// Several runs stand side by side, and what changed from one to the next of the same port comes first.
[[nodiscard]] std::string to_page(std::span<page_run const> runs);

}  // namespace backoff::reports
