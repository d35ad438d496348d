// The waits of a policy as a range. Numbers are worked out by hand.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <vector>

#include "backoff/hosted/delays.hpp"
#include "backoff/hosted/policies.hpp"
#include "tests/scripted_generator.hpp"

namespace backoff {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using fixed = scripted_generator;

// Any policy, behind one type: waits as they are listed, each with what to do then, until it gives up; or another's.
struct listed {
  std::vector<next_step> steps;
  std::size_t at = 0;
  std::vector<nanoseconds>* asked_at = nullptr;
  std::function<next_step(nanoseconds, fixed&)> other{};
  next_step what_next(nanoseconds elapsed, fixed& generator) {
    if (other) return other(elapsed, generator);
    asked_at->push_back(elapsed);
    return at < steps.size() ? steps[at++] : giving_up;
  }
};
static_assert(std::ranges::input_range<delays<fixed, listed>> && std::ranges::view<delays<fixed, listed>>);

TEST(hosted_delays, lists_the_wait_before_each_retry) {
  std::vector<nanoseconds> asked_at;
  fixed generator;
  delays range(listed{{{advice::try_again, 3ns},
                       {advice::ask_again, 4ns},
                       {advice::ask_again, 5ns},
                       {advice::try_again, 6ns},
                       {advice::try_again, 0ns}},
                      0,
                      &asked_at},
               generator);
  std::vector<nanoseconds> seen;
  for (auto const wait : range) seen.push_back(wait);
  EXPECT_EQ(seen, (std::vector<nanoseconds>{3ns, 15ns, 0ns})) << "what is asked again about is waited for";
  EXPECT_EQ(asked_at, (std::vector<nanoseconds>{0ns, 3ns, 7ns, 12ns, 18ns, 18ns})) << "time is that of the waits";
}

TEST(hosted_delays, asks_no_earlier_than_an_element_is_reached) {
  std::vector<nanoseconds> asked_at;
  fixed generator;
  delays range(listed{{{advice::try_again, 3ns}, {advice::try_again, 4ns}}, 0, &asked_at}, generator);
  EXPECT_TRUE(asked_at.empty());
  auto at = range.begin();
  EXPECT_EQ(asked_at.size(), 1U);
  EXPECT_EQ(*at, 3ns);
  EXPECT_FALSE(at == range.end());
  at++;
  EXPECT_EQ(*at, 4ns);
  EXPECT_EQ(*at, 4ns);
  EXPECT_TRUE(++at == range.end());
}

TEST(hosted_delays, is_empty_where_no_retry_is_granted) {
  std::vector<nanoseconds> asked_at;
  fixed generator;
  delays range(listed{{}, 0, &asked_at}, generator);
  EXPECT_TRUE(range.begin() == range.end());
}

TEST(hosted_delays, times_saturate) {
  std::vector<nanoseconds> asked_at;
  fixed generator;
  auto const most = nanoseconds::max();
  delays range(
      listed{{{advice::ask_again, most - 1ns}, {advice::try_again, 1ns}, {advice::try_again, 1ns}}, 0, &asked_at},
      generator);
  std::vector<nanoseconds> seen;
  for (auto const wait : range) seen.push_back(wait);
  EXPECT_EQ(seen, (std::vector<nanoseconds>{most, 1ns}));
  EXPECT_EQ(asked_at, (std::vector<nanoseconds>{0ns, most - 1ns, most, most}));
}

TEST(hosted_delays, ends_when_there_is_no_time_left_to_ask_again) {
  std::vector<nanoseconds> asked_at;
  fixed generator;
  delays range(listed{{{advice::ask_again, nanoseconds::max()}, {advice::ask_again, 1ns}}, 0, &asked_at}, generator);
  EXPECT_TRUE(range.begin() == range.end());
  EXPECT_EQ(asked_at.size(), 1U);
}

template <class Policy>
delays<fixed, listed> waits_of(Policy asked, fixed& generator) {
  auto const ask = [asked](nanoseconds elapsed, fixed& g) mutable { return asked.what_next(elapsed, g); };
  return {listed{.steps = {}, .other = ask}, generator};
}

TEST(hosted_delays, what_a_policy_throws_goes_through) {
  fixed generator;
  auto range = waits_of(policies::azure_java_retry_policy(), generator);
  EXPECT_THROW(static_cast<void>(range.begin()), std::runtime_error);
  generator.draws = {0};
  auto at = range.begin();
  generator.draws.clear();
  EXPECT_THROW(++at, std::runtime_error);
  EXPECT_THROW(at++, std::runtime_error);
  auto const throws_when_asked_again = [first = true](nanoseconds, fixed& draws) mutable {
    if (!first) static_cast<void>(draws());
    first = false;
    return next_step{advice::ask_again, 1ns};
  };
  delays again(listed{.steps = {}, .other = throws_when_asked_again}, generator);
  EXPECT_THROW(static_cast<void>(again.begin()), std::runtime_error);
}

namespace retry_control = backoff::azure_c_retry_control;

TEST(hosted_delays, goes_with_other_views) {
  fixed generator;
  policies::azure_c_retry_control const asked(retry_control::create(retry_control::policy::exponential_backoff, 0));
  auto range = waits_of(asked, generator);
  std::vector<nanoseconds> seen;
  for (auto const wait : range | std::views::take(5)) seen.push_back(wait);
  EXPECT_EQ(seen, (std::vector<nanoseconds>{0s, 1s, 2s, 4s, 8s}));
}

TEST(hosted_delays, ends_with_the_time_of_a_policy_that_has_one) {
  fixed generator;
  policies::azure_c_retry_control const asked(retry_control::create(retry_control::policy::interval, 12));
  std::vector<nanoseconds> seen;
  for (auto const wait : waits_of(asked, generator)) seen.push_back(wait);
  EXPECT_EQ(seen, (std::vector<nanoseconds>{0s, 5s, 5s})) << "at second 12 it stops";
}

}  // namespace
}  // namespace backoff
