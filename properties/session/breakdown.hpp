// How a port fails to answer. Checked by: properties/oracle/shown_breakdowns_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "histories/history.hpp"

namespace backoff::session {

// The port cannot go on: it does not start, or broke too often. what() is one line that says what happened.
struct session_failure : std::runtime_error {
  session_failure(std::string const& what, std::string tail) : runtime_error(what), stderr_tail(std::move(tail)) {}
  std::string stderr_tail;
};

// The port crashed, hung or broke the protocol, and was started again.
struct breakdown {
  std::string what;                    // one line
  std::optional<std::uint64_t> index;  // of the history, where a single one is to blame
  std::optional<histories::history> culprit;
  bool timed_out = false;
  std::string stderr_tail;
  std::string where{};  // one line: what such histories have in common, if that is known
};

// Whether the two say the same of a port, but for the numbers in them.
[[nodiscard]] bool are_alike(std::string_view what, std::string_view other);

// One way in which the port broke, and the smallest history known to break it.
struct broken_port {
  breakdown what;
  std::optional<histories::history> smallest;
  bool cut_short = false;  // the time to make it smaller was over
};

}  // namespace backoff::session
