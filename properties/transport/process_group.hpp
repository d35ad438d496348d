// A child process that leads a session and process group of its own, in a loop of its owner. Whatever is left of the
// group is killed when the child exits. Live groups are known to live_groups.hpp, so that a signal that ends this
// process ends them. Checked by: port_process_test.cpp; properties/watch/watch_runs_test.cpp.
#pragma once

#include <uv.h>

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "transport/uv_handles.hpp"

namespace backoff::transport {

// A killed process goes at once, unless it may not be killed (set-user-id) or hangs in the kernel. Then it is better to
// leave it than to hang here too.
inline constexpr std::chrono::milliseconds kill_patience{5000};

class process_group {
 public:
  // How the child ended: its exit status, and the signal that killed it or 0.
  using on_exit = std::function<void(int status, int signal)>;

  process_group() = default;
  process_group(process_group const&) = delete;  // libuv holds its address
  process_group& operator=(process_group const&) = delete;
  // The loop must have run since close(). If no child is running any more, ends what has left the groups.
  ~process_group();

  // Starts `command`, not empty, searched for in PATH, with these as its descriptors from 0 on; a negative one is
  // /dev/null. `environment`, of NAME=VALUE: nothing means this process's. Returns libuv's error or 0;
  // that there is no memory is none of them (session/out_of_memory.hpp).
  [[nodiscard]] int start(uv_loop_t& loop, std::vector<std::string>& command, std::span<int const> descriptors,
                          std::vector<std::string>* environment, on_exit exited);
  void signal(int signal) const;
  [[nodiscard]] bool running() const { return pid_ != 0 && !exited_; }
  // The child's process id, and its group's; 0 before start. After the exit it is only a name.
  [[nodiscard]] int pid() const { return pid_; }
  // Forgets a child that does not die. Afterwards nothing is told of it.
  void close();

 private:
  uv_process_t process_{};
  on_exit told_;
  int pid_ = 0;
  bool exited_ = false;
};

}  // namespace backoff::transport
