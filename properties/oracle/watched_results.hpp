// What `watch` prints, and what `report` makes of its results. Checked by: properties/oracle/watch_test.py.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/output_file.hpp"
#include "session/exit_codes.hpp"
#include "session/options.hpp"
#include "waits/watched_report.hpp"

namespace backoff::oracle {

exit_code show(watched_report const& r, report_options const& options, std::optional<output_file>& junit);

// Whether these files are results of `watch`. Throws usage_error where only some of them are.
[[nodiscard]] bool are_of_watch(std::vector<std::string> const& files);
// Judges them again, as the runs of one program.
exit_code report_watched(std::vector<std::string> const& files, report_options const& options);

}  // namespace backoff::oracle
