#include "session/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <utility>

#include "session/exit_codes.hpp"
#include "session/out_of_memory.hpp"
#include "session/temporary_file.hpp"

namespace backoff::session {

namespace {

namespace fs = std::filesystem;

// Why nothing can be read there; empty where something may.
std::string why_unreadable(std::string const& path) {
  std::error_code none;
  auto const kind = fs::status(path, none).type();
  if (kind == fs::file_type::not_found) {
    bool const is_relative = fs::path(path).is_relative();
    return "'" + path + "' does not exist" + (is_relative ? " in '" + fs::current_path(none).string() + "'" : "");
  }
  return kind == fs::file_type::directory ? "'" + path + "' is a folder" : "";
}

// A file that is open to be read, or is not.
class opened {
 public:
  // A FIFO is opened at once, so that it can be told whether somebody writes to it.
  explicit opened(std::string const& path) : end_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (end_ >= 0) fcntl(end_, F_SETFL, fcntl(end_, F_GETFL) & ~O_NONBLOCK);
  }
  opened(opened const&) = delete;
  opened& operator=(opened const&) = delete;
  ~opened() {
    if (end_ >= 0) close(end_);
  }

  [[nodiscard]] bool is_written() const {
    constexpr int milliseconds = 5'000;
    pollfd asked{end_, POLLIN, 0};
    return poll(&asked, 1, milliseconds) != 0;
  }
  // How many bytes came: 0 at the end, less where reading fails.
  [[nodiscard]] ssize_t read_into(std::span<char> chunk) const {
    for (;;) {
      auto const n = read(end_, chunk.data(), chunk.size());
      if (n >= 0 || errno != EINTR) return n;
    }
  }

 private:
  int end_;
};

std::string temporary_path() {
  std::error_code none;
  return (fs::temp_directory_path(none) / "backoff-oracle-XXXXXX").string();
}

}  // namespace

std::ifstream opened_input(std::string const& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open() && errno == ENOMEM) out_of_memory();
  return in;
}

std::string read_whole_file(std::string const& path, std::string const& expected) {
  if (auto const why = why_unreadable(path); !why.empty()) throw usage_error(why + ": expected " + expected);
  opened const file(path);
  std::error_code none;
  if (fs::is_fifo(path, none) && !file.is_written())
    throw usage_error("'" + path + "' is a FIFO that nobody writes to: expected " + expected);
  std::string text;
  std::array<char, 65'536> chunk{};
  while (text.size() <= input_bytes_max) {  // stops at the limit: the file may be endless
    auto const n = file.read_into(chunk);
    if (n < 0) throw usage_error("cannot read '" + path + "': expected " + expected);
    if (n == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
  throw usage_error("'" + path + "' is larger than 64 MiB");
}

kept_lines::kept_lines(std::string pipe) : pipe_(std::move(pipe)) {
  temporary_file named(temporary_path());  // until it is open
  int const made = named.create_unique();
  path_ = named.path();
  if (made >= 0) {
    close(made);
    out_.open(path_, std::ios::binary);
    in_ = opened_input(path_);
  }
  demand_written();
}

void kept_lines::demand_written() const {
  if (!in_.is_open() || !out_)
    throw usage_error("'" + pipe_ + "': cannot be copied to '" + path_ +
                      "': expected TMPDIR to name a folder with room");
}

void kept_lines::add(std::string_view line) {
  out_ << line << '\n';
  demand_written();
}

std::ifstream kept_lines::read() {
  out_.close();
  demand_written();
  return std::move(in_);
}

bool read_line(std::istream& in, std::string& line, std::size_t most) {
  line.clear();
  for (std::array<char, 4'096> piece{}; line.size() <= most;) {
    in.getline(piece.data(), piece.size());
    auto const count = static_cast<std::size_t>(in.gcount());
    bool const ended = in.eof();
    bool const is_full = !ended && in.fail();
    line.append(piece.data(), ended || is_full ? count : count - 1);  // without the line feed
    if (ended) {
      in.clear(line.empty() ? std::ios::eofbit | std::ios::failbit : std::ios::eofbit);
      return !line.empty();
    }
    if (!is_full) return true;
    in.clear();
  }
  return true;
}

}  // namespace backoff::session
