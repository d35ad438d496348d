// The loop around Retry Utilities: what it asks of its callables and in which order, what the caller owes, and the
// advice of the document that it follows. Expected numbers are worked out by hand.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "backoff/hosted/aws_retry_utils_loop.hpp"
#include "tests/checks.hpp"

namespace backoff::aws_retry_utils {
namespace {

using std::uint32_t;

// A device whose operation fails so many times; it writes down what the loop does, and breaks off where it is told to.
struct device {
  int failures = 0;
  std::vector<uint32_t> draws{};  // taken in turn, over and over
  std::string log{};
  std::size_t drawn = 0;
  std::string breaks_off{};  // once the log is this

  void note(std::string const& what) {
    log += what + ' ';
    if (log == breaks_off) throw breaks_off;  // NOLINT(cert-err60-cpp): a callable may throw anything
  }
  uint32_t draw() {
    note("draw");
    return draws[drawn++ % draws.size()];
  }
  bool attempt() {
    note(failures > 0 ? "fail" : "done");
    return failures-- <= 0;
  }
};

// Named types, so that every test runs the one instance of the loop.
struct random_of {
  device* of;
  uint32_t operator()() const { return of->draw(); }
};
struct sleep_of {
  device* of;
  void operator()(seconds<uint32_t> time) const { of->note("sleep-" + std::to_string(time.count())); }
};
struct operation_of {
  device* of;
  bool operator()() const { return of->attempt(); }
};

outcome run(device& d, parameters<uint32_t> const& p) {
  return retry(p, random_of{&d}, sleep_of{&d}, operation_of{&d});
}

TEST(AWS_RU_001, failed_action_is_retried_with_exponential_back_off_and_jitter) {
  checks("AWS-RU-001");
  device d{5, {2, 5, 10, 20, 40, 41}};
  EXPECT_EQ(run(d, {3, 50, 4, 0}), outcome::succeeded);
  EXPECT_EQ(d.log,
            "draw fail draw sleep-5 fail draw sleep-10 fail draw sleep-20 fail draw sleep-40 fail draw sleep-41 done ");
}

TEST(AWS_RU_008, loop_resets_tries_and_backs_off_until_a_try_succeeds) {
  checks("AWS-RU-008", "AWS-RU-014", "AWS-RU-024");
  device at_once{0, {1}};
  EXPECT_EQ(run(at_once, {3, 50, 4, 2}), outcome::succeeded);
  EXPECT_EQ(at_once.log, "draw done ") << "one draw for the reset, and no sleep before the first try";
  device later{2, {1}};
  EXPECT_EQ(run(later, {3, 50, 4, 2}), outcome::succeeded);
  EXPECT_EQ(later.log, "draw fail draw sleep-1 fail draw sleep-1 done ") << "a back-off between every two tries";
}

TEST(AWS_RU_008, loop_gives_up_when_the_attempts_are_exhausted) {
  checks("AWS-RU-008", "AWS-RU-019", "AWS-RU-021");
  device d{100, {1}};
  EXPECT_EQ(run(d, {3, 50, 4, 2}), outcome::exhausted);
  EXPECT_EQ(d.log, "draw fail draw sleep-1 fail draw sleep-1 fail draw ") << "1 + 2 tries, and no sleep at the end";
  d = {1, {4}};
  EXPECT_EQ(run(d, {3, 50, 4, 2}), outcome::succeeded) << "restarted by the caller";
  EXPECT_EQ(d.log, "draw fail draw sleep-4 done ") << "from a reset of its own";
}

TEST(AWS_RU_008, loop_goes_on_without_a_limit) {
  checks("AWS-RU-008", "AWS-RU-020");
  device d{1000, {0}};
  EXPECT_EQ(run(d, {3, 50, 4, 0}), outcome::succeeded);
  EXPECT_EQ(d.drawn, 1001U);
}

TEST(AWS_RU_009, what_the_example_leaves_to_the_system_comes_from_the_caller) {
  checks("AWS-RU-009");
  static_assert(std::is_convertible_v<seconds<uint32_t>, std::chrono::milliseconds>,
                "for what sleeps the standard way");
  static_assert(!std::is_convertible_v<seconds<uint32_t>, uint32_t>, "nobody takes them for milliseconds");
  static_assert(std::is_same_v<seconds<std::uint16_t>::period, std::ratio<1>>);
  device d{1, {7}};
  static_cast<void>(run(d, {9, 9, 0, 0}));
  EXPECT_EQ(d.log, "draw fail draw sleep-7 done ") << "its generator, its sleep, and nothing else";
}

TEST(AWS_RU_015, nothing_is_seeded_but_by_the_caller) {
  checks("AWS-RU-015");
  device one{3, {11, 5, 9, 30}};
  device other{3, {2, 6, 1, 17}};
  static_cast<void>(run(one, {10, 100, 20, 0}));
  static_cast<void>(run(other, {10, 100, 20, 0}));
  EXPECT_EQ(one.log, "draw fail draw sleep-5 fail draw sleep-9 fail draw sleep-30 done ");
  EXPECT_EQ(other.log, "draw fail draw sleep-6 fail draw sleep-1 fail draw sleep-17 done ")
      << "two devices in the same second sleep as their own draws say";
}

TEST(AWS_RU_017, window_doubles_once_the_sleep_is_over) {
  checks("AWS-RU-016", "AWS-RU-017", "AWS-RU-022");
  device d{0, {2}};
  random_of random{&d};
  sleep_of sleep{&d};
  retry_cycle<uint32_t> cycle({3, 50, 0, 1}, 0U);
  for (std::string_view const breaks_off : {"draw ", "draw sleep-2 "}) {
    d.log.clear();
    d.breaks_off = breaks_off;
    EXPECT_THROW(back_off_and_sleep(cycle, random, sleep), std::string) << breaks_off;
    EXPECT_EQ(cycle.next_jitter_max(), 3U) << "a sleep that was broken off completes no back-off";
    EXPECT_EQ(cycle.attempts_done(), 0U);
  }
  d.breaks_off.clear();
  EXPECT_EQ(back_off_and_sleep(cycle, random, sleep), status::retry);
  EXPECT_EQ(cycle.next_jitter_max(), 6U);
  EXPECT_EQ(cycle.attempts_done(), 1U);
  d.log.clear();
  EXPECT_EQ(back_off_and_sleep(cycle, random, sleep), status::exhausted);
  EXPECT_EQ(d.log, "draw ") << "and sleeps no more";
}

TEST(AWS_RU_008, loop_ends_with_what_a_callable_throws) {
  checks("AWS-RU-008");
  for (std::string_view const breaks_off : {"draw ", "draw fail ", "draw fail draw ", "draw fail draw sleep-2 "}) {
    device d{9, {2}};
    d.breaks_off = breaks_off;
    EXPECT_THROW(run(d, {3, 50, 4, 0}), std::string);
    EXPECT_EQ(d.log, breaks_off) << "nothing after it";
  }
}

}  // namespace
}  // namespace backoff::aws_retry_utils
