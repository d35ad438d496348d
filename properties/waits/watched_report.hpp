// The verdict on a program that was watched. Checked by: properties/oracle/watch_test.py.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judged_system.hpp"
#include "session/exit_codes.hpp"
#include "session/failure_lines.hpp"
#include "waits/judged_waits.hpp"
#include "waits/watched_program.hpp"

namespace backoff::waits {

inline constexpr double per_ms = 1e6;  // nanoseconds

struct watched_report {
  watched_program seen;
  judge::judged_system const* document = nullptr;
  judge::history with;                 // the parameters
  std::vector<std::string> arguments;  // NAME=VALUE, of each call
  tolerance allowed;
  judged_waits judged;                // its findings are those that fail the program
  std::vector<wait_finding> excused;  // and those that are known
  std::vector<session::failure_line> known;
  std::vector<session::failure_line> stale;  // of these lines, those under which nothing failed
};

// Judges the program. A line of its known failures has a claim, and the pattern `*` or `retry=N`. Throws usage_error.
[[nodiscard]] watched_report judged(watched_program seen);
// The longest documented delay before each retry, in nanoseconds.
[[nodiscard]] std::vector<double> longest_delays(watched_program const& asked_for);

[[nodiscard]] session::exit_code code_of(watched_report const& r);
[[nodiscard]] std::string verdict_of(watched_report const& r);
// The text for people, JSON, JUnit XML with a test case for each claim, and an HTML page.
[[nodiscard]] std::string to_text(watched_report const& r);
[[nodiscard]] std::string to_json(watched_report const& r);
[[nodiscard]] std::string to_junit(watched_report const& r);
[[nodiscard]] std::string to_page(watched_report const& r);

// What a report says in each form.
struct wait_claim {
  std::string_view name;
  std::string_view sentence;
};
[[nodiscard]] std::span<wait_claim const> wait_claims();
[[nodiscard]] wait_claim const& claim_of(wait_finding::fault f);
[[nodiscard]] std::string place_of(wait_finding const& f);                    // `retry 2`, or `all retries`
[[nodiscard]] std::optional<std::string> in_common(watched_report const& r);  // what wrong waits have in common
// A text for each exit status with which the program gave up.
[[nodiscard]] std::vector<std::string> ends_of(watched_report const& r);
[[nodiscard]] std::vector<std::string> not_judged(watched_report const& r);
[[nodiscard]] std::string range_text(range_ns r);                // in milliseconds
[[nodiscard]] std::string settings_of(watched_report const& r);  // parameters and arguments; empty: there are none

}  // namespace backoff::waits
