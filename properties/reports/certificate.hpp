// A certificate: the evidence for a verdict, for a reader who does not trust this program. It holds the histories with
// the port's answers. For each joint reading that was admitted it names the history, the call and the claim that refute
// the reading, or says that it survives. Each finding comes with its own histories.
// properties/certify/backoff-certify checks it and shares no code with this program. Its form is
// properties/protocol/certificate.schema.json. Checked by: properties/certify/certify_test.py.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/output_file.hpp"
#include "judge/counterexample.hpp"
#include "reports/report.hpp"
#include "session/result_feed.hpp"

namespace backoff::reports {

// What the file begins with, which is written at once, so that a full disk shows.
inline constexpr std::string_view before_certificate = "{\"certificate\":1,";

// That file, begun, where one is asked for. Throws usage_error for a policy: whoever checks a certificate knows the
// documents' formulas alone.
[[nodiscard]] std::optional<output_file> begun_certificate(std::string const& path, judge::judged_system const& system);

// The rest of the file that begins with that, where one was asked for. `shown` are the findings of the report, in its
// order; `from` is what was judged.
void end_certificate(std::optional<output_file>& file, report const& r, std::vector<judge::counterexample> const& shown,
                     result_feed const& from);

}  // namespace backoff::reports
