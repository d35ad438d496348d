// The transport to a port under judgement, on libuv: one event loop for each port, run only while
// the owner is inside one of the calls. The only file that knows of libuv. Checked by
// port_process_test.cpp.
#include "transport/port_process.hpp"

#include <sys/ioctl.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "transport/live_groups.hpp"

namespace backoff::transport {
namespace {

using std::chrono::milliseconds;
using kind = port_failure::kind;

// A killed process goes at once, unless it may not be killed (set-user-id) or hangs in the kernel.
// Then it is better to leave it than to hang here too.
constexpr milliseconds kill_patience{5000};
// As much as a pipe holds by default, so that one read empties it.
constexpr std::size_t chunk_bytes = std::size_t{64} << 10U;

// Held while a port has been started but is not yet known as running: it is no orphan.
std::mutex starting;

std::string system_reason(int code) {
  auto text = std::array<char, 128>{};
  return uv_strerror_r(code, text.data(), text.size());
}

void check(int code, std::string const& failing) {
  if (code >= 0) return;
  bool const ours = code == UV_EMFILE || code == UV_ENFILE || code == UV_ENOMEM || code == UV_EAGAIN;
  throw port_failure(ours ? kind::no_room : kind::cannot_start, failing + ": " + system_reason(code));
}

// A write to a dead port must be an error and not the end of this process.
void ignore_broken_pipes() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction current{};
    if (sigaction(SIGPIPE, nullptr, &current) == 0 && current.sa_handler == SIG_DFL) {
      static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    }
  });
}

class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  void release() { fd_ = -1; }

 private:
  int fd_;
};

// One line on its way to the port; libuv hands the request back in its callback.
struct outgoing {
  uv_write_t request{};
  std::string bytes;
};

// What a line waiting to be received counts as: a flood of empty ones must not be free.
std::size_t room_of(std::string const& line) { return line.size() + sizeof(std::string); }

void close_handle(auto& handle) {
  auto* const base = reinterpret_cast<uv_handle_t*>(&handle);
  if (uv_is_closing(base) == 0) uv_close(base, nullptr);
}

bool is_closed(auto const& handle) { return uv_is_closing(reinterpret_cast<uv_handle_t const*>(&handle)) != 0; }

uv_stream_t* stream(uv_pipe_t& pipe) { return reinterpret_cast<uv_stream_t*>(&pipe); }

// Makes a pipe, opens its end on this side (0 to read, 1 to write) as `ours`, returns the port's.
// A plain pipe, not one of libuv's usual socket pairs: /dev/stdin cannot be opened when it is a
// socket. Both ends are close-on-exec; ours is made non-blocking by uv_pipe_open.
descriptor connect(uv_pipe_t& ours, std::size_t side, std::string const& failing) {
  auto ends = std::array<uv_file, 2>{};
  check(uv_pipe(ends.data(), 0, 0), failing);
  auto our_end = descriptor(ends[side]);
  auto their_end = descriptor(ends[1 - side]);
  check(uv_pipe_open(&ours, our_end.get()), failing);
  our_end.release();
  return their_end;
}

std::size_t bytes_waiting(uv_pipe_t const& pipe) {
  auto fd = uv_os_fd_t{};
  auto count = 0;
  if (uv_fileno(reinterpret_cast<uv_handle_t const*>(&pipe), &fd) != 0) return 0;
  if (ioctl(fd, FIONREAD, &count) != 0 || count < 0) return 0;
  return static_cast<std::size_t>(count);
}

}  // namespace

class port_process::session {
 public:
  explicit session(port_limits limits);
  session(session const&) = delete;  // libuv holds its address
  ~session();
  void start(std::vector<std::string>& command);
  void send(std::string_view line);
  std::string receive();
  ending finish();
  [[nodiscard]] std::string_view tail() const;
  [[nodiscard]] int pid() const { return pid_; }

 private:
  // A stream from the port. After the port's exit only what was in the pipe at that moment is still
  // read: waiting for the end of file would mean waiting for whoever else holds the pipe.
  struct inlet {
    uv_pipe_t pipe{};
    std::size_t left_after_exit = 0;
  };

  // libuv calls these from C: out of memory in one of them ends the process.
  static session& of(auto const* handle) { return *static_cast<session*>(handle->loop->data); }
  static void on_alloc(uv_handle_t* handle, std::size_t suggested, uv_buf_t* buffer);
  static void on_read(uv_stream_t* from, ssize_t count, uv_buf_t const* buffer);
  static void on_written(uv_write_t* request, int status);
  static void on_exit(uv_process_t* process, std::int64_t status, int signal);

  void split(std::string_view bytes);
  void keep_tail(std::string_view bytes);
  void update_reading();
  std::string take_line();
  template <typename Condition>
  bool wait_until(milliseconds limit, Condition const& condition);
  [[noreturn]] void fail(kind reason, std::string const& what);
  void signal_group(int signal) const { static_cast<void>(::kill(-pid_, signal)); }
  // The exit is known, and so are the last words on standard error.
  [[nodiscard]] bool ended() const { return exited_ && is_closed(errors_.pipe); }

  port_limits limits_;
  uv_loop_t loop_{};
  uv_timer_t timer_{};
  uv_process_t process_{};
  uv_pipe_t input_{};
  inlet output_;
  inlet errors_;
  // Shared by both inlets: libuv fills a buffer and delivers it before it asks for the next.
  std::array<char, chunk_bytes> chunk_{};

  std::deque<std::string> lines_;  // complete, any '\r' still at the end
  std::size_t lines_room_ = 0;
  std::string partial_;  // the beginning of the line after them: no '\n', within max_line_bytes
  std::string tail_;     // of standard error, at least as much as is to be kept
  bool reading_output_ = false;
  bool too_long_ = false;
  bool expired_ = false;

  std::size_t writes_pending_ = 0;
  bool input_ending_ = false;
  int write_error_ = 0;

  int pid_ = 0;
  bool exited_ = false;
  int exit_status_ = 0;
  int exit_signal_ = 0;

  std::optional<port_failure> failure_;
  std::optional<ending> ending_;
};

port_process::session::session(port_limits limits) : limits_(limits) {
  check(uv_loop_init(&loop_), "cannot start the port: no event loop");
  loop_.data = this;
  // None of these can fail; the destructor finds the same handles whether the port started or not.
  uv_timer_init(&loop_, &timer_);
  uv_pipe_init(&loop_, &input_, 0);
  uv_pipe_init(&loop_, &output_.pipe, 0);
  uv_pipe_init(&loop_, &errors_.pipe, 0);
}

port_process::session::~session() {
  auto const running = pid_ != 0 && !exited_;
  // The kill comes first: the port must not notice, and act upon, the end of its streams.
  if (running) signal_group(SIGKILL);
  close_handle(input_);
  close_handle(output_.pipe);
  close_handle(errors_.pipe);
  if (running) wait_until(kill_patience, [this] { return exited_; });
  close_handle(timer_);
  if (process_.loop != nullptr) close_handle(process_);
  uv_run(&loop_, UV_RUN_DEFAULT);
  uv_loop_close(&loop_);
  if (pid_ == 0) return;
  auto const lock = std::scoped_lock(starting);
  if (live_groups::none()) live_groups::end_orphans();
}

void port_process::session::start(std::vector<std::string>& command) {
  if (command.empty()) throw port_failure(kind::cannot_start, "cannot start the port: no command");
  ignore_broken_pipes();
  auto const failing = "cannot start the port '" + command.front() + "'";
  auto const child_input = connect(input_, 1, failing);
  auto const child_output = connect(output_.pipe, 0, failing);
  auto const child_errors = connect(errors_.pipe, 0, failing);
  auto stdio = std::array<uv_stdio_container_t, 3>{};
  for (auto& each : stdio) each.flags = UV_INHERIT_FD;
  stdio[0].data.fd = child_input.get();
  stdio[1].data.fd = child_output.get();
  stdio[2].data.fd = child_errors.get();

  auto arguments = std::vector<char*>{};
  for (auto& each : command) arguments.push_back(each.data());
  arguments.push_back(nullptr);

  auto options = uv_process_options_t{};
  options.exit_cb = on_exit;
  options.file = command.front().c_str();
  options.args = arguments.data();
  options.flags = UV_PROCESS_DETACHED;
  options.stdio_count = static_cast<int>(stdio.size());
  options.stdio = stdio.data();
  {
    auto const lock = std::scoped_lock(starting);
    check(uv_spawn(&loop_, &process_, &options), failing);
    pid_ = process_.pid;
    live_groups::add(pid_);
  }
  check(uv_read_start(stream(errors_.pipe), on_alloc, on_read), failing);
  update_reading();
}

void port_process::session::on_alloc(uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
  auto& chunk = of(handle).chunk_;
  *buffer = uv_buf_t{chunk.data(), chunk.size()};
}

void port_process::session::on_read(uv_stream_t* from, ssize_t count, uv_buf_t const* buffer) {
  if (count == 0) return;  // nothing there after all
  auto& self = of(from);
  auto const is_output = from == stream(self.output_.pipe);
  auto& source = is_output ? self.output_ : self.errors_;
  if (count < 0) return close_handle(source.pipe);
  auto const bytes = std::string_view(buffer->base, static_cast<std::size_t>(count));
  is_output ? self.split(bytes) : self.keep_tail(bytes);
  if (self.exited_) {
    source.left_after_exit -= std::min(source.left_after_exit, bytes.size());
    if (source.left_after_exit == 0) close_handle(source.pipe);
  }
  self.update_reading();
}

void port_process::session::on_written(uv_write_t* request, int status) {
  auto& self = of(request->handle);
  delete static_cast<outgoing*>(request->data);
  --self.writes_pending_;
  if (status < 0 && status != UV_ECANCELED) self.write_error_ = status;
  auto const all_written = self.input_ending_ && self.writes_pending_ == 0;
  // libuv would keep the lines behind a failed one for ever; closing cancels them.
  if (self.write_error_ != 0 || all_written) close_handle(self.input_);
}

void port_process::session::on_exit(uv_process_t* process, std::int64_t status, int signal) {
  auto& self = of(process);
  self.exited_ = true;
  self.exit_status_ = static_cast<int>(status);
  self.exit_signal_ = signal;
  for (auto* const each : {&self.output_, &self.errors_}) {
    if (is_closed(each->pipe)) continue;
    each->left_after_exit = bytes_waiting(each->pipe);
    if (each->left_after_exit == 0) close_handle(each->pipe);
  }
  // Here and not later: libuv has reaped the port this very moment, so its number, unless kept by
  // the rest of the group, cannot have come to mean another process group yet.
  self.signal_group(SIGKILL);
  live_groups::remove(self.pid_);
  close_handle(self.process_);
  close_handle(self.input_);
}

void port_process::session::split(std::string_view bytes) {
  if (failure_ || too_long_) return;
  while (!bytes.empty()) {
    auto const end = bytes.find('\n');
    auto const piece = bytes.substr(0, end);
    if (piece.size() > limits_.max_line_bytes - partial_.size()) {
      too_long_ = true;
      partial_ = {};
      return;
    }
    partial_.append(piece);
    if (end == std::string_view::npos) return;
    lines_room_ += room_of(partial_);
    lines_.push_back(std::exchange(partial_, {}));
    bytes.remove_prefix(end + 1);
  }
}

void port_process::session::keep_tail(std::string_view bytes) {
  auto const kept = limits_.stderr_tail_bytes;
  if (bytes.size() > kept) bytes.remove_prefix(bytes.size() - kept);
  tail_.append(bytes);
  // Only when there is as much to drop as to keep, or every few bytes would move the whole tail.
  if (tail_.size() / 2 > kept) tail_.erase(0, tail_.size() - kept);
}

// Starts or stops reading output, whichever the state asks for. A line that is just arriving is
// always read on, to its end or until it is too long, when no complete one is there to be received.
void port_process::session::update_reading() {
  if (is_closed(output_.pipe)) return;
  auto const full = !lines_.empty() && lines_room_ + partial_.size() > limits_.max_line_bytes;
  auto const wanted = failure_ || (!too_long_ && !full);
  if (wanted == reading_output_) return;
  reading_output_ = wanted;
  auto* const from = stream(output_.pipe);
  wanted ? uv_read_start(from, on_alloc, on_read) : uv_read_stop(from);
}

std::string port_process::session::take_line() {
  auto line = std::move(lines_.front());
  lines_.pop_front();
  lines_room_ -= room_of(line);
  update_reading();
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

template <typename Condition>
bool port_process::session::wait_until(milliseconds limit, Condition const& condition) {
  if (condition()) return true;
  expired_ = false;
  auto const on_expiry = [](uv_timer_t* timer) {
    of(timer).expired_ = true;
    // Or the loop, having no timer any more, could go on to wait for an event for ever.
    uv_stop(timer->loop);
  };
  uv_update_time(&loop_);
  auto const span = std::max(limit, milliseconds{0}).count();
  uv_timer_start(&timer_, on_expiry, static_cast<std::uint64_t>(span), 0);
  while (!condition() && !expired_) uv_run(&loop_, UV_RUN_ONCE);
  // What has come by now counts: this process itself may have been held up (stopped) until now.
  if (!condition()) uv_run(&loop_, UV_RUN_NOWAIT);
  uv_timer_stop(&timer_);
  return condition();
}

void port_process::session::send(std::string_view line) {
  if (line.find('\n') != std::string_view::npos) {
    throw std::invalid_argument("a line for the port contains a line feed");
  }
  if (failure_) throw *failure_;
  if (input_ending_) throw port_failure(kind::cannot_write, "the port's input has been ended");
  if (is_closed(input_)) return;

  auto message = std::make_unique<outgoing>();
  message->bytes.reserve(line.size() + 1);
  message->bytes.append(line).push_back('\n');
  message->request.data = message.get();
  auto const buffer = uv_buf_t{message->bytes.data(), message->bytes.size()};
  auto const code = uv_write(&message->request, stream(input_), &buffer, 1, on_written);
  if (code == 0) {
    static_cast<void>(message.release());
    ++writes_pending_;
  } else {
    write_error_ = code;
    close_handle(input_);
  }
  uv_run(&loop_, UV_RUN_NOWAIT);
}

std::string port_process::session::receive() {
  if (failure_) throw *failure_;
  // A line that is already here must not keep the queued ones from a port which has become idle.
  if (writes_pending_ > 0) uv_run(&loop_, UV_RUN_NOWAIT);
  wait_until(limits_.answer_timeout, [this] { return !lines_.empty() || too_long_ || is_closed(output_.pipe); });
  if (!lines_.empty()) return take_line();
  if (too_long_) {
    auto const limit = std::to_string(limits_.max_line_bytes);
    fail(kind::line_too_long, "the port wrote a line longer than " + limit + " bytes");
  }
  if (is_closed(output_.pipe)) {
    // An exit closes the output just before it becomes known itself.
    wait_until(limits_.stop_grace, [this] { return ended(); });
    auto const when = std::string(" before it answered");
    if (!exited_) fail(kind::closed_output, "the port closed its output" + when);
    auto const number = std::to_string(exit_signal_ == 0 ? exit_status_ : exit_signal_);
    if (exit_signal_ == 0) fail(kind::exited, "the port exited with status " + number + when);
    fail(kind::killed_by_signal,
         "the port was killed by signal " + number + " (" + strsignal(exit_signal_) + ")" + when);
  }
  auto const limit = std::to_string(limits_.answer_timeout.count());
  auto const silence = "gave no answer within " + limit + " ms";
  if (write_error_ != 0) {
    fail(kind::cannot_write, "the port takes no input (" + system_reason(write_error_) + ") and " + silence);
  }
  fail(kind::timed_out, "the port " + silence);
}

void port_process::session::fail(kind reason, std::string const& what) {
  failure_.emplace(reason, what + (partial_.empty() ? "" : ", in the middle of a line"));
  partial_ = {};
  close_handle(input_);
  update_reading();
  uv_run(&loop_, UV_RUN_NOWAIT);  // frees the lines that were not written
  throw *failure_;
}

port_process::ending port_process::session::finish() {
  if (ending_) return *ending_;
  input_ending_ = true;
  if (writes_pending_ == 0) close_handle(input_);
  auto const has_ended = [this] { return ended(); };
  wait_until(limits_.stop_grace, has_ended);
  auto const by_itself = exited_;
  if (!exited_) {
    signal_group(SIGTERM);
    wait_until(limits_.stop_grace, has_ended);
  }
  if (!exited_) {
    signal_group(SIGKILL);
    wait_until(kill_patience, has_ended);
  }
  ending_ = ending{by_itself, exit_status_, exit_signal_, !by_itself};
  return *ending_;
}

std::string_view port_process::session::tail() const {
  auto const kept = std::min(tail_.size(), limits_.stderr_tail_bytes);
  return std::string_view(tail_).substr(tail_.size() - kept);
}

port_process::port_process(std::vector<std::string> command, port_limits limits)
    : session_(std::make_unique<session>(limits)) {
  session_->start(command);
}

port_process::~port_process() = default;
port_process::port_process(port_process&& other) noexcept = default;
port_process& port_process::operator=(port_process&& other) noexcept = default;

void port_process::send(std::string_view line) { session_->send(line); }
std::string port_process::receive() { return session_->receive(); }
port_process::ending port_process::finish() { return session_->finish(); }
std::string port_process::stderr_tail() const { return std::string(session_->tail()); }
int port_process::pid() const noexcept { return session_->pid(); }

}  // namespace backoff::transport
