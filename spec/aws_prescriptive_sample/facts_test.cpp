// What the model of the sample loop says of a request besides its answer, and where it asks for readings.
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "aws_prescriptive_sample/model.hpp"
#include "tests/checks.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::aws_prescriptive_sample {
namespace {

TEST(model, forks_where_a_reading_decides_and_nowhere_else) {
  checks("AWS-PS-015", "AWS-PS-018");
  cube const any = readings().admitting(standing::hazard);
  cube const saturating =
      readings().with(any, static_cast<unsigned>(reading::overflow), static_cast<unsigned>(overflow::saturates));
  auto const forks = [](int status, state s, cube among) {
    std::vector<cube> elsewhere;
    chooser choices(readings(), among, elsewhere);
    static_cast<void>(attempt({100}, s, status, choices));
    return elsewhere.size();
  };
  for (int const status : {200, 404, 429, 500, 504}) EXPECT_EQ(forks(status, {24, false}, any), 0U) << status;
  for (int const status : {408, 502, 503}) EXPECT_EQ(forks(status, {24, false}, any), 1U) << status;
  for (int const status : {404, 429, 503}) EXPECT_EQ(forks(status, {25, false}, any), 1U) << "an error stands first";
  EXPECT_EQ(forks(503, {25, false}, saturating), 1U);
  EXPECT_EQ(forks(429, {99, false}, saturating), 1U) << "the limit";
  EXPECT_EQ(forks(404, {99, false}, saturating), 0U);
  EXPECT_EQ(forks(200, {99, false}, saturating), 0U);
  EXPECT_EQ(forks(503, {25, true}, any), 0U);
}

auto tuple_of(facts const& f) { return std::tuple(f.retries, f.overflows, f.fails, f.answered, f.last); }

facts facts_at(state s, int http_status, std::vector<pin> const& pins = {}) {
  return under(readings(), pinned(readings(), pins),
               [&](chooser& choices) { return attempt({27}, s, http_status, choices).facts; });
}

TEST(facts, say_where_a_request_stands) {
  checks("AWS-PS-013", "AWS-PS-015", "AWS-PS-016", "AWS-PS-017", "AWS-PS-018", "AWS-PS-019");
  auto const success = answer_kind::success;
  auto const transient = answer_kind::transient;
  auto const failure = answer_kind::failure;
  EXPECT_EQ(tuple_of(facts_at({0, false}, 200)), std::tuple(0, false, false, success, false));
  EXPECT_EQ(tuple_of(facts_at({0, false}, 199)), std::tuple(0, false, false, failure, false));
  EXPECT_EQ(tuple_of(facts_at({1, false}, 429)), std::tuple(1, false, false, transient, false));
  EXPECT_EQ(tuple_of(facts_at({24, false}, 504)), std::tuple(24, false, false, transient, false));
  std::vector<pin> const saturates{{"overflow", "saturates"}};
  EXPECT_EQ(tuple_of(facts_at({25, false}, 503, saturates)), std::tuple(25, true, false, failure, false));
  EXPECT_EQ(tuple_of(facts_at({26, false}, 504, saturates)), std::tuple(26, true, false, transient, true));
  EXPECT_EQ(tuple_of(facts_at({26, false}, 500, saturates)), std::tuple(26, true, false, failure, true));
  EXPECT_EQ(tuple_of(facts_at({27, false}, 500, {{"overflow", "saturates"}, {"limit-counts", "retries"}})),
            std::tuple(27, true, false, failure, true));
  EXPECT_EQ(tuple_of(facts_at({26, true}, 504)), std::tuple(26, false, false, failure, false));
  EXPECT_EQ(tuple_of(facts_at({25, false}, 504, {{"overflow", "error"}})), std::tuple(25, true, true, failure, false));
  EXPECT_EQ(tuple_of(facts_at({25, false}, 504, {{"overflow", "wraps"}})),
            std::tuple(25, true, false, transient, false));
  EXPECT_EQ(tuple_of(facts_at({2, false}, 503, {{"status-filter", "prose"}})),
            std::tuple(2, false, false, transient, false));
  EXPECT_EQ(tuple_of(facts_at({2, false}, 408, {{"status-filter", "prose"}})),
            std::tuple(2, false, false, answer_kind::undecided, false));
}

TEST(state, equals_the_same_state) {
  checks("AWS-PS-020");
  EXPECT_TRUE(state({1, false}) == state({1, false}));
  EXPECT_FALSE(state({0, false}) == state({1, false}));
  EXPECT_FALSE(state({0, false}) == state({0, true}));
}

TEST(assignments, are_all_of_them_for_every_kind_of_draw) {
  checks("AWS-PS-015", "AWS-PS-018");
  for (auto const draws : {draw_kind::u32, draw_kind::rand, draw_kind::unit, draw_kind::hidden}) {
    EXPECT_EQ(assignments(draws), std::vector{readings().admitting(standing::hazard)});
  }
}

}  // namespace
}  // namespace backoff::spec::aws_prescriptive_sample
