// A C library with a documented interface as the port: the host that stands beside this program loads it and speaks the
// protocol. Checked by: properties/oracle/library_test.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace backoff::transport {

// The command that starts the host for that library; `constants` are NAME=VALUE, what is compiled into it. Throws
// usage_error: the document describes no C interface, it has no such constants, or the host is
// not there.
[[nodiscard]] std::vector<std::string> host_command(std::string_view stem, std::string const& library,
                                                    std::vector<std::string> const& constants);

}  // namespace backoff::transport
