#include "reports/print_report.hpp"

#include <cstdio>

#include "session/exit_codes.hpp"

namespace backoff::reports {

void print(report const& r, std::string_view format, look const& seen) {
  auto unwritten = r.unwritten;
  auto const text = format == "json"       ? to_json(r)
                    : format == "markdown" ? to_markdown(r)
                    : format == "quiet"    ? verdict_line(r, seen)
                                           : to_short_text(r, seen, unwritten);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!unwritten.empty()) throw usage_error(unwritten);
}

}  // namespace backoff::reports
