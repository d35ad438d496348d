// The retry logic around an operation, run by the hosted loop: what it asks, how long it sleeps, in which order, and
// how it ends.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <vector>

#include "backoff/hosted/azure_java_retry_loop.hpp"
#include "tests/checks.hpp"

namespace backoff::azure_java_retry_policy {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using failures = std::vector<std::optional<error>>;
constexpr std::optional<error> success{};

// A world with a clock that only trying and sleeping move. All runs are made of these: every instance is measured.
struct world {
  failures answers;  // the last one repeats
  nanoseconds each_try{0};
  nanoseconds clock{5'000};  // its origin is of no account
  std::vector<nanoseconds> slept{};
  std::size_t tries = 0;
  bool interrupted = false;
};
struct sleeping {
  world& w;
  void operator()(nanoseconds delay) const {
    if (w.interrupted) throw std::runtime_error("interrupted");
    w.slept.push_back(delay);
    w.clock += delay;
  }
};
struct clock_of {
  world& w;
  nanoseconds operator()() const noexcept { return w.clock; }
};
struct operation_of {
  world& w;
  std::optional<error> operator()() const noexcept {
    auto const i = w.tries++;
    w.clock += w.each_try;
    return w.answers[i < w.answers.size() ? i : w.answers.size() - 1];
  }
};
struct half_way {  // every draw is one half
  std::uint32_t operator()() const noexcept { return 0x8000'0000U; }
};
struct any_policy {  // of all policies one type, so that the loop is one instance
  enum { jitter, none, scripted } kind = jitter;
  std::vector<error>* seen = nullptr;
  jittered<half_way> built_in{exponential_backoff_with_jitter(), half_way()};
  decision operator()(std::uint32_t retry_count, error last) noexcept {
    if (seen != nullptr) seen->push_back(last);
    if (kind == jitter) return built_in(retry_count, last);
    if (kind == none) return no_retry()(retry_count, last);
    return {retry_count < 3U, {retry_count, 0U}};
  }
};

finished run(world& w, any_policy policy = {}, std::optional<nanoseconds> total = {}) {
  return run_with_retries(policy, total, sleeping{w}, clock_of{w}, operation_of{w});
}

TEST(run_with_retries, sleeps_what_the_default_policy_says_until_a_success) {
  checks("AZ-JR-011", "AZ-JR-012", "AZ-JR-018", "AZ-JR-003", "AZ-JR-004");
  world w{.answers = {error::protocol, error::service, error::protocol, success}};
  auto const end = run(w);
  EXPECT_FALSE(end.failure);
  EXPECT_EQ(end.retries, 3U);
  EXPECT_EQ(w.tries, 4U);
  // 100 ms, 162.5 ms, 287.5 ms
  EXPECT_EQ(w.slept,
            (std::vector<nanoseconds>{nanoseconds(100'000'000), nanoseconds(162'500'000), nanoseconds(287'500'000)}));
}

TEST(run_with_retries, does_nothing_after_a_success) {
  checks("AZ-JR-018");
  world w{.answers = {success}};
  EXPECT_EQ(run(w).retries, 0U);
  EXPECT_EQ(w.tries, 1U);
  EXPECT_TRUE(w.slept.empty());
}

TEST(run_with_retries, ends_with_the_first_error_that_is_not_retryable) {
  checks("AZ-JR-002", "AZ-JR-005", "AZ-JR-021", "AZ-JR-024");
  for (error const last : {error::terminal, error::unknown}) {
    std::vector<error> seen;
    world w{.answers = {error::protocol, last}};
    auto const end = run(w, {.kind = any_policy::scripted, .seen = &seen});
    EXPECT_EQ(end.failure, last);
    EXPECT_EQ(end.retries, 1U);
    EXPECT_EQ(seen, std::vector{error::protocol});
  }
}

TEST(run_with_retries, never_retries_under_no_retry) {
  checks("AZ-JR-019");
  world w{.answers = {error::protocol}};
  auto const end = run(w, {.kind = any_policy::none});
  EXPECT_EQ(end.failure, error::protocol);
  EXPECT_EQ(w.tries, 1U);
}

TEST(run_with_retries, asks_a_custom_policy_about_each_retry_and_its_error) {
  checks("AZ-JR-020", "AZ-JR-022", "AZ-JR-023", "AZ-JR-026");
  std::vector<error> seen;
  world w{.answers = {error::service, error::protocol, error::service}};
  auto const end = run(w, {.kind = any_policy::scripted, .seen = &seen});
  EXPECT_EQ(end.failure, error::service);
  EXPECT_EQ(end.retries, 2U);
  EXPECT_EQ(seen, (std::vector{error::service, error::protocol, error::service}));
  EXPECT_EQ(w.slept, (std::vector{nanoseconds(1), nanoseconds(2)}));
}

TEST(run_with_retries, counts_tries_and_sleeps_towards_the_total_time) {
  checks("AZ-JR-010");
  // tries end at 40, 180, 382.5 ms; sleeps of 100, 162.5, 287.5 ms would end at 140, 342.5, 670 ms
  for (auto const& [total, retries] : {std::pair{milliseconds(0), 0U},
                                       {milliseconds(139), 0U},
                                       {milliseconds(140), 1U},
                                       {milliseconds(342), 1U},
                                       {milliseconds(343), 2U},
                                       {milliseconds(669), 2U},
                                       {milliseconds(670), 3U}}) {
    world w{.answers = {error::protocol}, .each_try = milliseconds(40)};
    auto const end = run(w, {}, total);
    EXPECT_EQ(end.failure, error::protocol);
    EXPECT_EQ(end.retries, retries) << total.count();
  }
}

TEST(run_with_retries, passes_on_what_a_callable_throws) {
  checks("AZ-JR-018");
  world w{.answers = {error::protocol}, .interrupted = true};
  EXPECT_THROW(run(w), std::runtime_error);
  EXPECT_EQ(w.tries, 1U);
}

TEST(rounded_up, is_never_shorter_than_the_delay) {
  checks("AZ-JR-006", "AZ-JR-023");
  constexpr std::int64_t most = 9'223'372'036'854'775'807;
  EXPECT_EQ(rounded_up({0, 0}).count(), 0);
  EXPECT_EQ(rounded_up({0, 1}).count(), 1);
  EXPECT_EQ(rounded_up({7, 0xffff'ffffU}).count(), 8);
  EXPECT_EQ(rounded_up({9'223'372'036'854'775'806U, 0}).count(), most - 1);
  EXPECT_EQ(rounded_up({9'223'372'036'854'775'806U, 1}).count(), most);
  EXPECT_EQ(rounded_up({9'223'372'036'854'775'807U, 0}).count(), most);
  EXPECT_EQ(rounded_up({9'223'372'036'854'775'807U, 1}).count(), most);
  EXPECT_EQ(rounded_up({18'446'744'073'709'551'615U, 1}).count(), most);
}

}  // namespace
}  // namespace backoff::azure_java_retry_policy
