// A sleep that std::stop_token ends early, for retry_options::sleep. Without std::stop_token (libc++ before 20), this
// header declares nothing. Checked by: spec/tests/hosted_stop_test.cpp.
#pragma once

#include <version>
#if defined __cpp_lib_jthread

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "backoff/hosted/durations.hpp"

namespace backoff {

// Sleeps on this thread until the time is over or a stop is requested. retry then ends as interrupted: a request during
// a try takes effect after that try, where it is to be retried. Without a stop state it only sleeps.
class sleep_unless_stopped {
 public:
  // A sleep that requests of this token's source end.
  explicit sleep_unless_stopped(std::stop_token token) noexcept : token_(std::move(token)) {}

  // Whether no stop is requested, however short the time is. It returns after min(time, what is left of the steady
  // clock), or earlier where a stop is requested. time is not negative. Terminates where there is no memory to wait
  // with.
  [[nodiscard]] bool operator()(std::chrono::nanoseconds time) const noexcept {
    using clock = std::chrono::steady_clock;
    auto const now = std::chrono::nanoseconds(clock::now().time_since_epoch());
    clock::time_point const until(std::chrono::duration_cast<clock::duration>(saturated_sum(now, time)));
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any over;
    over.wait_until(lock, token_, until, [] { return false; });
    return !token_.stop_requested();
  }

 private:
  std::stop_token token_;
};

}  // namespace backoff

#endif
