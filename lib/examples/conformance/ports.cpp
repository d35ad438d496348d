// Two ports of full jitter, held to the document in their own tests. The second is wrong, so that its test fails: it
// says how.
#include <gtest/gtest.h>

#include <algorithm>
#include <backoff/conformance.hpp>

namespace {

using backoff::systems::aws_backoff_algorithm;

struct window_capped {
  aws_backoff_algorithm::parameters limits;
  std::uint64_t window = limits.base_ms;
  std::uint32_t done = 0;

  std::optional<std::uint64_t> next(backoff::draw d) {
    if (done == limits.max_attempts) return std::nullopt;
    ++done;
    window = std::min<std::uint64_t>(window, limits.max_ms);
    return d.value % (std::exchange(window, 2 * window) + 1);
  }
  void reset() { *this = {limits}; }
};

// Caps the delay that it drew, so that at the cap many clients wait exactly the maximum.
struct delay_capped : window_capped {
  std::optional<std::uint64_t> next(backoff::draw d) {
    if (done == limits.max_attempts) return std::nullopt;
    ++done;
    auto const delay_ms = d.value % (window + 1);
    window = std::min<std::uint64_t>(2 * window, 1ULL << 40);
    return std::min<std::uint64_t>(delay_ms, limits.max_ms);
  }
};

}  // namespace

TEST(conforms, window_capped) {
  EXPECT_TRUE(backoff::conforms<aws_backoff_algorithm>([](auto const& limits) { return window_capped{limits}; }));
}

TEST(conforms, delay_capped) {
  EXPECT_TRUE(backoff::conforms<aws_backoff_algorithm>([](auto const& limits) { return delay_capped{{limits}}; }));
}
