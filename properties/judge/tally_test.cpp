// What a run counts.
#include "judge/tally.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "judge/begun_test.hpp"

namespace {

using namespace backoff::judge;
using countdown::after;
using countdown::asked;
using countdown::begun;
using countdown::right_plus;
using countdown::said;

// Calls of other instances do not count, nor do histories that were not answered.
TEST(tally, counts_the_most_calls_that_an_instance_was_asked) {
  auto judged = begun(countdown::system, countdown::about_countdown);
  auto three = asked(9, 3);
  three.steps[1].on = 1;
  judged.judge(three, right_plus(three, 0));
  EXPECT_EQ(judged.counts().most_calls, 2U);
  judged.judge(asked(9, 1), right_plus(asked(9, 1), 0));
  judged.judge(asked(9, 5), {result_kind::skipped, {}, ""});
  EXPECT_EQ(judged.counts().most_calls, 2U);
}

TEST(tally, counts_each_kind_of_result) {
  auto const judged = after({{asked(5, 1), said({5})},
                             {asked(5, 1), {result_kind::rejected, {}, ""}},
                             {asked(5, 1), {result_kind::skipped, {}, ""}},
                             {asked(5, 1), {result_kind::unsent, {}, ""}},
                             {asked(5, 1), {result_kind::broke, {}, ""}},
                             {asked(5, 1), {result_kind::broke, {}, ""}},
                             {asked(5, 1), {result_kind::broke, {}, ""}}});
  EXPECT_EQ(judged.counts().judged, 1U);
  EXPECT_EQ(judged.counts().rejected, 1U);
  EXPECT_EQ(judged.counts().skipped, 2U);
  EXPECT_EQ(judged.counts().broke, 3U);
  EXPECT_EQ(judged.counts().all(), 7U);
  EXPECT_TRUE(judged.breaches().empty());
  EXPECT_EQ(judged.failing_histories(), 0U);
}

}  // namespace
