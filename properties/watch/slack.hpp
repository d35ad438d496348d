// How late the measurement itself is: waits of clients that come again at once. Checked by: watch_runs_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace backoff::watch {

struct slack_sample {
  std::int64_t taken_ns = 0;  // of the monotonic clock, as the times of attempts
  std::int64_t slack_ns = 0;  // the measured wait of a client that did not wait; not negative
};

struct slack {
  std::vector<slack_sample> before;  // in the order in which they were taken
  std::vector<slack_sample> during;
};

// The smallest sample that at least the part p of them, in (0, 1], does not exceed; 0: there are none.
[[nodiscard]] std::int64_t slack_quantile_ns(std::span<slack_sample const> samples, double p);

}  // namespace backoff::watch
