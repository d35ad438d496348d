#include "transport/uv_handles.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <mutex>

#include "session/out_of_memory.hpp"

namespace backoff::transport {
namespace {

std::size_t bytes_waiting(uv_pipe_t const& pipe) {
  auto fd = uv_os_fd_t{};
  auto count = 0;
  if (uv_fileno(reinterpret_cast<uv_handle_t const*>(&pipe), &fd) != 0) return 0;
  if (ioctl(fd, FIONREAD, &count) != 0 || count < 0) return 0;
  return static_cast<std::size_t>(count);
}

}  // namespace

void demand_memory_for_libuv() {
  static_cast<void>(uv_replace_allocator(
      demanded_malloc, demanded_realloc,
      [](std::size_t count, std::size_t size) { return demand_memory(std::calloc(count, size)); }, std::free));
}

void ignore_broken_pipes() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction current{};
    if (sigaction(SIGPIPE, nullptr, &current) == 0 && current.sa_handler == SIG_DFL) {
      static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    }
  });
}

int open_pipe(uv_pipe_t& ours, pipe_end side, descriptor& theirs) {
  auto ends = std::array<uv_file, 2>{};
  if (int const code = uv_pipe(ends.data(), 0, 0); code < 0) return code;
  auto const at = static_cast<std::size_t>(side);
#ifdef F_SETPIPE_SZ
  static_cast<void>(
      fcntl(ends[0], F_SETPIPE_SZ, static_cast<int>(pipe_bytes)));  // where that is refused, the pipe keeps its size
#endif
  auto our_end = descriptor(ends[at]);
  theirs = descriptor(ends[1 - at]);
  int const code = uv_pipe_open(&ours, our_end.get());
  if (code == 0) our_end.release();
  return code;
}

void inlet::child_exited() {
  after_exit = true;
  if (is_closed(pipe)) return;
  left_after_exit = bytes_waiting(pipe);
  if (left_after_exit == 0) close_handle(pipe);
}

void inlet::took(std::size_t bytes) {
  if (!after_exit) return;
  left_after_exit -= std::min(left_after_exit, bytes);
  if (left_after_exit == 0) close_handle(pipe);
}

void output_tail::init(uv_loop_t& loop) {
  uv_pipe_init(&loop, &from_.pipe, 0);  // cannot fail
  from_.pipe.data = this;
}

int output_tail::read() {
  auto const give_chunk = [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
    auto& chunk = static_cast<output_tail*>(handle->data)->chunk_;
    *buffer = uv_buf_t{chunk.data(), chunk.size()};
  };
  auto const on_read = [](uv_stream_t* from, ssize_t count, uv_buf_t const* buffer) {
    auto& self = *static_cast<output_tail*>(from->data);
    if (count < 0) return self.close();
    self.keep({buffer->base, static_cast<std::size_t>(count)});
    if (count > 0) self.from_.took(static_cast<std::size_t>(count));
  };
  return uv_read_start(stream(from_.pipe), give_chunk, on_read);
}

void output_tail::keep(std::string_view bytes) {
  if (bytes.size() > kept_bytes_) bytes.remove_prefix(bytes.size() - kept_bytes_);
  tail_.append(bytes);
  // Only when there is as much to drop as to keep, or every few bytes would move the whole tail.
  if (tail_.size() / 2 > kept_bytes_) tail_.erase(0, tail_.size() - kept_bytes_);
}

std::string_view output_tail::text() const {
  auto const kept = std::min(tail_.size(), kept_bytes_);
  return std::string_view(tail_).substr(tail_.size() - kept);
}

}  // namespace backoff::transport
