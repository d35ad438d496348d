// A foreign port as a subject: a child process spoken to in port protocol 1, in batches, several in flight.
// Checked by: properties/oracle/oracle_test.py against real programs.
#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "judge/subject.hpp"
#include "oracle/port_process.hpp"

namespace backoff::oracle {

// The port crashed, hung or broke the protocol. what() is one line that says what happened and at which history;
// `culprit` is that history where it is known.
struct session_failure : std::runtime_error {
  session_failure(std::string const& what, std::optional<conformance::history> history, std::string tail)
      : runtime_error(what), culprit(std::move(history)), stderr_tail(std::move(tail)) {}
  std::optional<conformance::history> culprit;
  std::string stderr_tail;
};

class port_session final : public conformance::subject {
 public:
  // Starts the port and asks what it can do. Throws session_failure.
  port_session(conformance::shape const& s, std::vector<std::string> command, std::chrono::milliseconds timeout);

  [[nodiscard]] conformance::capabilities const& describes() const override { return about_; }
  // Throws session_failure. A failure inside a batch is traced to its history by asking a fresh process one by one.
  [[nodiscard]] std::vector<conformance::result> run(std::span<conformance::history const> histories) override;
  // Says stop and waits for the end; kills what does not end.
  void stop();

 private:
  struct batch {
    std::size_t from;
    std::size_t count;
    std::uint64_t id;
  };

  void start();
  [[nodiscard]] std::string request(std::span<conformance::history const> all, batch& b);
  [[noreturn]] void trace(std::span<conformance::history const> all, batch const& b, std::exception const& error);

  conformance::shape const* shape_;
  std::vector<std::string> command_;
  port_limits limits_;
  conformance::capabilities about_;
  std::unique_ptr<port_process> process_;
  std::uint64_t next_id_ = 1;
  std::uint64_t answered_ = 0;
};

}  // namespace backoff::oracle
