// JUnit XML, for CI systems. Checked by: properties/oracle/report_forms_test.py.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "files/output_file.hpp"

namespace backoff::reports {

struct test_case {
  std::string name;
  std::string_view outcome{};  // the element; none where it passed
  std::string message{};
  std::string text{};
};

// The beginning of the file. It is written when the file is opened, so that a full disk shows at once.
inline constexpr std::string_view before_junit = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
[[nodiscard]] std::string junit_suite(std::string_view name, std::span<test_case const> cases);
// Writes the rest of the file and commits it; does nothing where there is none.
void end_junit(std::optional<files::output_file>& junit, std::string const& text);

}  // namespace backoff::reports
