// The lines of a list of known failures, CLAIM PATTERN [sometimes] # reason or link. What a claim and a pattern may be,
// known_failing.hpp says for ports, and waits/watched_report.hpp for programs. Checked by: known_failing_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace backoff::session {

inline constexpr std::string_view sometimes_word = "sometimes";

struct failure_line {
  std::string id;
  std::string pattern;
  std::string reason;
  std::string place;       // FILE:LINE
  bool sometimes = false;  // the line is not stale where nothing fails under it
  std::size_t number = 0;  // of the line in its file
};

[[nodiscard]] std::vector<std::string> read_failure_lines(std::string const& path);
// Without empty lines and those that begin with #. Throws usage_error, naming file and line.
[[nodiscard]] std::vector<failure_line> failure_lines(std::string const& name, std::span<std::string const> lines);

}  // namespace backoff::session
