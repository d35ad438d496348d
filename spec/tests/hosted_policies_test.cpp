// The six systems as policies: what next, with draws and clock readings given. Waits are worked out by hand; that the
// cycles are the documented ones, others check: here it is that each is asked right, and answers in the right unit.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "backoff/hosted/policies.hpp"
#include "tests/checks.hpp"
#include "tests/scripted_generator.hpp"

namespace backoff {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

using scripted = scripted_generator;
static_assert(policy<policies::aws_backoff_algorithm, scripted> && policy<policies::aws_retry_utils, scripted> &&
              policy<policies::aws_step_functions, scripted> && policy<policies::aws_prescriptive_sample, scripted> &&
              policy<policies::azure_c_retry_control, scripted> && policy<policies::azure_java_retry_policy, scripted>);

struct never_asked {};
struct not_copied {
  next_step what_next(nanoseconds, scripted&);
  not_copied(not_copied&&) = default;
};
static_assert(!policy<never_asked, scripted> && !policy<not_copied, scripted>);

// What the policy says at this time, in words.
template <class Policy>
std::string said(Policy& asked, nanoseconds elapsed, scripted& draws) {
  auto const next = asked.what_next(elapsed, draws);
  auto const wait = std::to_string(next.wait.count());
  if (next.advice == advice::give_up) return wait == "0" ? "give up" : "give up, and wait";
  return (next.advice == advice::try_again ? "try in " : "ask in ") + wait;
}
template <class Policy>
std::string said(Policy& asked, scripted& draws) {
  return said(asked, 77s, draws);  // whatever time it is
}

using backoff::aws_backoff_algorithm::attempt_limit;
namespace retry_control = backoff::azure_c_retry_control;

// A value that no compiler knows: what is made of it is made at run time.
template <class T>
T unknown(T value) {
  return value;
}

// Says these in turn, then gives up, and then throws.
struct listed {
  std::vector<next_step> steps;
  std::size_t asked = 0;
  next_step what_next(nanoseconds, scripted&) {
    if (asked > steps.size()) throw std::runtime_error("asked once more");
    return asked++ < steps.size() ? steps[asked - 1] : giving_up;
  }
};

TEST(hosted_policies, adjusted_changes_the_waits_of_retries_alone) {
  std::vector<nanoseconds> changed;
  nanoseconds to{};
  std::function<nanoseconds(nanoseconds)> const change = [&](nanoseconds wait) {
    changed.push_back(wait);
    if (to == 13ns) throw std::logic_error("no luck");
    return to;
  };
  next_step const in_5{advice::try_again, 5ns};
  adjusted one(listed{{in_5, {advice::ask_again, 6ns}, {advice::try_again, 0ns}, too_late, in_5, in_5, in_5}}, change);
  static_assert(policy<decltype(one), scripted>);
  scripted none;
  to = 30ns;
  EXPECT_EQ(said(one, none), "try in 30");
  EXPECT_EQ(said(one, none), "ask in 6");
  to = -1ns;
  EXPECT_EQ(said(one, none), "try in 0") << "no wait is negative";
  EXPECT_EQ(one.what_next(0ns, none).advice, advice::out_of_time);
  EXPECT_EQ(changed, (std::vector<nanoseconds>{5ns, 0ns}));
  to = 30ns;
  EXPECT_EQ(what_next(one, 29ns, 0ns, none).advice, advice::out_of_time) << "the total time limits the changed wait";
  EXPECT_EQ(what_next(one, 30ns, 0ns, none).advice, advice::try_again);
  to = 13ns;
  EXPECT_THROW(static_cast<void>(said(one, none)), std::logic_error);
  EXPECT_EQ(what_next(one, 30ns, 0ns, none).advice, advice::give_up);
  EXPECT_THROW(static_cast<void>(said(one, none)), std::runtime_error);
}

TEST(hosted_policies, aws_backoff_algorithm) {
  checks("AWS-BA-003", "AWS-BA-004", "AWS-BA-005", "AWS-BA-008", "AWS-BA-I01");
  auto const max = unknown(10ms);
  policies::aws_backoff_algorithm const fresh(3ms, max, attempt_limit::of(4));
  scripted draws{{6, 7, 21, 0xffff'ffff}};  // windows 3, 6, 10, 10; 2^32 - 1 = 11 · 390451572 + 3
  auto one = fresh;
  for (auto const* expected : {"try in 2000000", "try in 0", "try in 10000000", "try in 3000000", "give up", "give up"})
    EXPECT_EQ(said(one, draws), expected);
  auto other = fresh;
  EXPECT_EQ(said(other, draws), "try in 1000000") << "a copy is a cycle of its own: 21 mod 4";
}

TEST(hosted_policies, aws_backoff_algorithm_unbiased) {
  checks("AWS-BA-003", "AWS-BA-008");
  policies::aws_backoff_algorithm asked(2s, 3600s, attempt_limit::forever(), draw_mapping::unbiased);
  scripted draws{{0xffff'ffff, 2'002}};  // 2^32 mod 2001 = 886, so the first is one of the last 886
  EXPECT_EQ(said(asked, draws), "try in 1000000");
  EXPECT_EQ(draws.taken, 2U);
}

TEST(hosted_policies, aws_retry_utils) {
  checks("AWS-RU-012", "AWS-RU-013", "AWS-RU-014", "AWS-RU-016", "AWS-RU-017", "AWS-RU-018", "AWS-RU-019");
  policies::aws_retry_utils asked(3s, 10s, 2s, unknown(3U));
  scripted draws{{4, 5, 5, 12, 1}};  // reset: 3 + 4 mod 3 = 4; windows 4, 8, 10
  for (auto const* expected : {"try in 0", "try in 5000000000", "try in 1000000000", "give up"})
    EXPECT_EQ(said(asked, draws), expected);
  EXPECT_EQ(draws.taken, 5U) << "one for the reset, one a question";
}

TEST(hosted_policies, aws_retry_utils_unbiased) {
  checks("AWS-RU-003", "AWS-RU-013");
  policies::aws_retry_utils asked(60s, 3600s, 2s, 0, draw_mapping::unbiased);
  scripted draws{{0xffff'ffff, 0xffff'fffe, 0xffff'ffff, 123}};  // jitter 2 (2^32 mod 3 = 1); 2^32 mod 63 = 4
  EXPECT_EQ(said(asked, draws), "try in 60000000000") << "123 mod 63";
  EXPECT_EQ(draws.taken, 4U);
}

TEST(hosted_policies, mapping_is_the_documented_one_unless_another_is_asked_for) {
  checks("AWS-BA-008", "AWS-RU-013", "AWS-RU-016");
  scripted draws{{0xffff'ffff}};  // 2^32 is no multiple of 3: an unbiased draw would be another one
  policies::aws_backoff_algorithm milliseconds(2ms, 2ms, attempt_limit::of(1));
  EXPECT_EQ(said(milliseconds, draws), "try in 0");
  EXPECT_EQ(draws.taken, 1U);
  policies::aws_retry_utils seconds(2s, 2s, 2s, 1);
  EXPECT_EQ(said(seconds, draws), "try in 0");
  EXPECT_EQ(draws.taken, 3U);
}

TEST(hosted_policies, azure_c_retry_control_draws_from_all_of_its_range) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033");
  auto control = retry_control::create(retry_control::policy::random, 0);
  ASSERT_TRUE(set_initial_wait_time_in_secs(control, 0xffff'ffff));
  policies::azure_c_retry_control asked(control);
  scripted draws{{0xffff'fffe}};
  EXPECT_EQ(said(asked, 0s, draws), "try in 0");
  EXPECT_EQ(said(asked, 0s, draws), "ask in 4294967294000000000") << "the draw itself: rand_max is 2^32 - 1";
}

TEST(hosted_policies, widest_waits_are_exact) {
  scripted draws{{0xffff'ffff}};
  policies::aws_retry_utils seconds(7'200'000'000s, 7'200'000'000s, 0s, 0);  // 4294967295 s each, which is less
  EXPECT_EQ(said(seconds, draws), "try in 4294967295000000000");
  policies::aws_backoff_algorithm milliseconds(7'200'000s, 7'200'000s, attempt_limit::forever());
  EXPECT_EQ(said(milliseconds, draws), "try in 4294967295000000");
}

TEST(hosted_policies, aws_step_functions) {
  checks("AWS-SF-001", "AWS-SF-002", "AWS-SF-004", "AWS-SF-005");
  auto made = policies::aws_step_functions::with(3s, {3, 2}, unknown(3U));
  EXPECT_EQ(made.error, backoff::aws_step_functions::parameter_error::none);
  scripted none;
  for (auto const* expected : {"try in 3000000000", "try in 4500000000", "try in 6750000000", "give up"})
    EXPECT_EQ(said(made.value, none), expected);
}

TEST(hosted_policies, aws_step_functions_refused_and_saturated) {
  checks("AWS-SF-006", "AWS-SF-007");
  scripted none;
  auto refused = policies::aws_step_functions::with(-1s, {3, 2}, 3);
  EXPECT_EQ(refused.error, backoff::aws_step_functions::parameter_error::interval_s_negative);
  EXPECT_EQ(said(refused.value, none), "give up");
  auto long_waits = policies::aws_step_functions::with(4'000'000'000s, {3, 1}, 2);
  EXPECT_EQ(said(long_waits.value, none), "try in 4000000000000000000");
  EXPECT_EQ(said(long_waits.value, none), "try in 9223372036854775807") << "12 · 10^18, and 2^63 - 1 is the longest";
}

TEST(hosted_policies, aws_prescriptive_sample) {
  checks("AWS-PS-003", "AWS-PS-013", "AWS-PS-019");
  policies::aws_prescriptive_sample asked(unknown(4U));
  scripted none;
  for (auto const* expected : {"try in 100000000", "try in 300000000", "try in 700000000", "give up"})
    EXPECT_EQ(said(asked, none), expected);
  policies::aws_prescriptive_sample endless(unknown(100U));
  for (int n = 1; n < 24; ++n) EXPECT_NE(said(endless, none), "give up") << n;
  EXPECT_EQ(said(endless, none), "try in 1677721500000000");
  EXPECT_EQ(said(endless, none), "give up") << "31 bits do not hold the next wait";
}

TEST(hosted_policies, azure_c_retry_control_asks_again_when_the_wait_is_over) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_024", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_030");
  policies::azure_c_retry_control asked(retry_control::create(retry_control::policy::linear_backoff, 0));
  scripted none;
  EXPECT_EQ(said(asked, 300ms, none), "try in 0") << "the first retry comes at once";
  EXPECT_EQ(said(asked, 1500ms, none), "ask in 3500000000") << "5 s of the clock's after second 0";
  EXPECT_EQ(said(asked, 4999ms, none), "ask in 1000000");
  EXPECT_EQ(said(asked, 5s, none), "try in 0");
  EXPECT_EQ(said(asked, 5s, none), "ask in 10000000000") << "linear: 2 · 5 s";
  EXPECT_EQ(said(asked, 60s, none), "try in 0") << "nobody has to be punctual";
}

TEST(hosted_policies, azure_c_retry_control_stops_when_its_time_is_over) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_023");
  policies::azure_c_retry_control asked(retry_control::create(retry_control::policy::interval, 7));
  scripted none;
  EXPECT_EQ(said(asked, 1s, none), "try in 0");
  EXPECT_EQ(said(asked, 2s, none), "ask in 4000000000") << "after 5 s, which ends before 1 + 7";
  EXPECT_EQ(said(asked, 6s, none), "try in 0");
  EXPECT_EQ(said(asked, 6s, none), "ask in 2000000000") << "of 5 s that would end at 11";
  EXPECT_EQ(said(asked, 8s, none), "give up");
}

TEST(hosted_policies, azure_c_retry_control_draws_where_a_retry_is_granted) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033");
  for (auto const which : {retry_control::policy::exponential_backoff_with_jitter, retry_control::policy::random}) {
    auto control = retry_control::create(which, 0);
    ASSERT_TRUE(set_initial_wait_time_in_secs(control, 1000));
    ASSERT_TRUE(set_max_jitter_percent(control, 50));
    policies::azure_c_retry_control asked(control);
    scripted none;
    EXPECT_THROW(static_cast<void>(said(asked, 0s, none)), std::runtime_error);
    scripted draws{{0x8000'0000}};
    EXPECT_EQ(said(asked, 0s, draws), "try in 0") << "what a generator throws has changed nothing";
    // 1000 · (1 + 0.5 · 2^31 / (2^32 - 1)), and 1000 · 2^31 / (2^32 - 1): just above 1250 and 500
    bool const random = which == retry_control::policy::random;
    EXPECT_EQ(said(asked, 0s, draws), random ? "ask in 500000000000" : "ask in 1250000000000");
    EXPECT_EQ(draws.taken, 1U);
  }
}

TEST(hosted_policies, azure_c_retry_control_that_never_waits_or_never_retries) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_028");
  scripted none;
  policies::azure_c_retry_control immediate(retry_control::create(retry_control::policy::immediate, 0));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(said(immediate, 9s, none), "try in 0");
  policies::azure_c_retry_control never(retry_control::create(retry_control::policy::none, 0));
  EXPECT_EQ(said(never, 0s, none), "give up");
}

// A control that was restored from somewhere, and a time before the first try: what the document calls a failure.
TEST(hosted_policies, azure_c_retry_control_gives_up_where_its_clock_fails) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_012", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_020");
  scripted none;
  auto const fresh = retry_control::create(retry_control::policy::interval, 0);
  policies::azure_c_retry_control before(fresh);
  EXPECT_EQ(said(before, -1s, none), "give up");
  auto restored = fresh;
  restored.first_retry_time = 0;
  policies::azure_c_retry_control first(restored);
  EXPECT_EQ(said(first, -1s, none), "give up") << "granted, but when, nobody knows";
  EXPECT_EQ(said(first, 9s, none), "give up") << "and so it stays";
  policies::azure_c_retry_control later(fresh);
  EXPECT_EQ(said(later, 0s, none), "try in 0");
  EXPECT_EQ(said(later, -1s, none), "give up");
}

TEST(hosted_policies, azure_java_retry_policy) {
  checks("AZ-JR-012", "AZ-JR-013", "AZ-JR-014", "AZ-JR-015", "AZ-JR-016", "AZ-JR-017");
  policies::azure_java_retry_policy asked;
  scripted half_way{{0x8000'0000}};  // 62.5 ms of 50 to 75
  for (auto const* expected : {"try in 100000000", "try in 162500000", "try in 287500000"})
    EXPECT_EQ(said(asked, half_way), expected);
  for (int i = 0; i < 10; ++i) static_cast<void>(said(asked, half_way));
  EXPECT_EQ(said(asked, half_way), "try in 10000000000");
  policies::azure_java_retry_policy again;
  scripted one{{1}};
  static_cast<void>(said(again, one));
  EXPECT_EQ(said(again, one), "try in 150000001") << "0.006 ns more than 150 ms: rounded up";
}

struct fixed_policy {
  next_step says;
  next_step what_next(nanoseconds, scripted& draws) const {
    static_cast<void>(draws());
    return says;
  }
};

// A generator that throws leaves a policy as it was; in the middle of a question too.
TEST(hosted_policies, what_a_generator_throws_goes_through) {
  scripted none;
  scripted draws{{0x8000'0000}};
  policies::aws_backoff_algorithm full_jitter(8s, 8s, attempt_limit::of(1));
  policies::aws_backoff_algorithm even(8s, 8s, attempt_limit::of(1), draw_mapping::unbiased);
  policies::aws_retry_utils utils(8s, 8s, 0s, 1);
  policies::azure_java_retry_policy java;
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(static_cast<void>(full_jitter.what_next(0s, none)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(even.what_next(0s, none)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(utils.what_next(0s, none)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(java.what_next(0s, none)), std::runtime_error);
  }
  for (int i = 0; i < 2; ++i) {
    auto const expected = i == 0 ? advice::try_again : advice::give_up;
    EXPECT_EQ(full_jitter.what_next(0s, draws).advice, expected);
    EXPECT_EQ(even.what_next(0s, draws).advice, expected);
    EXPECT_EQ(utils.what_next(0s, draws).advice, expected);
    EXPECT_THROW(static_cast<void>(utils.what_next(0s, none)), std::runtime_error);
  }
  EXPECT_EQ(java.what_next(0s, draws).wait, 100ms) << "the first retry still";
}

TEST(hosted_policies, total_time_is_for_waits_too) {
  checks("AZ-JR-010");
  scripted draws{{1}};
  auto const next = [&](next_step says, std::optional<nanoseconds> total, nanoseconds elapsed) {
    fixed_policy asked{says};
    return what_next(asked, total, elapsed, draws);
  };
  draws.draws.clear();
  EXPECT_THROW(static_cast<void>(next(giving_up, 1ns, 1ns)), std::runtime_error);
  draws.draws = {1};
  next_step const in_5{advice::try_again, 5ns};
  next_step const later{advice::ask_again, 5ns};
  EXPECT_EQ(next(in_5, {}, nanoseconds::max()).advice, advice::try_again) << "no limit";
  EXPECT_EQ(next(in_5, 12ns, 7ns).advice, advice::try_again) << "it may end with the total time";
  EXPECT_EQ(next(in_5, 12ns, 7ns).wait, 5ns);
  EXPECT_EQ(next(in_5, 12ns, 8ns).advice, advice::out_of_time);
  EXPECT_EQ(next(in_5, 12ns, 8ns).wait, 0ns);
  EXPECT_EQ(next(later, 12ns, 8ns).advice, advice::out_of_time);
  EXPECT_EQ(next(giving_up, 12ns, 13ns).advice, advice::give_up) << "for a reason of its own";
  EXPECT_EQ(next({advice::try_again, nanoseconds::max()}, 0ns, nanoseconds::max()).advice, advice::out_of_time);
}

}  // namespace
}  // namespace backoff
