#include "files/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "session/exit_codes.hpp"
#include "session/out_of_memory.hpp"

namespace backoff::files {
namespace {

[[noreturn]] void fail(std::string const& path) {
  if (errno == ENOMEM) session::out_of_memory();
  throw usage_error("cannot write '" + path + "': " + std::strerror(errno));
}

}  // namespace

output_file::output_file(std::string path) : path_(std::move(path)), written_(path_) {
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));  // a limit on the size of files is an error like a full disk
  struct stat there{};
  bool const exists = ::stat(path_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) {
    errno = EISDIR;
    fail(path_);
  }
  if (exists && !S_ISREG(there.st_mode)) {  // such as a pipe, which /dev/fd leads to and which has no path
    file_.reset(opened(::open(path_.c_str(), O_WRONLY | O_CLOEXEC)));
    return;
  }
  struct stat link{};
  if (::lstat(path_.c_str(), &link) == 0 && S_ISLNK(link.st_mode)) {  // what it leads to is written, and it stays
    std::unique_ptr<char, decltype(&std::free)> const target(::realpath(path_.c_str(), nullptr), &std::free);
    if (!target) fail(path_);
    written_ = target.get();
  }
  if (exists && ::access(written_.c_str(), W_OK) != 0) fail(path_);
  constexpr int names_max = 100;  // others may have left, or planted, some
  int descriptor = -1;
  for (int n = 0; n < names_max && descriptor < 0; ++n) {
    temporary_ = std::make_unique<session::temporary_file>(written_ + ".tmp-" + std::to_string(::getpid()) +
                                                           (n == 0 ? "" : "-" + std::to_string(n)));
    descriptor = temporary_->create(0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  file_.reset(opened(descriptor));
  if (exists) static_cast<void>(::fchmod(descriptor, there.st_mode & 07777U));
}

std::FILE* output_file::opened(int descriptor) const {
  if (descriptor < 0) fail(path_);
  auto* const file = ::fdopen(descriptor, "wb");
  if (file == nullptr) fail(path_);
  return file;
}

void output_file::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail(path_);
}

void output_file::flush() {
  if (std::fflush(file_.get()) != 0) fail(path_);
}

void output_file::commit() {
  flush();
  if (temporary_ && ::fsync(::fileno(file_.get())) != 0) fail(path_);
  if (std::fclose(file_.release()) != 0) fail(path_);
  if (temporary_ && !temporary_->rename(written_)) fail(path_);
  temporary_.reset();
}

void demand_different(std::span<output_name const> all) {
  auto const place = [](std::string const& path) {
    struct stat there{};
    if (::stat(path.c_str(), &there) == 0)
      return S_ISREG(there.st_mode) ? fmt::format("{}:{}", there.st_dev, there.st_ino) : std::string();
    auto const slash = path.rfind('/');
    auto const folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (::stat(folder.c_str(), &there) != 0) return std::string();
    return fmt::format("{}:{}/{}", there.st_dev, there.st_ino,
                       slash == std::string::npos ? path : path.substr(slash + 1));
  };
  for (auto one = all.begin(); one != all.end(); ++one) {
    auto const where = one->path.empty() ? "" : place(one->path);
    auto const same = std::find_if(all.begin(), one, [&](output_name const& other) {
      return !where.empty() && !other.path.empty() && place(other.path) == where;
    });
    if (same != one) throw usage_error(fmt::format("{} and {}: both are '{}'", same->option, one->option, one->path));
  }
}

std::optional<output_file> begun_file(std::string const& path, std::string_view text) {
  if (path.empty()) return std::nullopt;
  output_file file(path);
  file.write(text);
  file.flush();
  return file;
}

}  // namespace backoff::files
