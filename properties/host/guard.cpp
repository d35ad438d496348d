#include "host/guard.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
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
  latest_ = this;
}

guarded_page::~guarded_page() {
  for (auto* at = &latest_; *at != nullptr; at = &(*at)->before_) {
    if (*at != this) continue;
    *at = before_;
    break;
  }
  munmap(begin_, 2 * size_);
}

void* guarded_page::last(std::size_t size) const noexcept {
  usable_ = size;
  auto* const first = begin_ + size_ - size;
  std::memset(first - margin, pattern, margin + size);
  return first;
}

bool guarded_page::is_written_before(std::size_t size) const noexcept {
  return !std::ranges::all_of(std::span(begin_ + size_ - size - margin, margin),
                              [](auto byte) { return byte == pattern; });
}

void guarded_page::explain_crashes() noexcept {
  struct sigaction to{};
  to.sa_sigaction = explain;
  to.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND);  // the call is made again, and ends the process
  for (int const signal : {SIGSEGV, SIGBUS}) sigaction(signal, &to, nullptr);
}

void guarded_page::explain(int, siginfo_t* how, void*) {
  auto const* const address = static_cast<unsigned char const*>(how->si_addr);
  for (auto const* page = latest_; page != nullptr; page = page->before_) {
    auto const* const end = page->begin_ + page->size_;
    if (address < end || address >= end + page->size_) continue;
    char text[200];
    int const length = std::snprintf(text, sizeof text,
                                     "the library used byte %zu of memory that has %zu, the documented size. If its "
                                     "structures are larger, it needs an adapter.\n",
                                     static_cast<std::size_t>(address - end) + page->usable_ + 1, page->usable_);
    static_cast<void>(write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0);
    return;
  }
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
