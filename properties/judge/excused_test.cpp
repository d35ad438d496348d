// What is known to fail: it is not held against the port, refutes no reading, and hides nothing else.
#include <gtest/gtest.h>

#include "judge/countdown_test.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"
#include "ports/hidden.hpp"

namespace {

using namespace backoff::ports;
using countdown::asked;
using countdown::begun;
using countdown::said;

auto const about = countdown::about_port();
constexpr claim_mask only(unsigned claim) { return claim_mask{1} << claim; }
constexpr claim_mask counts_down = only(countdown::counts_down);

TEST(excused, a_failure_that_is_known_does_not_fail_the_run_and_refutes_nothing) {
  auto judged = begun(countdown::system, about, {.whole = false});
  auto const before = judged.readings().with_hazards();
  EXPECT_EQ(judged.judge(asked(5, 2), said({7, 7}), sample_kind::none, counts_down), counts_down);
  EXPECT_EQ(judged.verdict(), verdict::conforms);
  EXPECT_TRUE(judged.breaches().empty());
  EXPECT_EQ(judged.readings().with_hazards(), before);
  EXPECT_EQ(judged.counts().at_stake[countdown::counts_down], 1U);
  EXPECT_EQ(judged.counts().at_stake[countdown::no_call_fails], 1U);
}

// 4 is the answer of another reading: as known to fail it is no evidence for it, as an answer it is.
TEST(excused, what_fits_another_reading_is_no_evidence_for_it) {
  auto judged = begun(countdown::system, about, {.whole = false});
  EXPECT_EQ(judged.judge(asked(5, 1), said({4}), sample_kind::none, counts_down), counts_down);
  EXPECT_EQ(judged.judge(asked(5, 1), said({5})), 0U);
  EXPECT_EQ(judged.verdict(), verdict::conforms);
  EXPECT_EQ(judged.judge(asked(5, 1), said({4})), 0U);
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
}

// The second answer is that of another reading, of an instance that is known to answer wrongly: no evidence either.
TEST(excused, the_rest_of_such_a_history_refutes_nothing) {
  history both = asked(5, 2);
  both.steps[1].on = 1;
  for (claim_mask const excused : {claim_mask{0}, counts_down}) {
    auto judged = begun(countdown::system, about, {.whole = false});
    auto const before = judged.readings().with_hazards();
    EXPECT_EQ(judged.judge(both, said({9, 4}), sample_kind::none, excused), excused);
    EXPECT_EQ(judged.readings().with_hazards() == before, excused != 0);
    EXPECT_EQ(judged.counts().at_stake[countdown::independent], 1U);
  }
}

// Nor is a hazard that would explain it anything that is left.
TEST(excused, what_only_a_hazard_explains_still_counts) {
  history both = asked(5, 2);
  both.steps[1].on = 1;
  auto judged = begun(countdown::system, about, {.whole = false});
  EXPECT_EQ(judged.judge(both, said({9, 6}), sample_kind::none, counts_down), counts_down);
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].claim, countdown::independent);
  EXPECT_FALSE(judged.readings().with_hazards().empty());
  EXPECT_TRUE(judged.readings().admitted().empty());
}

TEST(excused, what_is_known_to_fail_everywhere_need_not_be_put_at_stake) {
  auto const after_one = [](run_options options) {
    auto judged = begun(countdown::system, about, std::move(options));
    EXPECT_EQ(judged.judge(asked(5, 1), said({5})), 0U);
    return judged;
  };
  auto const without = after_one({});
  ASSERT_NE(without.unexercised_musts(), 0U);
  EXPECT_EQ(without.verdict(), verdict::inconclusive);
  auto const with = after_one({.known_everywhere = without.unexercised_musts()});
  EXPECT_EQ(with.unexercised_musts(), 0U);
  EXPECT_EQ(with.verdict(), verdict::conforms);
}

TEST(excused, a_claim_that_holds_where_it_is_known_to_fail_is_told) {
  auto judged = begun(countdown::system, about, {.whole = false});
  EXPECT_EQ(judged.judge(asked(5, 1), said({5}), sample_kind::none, counts_down), 0U);
  EXPECT_EQ(judged.verdict(), verdict::conforms);
  EXPECT_EQ(judged.counts().at_stake[countdown::counts_down], 1U);
}

TEST(excused, what_else_the_history_breaks_still_counts) {
  auto judged = begun(countdown::system, about, {.whole = false});
  result failed = said({7});
  failed.answers.push_back(countdown::fails);
  EXPECT_EQ(judged.judge(asked(5, 2), failed, sample_kind::none, counts_down), counts_down);
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].claim, countdown::no_call_fails);
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
  EXPECT_EQ(judged.judge(asked(6, 1), said({9}), sample_kind::none, counts_down), counts_down)
      << "after the verdict too";
  EXPECT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.judge(asked(6, 1), said({9})), 0U);
  EXPECT_EQ(judged.breaches().size(), 2U);
}

TEST(excused, a_claim_that_is_not_selected_is_no_known_failure) {
  auto judged = begun(countdown::system, about, {.claims = ~counts_down, .whole = false});
  EXPECT_EQ(judged.judge(asked(5, 1), said({9}), sample_kind::none, counts_down), 0U);
  EXPECT_EQ(judged.verdict(), verdict::conforms);
}

TEST(excused, histories_that_are_not_answered_may_be_known) {
  auto declared = about;
  declared.takes.params[0].declared = true;
  auto judged = begun(countdown::system, declared, {.whole = false});
  EXPECT_EQ(judged.judge(asked(5, 1), {result_kind::skipped, {}, ""}, sample_kind::none, no_answer_mask),
            no_answer_mask);
  EXPECT_TRUE(judged.breaches().empty());
  EXPECT_EQ(judged.counts().skipped, 1U);
  EXPECT_EQ(judged.judge(asked(5, 1), {result_kind::skipped, {}, ""}, sample_kind::none, counts_down), 0U);
  EXPECT_EQ(judged.breaches().size(), 1U);
}

TEST(excused, nothing_is_told_of_what_is_not_answered_or_breaks_otherwise) {
  auto judged = begun(countdown::system, about, {.whole = false});
  EXPECT_EQ(judged.judge(asked(5, 1), {result_kind::broke, {}, ""}, sample_kind::none, ~claim_mask{0}), 0U);
  EXPECT_EQ(judged.judge(asked(5, 1), {result_kind::skipped, {}, ""}, sample_kind::none, ~claim_mask{0}), 0U)
      << "not declared";
  EXPECT_EQ(judged.judge_twice(asked(5, 1), said({9}), said({9}), counts_down), counts_down);
}

// --- hidden draws: the tests say that they are not even ---

judged_system const& full_jitter() { return *find_judged_system("aws_backoff_algorithm"); }

claim_mask about_draws(about_draws which) {
  claim_mask mask = 0;
  for (unsigned i = 0; i < full_jitter().claims().size(); ++i) {
    if (full_jitter().claims()[i].draws == which) mask |= only(i);
  }
  return mask;
}

struct drawing {
  explicit drawing(run_options options = {.whole = false})
      : port(full_jitter().shape(), *find_built_in("aws_backoff_algorithm", "cap-after-jitter"), generators().front(),
             1),
        judged(std::get<run>(run::begin(full_jitter(), port.describes(), std::move(options)))) {}
  claim_mask feed(claim_mask excused) {
    plan histories(full_jitter().shape(), judged.about().takes, 900, 1, true);
    claim_mask failed = 0;
    for (auto batch = histories.next(1); !batch.empty(); batch = histories.next(1)) {
      failed |=
          judged.judge(batch[0], port.run(batch).front(), histories.kind_of(histories.given() - 1, batch[0]), excused);
    }
    judged.settle_power();
    return failed;
  }
  hidden_subject port;
  run judged;
};

TEST(excused, draws_that_are_known_to_be_uneven_are_tested_no_more) {
  auto const uneven = about_draws(about_draws::uniform);
  drawing known({.known_everywhere = uneven | about_draws(about_draws::independent)});
  EXPECT_EQ(known.feed(uneven), uneven);
  EXPECT_TRUE(known.judged.draws().are_excused());
  EXPECT_TRUE(known.judged.breaches().empty());
  EXPECT_EQ(known.judged.verdict(), verdict::conforms);
  EXPECT_EQ(known.judged.samples(), nullptr);

  drawing other;
  EXPECT_EQ(other.feed(about_draws(about_draws::independent)), 0U);
  EXPECT_FALSE(other.judged.draws().are_excused());
  EXPECT_EQ(other.judged.verdict(), verdict::does_not_conform);
}

// A delay far beyond its window is known, whether it is a sample or not, and whether another process was asked too.
TEST(excused, what_answers_break_is_told_of_samples_too) {
  drawing known;
  history const h{{value::of(1), value::of(100), value::word(0)}, {{0, 0, {}}}};
  result const r{result_kind::answered, {{observed::word(0), observed::of(1'000'000)}}, {}};
  claim_mask const all = ~claim_mask{0};
  auto const failed = known.judged.judge(h, r, sample_kind::none, all);
  EXPECT_NE(failed, 0U);
  EXPECT_EQ(known.judged.judge(h, r, sample_kind::repeated, all), failed);
  EXPECT_EQ(known.judged.judge_twice(h, r, r, all), failed);
  EXPECT_EQ(known.judged.judge_twice(h, r, {result_kind::skipped, {}, ""}, all), failed);
}

TEST(excused, two_processes_that_are_known_to_draw_alike) {
  auto const alike = about_draws(about_draws::seeded);
  for (claim_mask const excused : {claim_mask{0}, alike}) {
    hidden_subject one(full_jitter().shape(), *find_built_in("aws_backoff_algorithm", "library"), generators().front(),
                       7);
    hidden_subject two(full_jitter().shape(), *find_built_in("aws_backoff_algorithm", "library"), generators().front(),
                       7);
    auto judged = std::get<run>(run::begin(full_jitter(), one.describes(), {.whole = false}));
    plan const samples(full_jitter().shape(), judged.about().takes, 1'000, 1, true);
    auto const histories = samples.for_two_processes();
    auto const a = one.run(histories);
    auto const b = two.run(histories);
    claim_mask failed = 0;
    for (std::size_t i = 0; i < histories.size(); ++i) failed |= judged.judge_twice(histories[i], a[i], b[i], excused);
    EXPECT_EQ(failed, excused);
    EXPECT_EQ(judged.breaches().empty(), excused != 0);
  }
}

}  // namespace
