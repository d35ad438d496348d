// The waits of iothub_client_retry_control, calculate_next_wait_time, seen from outside: later a second before the end
// of each, now at its end. Held against the library and against the model; the numbers are worked out by hand.
#include <gtest/gtest.h>

#include <vector>

#include "azure_c_retry_control/subjects_test.hpp"
#include "tests/checks.hpp"

namespace backoff::spec::azure_c_retry_control {
namespace {

using waits = std::vector<integer>;

constexpr integer top = 4'294'967'295;  // 2^32 - 1 seconds
constexpr std::uint64_t u32_max = 4'294'967'295;

struct setting {
  integer initial_wait_time_in_secs;
  integer max_jitter_percent;
};

// Every retry is granted with that draw.
void expect_waits(policy p, setting const& with, draw const& from, waits const& expected) {
  each_control(p, 0, [&](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_TRUE(s->set(option::initial_wait_time_in_secs, with.initial_wait_time_in_secs));
    EXPECT_TRUE(s->set(option::max_jitter_percent, with.max_jitter_percent));
    integer time = 1000;
    EXPECT_EQ(s->should_retry(at({time}, from)).what, action::retry_now);
    for (std::size_t n = 0; n < expected.size(); ++n) {
      integer const end = time + expected[n];
      EXPECT_EQ(s->should_retry(at({end - 1}, from)), later(1))
          << "wait " << n + 1 << " is shorter than " << expected[n];
      EXPECT_EQ(s->should_retry(at({end}, from)).what, action::retry_now)
          << "wait " << n + 1 << " is longer than " << expected[n];
      time = end;
    }
  });
}

TEST(SRS_09_029, interval_waits_the_same_each_time) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_029");
  expect_waits(policy::interval, {5, 5}, drawn(1, 1), {5, 5, 5, 5});
  expect_waits(policy::interval, {1, 100}, drawn(1, 1), {1, 1, 1});
  expect_waits(policy::interval, {top, 0}, undrawn, {top, top});
}

TEST(SRS_09_030, linear_backoff_waits_initial_times_count) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_030");
  expect_waits(policy::linear_backoff, {5, 5}, drawn(1, 1), {5, 10, 15, 20, 25, 30});
  expect_waits(policy::linear_backoff, {1, 100}, drawn(1, 1), {1, 2, 3, 4});
  expect_waits(policy::linear_backoff, {0x8000'0000, 0}, undrawn, {0x8000'0000, top, top});
  expect_waits(policy::linear_backoff, {0x7fff'ffff, 0}, undrawn, {0x7fff'ffff, 0xffff'fffe, top, top});
  expect_waits(policy::linear_backoff, {1'431'655'765, 0}, undrawn, {1'431'655'765, 2'863'311'530, top, top});
  expect_waits(policy::linear_backoff, {top, 0}, undrawn, {top, top});
}

TEST(SRS_09_031, exponential_backoff_doubles_from_the_initial_wait_on) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_031");
  expect_waits(policy::exponential_backoff, {1, 5}, drawn(1, 1), {1, 2, 4, 8, 16, 32, 64});
  expect_waits(policy::exponential_backoff, {7, 100}, drawn(1, 1), {7, 14, 28, 56});
  expect_waits(policy::exponential_backoff, {0x7fff'ffff, 0}, undrawn, {0x7fff'ffff, 0xffff'fffe, top, top});
  expect_waits(policy::exponential_backoff, {0x8000'0000, 0}, undrawn, {0x8000'0000, top, top});
  expect_waits(policy::exponential_backoff, {top, 0}, undrawn, {top, top});
  waits powers;
  for (int n = 0; n < 32; ++n) powers.push_back(integer{1} << n);
  for (int n = 0; n < 40; ++n) powers.push_back(top);
  expect_waits(policy::exponential_backoff, {1, 0}, undrawn, powers);
}

TEST(SRS_09_032, jitter_lengthens_the_exponential_wait_by_its_part) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032");
  constexpr auto jitter = policy::exponential_backoff_with_jitter;
  // the smallest draw: no jitter at all
  expect_waits(jitter, {1, 5}, drawn(0, 1), {1, 2, 4, 8, 16, 32});
  expect_waits(jitter, {10, 100}, drawn(0, 32'767), {10, 20, 40});
  // RAND_MAX itself: all of it, rounded down. 33.6, 67.2, 134.4
  expect_waits(jitter, {1, 5}, drawn(32'767, 32'767), {1, 2, 4, 8, 16, 33, 67, 134});
  expect_waits(jitter, {10, 100}, drawn(u32_max, u32_max), {20, 40, 80, 160});
  // a half, a third, two thirds
  expect_waits(jitter, {10, 100}, drawn(1, 2), {15, 30, 60});
  expect_waits(jitter, {10, 50}, drawn(1, 3), {11, 23, 46, 93});
  expect_waits(jitter, {10, 50}, drawn(2, 3), {13, 26, 53, 106});
  // 1000 · 5 % = 50, of which 16384/32767 is 25.0007… and 16383/32767 is 24.999…
  expect_waits(jitter, {1000, 5}, drawn(16'384, 32'767), {1025});
  expect_waits(jitter, {1000, 5}, drawn(16'383, 32'767), {1024});
  // 25 · 1.16 = 29 exactly, where doubles fall short of it
  expect_waits(jitter, {25, 16}, drawn(1, 1), {29, 58, 116});
  // no jitter
  expect_waits(jitter, {123, 0}, drawn(1, 1), {123, 246, 492});
  // the end of the range: 1.05 times 4090445042, …43, …44 is …7294.1, …7295.15, …7296.2
  expect_waits(jitter, {4'090'445'042, 5}, drawn(u32_max, u32_max), {4'294'967'294, top});
  expect_waits(jitter, {4'090'445'043, 5}, drawn(u32_max, u32_max), {top, top});
  expect_waits(jitter, {4'090'445'044, 5}, drawn(u32_max, u32_max), {top, top});
  expect_waits(jitter, {4'000'000'000, 5}, drawn(2'147'483'647, 2'147'483'647), {4'200'000'000, top});
  expect_waits(jitter, {top, 100}, drawn(0, 1), {top, top});
  expect_waits(jitter, {top, 100}, drawn(1, u32_max), {top, top});
  expect_waits(jitter, {0x8000'0000, 100}, drawn(u32_max - 1, u32_max), {0xffff'ffff, top});
  waits long_run;
  for (int n = 0; n < 31; ++n) long_run.push_back((integer{1} << n) + (integer{1} << n) / 2);
  for (int n = 0; n < 40; ++n) long_run.push_back(n == 0 ? 0xc000'0000 : top);
  expect_waits(jitter, {1, 50}, drawn(1, 1), long_run);
}

TEST(SRS_09_033, random_waits_a_part_of_the_initial_wait) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033");
  expect_waits(policy::random, {5, 5}, drawn(0, 2), {0, 0});
  expect_waits(policy::random, {5, 5}, drawn(1, 2), {2, 2, 2});  // 2.5
  expect_waits(policy::random, {5, 5}, drawn(2, 2), {5, 5, 5});
  expect_waits(policy::random, {10, 100}, drawn(1, 3), {3, 3});
  expect_waits(policy::random, {10, 100}, drawn(2, 3), {6, 6});
  expect_waits(policy::random, {10, 0}, drawn(3, 3), {10, 10});
  expect_waits(policy::random, {1, 0}, drawn(32'766, 32'767), {0});
  expect_waits(policy::random, {1, 0}, drawn(32'767, 32'767), {1});
  expect_waits(policy::random, {top, 0}, drawn(u32_max, u32_max), {top, top});
  expect_waits(policy::random, {top, 0}, drawn(u32_max - 1, u32_max), {top - 1});
  expect_waits(policy::random, {top, 0}, drawn(1, u32_max), {1});
  expect_waits(policy::random, {0x8000'0000, 0}, drawn(u32_max - 1, u32_max), {0x7fff'ffff});  // 2^31 - 0.5…
}

}  // namespace
}  // namespace backoff::spec::azure_c_retry_control
