// A server on loopback that fails each attempt of a client as a script says, in a loop of its owner. One serves one
// client. Checked by: failing_server_test.cpp.
//
// When an attempt begins, and when it gets its failure:
//   close, reset   at once when the connection is accepted; on a kept connection, after the complete request
//   hang, bytes    in a script with a status: after the complete request; in one without: at once, whatever the client
//                  says or waits for
//   a status       after the complete request, header and body
// Which failure that is, is decided by the order in which attempts begin. Where a client is to speak first, an attempt
// begins with the first byte. Bytes that are no HTTP/1 request get the failure too, as soon as that is seen, and the
// connection is closed. A connection is kept after a status if HTTP says so. A close ends the output; what the client
// still sends is read and dropped for up to two seconds, so that it sees an end and not a reset.
#pragma once

#include <uv.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>

#include "watch/attempt.hpp"
#include "watch/failure_script.hpp"

namespace backoff::watch {

class failing_server {
 public:
  // Calls `changed` after an attempt has begun, been failed, or a connection turned out unused.
  failing_server(uv_loop_t& loop, script const& failures, std::function<void()> changed);
  failing_server(failing_server const&) = delete;  // libuv holds its address
  failing_server& operator=(failing_server const&) = delete;
  // It must have been closed, and the loop have run since.
  ~failing_server() = default;

  // On 127.0.0.1, at a port that the kernel chooses. Returns libuv's error or 0.
  [[nodiscard]] int listen();
  [[nodiscard]] int port() const { return port_; }
  // Closes the port and all connections. Attempts without a failure stay so; `changed` is not called any more.
  void close();

  [[nodiscard]] server_notes const& notes() const { return notes_; }
  // Forgets the attempts so far, all of which must have been failed: the script begins anew.
  void forget() { notes_.attempts.clear(); }
  // All that came, also what has not spoken yet.
  [[nodiscard]] std::size_t came() const;
  // How many attempts in a row have failed, where the client is to come back: every attempt has got its failure, and
  // the last one was no success. Otherwise 0.
  [[nodiscard]] std::size_t failed_in_a_row() const;
  // Whether the last attempt has succeeded, and all that follow would.
  [[nodiscard]] bool succeeded_for_good() const;

 private:
  class connection;

  // Returns which one it is.
  std::size_t begin(std::int64_t came_ns, bool kept);
  void fail(std::size_t index, std::int64_t failed_ns, bool client_left);
  void tell() const;

  uv_loop_t* loop_;
  uv_tcp_t listener_{};
  script const* failures_;
  std::function<void()> changed_;
  int port_ = 0;
  bool closed_ = false;
  server_notes notes_;
  std::unordered_set<connection*> connections_;
  std::size_t silent_ = 0;  // connections without an attempt so far
  std::size_t open_ = 0;    // attempts without a failure
  std::int64_t last_failed_ns_ = 0;
  std::array<char, std::size_t{64} << 10U> chunk_{};  // of the one that reads
};

}  // namespace backoff::watch
