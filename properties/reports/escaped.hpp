// Escapes foreign text, such as a port's name or what it wrote to standard error, for XML and Markdown.
// Checked by: properties/oracle/foreign_texts_test.py, which reads the reports with independent parsers.
#pragma once

#include <string>
#include <string_view>

namespace backoff::reports {

// For attributes and content of XML 1.0: what it cannot hold (control characters, malformed UTF-8) becomes "?".
[[nodiscard]] std::string xml_attribute(std::string_view text);
[[nodiscard]] std::string xml_content(std::string_view text);
// One line of Markdown, which may stand in a cell of a table.
[[nodiscard]] std::string markdown_escaped(std::string_view text);
// A fenced block, which Markdown shows as it is, whatever the text contains.
[[nodiscard]] std::string markdown_block(std::string_view text);

}  // namespace backoff::reports
