// The versions of the program whose vectors and results this one reads. Checked by: properties/oracle/vectors_test.py,
// properties/oracle/results_test.py, properties/oracle/watch_test.py.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "histories/text_parts.hpp"

namespace backoff::files {

inline constexpr std::array<std::string_view, 2> readable_versions{"0.1.0", BACKOFF_VERSION};
// Why a file that this version wrote is not read; "" where it is.
[[nodiscard]] inline std::string unreadable(std::string const& version) {
  if (std::ranges::find(readable_versions, version) != readable_versions.end()) return "";
  return "written by version '" + version + "' of the tool: expected " +
         histories::text_parts::listed(readable_versions, " or ");
}

}  // namespace backoff::files
