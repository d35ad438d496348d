// What a run notes of broken claims.
#include "judge/breach_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/present.hpp"
#include "judge/begun_test.hpp"

namespace {

using namespace backoff::judge;
using countdown::after;
using countdown::asked;
using countdown::begun;
using countdown::said;

TEST(breach_log, what_a_port_declares_to_take_it_must_answer_unless_it_was_not_sent) {
  auto about = countdown::about_countdown;
  about.takes.params[0].declared = true;
  auto judged = begun(countdown::system, about);
  judged.judge(asked(5, 1), {result_kind::unsent, {}, ""});
  EXPECT_TRUE(judged.breaches().empty());
  judged.judge(asked(5, 1), {result_kind::rejected, {}, ""});
  judged.judge(asked(6, 1), {result_kind::skipped, {}, ""});
  auto const breaches = judged.breaches();
  ASSERT_EQ(breaches.size(), 1U);
  EXPECT_EQ(breaches[0].claim, breach::no_answer);
  EXPECT_EQ(breaches[0].histories, 2U);
  EXPECT_EQ(breaches[0].first.index, 1U);
  EXPECT_EQ(judged.failing_histories(), 2U);
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
}

// What a rejection stands for where a reading admits it, is judged as an answer.
TEST(breach_log, holds_a_rejection_that_may_be_admitted_against_the_document) {
  auto about = countdown::about_countdown;
  for (bool const declared : {false, true}) {
    about.takes.params[0].declared = declared;
    auto judged = begun(countdown::system, about);
    judged.judge(asked(5, 1), {result_kind::rejected, {countdown::says(5)}, ""});
    EXPECT_EQ(judged.counts().rejected, 1U);
    EXPECT_EQ(judged.counts().at_stake[countdown::counts_down], declared ? 1U : 0U);
    EXPECT_TRUE(judged.breaches().empty());
    judged.judge(asked(5, 1), {result_kind::rejected, {countdown::fails}, ""});
    auto const breaches = judged.breaches();
    ASSERT_EQ(breaches.size(), declared ? 1U : 0U);
    if (declared) {
      EXPECT_EQ(breaches[0].claim, countdown::no_call_fails);
    }
    EXPECT_EQ(judged.counts_as_answered({result_kind::skipped, {countdown::says(5)}, ""}), false);
  }
}

// One admitted reading breaks one claim, the other another: none is broken under both.
TEST(breach_log, notes_no_advice_that_some_admitted_reading_follows) {
  explorer<countdown::advised> const system;
  history both = asked(5, 2);
  both.steps[1].on = 1;
  auto judged = begun(system, countdown::about_countdown);
  judged.judge(both, said({4, 5}));
  EXPECT_TRUE(judged.breaches().empty());
  judged.judge(asked(5, 1), said({9}));
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].claim, countdown::counts_down);
  judged.judge(both, said({9, 9}));
  EXPECT_EQ(judged.breaches().size(), 2U) << "the second call is judged too";
  judged.judge(asked(5, 1), {result_kind::answered, {countdown::fails}, ""});
  EXPECT_EQ(judged.breaches().size(), 3U);
}

// What fails the port without refuting a reading must not hide, at a later call, what does.
TEST(breach_log, what_breaks_the_interface_hides_nothing_behind_it) {
  auto const judged =
      after({{asked(0, 3), {result_kind::answered, {countdown::says(0), countdown::says(7), countdown::fails}, ""}}});
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
}

struct logged {
  terms held_to = std::get<terms>(terms::of(countdown::system, countdown::about_countdown, {}));
  breach_log log{held_to};
  history tried = asked(5, 1);
  result got = said({9});
  void note(claim_mask broken, std::uint64_t index = 0) { log.note(broken, {index, tried, got, ~claim_mask{0}}); }
};

TEST(breach_log, keeps_the_first_history_of_a_claim_and_counts_all) {
  logged of;
  of.note(0b0010, 3);
  of.note(0b1010, 4);
  EXPECT_EQ(of.log.broken(), 0b1010U);
  EXPECT_EQ(of.log.all().at(1).histories, 2U);
  EXPECT_EQ(of.log.all().at(1).first.index, 3U);
  EXPECT_EQ(of.log.failing_histories(), 2U);
  EXPECT_TRUE(refutes(of.held_to, of.log.all().at(1)));
  EXPECT_FALSE(refutes(of.held_to, of.log.all().at(3))) << "of the interface";
}

TEST(breach_log, forgets_claims_but_not_what_was_not_answered) {
  logged of;
  of.note(no_answer_mask);
  of.note(0b0010);
  of.log.forget_claims();
  EXPECT_EQ(of.log.broken(), no_answer_mask);
  EXPECT_EQ(of.log.failing_histories(), 1U);
  logged all;
  all.note(0b0010);
  all.log.forget_claims();
  EXPECT_EQ(all.log.failing_histories(), 0U);
}

TEST(breach_log, renames_wrong_claims_and_keeps_those_that_were_there) {
  logged of;
  of.note(0b0001, 1);
  of.note(0b0110, 2);
  of.note(no_answer_mask, 3);
  of.log.rename(0b0110, 0b1001);
  EXPECT_EQ(of.log.broken(), 0b1001U | no_answer_mask);
  EXPECT_EQ(of.log.all().at(0).first.index, 1U);
  EXPECT_EQ(of.log.all().at(3).first.index, 2U);
}

TEST(breach_log, takes_a_claim_back_and_confirms_another) {
  logged of;
  of.note(0b0011);
  EXPECT_EQ(present(of.log.withdraw(0)).claim, 0U);
  EXPECT_FALSE(of.log.withdraw(0));
  of.log.confirm(1, {7, of.tried, of.got}, false);
  EXPECT_EQ(of.log.dependent(), 0b0010U);
  EXPECT_EQ(of.log.all().at(1).first.index, 7U);
  EXPECT_FALSE(of.log.all().at(1).leads);
  of.log.put_back({.claim = 0, .first = {}});
  EXPECT_EQ(of.log.broken(), 0b0011U);
}

}  // namespace
