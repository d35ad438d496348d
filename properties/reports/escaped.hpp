// Text of others (a port's name, what it wrote to standard error) where some characters mean something.
// Checked by: properties/oracle/results_test.py, which reads the reports with parsers of others.
#pragma once

#include <string>
#include <string_view>

namespace backoff::reports {

// For attributes and content of XML 1.0: what it cannot hold (control characters, malformed UTF-8) becomes "?".
[[nodiscard]] std::string xml_attribute(std::string_view text);
[[nodiscard]] std::string xml_content(std::string_view text);
// One line of Markdown, a cell of a table too.
[[nodiscard]] std::string markdown_escaped(std::string_view text);
// A block that Markdown shows as it is, whatever is in it.
[[nodiscard]] std::string markdown_block(std::string_view text);

}  // namespace backoff::reports
