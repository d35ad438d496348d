// The clock of everything that is measured here.
#pragma once

#include <chrono>
#include <cstdint>

namespace backoff::watch {

// Nanoseconds of the monotonic clock; only differences mean something.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace backoff::watch
