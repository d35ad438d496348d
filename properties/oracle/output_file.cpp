#include "oracle/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "report/exit_codes.hpp"

namespace backoff::oracle {
namespace {

[[noreturn]] void fail(std::string const& path) {
  throw usage_error("cannot write '" + path + "': " + std::strerror(errno));
}

}  // namespace

output_file::output_file(std::string path) : path_(std::move(path)) {
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));  // a limit on the size of files is an error like a full disk
  struct stat there{};
  bool const exists = ::stat(path_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) {
    errno = EISDIR;
    fail(path_);
  }
  bool const special = exists && !S_ISREG(there.st_mode);
  if (exists && !special && ::access(path_.c_str(), W_OK) != 0) fail(path_);
  if (!special) temporary_ = path_ + ".tmp-" + std::to_string(::getpid());
  int const flags = O_WRONLY | O_CLOEXEC | (special ? 0 : O_CREAT | O_TRUNC);
  int const descriptor = ::open(special ? path_.c_str() : temporary_.c_str(), flags, 0666);
  if (descriptor < 0) {
    temporary_.clear();
    fail(path_);
  }
  file_.reset(::fdopen(descriptor, "wb"));
}

output_file::output_file(output_file&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})), file_(std::move(other.file_)) {}

output_file::~output_file() {
  file_.reset();
  if (!temporary_.empty()) static_cast<void>(::unlink(temporary_.c_str()));
}

void output_file::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail(path_);
}

void output_file::flush() {
  if (std::fflush(file_.get()) != 0) fail(path_);
}

void output_file::commit() {
  flush();
  if (!temporary_.empty() && ::fsync(::fileno(file_.get())) != 0) fail(path_);
  if (std::fclose(file_.release()) != 0) fail(path_);
  if (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_);
  temporary_.clear();
}

std::optional<output_file> begun_file(std::string const& path, std::string_view text) {
  if (path.empty()) return std::nullopt;
  output_file file(path);
  file.write(text);
  file.flush();
  return file;
}

}  // namespace backoff::oracle
