// Which readings a run begins with, and which are left.
#include "judge/readings_left.hpp"

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
using countdown::said;

TEST(readings_left, admits_open_readings_or_under_strict_canonical_ones) {
  auto const& table = countdown::table;
  EXPECT_EQ(begun(countdown::system, countdown::about_countdown).readings().initial(),
            std::vector{table.admitting(standing::open)});
  auto const strict = begun(countdown::system, countdown::about_countdown, {.strict = true});
  EXPECT_EQ(strict.readings().initial(), std::vector{table.admitting(standing::canonical)});
}

TEST(readings_left, admits_a_hazard_that_is_pinned) {
  auto const judged =
      begun(countdown::system, countdown::about_countdown, {.pinned = {{countdown::first, countdown::from_plus_1}}});
  auto const& table = countdown::table;
  EXPECT_EQ(judged.readings().initial(),
            std::vector{table.with(table.admitting(standing::canonical), countdown::first, countdown::from_plus_1)});
}

TEST(readings_left, begins_only_where_an_admitted_reading_fits_the_draws) {
  auto const rand = countdown::about_port({spec::draw_kind::rand, 32'768});
  EXPECT_EQ(refusal(countdown::system, rand), "");
  EXPECT_EQ(refusal(countdown::system, rand, {.strict = true}), "no admitted reading fits the port's kind of draws");
  EXPECT_EQ(refusal(countdown::system, rand, {.pinned = {{countdown::first, countdown::from}}}),
            "no admitted reading fits the port's kind of draws");
  EXPECT_EQ(refusal(backoff_algorithm(), about_drawing({spec::draw_kind::unit, u32_size}, "modulo")),
            "no admitted reading fits the port's kind of draws, which it maps by modulo");
}

TEST(readings_left, pins_the_mapping_that_the_port_names) {
  for (bool const strict : {false, true}) {
    auto const judged = begun(backoff_algorithm(), about_drawing({}, "scaled"), {.strict = strict});
    EXPECT_TRUE(all_have(judged.readings().initial(), "draw-mapping", "scaled"));
  }
}

TEST(readings_left, under_strict_draws_may_be_mapped_in_any_way_and_the_rest_is_canonical) {
  for (auto const& draws : {draw_source{}, draw_source{spec::draw_kind::unit, u32_size}}) {
    auto const strict = begun(backoff_algorithm(), about_drawing(draws), {.strict = true});
    ASSERT_FALSE(strict.readings().initial().empty());
    for (auto const* mapping : {"scaled", "real", "other"}) {
      EXPECT_FALSE(all_have(strict.readings().initial(), "draw-mapping", mapping)) << "not it alone";
      EXPECT_TRUE(any_has(strict.readings().initial(), "draw-mapping", mapping));
    }
    for (auto const* resolution : {"integer", "real"})
      EXPECT_TRUE(any_has(strict.readings().initial(), "delay-resolution", resolution));
    EXPECT_TRUE(all_have(strict.readings().initial(), "upper-bound", "inclusive"));
  }
}

TEST(readings_left, keeps_apart_the_readings_under_which_nothing_at_all_was_broken) {
  std::pair<history, result> const settles{asked(5, 1), said({5})};
  std::pair<history, result> const breaks{asked(0, 2), said({0, 3})};
  auto const& table = countdown::table;
  for (auto const& judged : {after({breaks}), after({settles, breaks})}) {
    ASSERT_FALSE(judged.readings().never_broken().empty());
    for (auto const c : judged.readings().never_broken())
      EXPECT_EQ(c.bits & table.field(countdown::end), table.bit(countdown::end, 1))
          << "silent: nothing is broken there";
    EXPECT_FALSE(judged.readings().admitted().empty());
  }
}

struct left_of_countdown {
  terms held_to = std::get<terms>(terms::of(countdown::system, countdown::about_countdown, {}));
  readings_left left{held_to};
  spec::cube all = countdown::table.admitting(standing::hazard);
  [[nodiscard]] spec::cube only(countdown::first_call alternative) const {
    return countdown::table.with(all, countdown::first, alternative);
  }
};

TEST(readings_left, are_what_histories_leave) {
  left_of_countdown c;
  claim_mask const advice = 1;
  std::vector<assignment_outcome> const told{{c.only(countdown::from), true, advice, 0},
                                             {c.only(countdown::from_minus_1), false, 0, 0},
                                             {c.only(countdown::from_plus_1), true, 0, 0}};
  c.left.narrow(told);
  EXPECT_EQ(c.left.with_hazards(), std::vector{spec::cube{told[0].where.bits | told[2].where.bits}}) << "joined";
  EXPECT_EQ(c.left.never_broken(), std::vector{c.only(countdown::from_plus_1)});
  EXPECT_EQ(c.left.admitted(), std::vector{countdown::table.admitting(standing::canonical)});
  EXPECT_EQ(c.left.initial(), std::vector{countdown::table.admitting(standing::open)}) << "as it was";
  auto const left = c.left;
  c.left.narrow(std::vector{told[0], told[2]});
  EXPECT_EQ(c.left.with_hazards(), left.with_hazards()) << "broken before";
  EXPECT_EQ(c.left.never_broken(), left.never_broken());
  c.left.narrow(std::vector<assignment_outcome>{{told[2].where, true, advice, 0}, {told[0].where, true, 0, 0}});
  EXPECT_TRUE(c.left.never_broken().empty());
  EXPECT_TRUE(c.left.admits(c.only(countdown::from)));
  EXPECT_FALSE(c.left.admits(c.only(countdown::from_plus_1)));
}

TEST(readings_left, begin_within_a_cube_where_it_leaves_a_choice) {
  left_of_countdown c;
  auto const before = c.left.initial();
  c.left.begin_within(c.only(countdown::from_plus_1));
  EXPECT_EQ(c.left.initial(), before) << "a hazard alone is no choice";
  c.left.begin_within(c.only(countdown::from_minus_1));
  EXPECT_EQ(c.left.with_hazards(), std::vector{c.only(countdown::from_minus_1)});
  EXPECT_EQ(c.left.initial_with_hazards(), c.left.with_hazards());
  EXPECT_EQ(c.left.never_broken(), c.left.with_hazards());
  EXPECT_EQ(c.left.initial(), std::vector{countdown::table.with(countdown::table.admitting(standing::open),
                                                                countdown::first, countdown::from_minus_1)});
}

TEST(readings_left, have_one_hazard_beside_what_is_admitted) {
  left_of_countdown c;
  auto const with_one = c.left.initial_with_one_hazard();
  auto const has = [&](countdown::first_call first, unsigned end) {
    auto const one = countdown::table.with(c.only(first), countdown::end, end);
    return std::ranges::any_of(with_one, [&](spec::cube each) { return (one.bits & ~each.bits) == 0; });
  };
  EXPECT_TRUE(has(countdown::from, 0));
  EXPECT_TRUE(has(countdown::from_plus_1, 0));
  EXPECT_TRUE(has(countdown::from_minus_1, 1));
  EXPECT_FALSE(has(countdown::from_plus_1, 1)) << "two hazards";
}

}  // namespace
