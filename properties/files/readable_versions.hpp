// The versions of the program whose vectors and results this one reads. Checked by: properties/oracle/vectors_test.py,
// properties/oracle/results_test.py.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace backoff::files {

inline constexpr std::array<std::string_view, 2> readable_versions{"0.1.0", BACKOFF_VERSION};
[[nodiscard]] inline bool is_readable(std::string_view version) noexcept {
  return std::ranges::find(readable_versions, version) != readable_versions.end();
}

}  // namespace backoff::files
