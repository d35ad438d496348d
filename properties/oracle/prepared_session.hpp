// What is read, opened and refused before a port is started. Checked by: properties/oracle/results_test.py.
#pragma once

#include <optional>
#include <string>

#include "files/output_file.hpp"
#include "files/results.hpp"
#include "judge/run.hpp"
#include "oracle/report_files.hpp"
#include "oracle/resumed_results.hpp"
#include "session/known_failing.hpp"
#include "session/options.hpp"

namespace backoff::oracle {

struct prepared_session {
  judge::run_options judged_by;
  std::optional<resumed_results> resumed;
  std::optional<results_writer> results;
  report_files reports;
  std::optional<output_file> failing;
  known_failing known;
  bool learns;  // whether the answers are kept, to learn from them
};

// resume: a results file of the same run, which was cut off; its answers are judged before the port is asked.
// known: the known failures, in place of those of a file. Throws usage_error.
[[nodiscard]] prepared_session prepare(judge::judged_system const& system, judging_options const& options,
                                       std::string const& resume = {}, known_failing const* known = nullptr);

}  // namespace backoff::oracle
