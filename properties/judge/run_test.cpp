// What a run makes of results as a whole; its steps have tests of their own.
#include "judge/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "judge/begun_test.hpp"

namespace {

using namespace backoff::judge;
using backoff::spec::standing;
namespace spec = backoff::spec;
using countdown::after;
using countdown::asked;
using countdown::begun;
using countdown::right_plus;
using countdown::said;

TEST(run, fails_when_no_admitted_reading_is_left_and_is_explained_by_the_last_that_was) {
  auto judged = after({{asked(5, 2), said({5, 4})}});
  EXPECT_TRUE(judged.breaches().empty());  // only from-minus-1 was refuted
  EXPECT_EQ(judged.refuting().size(), 1U);
  EXPECT_EQ(judged.witnesses().back().seen.index, judged.counts().all() - 1);  // blame is settled on each
  EXPECT_EQ(judged.explained_by(), countdown::table.admitting(standing::canonical));

  judged.judge(asked(7, 2), said({6, 5}));  // from-minus-1: the two together fit no reading
  EXPECT_TRUE(judged.readings().admitted().empty());
  EXPECT_EQ(judged.refuting().size(), 2U);
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
  EXPECT_EQ(judged.explained_by(), countdown::table.admitting(standing::canonical));
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].claim, countdown::counts_down);
  EXPECT_EQ(judged.breaches()[0].first.index, 1U);
  EXPECT_EQ(judged.breaches()[0].first.tried, asked(7, 2));

  judged.judge(asked(5, 2), said({5, 4}));  // right under what explains the run
  judged.judge(asked(5, 2), said({5, 5}));
  EXPECT_EQ(judged.breaches()[0].histories, 2U);
  EXPECT_EQ(judged.failing_histories(), 2U);
  EXPECT_EQ(judged.refuting().size(), 2U);
}

TEST(run, is_explained_by_the_surviving_reading_with_the_fewest_deviations) {
  auto const judged = after({{asked(5, 2), said({4, 3})}});
  EXPECT_EQ(judged.explained_by(), countdown::table.with(countdown::table.admitting(standing::canonical),
                                                         countdown::first, countdown::from_minus_1));
}

// What a run keeps does not grow with what it is told: at most one history a refuted assignment and one a claim.
TEST(run, keeps_no_more_after_many_histories_than_after_a_few) {
  for (spec::integer const added : {0, 1, 3}) {
    auto judged = begun(countdown::system, countdown::about_countdown);
    for (std::int64_t i = 0; i < 30'000; ++i) {
      auto const h = asked(i % 10, static_cast<std::size_t>(1 + i % 13));
      judged.judge(h, right_plus(h, i % 7 == 0 ? added : 0));
    }
    EXPECT_LE(judged.refuting().size(), 6U);  // joint assignments of the system
    EXPECT_LE(judged.breaches().size(), countdown::claims.size());
    EXPECT_LE(judged.readings().with_hazards().size(), 6U);
    EXPECT_LE(judged.readings().never_broken().size(), 6U);
  }
}

}  // namespace
