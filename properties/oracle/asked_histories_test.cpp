// The histories before one of a run are those that the process was asked.
#include "oracle/asked_histories.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/played_port_test.hpp"

namespace {

using namespace backoff::oracle;

plan planned(std::uint64_t skipped) {
  static domain const takes = documented_domain(full_jitter().shape(), {});
  plan histories(full_jitter().shape(), takes, 20'000, 1);
  histories.skip(skipped);
  return histories;
}

std::vector<history> first(std::uint64_t count, std::uint64_t skipped = 0) {
  auto histories = planned(skipped);
  auto const some = histories.next(count);
  return {some.begin(), some.end()};
}

TEST(asked_histories, of_a_plan_are_given_again) {
  asked_histories asked;
  asked.begin(planned(100));
  asked.add(first(30, 100));
  EXPECT_EQ(asked.before(20), first(20, 100));
  EXPECT_TRUE(asked.before(0).empty());
  EXPECT_TRUE(asked.planned());
}

TEST(asked_histories, are_the_latest_where_there_are_many) {
  asked_histories asked;
  asked.begin(planned(0));
  asked.add(first(10'000));
  auto const before = asked.before(9'000);
  EXPECT_EQ(before.size(), asked_histories::most);
  EXPECT_EQ(before.back(), first(9'000).back());
}

TEST(asked_histories, of_no_plan_are_kept) {
  asked_histories asked;
  auto const all = first(10);
  asked.add(std::span(all).first(4));
  asked.add(std::span(all).subspan(4));
  EXPECT_EQ(asked.before(7), first(7));
  EXPECT_FALSE(asked.planned());
}

TEST(asked_histories, end_where_a_fresh_process_begins) {
  asked_histories asked;
  asked.begin(planned(0));
  asked.add(first(30));
  auto const samples = first(5, 200);
  asked.add_samples(samples);
  EXPECT_TRUE(asked.before(30).empty());
  EXPECT_EQ(asked.before(33), first(3, 200));
}

}  // namespace
