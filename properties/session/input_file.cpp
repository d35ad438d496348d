#include "session/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "session/exit_codes.hpp"

namespace backoff::session {

namespace {

namespace fs = std::filesystem;

// Why nothing can be read there; empty where something may.
std::string why_unreadable(std::string const& path) {
  std::error_code none;
  auto const kind = fs::status(path, none).type();
  if (kind == fs::file_type::not_found) return "'" + path + "' does not exist";
  return kind == fs::file_type::directory ? "'" + path + "' is a folder" : "";
}

// A FIFO is held open until it is read: what somebody has written to it would be lost otherwise.
class held_fifo {
 public:
  explicit held_fifo(std::string const& path) {
    std::error_code none;
    if (!fs::is_fifo(path, none)) return;
    constexpr int milliseconds = 5'000;
    end_ = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    pollfd asked{end_, POLLIN, 0};
    is_idle_ = end_ >= 0 && poll(&asked, 1, milliseconds) == 0;
  }
  held_fifo(held_fifo const&) = delete;
  held_fifo& operator=(held_fifo const&) = delete;
  ~held_fifo() {
    if (end_ >= 0) close(end_);
  }
  [[nodiscard]] bool is_idle() const { return is_idle_; }

 private:
  int end_ = -1;
  bool is_idle_ = false;
};

}  // namespace

std::string read_whole_file(std::string const& path, std::string const& expected) {
  if (auto const why = why_unreadable(path); !why.empty()) throw usage_error(why + ": expected " + expected);
  held_fifo const fifo(path);
  if (fifo.is_idle()) throw usage_error("'" + path + "' is a FIFO that nobody writes to: expected " + expected);
  std::string text;
  bool readable = false;
  try {
    std::ifstream in(path, std::ios::binary);
    if (in) {
      std::array<char, 65'536> chunk{};
      while (in && text.size() <= input_bytes_max) {  // stops at the limit: the file may be endless
        in.read(chunk.data(), chunk.size());
        text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
      }
      readable = !in.bad();
    }
  } catch (std::exception const&) {  // a folder, a device that fails
  }
  if (!readable) throw usage_error("cannot read '" + path + "': expected " + expected);
  if (text.size() > input_bytes_max) throw usage_error("'" + path + "' is larger than 64 MiB");
  return text;
}

bool read_line(std::istream& in, std::string& line, std::size_t most) {
  line.clear();
  auto* const from = in.rdbuf();
  for (int c = from->sbumpc(); c != std::istream::traits_type::eof(); c = from->sbumpc()) {
    if (c == '\n') return true;
    line += static_cast<char>(c);
    if (line.size() > most) return true;
  }
  in.setstate(line.empty() ? std::ios::eofbit | std::ios::failbit : std::ios::eofbit);
  return !line.empty();
}

}  // namespace backoff::session
