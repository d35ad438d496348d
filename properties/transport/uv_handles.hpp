// What several files that run a loop of libuv need: handles closed once, reasons as text, pipes of a child.
// Checked by: port_process_test.cpp; properties/watch/watch_runs_test.cpp.
#pragma once

#include <unistd.h>
#include <uv.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace backoff::transport {

// Why a call of libuv failed, in the system's words.
inline std::string system_reason(int code) {
  auto text = std::array<char, 128>{};
  return uv_strerror_r(code, text.data(), text.size());
}

// Closes a handle unless that was done before. Its memory is libuv's until the loop has run once more.
void close_handle(auto& handle) {
  auto* const base = reinterpret_cast<uv_handle_t*>(&handle);
  if (uv_is_closing(base) == 0) uv_close(base, nullptr);
}

bool is_closed(auto const& handle) { return uv_is_closing(reinterpret_cast<uv_handle_t const*>(&handle)) != 0; }

inline uv_stream_t* stream(auto& handle) { return reinterpret_cast<uv_stream_t*>(&handle); }

// Bytes on their way; libuv hands the request back in its callback.
struct outgoing {
  uv_write_t request{};
  std::string bytes;
};

// From now on libuv ends where memory does (session/out_of_memory.hpp), in place of aborting. Call before anything else
// of it.
void demand_memory_for_libuv();

// A write to what is gone must be an error and not the end of this process.
void ignore_broken_pipes();

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  descriptor(descriptor&& other) noexcept : fd_(other.release()) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

enum class pipe_end : std::size_t { reading, writing };

// What a pipe holds, where the system allows it: as much as most batches need.
inline constexpr std::size_t pipe_bytes = std::size_t{256} << 10U;

// Makes a pipe, opens its end on this side as `ours`, and leaves the child's in `theirs`. Returns libuv's error or 0.
// A plain pipe, not one of libuv's usual socket pairs: /dev/stdin cannot be opened when it is a socket. Both ends are
// close-on-exec; ours is made non-blocking.
[[nodiscard]] int open_pipe(uv_pipe_t& ours, pipe_end side, descriptor& theirs);

// A stream from a child. After the child's exit only what was in the pipe at that moment is still read: waiting for the
// end of file would mean waiting for whoever else holds the pipe.
struct inlet {
  uv_pipe_t pipe{};
  std::size_t left_after_exit = 0;
  bool after_exit = false;

  void child_exited();
  void took(std::size_t bytes);
};

// A stream from a child of which the last bytes are kept, and all others dropped. Its callbacks find it by its address.
class output_tail {
 public:
  explicit output_tail(std::size_t kept_bytes) : kept_bytes_(kept_bytes) {}
  output_tail(output_tail const&) = delete;
  output_tail& operator=(output_tail const&) = delete;

  void init(uv_loop_t& loop);
  // Returns libuv's error or 0.
  [[nodiscard]] int open(descriptor& theirs) { return open_pipe(from_.pipe, pipe_end::reading, theirs); }
  [[nodiscard]] int read();
  void child_exited() { from_.child_exited(); }
  void close() { close_handle(from_.pipe); }
  [[nodiscard]] bool closed() const { return is_closed(from_.pipe); }
  [[nodiscard]] std::string_view text() const;

 private:
  void keep(std::string_view bytes);

  inlet from_;
  std::size_t kept_bytes_;
  std::string tail_;  // at least as much as is to be kept
  std::array<char, std::size_t{16} << 10U> chunk_{};
};

}  // namespace backoff::transport
