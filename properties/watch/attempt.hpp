// What a server notes of the attempts of one client. Checked by: failing_server_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backoff::watch {

// Times are in nanoseconds of the monotonic clock. The wait before attempt i + 1 is came_ns of i + 1 less failed_ns of
// i. Where attempts overlap it is negative; otherwise it is never shorter than the client's own wait: it also has the
// time of the failure's way to the client, and of the next attempt's way back.
struct attempt {
  // What the client sent before its failure, or while it hung.
  enum class form {
    nothing,     // it was failed before it could, or is not of HTTP and has not spoken
    http,        // an HTTP/1 request
    tls,         // a TLS handshake: the client takes the port for that of https
    http2,       // HTTP/2 without an upgrade, which this server does not speak
    unreadable,  // something else
  };

  // The connection was accepted; the first byte of the request was read, if this is not the first request of its
  // connection, or if another attempt was failed in between: such a connection was opened ahead.
  std::int64_t came_ns = 0;
  // Taken just before the failure was handed to the kernel. Nothing: the run ended first.
  std::optional<std::int64_t> failed_ns;
  // The client disconnected, or ended its output, before a failure was given, as it must where it hangs. Then failed_ns
  // is when this was seen: later than it was, and what is measured is shorter than the wait by that.
  bool client_left = false;
  bool kept_connection = false;  // not the first request of its connection
  std::size_t failure = 0;       // which one of the script
  form said = form::nothing;
  std::string method;  // of an HTTP request, at most 32 bytes; empty: none was read
  std::string target;  // the same, at most 200 bytes
};

struct server_notes {
  std::vector<attempt> attempts;         // in the order in which they began
  std::uint64_t unused_connections = 0;  // closed by the client without a byte, to a script of HTTP: no attempts
};

}  // namespace backoff::watch
