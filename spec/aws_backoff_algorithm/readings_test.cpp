// The readings of backoffAlgorithm: all alternatives of each on the history that tells them apart, against answers
// worked out by hand; and what the model says of a step besides its answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "aws_backoff_algorithm/model.hpp"
#include "catalogue_json.hpp"
#include "relation/rational.hpp"
#include "tests/checks.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::aws_backoff_algorithm {
namespace {

constexpr auto forever = std::nullopt;
constexpr std::string_view catalogue = aws_backoff_algorithm_catalogue_json;

admissible word_of(status s) { return admissible::word(static_cast<std::uint8_t>(s)); }
expectation wait(admissible delay) { return {word_of(status::retry), std::move(delay)}; }
expectation wait(integer delay) { return wait(admissible::exactly(delay)); }
expectation wait(rational const& delay) { return wait(admissible::between({delay, delay})); }
expectation const exhausted{word_of(status::exhausted)};
expectation const unjudged{admissible::unjudged(), admissible::unjudged()};

struct history {
  parameters with;
  std::vector<std::uint32_t> draws;
};

// Whether the catalogue names that history: each step written out, or step@k for k of them in a row.
bool is_in_the_catalogue(history const& h) {
  auto const limit = h.with.max_attempts ? std::to_string(*h.with.max_attempts) : "forever";
  std::string const start = "\"aws_backoff_algorithm/base_ms=" + std::to_string(h.with.base_ms) +
                            ",max_ms=" + std::to_string(h.with.max_ms) + ",max_attempts=" + limit;
  std::string written_out = start;
  std::string folded = start;
  char separator = '/';
  for (auto at = h.draws.begin(); at != h.draws.end();) {
    auto const end = std::find_if(at, h.draws.end(), [&](std::uint32_t draw) { return draw != *at; });
    std::string const step = separator + ("next:" + std::to_string(*at));
    folded += step + (end - at > 1 ? '@' + std::to_string(end - at) : "");
    for (; at != end; ++at, separator = ',') written_out += separator + step.substr(1);
  }
  return catalogue.find(written_out + '"') != catalogue.npos || catalogue.find(folded + '"') != catalogue.npos;
}

std::vector<expectation> answers(history const& h, std::vector<pin> const& pins) {
  return under(readings(), pinned(readings(), pins), [&](chooser& choices) {
    std::vector<expectation> result;
    state s;
    for (auto const value : h.draws) {
      result.push_back(next(h.with, s, {draw::kind::u32, value, std::uint64_t{1} << 32}, choices).answer);
    }
    return result;
  });
}

struct answers_under {
  std::string_view alternative;
  std::vector<expectation> answers;
};

// All alternatives, in the order of the table, on the distinguishing history of the catalogue.
void expect_told_apart(std::string_view reading, history const& h, std::vector<answers_under> const& expected,
                       std::vector<pin> pins = {}) {
  auto const& alternatives = readings().readings()[readings().find(reading).value()].alternatives;
  ASSERT_EQ(alternatives.size(), expected.size());
  pins.push_back({reading, {}});
  for (std::size_t a = 0; a < expected.size(); ++a) {
    EXPECT_EQ(alternatives[a].name, expected[a].alternative);
    pins.back().alternative = expected[a].alternative;
    EXPECT_TRUE(answers(h, pins) == expected[a].answers) << reading << " = " << expected[a].alternative;
    for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(expected[a].answers == expected[b].answers);
  }
  EXPECT_TRUE(is_in_the_catalogue(h)) << reading << ": the catalogue tells it apart by another history";
}

TEST(reading_attempt_origin, decides_between_two_and_four) {
  checks("AWS-BA-004", "AWS-BA-006");
  expect_told_apart("attempt-origin", {{2, 100, forever}, {4}}, {{"zero", {wait(1)}}, {"one", {wait(4)}}});
}

TEST(reading_upper_bound, decides_whether_one_can_come) {
  checks("AWS-BA-003", "AWS-BA-006");
  expect_told_apart("upper-bound", {{1, 100, forever}, {4'294'967'295}},
                    {{"inclusive", {wait(1)}}, {"exclusive", {wait(0)}}});
}

TEST(reading_window_growth, decides_on_the_way_to_five) {
  checks("AWS-BA-004", "AWS-BA-005", "AWS-BA-006");
  // 4294967291 is 2 modulo 3, 1 modulo 5 and 5 modulo 6: the windows 2, 4 and 5 each give a delay of their own.
  expect_told_apart("window-growth", {{2, 5, forever}, {4'294'967'291, 4'294'967'291, 4'294'967'291}},
                    {{"min", {wait(2), wait(1), wait(5)}}, {"compare-half", {wait(2), wait(5), wait(5)}}});
}

TEST(reading_first_window, decides_between_five_and_ten) {
  checks("AWS-BA-003", "AWS-BA-005", "AWS-BA-006");
  expect_told_apart("first-window", {{10, 5, forever}, {9}}, {{"capped", {wait(3)}}, {"uncapped", {wait(9)}}});
}

TEST(reading_exhaustion_call, decides_the_only_call_but_one) {
  checks("AWS-BA-I01", "AWS-BA-I02");
  expect_told_apart("exhaustion-call", {{1, 1, 1}, {0, 0}},
                    {{"n-plus-1", {wait(0), exhausted}}, {"n", {exhausted, exhausted}}});
  EXPECT_EQ(answers({{1, 1, 3}, {0, 0, 0, 0}}, {{"exhaustion-call", "n"}}),
            (std::vector{wait(0), wait(0), exhausted, exhausted}))
      << "not before the last call but one";
}

TEST(reading_empty_window, decides_whether_it_is_judged) {
  checks("AWS-BA-003", "AWS-BA-006");
  expect_told_apart("empty-window", {{0, 5, forever}, {3}}, {{"zero", {wait(0)}}, {"undefined", {unjudged}}});
}

TEST(reading_draw_mapping, decides_where_two_thirds_fall) {
  checks("AWS-BA-003", "AWS-BA-006", "AWS-BA-008");
  // 2863311530 = (2^33 - 2) / 3, hardly less than two thirds of 2^32: of 1000001, hardly more than 666667.
  expect_told_apart("draw-mapping", {{1'000'000, 4'000'000, forever}, {2'863'311'530}},
                    {{"modulo", {wait(308'667)}},
                     {"scaled", {wait(666'667)}},
                     {"real", {wait(rational(22'369'621'328'125, 33'554'432))}},
                     {"divided", {wait(666'661)}},  // by 4295
                     {"near", {wait(admissible::integers(666'667, 1, 2))}},
                     {"other", {wait(admissible::integers(0, 1, 1'000'001))}}});
}

TEST(reading_delay_resolution, decides_where_the_mapping_does_not) {
  checks("AWS-BA-003");
  expect_told_apart(
      "delay-resolution", {{1000, 4000, forever}, {2'863'311'531}},
      {{"integer", {wait(admissible::integers(0, 1, 1001))}}, {"real", {wait(admissible::between(0, 1000))}}},
      {{"draw-mapping", "other"}});
}

TEST(reading_distribution, is_told_apart_by_statistics_only) {
  checks("AWS-BA-001", "AWS-BA-003");
  history const any{{1000, 4000, forever}, {2'863'311'531, 5}};
  for (std::string_view const alternative : {"uniform", "unspecified"}) {
    EXPECT_TRUE(answers(any, {{"distribution", alternative}}) == (std::vector{wait(80), wait(5)})) << alternative;
  }
  auto const from_its_name = catalogue.substr(catalogue.find("\"name\": \"distribution\""));
  EXPECT_TRUE(from_its_name.substr(from_its_name.find("told_apart_by")).starts_with("told_apart_by\": \"statistics\""));
}

TEST(readings_together, decide_the_windows) {
  checks("AWS-BA-004", "AWS-BA-005", "AWS-BA-006");
  struct {
    std::vector<pin> pins;
    integer base;
    integer max;
    std::vector<integer> windows;
  } const rows[]{
      {{}, 3, 100, {3, 6, 12, 24, 48, 96, 100, 100}},
      {{{"window-growth", "compare-half"}}, 3, 100, {3, 6, 12, 24, 48, 96, 100, 100}},
      {{{"window-growth", "compare-half"}}, 50, 100, {50, 100, 100}},
      {{{"window-growth", "compare-half"}}, 49, 100, {49, 98, 100}},
      {{{"window-growth", "compare-half"}}, 49, 99, {49, 99, 99}},
      {{{"window-growth", "compare-half"}}, 48, 99, {48, 96, 99}},
      {{{"first-window", "uncapped"}}, 10, 5, {10, 5, 5}},
      {{{"first-window", "uncapped"}, {"window-growth", "compare-half"}}, 10, 5, {10, 5, 5}},
      {{{"attempt-origin", "one"}}, 3, 10, {6, 10, 10}},
      {{{"attempt-origin", "one"}, {"first-window", "uncapped"}}, 10, 5, {5, 5, 5}},
      {{{"attempt-origin", "one"}, {"window-growth", "compare-half"}}, 2, 5, {5, 5, 5}},
      {{{"attempt-origin", "one"}}, 0, 5, {0, 0, 0}},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    auto const& row = rows[i];
    for (std::size_t n = 0; n < row.windows.size(); ++n) {
      auto const found = under(readings(), pinned(readings(), row.pins), [&](chooser& choices) {
        return window({row.base, row.max, forever}, static_cast<integer>(n), choices);
      });
      EXPECT_EQ(found, row.windows[n]) << "row " << i << ", retry " << n;
    }
  }
}

auto tuple_of(facts const& f) {
  return std::tuple(f.grants, f.announces, f.limited, f.after_reset, f.retries, f.window, f.at_cap, f.limit);
}

TEST(facts, say_where_a_step_stands) {
  checks("AWS-BA-002", "AWS-BA-005", "AWS-BA-I01", "AWS-BA-I02", "AWS-BA-I03");
  parameters const p{6, 10, 2};
  draw const from{draw::kind::hidden, 0, 1};
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
    return next({10, 5, forever}, s, {draw::kind::u32, 1, 2}, choices).facts;
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
  for (auto const& [draws, size] : {std::pair{draw::kind::u32, 3U}, {draw::kind::rand, 3U}, {draw::kind::hidden, 1U}}) {
    auto const cubes = assignments(draws);
    EXPECT_EQ(cubes.size(), size);
    EXPECT_TRUE(std::ranges::any_of(cubes, [&](cube c) { return readings().common(c, canonical).has_value(); }));
  }
  EXPECT_EQ(assignments(draw::kind::unit).size(), 3U);
}

}  // namespace
}  // namespace backoff::spec::aws_backoff_algorithm
