// The files of a report, which stand beside what is printed. Checked by: properties/oracle/results_test.py,
// properties/certify/certificates_test.py.
#pragma once

#include <optional>
#include <vector>

#include "files/output_file.hpp"
#include "judge/counterexample.hpp"
#include "reports/report.hpp"
#include "session/options.hpp"
#include "session/result_feed.hpp"

namespace backoff::oracle {

struct report_files {
  // Begins the files that are asked for, so that one that cannot be written fails before the run. Throws usage_error.
  explicit report_files(report_options const& options);
  // Writes them. `shown` are the findings of the report, in its order; `from` is what was judged.
  void write(report const& r, std::vector<judge::counterexample> const& shown, result_feed const& from);

  std::optional<output_file> junit;
  std::optional<output_file> certificate;
};

}  // namespace backoff::oracle
