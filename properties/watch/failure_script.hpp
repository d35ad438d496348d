// How a server fails, attempt by attempt: `503,503,reset,200`. Checked by: failure_script_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace backoff::watch {

// What one attempt gets. failing_server.hpp says when.
struct failure {
  enum class kind {
    status,  // an HTTP response with this status
    close,   // the connection is closed without a byte
    reset,   // the connection is reset (RST)
    hang,    // nothing, until the client disconnects
    bytes,   // the beginning of an HTTP response, of this many bytes, then close: garbage to another protocol
  };
  kind what;
  std::uint32_t number = 0;  // the status, or how many bytes

  [[nodiscard]] bool is_success() const { return what == kind::status && number / 100 == 2; }
  friend bool operator==(failure const&, failure const&) = default;
};

struct script {
  std::vector<failure> failures;               // one an attempt, never empty; the last one repeats
  std::optional<std::uint32_t> retry_after_s;  // of all statuses but 2xx

  // `attempt` counts from 0.
  [[nodiscard]] std::size_t index_at(std::size_t attempt) const { return std::min(attempt, failures.size() - 1); }
  // Whether it has a status: its clients are expected to send HTTP requests.
  [[nodiscard]] bool is_http() const;
};

// As it is written in a script.
[[nodiscard]] std::string text_of(failure const& f);

// Reads failures, separated by commas: a status from 200 to 599, `close`, `reset`, `hang` or `bytes:N` with N from 1 to
// 65536. Blanks around them do not count. Otherwise returns what is wrong, where, and what was expected. Retry-After
// needs a status that is not 2xx.
[[nodiscard]] std::variant<script, std::string> read_script(std::string_view text,
                                                            std::optional<std::uint32_t> retry_after_s = {});

}  // namespace backoff::watch
