// Reads HTTP/1 requests from the bytes of a connection, one after another, by the parser of Boost.Beast.
// Checked by: failing_server_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "watch/attempt.hpp"

namespace backoff::watch {

class http_request {
 public:
  enum class state {
    partial,
    complete,
    wrong,  // not an HTTP/1 request, or a header of more than 64 KiB; said() tells what it looks like
  };

  http_request();
  ~http_request();

  // Takes bytes behind those that it has. The body is read to its end and dropped. Bytes behind a complete request are
  // kept, for next().
  state take(std::string_view bytes);
  // Begins the next request with the bytes that are left. False: none are.
  bool next();

  [[nodiscard]] attempt::form said() const;
  // Of a request whose header is complete; else empty. Cut to the bounds of attempt.
  [[nodiscard]] std::string const& method() const;
  [[nodiscard]] std::string const& target() const;
  [[nodiscard]] bool keeps_connection() const;
  // Once for a request that waits for "100 Continue" before it sends its body.
  [[nodiscard]] bool take_expectation();

 private:
  class parser;
  std::unique_ptr<parser> parser_;
  std::string left_;  // not yet consumed
};

}  // namespace backoff::watch
