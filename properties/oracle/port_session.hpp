// A foreign port: a child process spoken to in port protocol 1, in batches, several in flight.
// Checked by: properties/oracle/oracle_test.py against real programs.
#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "judge/subject.hpp"
#include "oracle/port_process.hpp"
#include "report/breakdown.hpp"

namespace backoff::oracle {

class port_session {
 public:
  // Starts the port and asks what it can do. Throws session_failure.
  port_session(conformance::shape const& s, std::vector<std::string> command, std::chrono::milliseconds timeout);

  [[nodiscard]] conformance::capabilities const& describes() const noexcept { return about_; }
  // The same as it was said: one line of JSON.
  [[nodiscard]] std::string const& said() const noexcept { return said_; }
  // A failure inside a batch is traced to its history by asking a fresh process one by one; that history's result says
  // what broke, and the rest is judged by another process. Throws session_failure after `restarts_max` of these, or as
  // many as `restart` allowed.
  [[nodiscard]] std::vector<conformance::result> run(std::span<conformance::history const> histories);
  // Says stop and waits for the end; kills what does not end.
  void stop();

  // Before histories `first`, `first` + 1, … of a run that has seen `before` breakdowns, in other processes too.
  // answers: one of them has answered something.
  void resume(std::uint64_t first, std::size_t before, bool answers);
  [[nodiscard]] std::vector<breakdown> take_breakdowns() { return std::exchange(breakdowns_, {}); }
  static constexpr std::size_t restarts_max = 5;
  [[nodiscard]] static session_failure too_many(breakdown const& b, std::int64_t restarts = restarts_max);
  // A fresh process, for which the next history is number 1 of those that breakdowns speak of. Throws session_failure.
  void restart_uncounted();
  // Starts a fresh process, forgets the breakdowns and allows this many. Throws session_failure.
  void restart(std::size_t allowed);

 private:
  struct batch {
    std::size_t from;
    std::size_t count;
    std::uint64_t id;
  };

  void start();
  // After a breakdown; throws session_failure, naming that too.
  void start_again(std::exception const& error);
  [[nodiscard]] std::string request(std::span<conformance::history const> all, batch& b);
  void trace(std::span<conformance::history const> all, batch const& b, std::exception const& error,
             std::vector<conformance::result>& results);
  void note(std::exception const& error, std::optional<std::size_t> index, std::optional<conformance::history> culprit);

  conformance::shape const* shape_;
  std::vector<std::string> command_;
  port_limits limits_;
  conformance::capabilities about_;
  std::string said_;
  std::unique_ptr<port_process> process_;
  std::uint64_t next_id_ = 1;
  std::uint64_t answered_ = 0;
  bool answered_anything_ = false;
  std::size_t allowed_ = restarts_max;
  std::size_t before_ = 0;  // breakdowns elsewhere, which count too
  std::vector<breakdown> breakdowns_;
};

}  // namespace backoff::oracle
