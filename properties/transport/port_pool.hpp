// Several processes of one port that share the histories of a run. For a port that answers each history by itself, the
// results, and what is said of its breakdowns, are those that one process alone would have given.
// Checked by: properties/oracle/oracle_test.py, which compares the reports.
#pragma once

#include <algorithm>
#include <future>
#include <memory>

#include "transport/port_session.hpp"

namespace backoff::transport {

// How what may go on side by side is started: where the system has no room for another thread, one after another.
inline constexpr auto in_a_thread_if_there_is_room = std::launch::async | std::launch::deferred;

class port_pool {
 public:
  // Starts the first process. Throws session_failure.
  port_pool(histories::shape const& s, std::vector<std::string> command, std::chrono::milliseconds timeout,
            std::size_t jobs);

  // The one that shrinks, after the run.
  [[nodiscard]] port_session& first() noexcept { return *sessions_.front(); }
  [[nodiscard]] judge::capabilities const& describes() const { return sessions_.front()->describes(); }
  // The next history is that one of the run: what is said of breakdowns names it so.
  void begin_at(std::uint64_t first) noexcept { first_ = first; }
  // Adds to it what any of them answers from now on.
  void count_in(std::atomic<std::uint64_t>& answered) noexcept;
  // Before the run, by the first process, which is then a fresh one. Throws session_failure.
  [[nodiscard]] std::vector<histories::result> probe(std::span<histories::history const> histories);
  // Which histories no process of it is sent, and after how many breakdowns a run is given up. Before the first run.
  void expect(port_session::reason held_back, std::size_t breakdowns);
  // From then on run returns the results that there are.
  void enough_at(port_session::time_point end) noexcept { enough_ = end; }
  // So many histories of the run were answered before, by processes that broke down so.
  void resume(std::uint64_t answered, std::vector<breakdown> breakdowns);
  // The next histories of the run; fewer where it is given up, which failure() then says.
  [[nodiscard]] std::vector<histories::result> run(std::span<histories::history const> histories);
  [[nodiscard]] std::optional<session_failure> const& failure() const noexcept { return failure_; }
  [[nodiscard]] std::vector<breakdown> const& breakdowns() const noexcept { return breakdowns_; }
  // Keeps the first `count` breakdowns: what was asked since is not judged.
  void forget(std::size_t count) {
    breakdowns_.erase(breakdowns_.begin() + static_cast<std::ptrdiff_t>(count), breakdowns_.end());
    forgiven_ = std::min(forgiven_, count);
  }
  // Goes on after a failure. Of the breakdowns, so many count from now on. If the port does not start again, failure()
  // says so.
  void go_on(std::size_t counted);
  // What is wrong with how its processes ended, each kind once.
  [[nodiscard]] std::vector<std::string> stop();

 private:
  struct share;
  // Processes, until there are so many. Throws session_failure.
  void start(std::size_t processes);
  [[nodiscard]] std::vector<share> shares(std::span<histories::history const> histories);
  // The results, up to the failure where there is one.
  [[nodiscard]] std::vector<histories::result> collect(std::span<share> all);

  histories::shape const* shape_;
  std::vector<std::string> command_;
  std::chrono::milliseconds timeout_;
  std::size_t jobs_;
  std::vector<std::unique_ptr<port_session>> sessions_;
  port_session::reason held_back_;
  std::size_t allowed_ = port_session::breakdowns_max;
  std::atomic<std::uint64_t>* count_ = nullptr;
  std::optional<port_session::time_point> enough_;
  std::uint64_t first_ = 0;
  std::uint64_t answered_ = 0;
  std::vector<breakdown> breakdowns_;
  std::size_t forgiven_ = 0;  // of them, the first, which count no more
  std::optional<session_failure> failure_;
};

}  // namespace backoff::transport
