// The responses of a failing server, as text. Checked by: failing_server_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace backoff::watch {

struct response {
  std::uint32_t status = 0;
  std::optional<std::uint32_t> retry_after_s;
  bool keeps_connection = false;
};

[[nodiscard]] std::string text_of(response const& r);
// The first bytes of a response whose body is longer than that.
[[nodiscard]] std::string cut_response(std::size_t bytes);

}  // namespace backoff::watch
