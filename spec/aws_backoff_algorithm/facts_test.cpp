// What the model of backoffAlgorithm says of a step besides its answer, and where it asks for readings.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "aws_backoff_algorithm/model.hpp"
#include "tests/checks.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::aws_backoff_algorithm {
namespace {

constexpr auto forever = std::nullopt;

auto tuple_of(facts const& f) {
  return std::tuple(f.grants, f.announces, f.limited, f.after_reset, f.retries, f.window, f.at_cap, f.limit);
}

TEST(facts, say_where_a_step_stands) {
  checks("AWS-BA-002", "AWS-BA-005", "AWS-BA-I01", "AWS-BA-I02", "AWS-BA-I03");
  parameters const p{6, 10, 2};
  draw const from{draw_kind::hidden, 0, 1};
  std::vector<cube> elsewhere;
  chooser choices(readings(), readings().admitting(standing::canonical), elsewhere);
  state s;
  auto const step = [&] { return tuple_of(next(p, s, from, choices).facts); };
  EXPECT_EQ(step(), std::tuple(true, false, true, false, 0, 6, false, 10));
  EXPECT_EQ(step(), std::tuple(true, false, true, false, 1, 10, true, 10));
  EXPECT_EQ(step(), std::tuple(false, true, true, false, 2, 0, false, 10));
  EXPECT_EQ(step(), std::tuple(false, false, true, false, 2, 0, false, 10));
  EXPECT_EQ(s, (state{2, true, false}));
  EXPECT_EQ(tuple_of(reset(s).facts), tuple_of(facts{}));
  EXPECT_EQ(s, (state{0, false, true}));
  EXPECT_EQ(step(), std::tuple(true, false, true, true, 0, 6, false, 10));
}

TEST(facts, take_the_longer_of_window_and_maximum_for_the_limit) {
  checks("AWS-BA-005");
  auto const found = under(readings(), pinned(readings(), {{"first-window", "uncapped"}}), [](chooser& choices) {
    state s;
    return next({10, 5, forever}, s, {draw_kind::u32, 1, 2}, choices).facts;
  });
  EXPECT_EQ(tuple_of(found), std::tuple(true, false, false, false, 0, 10, false, 10));
}

TEST(readings_are_asked, only_where_they_matter) {
  checks("AWS-BA-005");
  auto const forks = [](integer base_ms) {
    std::vector<cube> elsewhere;
    chooser choices(readings(), readings().with(readings().admitting(standing::hazard), 0, 0), elsewhere);
    static_cast<void>(window({base_ms, 5, forever}, 0, choices));
    return elsewhere.size();
  };
  EXPECT_EQ(forks(5), 0U) << "a first window that is the maximum is it capped or not";
  EXPECT_EQ(forks(6), 1U);
}

TEST(state, equals_the_same_state) {
  checks("AWS-BA-007");
  EXPECT_FALSE(state({0, false, false}) == state({1, false, false}));
  EXPECT_FALSE(state({0, false, false}) == state({0, true, false}));
  EXPECT_FALSE(state({0, false, false}) == state({0, false, true}));
}

TEST(assignments, depend_on_the_kind_of_draw) {
  checks("AWS-BA-001", "AWS-BA-008");
  cube const canonical = readings().admitting(standing::canonical);
  for (auto const& [draws, size] : {std::pair{draw_kind::u32, 3U}, {draw_kind::rand, 3U}, {draw_kind::hidden, 1U}}) {
    auto const cubes = assignments(draws);
    EXPECT_EQ(cubes.size(), size);
    EXPECT_TRUE(std::ranges::any_of(cubes, [&](cube c) { return readings().common(c, canonical).has_value(); }));
  }
  EXPECT_EQ(assignments(draw_kind::unit).size(), 3U);
}

}  // namespace
}  // namespace backoff::spec::aws_backoff_algorithm
