// A program that runs against a failing server of its own, in a loop of its owner, until one of its ends.
// Checked by: watch_runs_test.cpp.
#pragma once

#include <uv.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "transport/process_group.hpp"
#include "transport/uv_handles.hpp"
#include "watch/failing_server.hpp"
#include "watch/failure_script.hpp"
#include "watch/run.hpp"

namespace backoff::watch {

class watched_client {
 public:
  // Calls `ended` once: result() is whole then, all handles are being closed, and the loop must run once more before
  // the client is destroyed.
  watched_client(uv_loop_t& loop, script const& failures, run_limits const& limits, std::uint64_t index,
                 std::function<void(watched_client&)> ended);
  watched_client(watched_client const&) = delete;  // libuv holds its address
  watched_client& operator=(watched_client const&) = delete;

  // Starts the program, with `command` and `environment` as client_command.hpp has them; stdin is /dev/null.
  void start(std::span<std::string const> command, std::span<std::string const> environment);
  // Closes the port and ends the program: SIGTERM to its group, and SIGKILL after stop_grace. Nothing once it is
  // ending.
  void cut_off(run::ending why);
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] run& result() { return result_; }

 private:
  [[nodiscard]] int start_program(std::span<std::string const> command, std::span<std::string const> environment);
  void on_exit(int status, int signal);
  void end_as(run::ending why);
  void changed();
  void settle();
  void finish();

  uv_loop_t* loop_;
  run_limits limits_;
  std::function<void(watched_client&)> ended_;
  run result_;
  failing_server server_;
  transport::process_group program_;
  transport::output_tail output_;
  transport::output_tail errors_;
  uv_timer_t time_{};  // most_time; then stop_grace; then the wait for what is on its way
  uv_timer_t idle_{};
  bool ending_ = false;  // decided, and result_.ended says how
  bool finished_ = false;
  int settled_ = 0;
};

}  // namespace backoff::watch
