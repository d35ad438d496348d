// What a C library finds around it during a call: the history's draws and clocks where the system's would be, sleeps
// that take no time, memory that is counted and may be refused. interposed.cpp puts it in the system's place. Checked
// by: properties/oracle/library_test.py.
#pragma once

#include <cstdint>
#include <optional>

#include "layers.hpp"

namespace backoff::host {

// What a clock reads. The nanoseconds are those of the second, from 0 on.
struct moment {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
};
inline constexpr std::int64_t a_second = 1'000'000'000;  // in nanoseconds
// Where every history begins, if nothing says otherwise: an everyday time.
inline constexpr std::int64_t usual_time = 1'600'000'000;

class surroundings {
 public:
  virtual ~surroundings() = default;
  // Of 0..RAND_MAX, with every use.
  [[nodiscard]] virtual std::uint32_t rand() = 0;
  // The clock that counts from 1970, and those that count from another moment. They run together; nothing: they fail.
  [[nodiscard]] virtual std::optional<moment> time_of_day() noexcept = 0;
  [[nodiscard]] virtual std::optional<moment> ticks() noexcept = 0;
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

}  // namespace backoff::host
