#include "report/print_report.hpp"

#include <cstdio>

namespace backoff::oracle {

void print(report const& r, std::string_view format) {
  auto const text = format == "json" ? to_json(r) : format == "markdown" ? to_markdown(r) : to_text(r);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace backoff::oracle
