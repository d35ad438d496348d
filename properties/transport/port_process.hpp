// The transport to a port under judgement: starts a foreign program as a child process, sends it
// lines and receives lines from it, with time-outs, and leaves nothing behind when it goes. What
// the lines mean is not known here. Checked by port_process_test.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace backoff::transport {

struct port_limits {
  // The longest one receive() may take, counted as a whole from its call: a port that drips a byte
  // now and then does not earn more time by it.
  std::chrono::milliseconds answer_timeout{10000};
  // A line with more bytes than this before its '\n' is a failure. It also bounds what is held for
  // an owner who does not receive: beyond it the port's output is left in the pipe.
  std::size_t max_line_bytes = std::size_t{64} << 20U;
  // Standard error is read without limit; only so many of its last bytes are kept.
  std::size_t stderr_tail_bytes = 4096;
  // How long finish() waits after the end of input, and again after SIGTERM, before the next
  // measure; and how long receive() waits for the exit of a port that has closed its output.
  std::chrono::milliseconds stop_grace{2000};
};

// What a port did instead of answering. what() is one line and, for the same behaviour of the port,
// the same line each time.
class port_failure : public std::runtime_error {
 public:
  enum class kind {
    cannot_start,
    no_room,  // for another process: of this one's making
    exited,
    killed_by_signal,
    closed_output,
    timed_out,
    line_too_long,
    cannot_write,
  };

  port_failure(kind reason, std::string const& what) : std::runtime_error(what), reason_(reason) {}

  [[nodiscard]] kind reason() const noexcept { return reason_; }

 private:
  kind reason_;
};

// One running port. An object belongs to one thread at a time; different objects are independent.
// Its events are handled only inside send(), receive() and finish(). A moved-from object may only
// be destroyed or assigned to.
//
// The port leads a session and process group of its own, and whatever is left of the group is
// killed when the port exits. A descendant that starts another session or group is killed once no
// port is running, where this process adopts orphans (live_groups.hpp).
//
// The first port started makes the whole process ignore SIGPIPE, unless it has a handler for it;
// the ports themselves start with the default disposition.
class port_process {
 public:
  // How a port ended. exited_by_itself: without a signal from here. had_to_be_killed: it did not
  // end within stop_grace after the end of its input and was sent SIGTERM, then perhaps SIGKILL.
  // status is its exit status, signal what killed it or 0.
  struct ending {
    bool exited_by_itself;
    int status;
    int signal;
    bool had_to_be_killed;
  };

  // Starts `command` (a program, searched for in PATH, and its arguments) with this process's
  // environment and directory. Throws port_failure(cannot_start), naming the program and the
  // system's reason, when it cannot be executed.
  explicit port_process(std::vector<std::string> command, port_limits limits = {});

  // Kills the process group at once, reaps the port and closes everything.
  ~port_process();

  port_process(port_process&& other) noexcept;
  port_process& operator=(port_process&& other) noexcept;
  port_process(port_process const&) = delete;
  port_process& operator=(port_process const&) = delete;

  // Queues `line` and a '\n' in memory, without limit, and passes on what the port takes right now.
  // That a port does not read, or is dead, is left for receive() to tell, after the answers the
  // port still gave; so which failure is reported does not depend on who was faster. Throws
  // std::invalid_argument when the line contains '\n', port_failure(cannot_write) after finish(),
  // and once receive() has thrown, the same failure again.
  void send(std::string_view line);

  // The next complete line, without its '\n' or "\r\n". Complete lines are delivered before any
  // failure; a last line without '\n' is not one. Throws port_failure when none can come:
  //   exited, killed_by_signal  the port is gone, even if a descendant holds its output open
  //   closed_output             it closed its output and is still there after stop_grace
  //   line_too_long             it wrote more than max_line_bytes without a '\n'
  //   timed_out                 answer_timeout has passed since this call
  //   cannot_write              the same, for a port which had closed its input
  // After a failure the port's input is closed, unsent lines are dropped, further output is
  // discarded, and every later call throws the same failure.
  [[nodiscard]] std::string receive();

  // Ends the input once the queued lines are written, and waits stop_grace for the port to exit;
  // then SIGTERM to the group and the same wait; then SIGKILL. Lines that arrive meanwhile can
  // still be received afterwards, but a port blocked by more unread output than max_line_bytes
  // counts as one that does not end. Does not throw for anything the port does; a second call
  // returns the same result.
  ending finish();

  // The last stderr_tail_bytes of the port's standard error so far; all of it has been seen once
  // receive() reported the exit or finish() returned.
  [[nodiscard]] std::string stderr_tail() const;

  // The port's process id, and its group's. After the exit it is only a name.
  [[nodiscard]] int pid() const noexcept;

 private:
  class session;
  std::unique_ptr<session> session_;
};

}  // namespace backoff::transport
