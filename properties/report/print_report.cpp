#include "report/print_report.hpp"

#include <cstdio>

namespace backoff::oracle {

void print(report const& r, std::string_view format, look const& seen) {
  auto const text = format == "json"       ? to_json(r)
                    : format == "markdown" ? to_markdown(r)
                    : format == "quiet"    ? verdict_line(r, seen)
                                           : to_text(r, seen);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace backoff::oracle
