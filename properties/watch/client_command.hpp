// The command line and environment by which a program is told where its server is. Checked by: client_command_test.cpp.
//
// In both, {url} stands for http://127.0.0.1:PORT, {host} for 127.0.0.1, {port} for PORT, {target} for 127.0.0.1:PORT.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace backoff::watch {

// Whether any of them has one of the four: otherwise the program does not learn where to connect.
[[nodiscard]] bool names_the_server(std::span<std::string const> command, std::span<std::string const> environment);

[[nodiscard]] std::string with_server(std::string_view text, int port);
[[nodiscard]] std::vector<std::string> with_server(std::span<std::string const> texts, int port);

// This process's environment, then BACKOFF_RUN=index, then `added`, of NAME=VALUE; later ones replace earlier ones.
// Also adds 127.0.0.1 to no_proxy and NO_PROXY, as the requests of a client behind a proxy would not come here.
[[nodiscard]] std::vector<std::string> client_environment(std::span<std::string const> added, std::uint64_t index,
                                                          int port);

}  // namespace backoff::watch
