// When a run passes, fails, or is inconclusive.
#include "judge/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "judge/begun_test.hpp"

namespace {

using namespace backoff::judge;
namespace spec = backoff::spec;
using countdown::after;
using countdown::asked;
using countdown::begun;
using countdown::said;

TEST(verdict, what_breaks_a_claim_of_the_interface_fails_it_and_refutes_no_reading) {
  std::pair<history, result> const wrong{asked(0, 2), said({0, 3})};
  for (bool const strict : {false, true}) {
    for (bool const document_only : {false, true}) {
      run_options const how{.strict = strict, .document_only = document_only};
      auto const judged = after({wrong, wrong}, how);
      ASSERT_EQ(judged.breaches().size(), 1U);
      EXPECT_EQ(judged.breaches()[0].claim, countdown::stops_at_zero);
      EXPECT_EQ(judged.breaches()[0].fails, !document_only);
      EXPECT_FALSE(judged.refutes(judged.breaches()[0]));
      EXPECT_EQ(judged.breaches()[0].histories, 2U);
      EXPECT_EQ(judged.failing_histories(), document_only ? 0U : 2U);
      EXPECT_EQ(judged.verdict(), document_only ? verdict::inconclusive : verdict::breaks_the_interface);
      EXPECT_EQ(judged.verdict_by_the_document(), verdict::inconclusive) << "little was at stake";
      EXPECT_EQ(judged.readings().admitted(), judged.readings().initial());
    }
  }
}

TEST(verdict, a_broken_interface_does_not_hide_what_the_document_says) {
  history both = asked(5, 2);
  both.steps[1].on = 1;
  std::pair<history, result> const right{both, said({5, 5})};
  std::pair<history, result> const overrun{asked(0, 2), said({0, 3})};
  EXPECT_EQ(after({right}).verdict(), verdict::conforms);
  auto const follows = after({right, overrun});
  EXPECT_EQ(follows.verdict(), verdict::breaks_the_interface);
  EXPECT_EQ(follows.verdict_by_the_document(), verdict::conforms);
  auto const wrong = after({right, overrun, {asked(5, 1), said({9})}});
  EXPECT_EQ(wrong.verdict(), verdict::does_not_conform);
  EXPECT_EQ(wrong.verdict_by_the_document(), verdict::does_not_conform);
}

TEST(verdict, passes_only_when_every_must_was_at_stake) {
  history both = asked(5, 2);
  both.steps[1].on = 1;
  std::pair<history, result> const one{asked(5, 1), said({5})};
  std::pair<history, result> const two{both, said({5, 5})};
  EXPECT_EQ(after({}).verdict(), verdict::inconclusive);
  EXPECT_EQ(after({}, {.whole = false}).verdict(), verdict::inconclusive);
  EXPECT_EQ(after({one}).verdict(), verdict::inconclusive);
  auto const judged = after({one, two});
  EXPECT_EQ(judged.verdict(), verdict::conforms);
  EXPECT_EQ(judged.counts().at_stake[countdown::no_call_fails], 2U);
  EXPECT_EQ(judged.counts().at_stake[countdown::independent], 1U);
  EXPECT_EQ(judged.counts().at_stake[countdown::stops_at_zero], 0U);
  EXPECT_EQ(after({one}, {.whole = false}).verdict(), verdict::conforms);
  claim_mask const others = ~(claim_mask{1} << countdown::independent);
  EXPECT_EQ(after({one}, {.claims = others}).verdict(), verdict::conforms);
  claim_mask const but_the_first = ~(claim_mask{1} << countdown::no_call_fails);
  EXPECT_EQ(after({one}, {.claims = but_the_first}).counts().at_stake[countdown::no_call_fails], 0U);
}

// What it turned away outside declared ranges is no failure, and no evidence either.
TEST(verdict, says_nothing_of_a_port_that_turns_most_histories_away) {
  for (bool const whole : {true, false}) {
    run_options const sticky{.claims = claim_mask{1} << countdown::no_call_fails, .whole = whole};
    for (auto const kind : {result_kind::rejected, result_kind::skipped}) {
      auto judged = begun(countdown::system, countdown::about_countdown, sticky);
      for (unsigned i = 0; i < 100; ++i) judged.judge(asked(5, 1), said({5}));
      for (unsigned i = 0; i < 100; ++i) judged.judge(asked(5, 1), {kind, {}, "not today"});
      EXPECT_EQ(judged.verdict(), verdict::conforms) << "as many answered as not";
      judged.judge(asked(5, 1), {kind, {}, "not today"});
      EXPECT_EQ(judged.verdict(), whole ? verdict::inconclusive : verdict::conforms);
      EXPECT_EQ(judged.unexercised_musts(), 0U);
    }
  }
}

TEST(verdict, needs_no_claim_at_stake_whose_feature_the_port_lacks) {
  auto about = countdown::about_countdown;
  about.takes.features = 0;
  auto judged = begun(countdown::system, about);
  EXPECT_EQ(judged.unexercised_musts(), 0b0011U) << "those that need none";
  judged.judge(asked(5, 1), said({5}));
  EXPECT_EQ(judged.verdict(), verdict::conforms);
}

TEST(verdict, needs_claims_about_draws_at_stake_only_where_draws_are_tested) {
  auto const claims = backoff_algorithm().claims();
  for (auto const& draws : {draw_source{}, draw_source{spec::draw_kind::hidden, 1}}) {
    auto const about = about_drawing(draws);
    auto const wanting = begun(backoff_algorithm(), about).unexercised_musts();
    for (unsigned i = 0; i < claims.size(); ++i) {
      if (!claims[i].draws) continue;
      bool const tested = draws.kind == spec::draw_kind::hidden && claims[i].strength == strength::must;
      EXPECT_EQ(includes(wanting, i), tested) << claims[i].name;
    }
  }
}

TEST(verdict, needs_no_claim_at_stake_that_what_the_port_takes_cannot_put_there) {
  for (std::int64_t const most : {0, 5}) {
    auto about = countdown::about_countdown;
    about.takes.params[0].high = most;
    auto judged = begun(countdown::system, about);
    judged.judge(asked(0, 1), said({0}));
    EXPECT_EQ(judged.verdict(), most == 0 ? verdict::conforms : verdict::inconclusive);
  }
}

// One history says nothing of how they are drawn. A replay asks only whether anything refutes the port.
TEST(verdict, hidden_draws_of_one_history_pass_in_a_replay_alone) {
  auto const about = about_drawing({spec::draw_kind::hidden, 1});
  for (bool const whole : {true, false}) {
    auto judged = begun(backoff_algorithm(), about, {.whole = whole});
    history h;
    h.params = {value::of(5), value::of(5), value::word(0)};
    h.steps.resize(1);
    result r;
    r.answers = {{observed::word(0), observed::of(3)}};
    judged.judge(h, r);
    EXPECT_EQ(judged.counts().judged, 1U);
    EXPECT_TRUE(judged.breaches().empty());
    EXPECT_EQ(judged.verdict(), whole ? verdict::inconclusive : verdict::conforms);
  }
}

}  // namespace
