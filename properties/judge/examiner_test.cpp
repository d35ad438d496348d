// The engine, on a system small enough to be judged by hand, and on every system for what holds whatever the model.
#include "judge/examiner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "histories/generate.hpp"
#include "judge/any_answer_test.hpp"
#include "judge/countdown_test.hpp"
#include "judge/judged_system.hpp"

namespace {

using namespace backoff::judge;
using backoff::spec::cube;
namespace spec = backoff::spec;

constexpr claim_mask every_claim = ~claim_mask{0};
constexpr claim_mask must = 0b0111;  // of countdown's

cube with(unsigned reading, unsigned alternative) {
  return countdown::table.with(countdown::table.admitting(spec::standing::hazard), reading, alternative);
}
std::vector<assignment_outcome> judged(history const& h, result const& r, claim_mask killing = must) {
  auto const all = countdown::system.assignments(spec::draw_kind::u32);
  return countdown::system.judge(h, r.answers, {}, all, every_claim, killing);
}

TEST(examiner, prunes_at_the_step_that_an_answer_refutes) {
  auto const outcomes = judged(countdown::asked(5, 2), countdown::said({4, 4}));
  ASSERT_EQ(outcomes.size(), 3U);
  for (auto const& f : outcomes) {
    EXPECT_FALSE(f.alive);
    EXPECT_EQ(f.broken, claim_mask{1} << countdown::counts_down);
  }
}

TEST(examiner, keeps_a_reading_whole_that_nothing_consulted) {
  auto const outcomes = judged(countdown::asked(5, 2), countdown::said({4, 3}));
  auto const alive = std::ranges::find(outcomes, true, &assignment_outcome::alive);
  ASSERT_NE(alive, outcomes.end());
  EXPECT_EQ(alive->where, with(countdown::first, countdown::from_minus_1));
}

TEST(examiner, joins_branches_of_equal_state) {
  // Every alternative of `first` admits 0 once two calls are past it; `end` is consulted and told apart by silence.
  auto const outcomes = judged(countdown::asked(0, 1), countdown::said({0}));
  std::vector<cube> alive;
  for (auto const& f : outcomes) {
    if (f.alive) alive.push_back(f.where);
  }
  spec::join_cubes(countdown::table, alive);
  std::ranges::sort(alive, {}, &cube::bits);
  // Only from-plus-1 would say 1.
  auto const all = countdown::table.admitting(spec::standing::hazard);
  cube const left{all.bits & ~countdown::table.bit(countdown::first, countdown::from_plus_1)};
  EXPECT_EQ(alive, std::vector{left});
}

TEST(examiner, ends_a_history_where_a_claim_breaks_that_does_not_kill) {
  history const h = countdown::asked(0, 3);
  auto const result = countdown::said({0, 7, 9});
  for (auto const& f : judged(h, result)) {
    bool const stays = (f.where.bits & countdown::table.bit(countdown::end, 0)) != 0;
    bool const minus = (f.where.bits & countdown::table.bit(countdown::first, countdown::from_minus_1)) != 0;
    bool const plus = (f.where.bits & countdown::table.bit(countdown::first, countdown::from_plus_1)) != 0;
    EXPECT_EQ(f.alive, !plus);
    if (stays && !plus) {
      EXPECT_EQ(f.broken, claim_mask{1} << countdown::stops_at_zero) << minus;
    }
  }
  for (auto const& f : judged(h, result, every_claim)) {
    bool const stays = (f.where.bits & countdown::table.bit(countdown::end, 0)) != 0;
    if (stays) {
      EXPECT_FALSE(f.alive);
    }
  }
}

TEST(examiner, says_nothing_of_steps_beyond_an_unjudged_one) {
  auto const& table = countdown::table;
  cube const silent = table.with(table.simplest(with(countdown::end, 1)), countdown::end, 1);
  history const h = countdown::asked(1, 4);
  EXPECT_EQ(countdown::system.admitted(h, {}, {}, silent).size(), 2U);
  EXPECT_EQ(countdown::system.admitted(h, {}, {}, table.admitting(spec::standing::canonical)).size(), 4U);
  random_bits random(1);
  EXPECT_EQ(countdown::system.play(h, {}, silent, random).answers.size(), 2U);
  auto const r = countdown::said({1, 0, 9, 9});
  auto const report = countdown::system.broken_claims(h, r.answers, {}, silent);
  EXPECT_EQ(report.broken_at, std::vector<claim_mask>(2, 0));
  EXPECT_EQ(report.broken, 0U);
  auto const outcomes = countdown::system.judge(h, r.answers, {}, std::span(&silent, 1), every_claim, every_claim);
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_TRUE(outcomes[0].alive);
}

TEST(examiner, goes_on_after_a_history_that_ended_early) {
  auto const& table = countdown::table;
  cube const silent = table.with(table.simplest(with(countdown::end, 1)), countdown::end, 1);
  examiner again(countdown::system);
  auto const r = countdown::said({0, 0});
  static_cast<void>(again.broken_claims(countdown::asked(0, 2), r.answers, {}, silent));
  auto const all = countdown::system.assignments(spec::draw_kind::u32);
  auto const two = countdown::said({5, 4});
  auto const outcomes = again.judge(countdown::asked(5, 2), two.answers, {}, all, every_claim, must);
  std::vector<assignment_outcome> const kept(outcomes.begin(), outcomes.end());
  auto const fresh = judged(countdown::asked(5, 2), two);
  ASSERT_EQ(kept.size(), fresh.size());
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].where, fresh[i].where);
}

TEST(examiner, puts_at_stake_what_any_step_does) {
  auto const canonical = std::vector{countdown::table.admitting(spec::standing::canonical)};
  claim_mask const all = 0b1011;  // of one instance
  for (spec::integer const last : {0, 7}) {
    auto const r = countdown::said({0, last});
    auto const outcomes = countdown::system.judge(countdown::asked(0, 2), r.answers, {}, canonical, every_claim, must);
    ASSERT_EQ(outcomes.size(), 1U);
    EXPECT_EQ(outcomes[0].at_stake, all);
    EXPECT_EQ(countdown::system.broken_claims(countdown::asked(0, 2), r.answers, {}, canonical[0]).at_stake, all);
  }
  EXPECT_EQ(countdown::system.broken_claims(countdown::asked(0, 2), {}, {}, canonical[0]).at_stake, 0U);
}

TEST(examiner, reports_each_history_anew) {
  auto const canonical = countdown::table.admitting(spec::standing::canonical);
  examiner again(countdown::system);
  auto const wrong = countdown::said({9, 4});
  EXPECT_EQ(again.broken_claims(countdown::asked(5, 2), wrong.answers, {}, canonical).broken_at.size(), 2U);
  auto const right = countdown::said({5});
  auto const report = again.broken_claims(countdown::asked(5, 1), right.answers, {}, canonical);
  EXPECT_EQ(report.broken, 0U);
  EXPECT_EQ(report.broken_at, std::vector<claim_mask>{0});
}

// Each call asks for both readings, and says the same whatever they are: but what is at stake depends on them.
struct indifferent : countdown::binding {
  static countdown::outcome step(history const& h, std::size_t i, state& calls, draw_source const&,
                                 spec::chooser& readings) {
    bool const ended = readings.choose(countdown::first) == countdown::from_minus_1;
    static_cast<void>(readings.choose(countdown::end));
    ++calls;
    return {{spec::admissible::word(0), spec::admissible::exactly(h.params[0].n - static_cast<spec::integer>(i))},
            {ended}};
  }
};

TEST(examiner, joins_branches_reading_by_reading) {
  explorer<indifferent> const system;
  auto const h = countdown::asked(5, 2);
  auto const all = system.assignments(spec::draw_kind::u32);
  auto const r = countdown::said({5, 4});
  auto const of_all = system.judge(h, r.answers, {}, all, every_claim, every_claim);
  ASSERT_EQ(of_all.size(), 1U);
  EXPECT_EQ(of_all[0].where, all[0]);
  EXPECT_EQ(of_all[0].at_stake, 0b1011U) << "under any of them";
  std::vector const two{with(countdown::first, countdown::from), with(countdown::first, countdown::from_plus_1)};
  auto const of_two = system.judge(h, r.answers, {}, two, every_claim, every_claim);
  ASSERT_EQ(of_two.size(), 1U);
  EXPECT_EQ(of_two[0].where.bits, two[0].bits | two[1].bits);
  std::vector const both{countdown::table.with(two[0], countdown::end, 0),
                         countdown::table.with(two[0], countdown::end, 1)};
  EXPECT_EQ(system.judge(h, r.answers, {}, both, every_claim, every_claim).size(), 1U);
}

std::vector<spec::integer> left_of(foreseen const& f) {
  std::vector<spec::integer> all;
  all.reserve(f.admitted.size());
  for (auto const& e : f.admitted) all.push_back(e[1].first());
  return all;
}

TEST(examiner, foresees_what_each_assignment_admits) {
  auto const all = countdown::system.assignments(spec::draw_kind::u32);
  auto groups = examiner(countdown::system).foresee(countdown::asked(1, 3), {}, all);
  std::ranges::sort(groups, {}, left_of);
  using numbers = std::vector<spec::integer>;
  ASSERT_EQ(groups.size(), 5U);
  EXPECT_EQ(left_of(groups[0]), numbers{0});  // from-minus-1, and nothing is said beyond 0
  EXPECT_EQ(left_of(groups[1]), (numbers{0, 0, 0}));
  EXPECT_EQ(left_of(groups[2]), (numbers{1, 0}));
  EXPECT_EQ(left_of(groups[3]), (numbers{1, 0, 0}));
  EXPECT_EQ(left_of(groups[4]), (numbers{2, 1, 0}));
  EXPECT_EQ(groups[4].where, std::vector{with(countdown::first, countdown::from_plus_1)});
}

TEST(examiner, joins_assignments_that_foresee_the_same) {
  auto const stays = with(countdown::end, 0);
  auto const groups = examiner(countdown::system).foresee(countdown::asked(0, 1), {}, std::span(&stays, 1));
  ASSERT_EQ(groups.size(), 2U);
  auto const both = countdown::table.bit(countdown::first, countdown::from_plus_1);
  auto const zero = std::ranges::find(groups, std::vector<spec::integer>{0}, left_of);
  ASSERT_NE(zero, groups.end());
  EXPECT_EQ(zero->where, std::vector{cube{stays.bits & ~both}});
}

// In company as alone; and every assignment in one group.
TEST(examiner, foresees_of_all_assignments_what_it_foresees_of_each) {
  for (auto const* system : judged_systems()) {
    auto const& table = system->readings();
    auto const all = system->assignments(spec::draw_kind::u32);
    auto const takes = documented_domain(system->shape(), {});
    examiner asked(*system);
    for (std::uint64_t i = 0; i < 25; ++i) {
      random_bits random(23, i);
      history h;
      generate(h, system->shape(), takes, random, static_cast<std::size_t>(random.between(1, 6)));
      auto const groups = asked.foresee(h, {}, all);
      for (int k = 0; k < 20; ++k) {
        auto one = all[random() % all.size()];
        for (unsigned r = 0; r < table.readings().size(); ++r) {
          while (!std::has_single_bit(one.bits & table.field(r))) {
            auto const left = one.bits & table.field(r);
            one.bits &= ~(random.one_in(2) ? left & (~left + 1) : std::bit_floor(left));
          }
        }
        auto const has = [&](foreseen const& f) {
          return std::ranges::any_of(f.where, [&](cube c) { return table.common(c, one).has_value(); });
        };
        EXPECT_EQ(std::ranges::count(groups, std::vector<cube>(), &foreseen::where), 0);
        ASSERT_EQ(std::ranges::count_if(groups, has), 1) << system->shape().stem << ' ' << i;
        EXPECT_EQ(std::ranges::find_if(groups, has)->admitted, asked.admitted(h, {}, {}, one))
            << system->shape().stem << ' ' << i;
      }
    }
  }
}

// What is at stake after a call on another instance is another claim: `alone` before, `shared` from then on.
TEST(examiner, knows_which_steps_come_after_a_call_on_another_instance) {
  auto const canonical = std::vector{countdown::table.admitting(spec::standing::canonical)};
  claim_mask const alone = claim_mask{1} << countdown::counts_down;
  claim_mask const shared = claim_mask{1} << countdown::independent;
  for (auto const& [on, broken_at] :
       std::vector<std::pair<std::vector<std::uint8_t>, std::vector<claim_mask>>>{{{0, 1, 0}, {alone, shared, shared}},
                                                                                  {{0, 1, 1}, {alone, shared, shared}},
                                                                                  {{1, 0, 0}, {alone, shared, shared}},
                                                                                  {{1, 1, 0}, {alone, alone, shared}},
                                                                                  {{0, 0, 0}, {alone, alone, alone}}}) {
    history h = countdown::asked(5, 3);
    for (std::size_t i = 0; i < 3; ++i) h.steps[i].on = on[i];
    auto const r = countdown::said({9, 9, 9});
    EXPECT_EQ(countdown::system.broken_claims(h, r.answers, {}, canonical[0]).broken_at, broken_at);
    random_bits any(1);
    auto right = countdown::system.play(h, {}, canonical[0], any).answers;
    right.back() = countdown::says(9);
    EXPECT_EQ(countdown::system.judge(h, right, {}, canonical, every_claim, every_claim).front().broken,
              broken_at.back());
  }
}

// One by one, every assignment is judged as it is in company: the engine may merge and prune but change no outcome.
TEST(examiner, judges_all_assignments_as_it_judges_each) {
  for (auto const* system : judged_systems()) {
    auto const& table = system->readings();
    auto const& s = system->shape();
    claim_mask const all_claims = (claim_mask{1} << system->claims().size()) - 1;
    auto const all = system->assignments(spec::draw_kind::u32);
    auto const takes = documented_domain(s, {});
    for (std::uint64_t i = 0; i < 40; ++i) {
      random_bits random(17, i);
      history h;
      generate(h, s, takes, random, static_cast<std::size_t>(random.between(1, 5)));
      auto const simplest = table.simplest(all[random() % all.size()]);
      auto answers = system->play(h, {}, simplest, random).answers;
      if (random.one_in(2) && !answers.empty()) {
        auto const at = random() % answers.size();
        answers[at] = any_answer(s, h.steps[at].op, random);
      }
      for (auto const& f : system->judge(h, answers, {}, all, all_claims, all_claims)) {
        // Each corner of the cube where one reading takes each of its alternatives in turn.
        for (unsigned r = 0; r < table.readings().size(); ++r) {
          for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
            if ((f.where.bits & table.bit(r, a)) == 0) continue;
            auto const one = table.with(table.simplest(f.where), r, a);
            bool const breaks = system->broken_claims(h, answers, {}, one).broken != 0;
            EXPECT_EQ(f.alive, !breaks) << table.readings()[r].name << " " << a;
          }
        }
      }
    }
  }
}

// A countdown that begins anywhere in the 4 numbers from the one that `first` names, which only its answers tell: the
// first fixes all that follow.
struct hidden_start {
  struct state {
    spec::integer calls = 0;
    std::optional<spec::integer> start;
    friend bool operator==(state const&, state const&) = default;
  };
  using facts = countdown::facts;
  static backoff::histories::shape const& shape() noexcept { return countdown::counts; }
  static spec::reading_table const& readings() noexcept { return countdown::table; }
  static std::vector<cube> assignments(spec::draw_kind draws) { return countdown::binding::assignments(draws); }
  static auto claims() noexcept { return std::span(countdown::claims); }
  static state start(history const&) { return {}; }
  static countdown::outcome step(history const& h, std::size_t, state& s, draw_source const&, spec::chooser& readings) {
    constexpr std::array<spec::integer, 3> added{0, -1, 1};
    auto const low = (s.start ? *s.start : h.params[0].n + added[readings.choose(countdown::first)]) - s.calls++;
    return {{spec::admissible::word(0), spec::admissible::integers(low, 1, s.start ? 1 : 4)}, {false}};
  }
  static void observe(state& s, answer const& port) {
    if (port[1].kind == observed_kind::number) s.start = port[1].value.mantissa + s.calls - 1;
  }
};

// What a binding says its explorer passes on.
template <class Binding>
void expect_passed_on(bool learns) {
  explorer<Binding> const system;
  EXPECT_EQ(system.shape().stem, "countdown");
  EXPECT_EQ(system.claims().size(), countdown::claims.size());
  EXPECT_FALSE(system.shows_draws());
  EXPECT_EQ(system.learns_from_answers(), learns);
  auto const all = system.assignments(spec::draw_kind::u32);
  auto const one = countdown::table.simplest(all[0]);
  history const h = countdown::asked(5, 2);
  EXPECT_EQ(system.admitted(h, {}, {}, one).size(), 2U);
  EXPECT_NE(system.broken_claims(h, countdown::said({9, 9}).answers, {}, one).broken, 0U);
  for (auto const& f : system.judge(h, countdown::said({5, 4}).answers, {}, all, 0, every_claim)) EXPECT_TRUE(f.alive);
}
TEST(examiner, is_told_what_a_binding_says) {
  expect_passed_on<countdown::binding>(false);
  expect_passed_on<countdown::advised>(false);
  expect_passed_on<indifferent>(false);
  expect_passed_on<hidden_start>(true);
}

TEST(examiner, follows_what_an_admitted_answer_says_of_the_state) {
  explorer<hidden_start> const system;
  EXPECT_TRUE(system.learns_from_answers());
  std::vector const canonical{countdown::table.admitting(spec::standing::canonical)};
  history const h = countdown::asked(5, 3);
  claim_mask const counts_down = claim_mask{1} << countdown::counts_down;
  auto const broken_at = [&](std::initializer_list<spec::integer> left) {
    return system.broken_claims(h, countdown::said(left).answers, {}, canonical[0]).broken_at;
  };
  EXPECT_EQ(broken_at({7, 6, 5}), (std::vector<claim_mask>{0, 0, 0}));
  EXPECT_EQ(broken_at({7, 5, 5}), (std::vector<claim_mask>{0, counts_down, 0}));
  EXPECT_EQ(broken_at({9, 7, 6}), (std::vector<claim_mask>{counts_down, 0, 0})) << "what is not admitted says nothing";
  auto const alive = [&](std::initializer_list<spec::integer> left) {
    return system.judge(h, countdown::said(left).answers, {}, canonical, every_claim, every_claim).front().alive;
  };
  EXPECT_TRUE(alive({8, 7, 6}));
  EXPECT_FALSE(alive({8, 7, 5}));
  auto const after = system.admitted(h, countdown::said({6}).answers, {}, canonical[0]);
  ASSERT_EQ(after.size(), 3U);
  EXPECT_EQ(after[0][1], spec::admissible::integers(5, 1, 4));
  EXPECT_EQ(after[1][1], spec::admissible::exactly(5));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    random_bits random(seed);
    auto const game = system.play(h, {}, canonical[0], random);
    ASSERT_EQ(game.answers.size(), 3U);
    EXPECT_EQ(game.admitted[2][1], spec::admissible::exactly(game.answers[0][1].value.mantissa - 2));
    EXPECT_EQ(system.broken_claims(h, game.answers, {}, canonical[0]).broken, 0U);
  }
}

// Readings that leave the same of an unseen state are one branch from then on, and a run goes on with all of them.
TEST(examiner, joins_readings_that_agree_on_what_an_answer_says) {
  explorer<hidden_start> const system;
  auto const all = system.assignments(spec::draw_kind::u32);
  history const h = countdown::asked(5, 3);
  auto const outcomes = system.judge(h, countdown::said({7, 6, 5}).answers, {}, all, every_claim, every_claim);
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].where, all[0]);
  for (auto const& f : system.judge(h, countdown::said({7, 6, 6}).answers, {}, all, 0, every_claim))
    EXPECT_TRUE(f.alive) << "no claim was asked";

  auto const about = countdown::about_port();
  auto judged = countdown::begun(system, about);
  judged.judge(h, countdown::said({7, 6, 5}));
  EXPECT_TRUE(judged.breaches().empty());
  judged.judge(h, countdown::said({7, 6, 6}));
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].claim, countdown::counts_down);
  judged.judge(h, {result_kind::rejected, {}, "why"});
  EXPECT_EQ(judged.failing_histories(), 1U) << "what was rejected says nothing of the state";
}

TEST(examiner, asks_no_claim_that_is_not_selected) {
  for (auto const* system : judged_systems()) {
    auto const all = system->assignments(spec::draw_kind::u32);
    random_bits random(19);
    auto const h = generate(system->shape(), documented_domain(system->shape(), {}), random);
    std::vector<answer> answers;
    answers.reserve(h.steps.size());
    for (auto const& call : h.steps) answers.push_back(any_answer(system->shape(), call.op, random));
    for (auto const& f : system->judge(h, answers, {}, all, 0, every_claim)) {
      EXPECT_TRUE(f.alive);
      EXPECT_EQ(f.broken, 0U);
      EXPECT_EQ(f.at_stake, 0U);
    }
  }
}

TEST(is_admitted, demands_each_field_but_leaves_out_what_needs_a_feature) {
  static constexpr std::array fields{countdown::answer_fields[0], countdown::answer_fields[1],
                                     answer_field{.name = "calls", .needs = feature::state}};
  shape s = countdown::counts;
  s.answers = fields;
  spec::expectation documented{spec::admissible::word(0), spec::admissible::exactly(5), spec::admissible::exactly(1)};
  auto const status = observed::word(0);
  EXPECT_TRUE(is_admitted(s, documented, {status, observed::of(5), observed::of(1)}));
  EXPECT_TRUE(is_admitted(s, documented, {status, observed::of(5)}));
  EXPECT_FALSE(is_admitted(s, documented, {status, observed::of(5), observed::of(2)}));
  EXPECT_FALSE(is_admitted(s, documented, {status}));
  EXPECT_FALSE(is_admitted(s, documented, {status, observed::of(4)}));
  EXPECT_FALSE(is_admitted(s, documented, {observed::word(1), observed::of(5)}));
  documented[0] = spec::admissible::unjudged();
  EXPECT_FALSE(is_admitted(s, documented, {status, observed::of(5)})) << "where the document is silent";
}

}  // namespace
