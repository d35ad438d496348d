// A sleep that a request to stop ends. Threads wait for each other here, never for the time to pass: a sleep of hours
// that ends is one that was stopped.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <thread>

#include "backoff/hosted/stop.hpp"

namespace backoff {
namespace {

using namespace std::chrono_literals;

TEST(hosted_stop, sleep_takes_its_time_where_nobody_stops_it) {
  std::stop_source const source;
  for (auto const& token : {source.get_token(), std::stop_token()}) {
    auto const before = std::chrono::steady_clock::now();
    EXPECT_TRUE(sleep_unless_stopped(token)(2ms));
    EXPECT_GE(std::chrono::steady_clock::now() - before, 2ms);
    EXPECT_TRUE(sleep_unless_stopped(token)(0ns));
  }
}

TEST(hosted_stop, sleep_that_is_stopped_before_does_not_begin) {
  std::stop_source const source;
  source.request_stop();
  for (std::chrono::nanoseconds const time : {0ns, 1ns, std::chrono::nanoseconds::max()}) {
    EXPECT_FALSE(sleep_unless_stopped(source.get_token())(time));
  }
}

TEST(hosted_stop, sleep_that_is_stopped_ends) {
  for (std::chrono::nanoseconds const time : {std::chrono::nanoseconds(1h), std::chrono::nanoseconds::max()}) {
    std::optional<bool> slept;
    {
      std::jthread const sleeper([&](std::stop_token const& token) { slept = sleep_unless_stopped(token)(time); });
      std::this_thread::sleep_for(1ms);  // most often it sleeps by then; the request is heeded before, too
    }  // requests the stop, and waits for the end
    EXPECT_EQ(slept, false);
  }
}

}  // namespace
}  // namespace backoff
