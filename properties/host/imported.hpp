// Which functions a loaded library asks others for. Checked by: properties/oracle/library_test.py.
#pragma once

#include <string_view>

namespace backoff::host {

// Whether the library that has this function leaves one of that name to others to define. Without a library: no.
[[nodiscard]] bool imports(void const* function, std::string_view name) noexcept;

}  // namespace backoff::host
