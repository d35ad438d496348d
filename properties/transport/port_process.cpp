// The transport to a port under judgement, on libuv: one event loop for each port, run only while
// the owner is inside one of the calls. Checked by port_process_test.cpp.
#include "transport/port_process.hpp"

#include <uv.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "histories/present.hpp"
#include "transport/process_group.hpp"
#include "transport/uv_handles.hpp"

namespace backoff::transport {
namespace {

using std::chrono::milliseconds;
using kind = port_failure::kind;

void check(int code, std::string const& failing) {
  if (code >= 0) return;
  bool const ours = code == UV_EMFILE || code == UV_ENFILE || code == UV_ENOMEM || code == UV_EAGAIN;
  throw port_failure(ours ? kind::no_room : kind::cannot_start, failing + ": " + system_reason(code));
}

// What a line waiting to be received counts as: a flood of empty ones must not be free.
std::size_t room_of(std::string const& line) { return line.size() + sizeof(std::string); }

// The port's end of a pipe, of which `ours` is opened.
descriptor connect(uv_pipe_t& ours, pipe_end side, std::string const& failing) {
  auto theirs = descriptor();
  check(open_pipe(ours, side, theirs), failing);
  return theirs;
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
  [[nodiscard]] std::string_view tail() const { return errors_.text(); }
  [[nodiscard]] int pid() const { return port_.pid(); }

 private:
  // libuv calls these from C: none of them throws. Out of memory ends the process where it happens.
  static session& of(auto const* handle) { return *static_cast<session*>(handle->loop->data); }
  static void on_alloc(uv_handle_t* handle, std::size_t suggested, uv_buf_t* buffer);
  static void on_read(uv_stream_t* from, ssize_t count, uv_buf_t const* buffer);
  static void on_written(uv_write_t* request, int status);

  void split(std::string_view bytes);
  void on_exit(int status, int signal);
  void update_reading();
  std::string take_line();
  template <typename Condition>
  bool wait_until(milliseconds limit, Condition const& condition);
  [[noreturn]] void fail(kind reason, std::string const& what);
  // The exit is known, and so are the last words on standard error.
  [[nodiscard]] bool ended() const { return exited_ && errors_.closed(); }

  port_limits limits_;
  uv_loop_t loop_{};
  uv_timer_t timer_{};
  process_group port_;
  uv_pipe_t input_{};
  inlet output_;
  output_tail errors_;
  std::array<char, pipe_bytes> chunk_{};  // one read empties a pipe

  std::deque<std::string> lines_;  // complete, any '\r' still at the end
  std::size_t lines_room_ = 0;
  std::string partial_;  // the beginning of the line after them: no '\n', within max_line_bytes
  bool reading_output_ = false;
  bool too_long_ = false;
  bool expired_ = false;

  std::size_t writes_pending_ = 0;
  bool input_ending_ = false;
  int write_error_ = 0;

  bool exited_ = false;
  int exit_status_ = 0;
  int exit_signal_ = 0;

  std::optional<port_failure> failure_;
  std::optional<ending> ending_;
};

port_process::session::session(port_limits limits) : limits_(limits), errors_(limits.stderr_tail_bytes) {
  check(uv_loop_init(&loop_), "cannot start the port: no event loop");
  loop_.data = this;
  // None of these can fail; the destructor finds the same handles whether the port started or not.
  uv_timer_init(&loop_, &timer_);
  uv_pipe_init(&loop_, &input_, 0);
  uv_pipe_init(&loop_, &output_.pipe, 0);
  errors_.init(loop_);
}

port_process::session::~session() {
  auto const running = port_.running();
  // The kill comes first: the port must not notice, and act upon, the end of its streams.
  if (running) port_.signal(SIGKILL);
  close_handle(input_);
  close_handle(output_.pipe);
  errors_.close();
  if (running) wait_until(kill_patience, [this] { return exited_; });
  close_handle(timer_);
  port_.close();
  uv_run(&loop_, UV_RUN_DEFAULT);
  uv_loop_close(&loop_);
}

void port_process::session::start(std::vector<std::string>& command) {
  if (command.empty()) throw port_failure(kind::cannot_start, "cannot start the port: no command");
  auto const failing = "cannot start the port '" + command.front() + "'";
  auto const child_input = connect(input_, pipe_end::writing, failing);
  auto const child_output = connect(output_.pipe, pipe_end::reading, failing);
  auto child_errors = descriptor();
  check(errors_.open(child_errors), failing);
  auto const descriptors = std::array{child_input.get(), child_output.get(), child_errors.get()};
  auto const exited = [this](int status, int signal) { on_exit(status, signal); };
  check(port_.start(loop_, command, descriptors, nullptr, exited), failing);
  check(errors_.read(), failing);
  update_reading();
}

void port_process::session::on_alloc(uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
  auto& chunk = of(handle).chunk_;
  *buffer = uv_buf_t{chunk.data(), chunk.size()};
}

void port_process::session::on_read(uv_stream_t* from, ssize_t count, uv_buf_t const* buffer) {
  if (count == 0) return;  // nothing there after all
  auto& self = of(from);
  if (count < 0) return close_handle(self.output_.pipe);
  auto const bytes = std::string_view(buffer->base, static_cast<std::size_t>(count));
  self.split(bytes);
  self.output_.took(bytes.size());
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

void port_process::session::on_exit(int status, int signal) {
  exited_ = true;
  exit_status_ = status;
  exit_signal_ = signal;
  output_.child_exited();
  errors_.child_exited();
  close_handle(input_);
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
  if (failure_) throw port_failure(*failure_);
  if (input_ending_) throw port_failure(kind::cannot_write, "the port's input has been ended");
  if (is_closed(input_)) return;

  auto message = std::make_unique<outgoing>();
  message->bytes.reserve(line.size() + 1);
  message->bytes.append(line).push_back('\n');
  message->request.data = message.get();
  auto const buffer = uv_buf_t{message->bytes.data(), message->bytes.size()};
  auto const code = uv_write(&message->request, stream(input_), &buffer, 1, on_written);
  if (code == 0) {
    static_cast<void>(message.release());  // NOLINT(bugprone-unused-return-value): on_written deletes it
    ++writes_pending_;
  } else {
    write_error_ = code;
    close_handle(input_);
  }
  uv_run(&loop_, UV_RUN_NOWAIT);
}

std::string port_process::session::receive() {
  if (failure_) throw port_failure(*failure_);
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
  throw port_failure(histories::present(failure_));
}

port_process::ending port_process::session::finish() {
  if (ending_) return *ending_;
  input_ending_ = true;
  if (writes_pending_ == 0) close_handle(input_);
  auto const has_ended = [this] { return ended(); };
  wait_until(limits_.stop_grace, has_ended);
  auto const by_itself = exited_;
  if (!exited_) {
    port_.signal(SIGTERM);
    wait_until(limits_.stop_grace, has_ended);
  }
  if (!exited_) {
    port_.signal(SIGKILL);
    wait_until(kill_patience, has_ended);
  }
  ending_ = ending{by_itself, exit_status_, exit_signal_, !by_itself};
  return *ending_;
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
