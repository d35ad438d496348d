// A certificate: what a verdict rests on, for a reader who does not trust this program. It holds histories with what
// was answered to them, by which of them each joint reading that was admitted is refuted, at which call and by which
// claim, what survives, and each finding on its own histories. properties/certify/backoff-certify checks it without
// anything of ours; properties/protocol/certificate.schema.json is its form. Checked by:
// properties/certify/certify_test.py.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/counterexample.hpp"
#include "oracle/output_file.hpp"
#include "report/intake.hpp"
#include "report/report.hpp"

namespace backoff::oracle {

// What the file begins with, which is written at once, so that a full disk shows.
inline constexpr std::string_view before_certificate = "{\"certificate\":1,";

// The rest of the file that begins with that, where one was asked for. `shown` are the findings of the report, in its
// order; `from` is what was judged.
void end_certificate(std::optional<output_file>& file, report const& r,
                     std::vector<conformance::counterexample> const& shown, intake const& from);

}  // namespace backoff::oracle
