#include "host/guard.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <span>

namespace backoff::host {
namespace {

constexpr unsigned char pattern = 0xa5;
constexpr std::size_t margin = 64;  // bytes before those that can be used, which are looked at

}  // namespace

guarded_page::guarded_page() : begin_(nullptr), size_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  void* const pages = mmap(nullptr, 2 * size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  begin_ = static_cast<unsigned char*>(pages);
  mprotect(begin_ + size_, size_, PROT_NONE);
}

guarded_page::~guarded_page() { munmap(begin_, 2 * size_); }

void* guarded_page::last(std::size_t size) const noexcept {
  auto* const first = begin_ + size_ - size;
  std::memset(first - margin, pattern, margin + size);
  return first;
}

bool guarded_page::is_written_before(std::size_t size) const noexcept {
  return !std::ranges::all_of(std::span(begin_ + size_ - size - margin, margin),
                              [](auto byte) { return byte == pattern; });
}

crash_guard::crash_guard() noexcept {
  struct sigaction to{};
  to.sa_handler = caught;
  for (std::size_t i = 0; i < std::size(signals); ++i) sigaction(signals[i], &to, &before_[i]);
}

crash_guard::~crash_guard() {
  for (std::size_t i = 0; i < std::size(signals); ++i) sigaction(signals[i], &before_[i], nullptr);
}

}  // namespace backoff::host
