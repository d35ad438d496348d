// Calls into a library that may crash, and memory that ends where what may be used of it ends: what hostile arguments
// are made of. Checked by: properties/oracle/library_test.py.
#pragma once

#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <new>

namespace backoff::host {

// Two pages, of which nothing can be read or written in the second. Pages are made and destroyed by one thread.
class guarded_page {
 public:
  guarded_page();
  guarded_page(guarded_page const&) = delete;
  guarded_page& operator=(guarded_page const&) = delete;
  ~guarded_page();

  // The last `size` bytes that can be used; those before hold a pattern. Up to a page, less 64 bytes.
  [[nodiscard]] void* last(std::size_t size) const noexcept;
  // Whether anything just before them was written to.
  [[nodiscard]] bool is_written_before(std::size_t size) const noexcept;

  template <class Value>
  [[nodiscard]] Value& put(Value const& v) const noexcept {
    return *new (last(sizeof v)) Value(v);
  }
  // With the zero that ends it at the end.
  [[nodiscard]] char const* put(char const* text) const noexcept {
    auto const size = std::strlen(text) + 1;
    return static_cast<char const*>(std::memcpy(last(size), text, size));
  }

  // A crash behind such bytes, outside every crash_guard, says on standard error how many there were; then it ends the
  // process as usual.
  static void explain_crashes() noexcept;

 private:
  static void explain(int signal, siginfo_t* how, void*);

  inline static guarded_page* latest_ = nullptr;
  guarded_page* before_ = latest_;
  unsigned char* begin_;
  std::size_t size_;
  mutable std::size_t usable_ = 0;
};

// The signal that a call into a library ended with; 0 where it returned. What the call has destructors for is left as
// it is.
class crash_guard {
 public:
  template <class Call>
  static int signal_of(Call&& call) {
    crash_guard const guard;
    if (int const signal = sigsetjmp(back, 1); signal != 0) return signal;
    call();
    return 0;
  }

 private:
  static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  // NOLINTBEGIN(modernize-use-equals-delete): signal_of makes one and ends it
  crash_guard() noexcept;
  crash_guard(crash_guard const&) = delete;
  ~crash_guard();
  // NOLINTEND(modernize-use-equals-delete)
  static void caught(int signal) { siglongjmp(back, signal); }

  inline static sigjmp_buf back;
  struct sigaction before_[std::size(signals)]{};
};

}  // namespace backoff::host
