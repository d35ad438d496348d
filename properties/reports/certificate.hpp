// A certificate: the evidence for a verdict, for a reader who does not trust this program. It holds the histories with
// the port's answers. For each assignment of the readings that was admitted, it names the history, the call and the
// claim that refute the assignment, or says that it survives. Each finding comes with its own histories.
// properties/certify/backoff-certify checks it and shares no code with this program. Its form is
// properties/protocol/certificate.schema.json. Checked by: properties/certify/certificates_test.py.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "files/output_file.hpp"
#include "judge/counterexample.hpp"
#include "reports/report.hpp"
#include "session/result_feed.hpp"

namespace backoff::reports {

// The beginning of the file. It is written when the file is opened, so that a full disk shows at once.
inline constexpr std::string_view before_certificate = "{\"certificate\":1,";

// Writes the rest of the file and commits it; does nothing where there is none. `shown` are the findings in the order
// of the report; `from` holds what was judged.
void end_certificate(std::optional<output_file>& file, report const& r, std::vector<judge::counterexample> const& shown,
                     result_feed const& from);

}  // namespace backoff::reports
