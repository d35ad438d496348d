// What a C library finds around it during a call: the history's draws and clock where the system's would be, sleeps
// that take no time, memory that is counted and may be refused. interposed.cpp puts it in the system's place. Checked
// by: properties/oracle/library_test.py.
#pragma once

#include <cstdint>

namespace backoff::conformance::host {

class surroundings {
 public:
  virtual ~surroundings() = default;
  // Of 0..RAND_MAX, with every use.
  [[nodiscard]] virtual std::uint32_t rand() noexcept = 0;
  // Seconds; -1 where the clock fails.
  [[nodiscard]] virtual std::int64_t time() noexcept = 0;
  virtual void seeded(unsigned) noexcept {}  // that the generator was
  virtual void sleep(std::int64_t seconds, std::int64_t nanoseconds) noexcept = 0;
  [[nodiscard]] virtual bool malloc_fails() noexcept = 0;
  virtual void allocated(std::int64_t more) noexcept = 0;  // -1: released
  virtual void released_twice() noexcept {}
};

// Those of the call at hand; null while none is made.
extern surroundings* around;

// While it lives, a call into the library is made in these surroundings; in none, while the host does its own work in a
// function that the library has called.
class in_surroundings {
 public:
  explicit in_surroundings(surroundings* during) noexcept : before_(around) { around = during; }
  in_surroundings(in_surroundings const&) = delete;
  in_surroundings& operator=(in_surroundings const&) = delete;
  ~in_surroundings() { around = before_; }

 private:
  surroundings* before_;
};

}  // namespace backoff::conformance::host
