#include "session/temporary_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace backoff::session {
namespace {

std::mutex lock;
temporary_file* first_of_all = nullptr;

}  // namespace

temporary_file::temporary_file(std::string path) : path_(std::move(path)) {}

temporary_file::~temporary_file() {
  auto const held = std::scoped_lock(lock);
  if (!is_there_) return;
  static_cast<void>(::unlink(path_.c_str()));
  leave();
}

int temporary_file::create(mode_t mode) {
  auto const held = std::scoped_lock(lock);
  int const descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  if (descriptor >= 0) enter();
  return descriptor;
}

int temporary_file::create_unique() {
  auto const held = std::scoped_lock(lock);
  int const descriptor = ::mkstemp(path_.data());
  if (descriptor >= 0) enter();
  return descriptor;
}

bool temporary_file::rename(std::string const& to) {
  auto const held = std::scoped_lock(lock);
  if (std::rename(path_.c_str(), to.c_str()) != 0) return false;
  leave();
  return true;
}

void temporary_file::enter() noexcept {
  is_there_ = true;
  next_ = std::exchange(first_of_all, this);
}

void temporary_file::leave() noexcept {
  is_there_ = false;
  auto** at = &first_of_all;
  while (*at != this) at = &(*at)->next_;
  *at = next_;
}

void remove_temporary_files() {
  lock.lock();
  for (auto const* each = first_of_all; each != nullptr; each = each->next())
    static_cast<void>(::unlink(each->path().c_str()));
}

}  // namespace backoff::session
