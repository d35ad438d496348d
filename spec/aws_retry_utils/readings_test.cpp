// The readings of Retry Utilities: all alternatives of each on the history that tells them apart, against answers
// worked out by hand; what hidden and roughly scaled draws leave possible; and what the model says of a step besides
// its answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "aws_retry_utils/model.hpp"
#include "catalogue_json.hpp"
#include "relation/rational.hpp"
#include "tests/checks.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::aws_retry_utils {
namespace {

constexpr integer unlimited = 0;
constexpr std::string_view catalogue = aws_retry_utils_catalogue_json;
constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

admissible word_of(status s) { return admissible::word(static_cast<std::uint8_t>(s)); }
admissible exactly(rational const& value) { return admissible::between({value, value}); }
expectation slept(admissible time) { return {word_of(status::retry), std::move(time)}; }
expectation slept(integer time) { return slept(admissible::exactly(time)); }
expectation slept(rational const& time) { return slept(exactly(time)); }
expectation const exhausted{word_of(status::exhausted)};
expectation const ok{word_of(status::ok)};
expectation const unjudged = [] {
  expectation all;
  all.fill(admissible::unjudged());
  return all;
}();

struct call {
  bool resets;
  draw from;
  friend bool operator==(call const&, call const&) noexcept = default;
};
draw u32(std::uint64_t value) { return {draw::kind::u32, value, two_to_32}; }
call reset_with(std::uint64_t value) { return {true, u32(value)}; }
call back_off_with(std::uint64_t value) { return {false, u32(value)}; }
call const hidden_reset{true, {}};
call const hidden_back_off{false, {}};

struct history {
  parameters with;
  std::vector<call> calls;
};

// Whether the catalogue names that history: equal calls in a row as call@k.
bool is_in_the_catalogue(history const& h) {
  std::string token = "\"aws_retry_utils/initial_backoff_s=" + std::to_string(h.with.initial_backoff_s) +
                      ",max_backoff_s=" + std::to_string(h.with.max_backoff_s) +
                      ",max_jitter_s=" + std::to_string(h.with.max_jitter_s) +
                      ",max_attempts=" + std::to_string(h.with.max_attempts);
  char separator = '/';
  for (auto at = h.calls.begin(); at != h.calls.end();) {
    auto const end = std::find_if(at, h.calls.end(), [&](call const& c) { return !(c == *at); });
    token += separator + ((at->resets ? "reset:" : "backoff:") + std::to_string(at->from.value));
    if (end - at > 1) token += '@' + std::to_string(end - at);
    at = end;
    separator = ',';
  }
  return catalogue.find(token + '"') != catalogue.npos;
}

// Up to the first that is not judged, after which nothing is.
std::vector<expectation> answers(history const& h, std::vector<pin> const& pins = {}) {
  return under(readings(), pinned(readings(), pins), [&](chooser& choices) {
    std::vector<expectation> result;
    state s;
    for (auto const& c : h.calls) {
      result.push_back((c.resets ? reset : back_off)(h.with, s, c.from, choices).answer);
      if (result.back() == unjudged) break;
    }
    return result;
  });
}

expectation last_answer(history const& h, std::vector<pin> const& pins = {}) { return answers(h, pins).back(); }

struct answers_under {
  std::string_view alternative;
  std::vector<expectation> answers;  // after the acknowledged reset
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

TEST(utils_attempt_origin, decides_between_two_and_four) {
  checks("AWS-RU-004", "AWS-RU-006", "AWS-RU-017");
  expect_told_apart("attempt-origin", {{2, 100, 1, unlimited}, {reset_with(0), back_off_with(4)}},
                    {{"zero", {ok, slept(1)}}, {"one", {ok, slept(4)}}});
}

TEST(utils_upper_bound, decides_whether_one_can_come) {
  checks("AWS-RU-003", "AWS-RU-016");
  expect_told_apart("upper-bound", {{1, 100, 1, unlimited}, {reset_with(0), back_off_with(4'294'967'295)}},
                    {{"inclusive", {ok, slept(1)}}, {"exclusive", {ok, slept(0)}}});
}

TEST(utils_window_growth, decides_on_the_way_to_five) {
  checks("AWS-RU-005", "AWS-RU-017", "AWS-RU-018");
  // 4294967291 is 2 modulo 3, 1 modulo 5 and 5 modulo 6: the windows 2, 4 and 5 each give a sleep of their own.
  call const same = back_off_with(4'294'967'291);
  expect_told_apart("window-growth", {{2, 5, 1, unlimited}, {reset_with(0), same, same, same}},
                    {{"min", {ok, slept(2), slept(1), slept(5)}},
                     {"compare-half", {ok, slept(2), slept(5), slept(5)}},
                     {"freeze", {ok, slept(2), slept(2), slept(2)}},
                     {"comment", {ok, slept(2), slept(1), slept(1)}}});
}

TEST(utils_first_window, decides_between_five_and_ten) {
  checks("AWS-RU-003", "AWS-RU-012", "AWS-RU-018");
  expect_told_apart("first-window", {{10, 5, 1, unlimited}, {reset_with(0), back_off_with(9)}},
                    {{"capped", {ok, slept(3)}}, {"uncapped", {ok, slept(9)}}});
}

TEST(utils_jitter_bound, decides_between_three_and_two) {
  checks("AWS-RU-013");
  expect_told_apart("jitter-bound", {{2, 100, 1, unlimited}, {reset_with(4'294'967'295), back_off_with(3)}},
                    {{"inclusive", {ok, slept(3)}}, {"exclusive", {ok, slept(0)}}});
}

TEST(utils_base_jitter, decides_between_five_and_two) {
  checks("AWS-RU-006", "AWS-RU-012");
  // 4294967295 is 3 modulo 6
  expect_told_apart("base-jitter", {{2, 100, 5, unlimited}, {reset_with(4'294'967'295), back_off_with(5)}},
                    {{"added", {ok, slept(5)}}, {"none", {ok, slept(2)}}});
}

TEST(utils_exhaustion_call, decides_the_only_call_but_one) {
  checks("AWS-RU-019");
  expect_told_apart("exhaustion-call", {{1, 1, 1, 1}, {reset_with(0), back_off_with(0), back_off_with(0)}},
                    {{"n-plus-1", {ok, slept(0), exhausted}}, {"n", {ok, exhausted, exhausted}}});
}

TEST(utils_exhaustion_state, decides_what_follows) {
  checks("AWS-RU-019", "AWS-RU-021");
  expect_told_apart(
      "exhaustion-state", {{2, 100, 5, 1}, {reset_with(0), back_off_with(0), back_off_with(3), back_off_with(5)}},
      {{"stays", {ok, slept(0), exhausted, exhausted}}, {"resets-itself", {ok, slept(0), exhausted, slept(5)}}});
}

TEST(utils_empty_window, decides_whether_it_is_judged) {
  checks("AWS-RU-003", "AWS-RU-013", "AWS-RU-016");
  expect_told_apart("empty-window", {{0, 5, 0, unlimited}, {reset_with(3), back_off_with(3)}},
                    {{"zero", {ok, slept(0)}}, {"undefined", {unjudged}}});
}

TEST(utils_empty_window, has_three_places) {
  checks("AWS-RU-003", "AWS-RU-013", "AWS-RU-016");
  std::vector<pin> const undefined{{"empty-window", "undefined"}};
  struct {
    std::string_view what;
    parameters with;
    std::vector<expectation> zero;
    expectation reset_undefined;
  } const rows[]{
      {"no jitter", {3, 5, 0, unlimited}, {ok, slept(2)}, unjudged},
      {"no initial back-off, no jitter drawn", {0, 5, 1, unlimited}, {ok, slept(0)}, ok},
      {"no maximum", {3, 0, 1, unlimited}, {ok, slept(0)}, ok},
  };
  for (auto const& row : rows) {
    history const h{row.with, {reset_with(2), back_off_with(6)}};
    EXPECT_TRUE(answers(h) == row.zero) << row.what;
    EXPECT_EQ(answers(h, undefined).front(), row.reset_undefined) << row.what;
    EXPECT_EQ(last_answer(h, undefined), unjudged) << row.what;
  }
  history const alone{{3, 5, 0, unlimited}, {reset_with(2), back_off_with(6)}};
  EXPECT_TRUE(answers(alone, {{"empty-window", "undefined"}, {"base-jitter", "none"}}) == (std::vector{ok, slept(2)}))
      << "no jitter is drawn at all";
}

// 2863311530 = (2^33 - 2) / 3, hardly less than two thirds of 2^32. Modulo 300001 it is 101986.
TEST(utils_draw_mapping, is_of_the_sleep) {
  checks("AWS-RU-003", "AWS-RU-016");
  expect_told_apart(
      "draw-mapping",
      {{1'000'000, 4'000'000, 300'000, unlimited}, {reset_with(2'863'311'530), back_off_with(2'863'311'530)}},
      {{"modulo", {ok, slept(integer{2'863'311'530} % 1'101'987)}},
       {"scaled", {ok, slept(734'657)}},
       {"real", {ok, slept(rational(rational(2'863'311'530) / rational(two_to_32) * 1'101'986))}},
       {"divided", {ok, slept(734'559)}},  // by 3897 + 1
       {"near", {ok, slept(admissible::integers(734'657, 1, 3))}},
       {"other", {ok, slept(admissible::integers(0, 1, 1'101'987))}}});
}

TEST(utils_delay_resolution, decides_where_the_mapping_does_not) {
  checks("AWS-RU-003", "AWS-RU-016");
  integer const window = 1000 + 2'863'311'531 % 301;
  expect_told_apart("delay-resolution",
                    {{1000, 4000, 300, unlimited}, {reset_with(2'863'311'531), back_off_with(2'863'311'531)}},
                    {{"integer", {ok, slept(admissible::integers(0, 1, window + 1))}},
                     {"real", {ok, slept(admissible::between(0, window))}}},
                    {{"draw-mapping", "other"}});
}

TEST(utils_jitter_mapping, is_of_the_reset) {
  checks("AWS-RU-013");
  expect_told_apart(
      "jitter-mapping",
      {{1'000'000, 4'000'000, 300'000, unlimited}, {reset_with(2'863'311'530), back_off_with(2'400'001)}},
      {{"modulo", {ok, slept(2'400'001 % 1'101'987)}},
       {"scaled", {ok, slept(2'400'001 % 1'200'001)}},
       {"real", {ok, slept(2'400'001 % 1'200'000)}},  // of 1199999.99995; the remainder of 1200001 is beyond it
       {"divided", {ok, slept(2'400'001 % 1'199'994)}},
       {"near", {ok, slept(admissible::integers(1'199'999, 1, 2))}},  // modulo 1200002 or 1200001
       {"other", {ok, slept(admissible::integers(0, 1, 1'300'001))}}});
}

TEST(utils_jitter_resolution, decides_where_the_mapping_does_not) {
  checks("AWS-RU-013");
  auto const shown = [](expectation answer, integer done, admissible const& next) {
    answer[field_attempts_done] = admissible::exactly(done);
    answer[field_next_jitter_max] = next;
    return answer;
  };
  auto const slept_any = slept(admissible::integers(0, 1, 1'300'001));
  expect_told_apart(
      "jitter-resolution",
      {{1'000'000, 4'000'000, 300'000, unlimited, true}, {reset_with(2'863'311'530), back_off_with(2'400'001)}},
      {{"integer",
        {shown(ok, 0, admissible::integers(1'000'000, 1, 300'001)),
         shown(slept_any, 1, admissible::integers(2'000'000, 2, 300'001))}},
       {"real",
        {shown(ok, 0, admissible::between(1'000'000, 1'300'000)),
         shown(slept_any, 1, admissible::between(2'000'000, 2'600'000))}}},
      {{"jitter-mapping", "other"}});
}

TEST(utils_distribution, is_told_apart_by_statistics_only) {
  checks("AWS-RU-003", "AWS-RU-013");
  history const any{{1000, 4000, 300, unlimited}, {reset_with(1), back_off_with(5)}};
  for (std::string_view const alternative : {"uniform", "unspecified"})
    EXPECT_TRUE(answers(any, {{"distribution", alternative}}) == (std::vector{ok, slept(5)})) << alternative;
}

TEST(utils_reseed, is_told_apart_by_the_clock_only) {
  checks("AWS-RU-009", "AWS-RU-015");
  history const any{{1000, 4000, 300, unlimited}, {reset_with(1), back_off_with(5), reset_with(1), back_off_with(6)}};
  for (std::string_view const alternative : {"independent", "each-second"})
    EXPECT_TRUE(answers(any, {{"reseed", alternative}}) == (std::vector{ok, slept(5), ok, slept(6)})) << alternative;
}

// The clarified places of the document, which no reading opens.
TEST(utils_clarified, exponent_counts_from_the_window_of_the_reset) {
  checks("AWS-RU-004", "AWS-RU-006", "AWS-RU-017");
  history h{{3, 1000, 4, unlimited}, {reset_with(2)}};  // 2^n · 5
  for (std::uint64_t const window : {5U, 10U, 20U, 40U, 80U}) {
    h.calls.push_back(back_off_with(window));
    EXPECT_EQ(last_answer(h), slept(static_cast<integer>(window)));
  }
}

TEST(utils_clarified, counter_of_retries_never_ends_an_unlimited_cycle) {
  checks("AWS-RU-020", "AWS-RU-023");
  state s;
  s.retries = 4'294'967'296;  // past every 32-bit counter
  under(readings(), pinned(readings(), {}), [&](chooser& choices) {
    EXPECT_EQ(back_off({1, 7, 0, unlimited, true}, s, u32(7), choices).answer,
              (expectation{word_of(status::retry), admissible::exactly(7), admissible::exactly(4'294'967'297),
                           admissible::exactly(7)}));
    return 0;
  });
}

TEST(utils_clarified, sleeps_of_a_cycle_share_the_jitter_of_its_reset) {
  checks("AWS-RU-013", "AWS-RU-016");
  history const h{{3, 1000, 4, unlimited},
                  {reset_with(4), back_off_with(7), back_off_with(14), reset_with(0), back_off_with(7)}};
  EXPECT_TRUE(answers(h) == (std::vector{ok, slept(7), slept(14), ok, slept(3)}));
}

TEST(utils_together, decide_the_windows) {
  checks("AWS-RU-004", "AWS-RU-005", "AWS-RU-018");
  struct {
    std::vector<pin> pins;
    integer initial;
    integer max;
    std::vector<integer> windows;
  } const rows[]{
      {{}, 3, 100, {3, 6, 12, 24, 48, 96, 100, 100}},
      {{{"window-growth", "compare-half"}}, 3, 100, {3, 6, 12, 24, 48, 96, 100, 100}},
      {{{"window-growth", "freeze"}}, 3, 100, {3, 6, 12, 24, 48, 96, 96, 96}},
      {{{"window-growth", "comment"}}, 3, 100, {3, 6, 12, 24, 48, 96, 96, 96}},
      {{{"window-growth", "compare-half"}}, 50, 100, {50, 100, 100}},
      {{{"window-growth", "freeze"}}, 49, 100, {49, 98, 98}},
      {{{"window-growth", "freeze"}}, 50, 100, {50, 50, 50}},
      {{{"window-growth", "comment"}}, 50, 100, {50, 50, 50}},
      {{{"window-growth", "comment"}}, 2, 5, {2, 4, 4}},
      {{{"attempt-origin", "one"}}, 3, 100, {6, 12, 24, 48, 96, 100, 100}},
      {{{"attempt-origin", "one"}, {"first-window", "uncapped"}}, 10, 5, {5, 5}},
      {{{"first-window", "uncapped"}}, 10, 5, {10, 5, 5}},
      {{{"first-window", "uncapped"}, {"window-growth", "compare-half"}}, 10, 5, {10, 5, 5}},
      {{{"first-window", "uncapped"}, {"window-growth", "freeze"}}, 10, 5, {10, 10, 10}},
      {{{"first-window", "uncapped"}, {"window-growth", "comment"}}, 10, 5, {10, 10, 10}},
      {{{"window-growth", "freeze"}}, 0, 100, {0, 0, 0}},
  };
  for (auto const& row : rows) {
    for (std::string_view const mapping : {"modulo", "real"}) {
      auto pins = row.pins;
      pins.push_back({"draw-mapping", mapping});
      pins.push_back({"jitter-mapping", mapping});
      history h{{row.initial, row.max, 4, unlimited}, {reset_with(0)}};
      for (auto const window : row.windows) {
        // Half of all draws: real, half of the window; else the remainder of 2^31.
        h.calls.push_back(back_off_with(two_to_32 / 2));
        auto const expected = mapping == "real" && window > 0 ? slept(rational(rational(window) / 2))
                                                              : slept((integer{1} << 31) % (window + 1));
        EXPECT_EQ(last_answer(h, pins), expected)
            << mapping << ": " << row.initial << ", " << row.max << ", " << window;
      }
    }
  }
}

TEST(utils_real_mapping, leaves_windows_that_are_not_whole) {
  checks("AWS-RU-012", "AWS-RU-016");
  std::vector<pin> const real{{"draw-mapping", "real"}, {"jitter-mapping", "real"}};
  auto const eighth = [](std::uint64_t n) { return draw{draw::kind::unit, n, 8}; };
  // 1 + 3/8 · 1 = 11/8, then 22/8, then 3
  history h{{1, 3, 1, unlimited, true}, {{true, eighth(3)}}};
  EXPECT_EQ(last_answer(h, real), (expectation{word_of(status::ok), admissible::nothing(), admissible::exactly(0),
                                               exactly(rational(11, 8))}));
  h.calls.push_back({false, eighth(4)});
  EXPECT_EQ(last_answer(h, real), (expectation{word_of(status::retry), exactly(rational(11, 16)),
                                               admissible::exactly(1), exactly(rational(11, 4))}));
  h.calls.push_back({false, eighth(1)});
  EXPECT_EQ(last_answer(h, real), (expectation{word_of(status::retry), exactly(rational(11, 32)),
                                               admissible::exactly(2), exactly(rational(3))}));
  // Before any back-off a window past the maximum may be shown as the reset set it.
  history capped{{2, 2, 1, unlimited, true}, {{true, eighth(3)}}};
  EXPECT_EQ(last_answer(capped, real)[field_next_jitter_max], admissible::either({2, rational(19, 8)}));
  auto one = real;
  one.push_back({"attempt-origin", "one"});
  EXPECT_EQ(last_answer({{1, 3, 1, unlimited, true}, {{true, eighth(3)}}}, one)[field_next_jitter_max],
            admissible::either({rational(11, 8), rational(22, 8)}))
      << "doubled, or as reset";
  capped.calls.push_back({false, eighth(1)});
  EXPECT_EQ(last_answer(capped, real)[field_next_jitter_max], admissible::between(2, 2));
  // Halves: 1.5 doubles to 3. Known draws leave one window, whatever the growth.
  history const halves{{1, 100, 1, unlimited, true}, {{true, eighth(4)}, {false, eighth(1)}}};
  auto frozen = real;
  frozen.push_back({"window-growth", "freeze"});
  for (auto const& pins : {real, frozen}) {
    EXPECT_EQ(last_answer(halves, pins)[field_next_jitter_max], exactly(rational(3)));
  }
  // A window of 0: no initial back-off, no jitter.
  history const empty{{0, 3, 1, unlimited}, {{true, eighth(0)}, {false, eighth(4)}}};
  EXPECT_EQ(last_answer(empty, real), slept(0));
  auto undefined = real;
  undefined.push_back({"empty-window", "undefined"});
  EXPECT_EQ(last_answer(empty, undefined), unjudged);
  // A hidden draw after one that was given.
  history const half_hidden{{1, 3, 1, unlimited}, {{true, eighth(3)}, hidden_back_off}};
  auto real_too = real;
  real_too.push_back({"delay-resolution", "real"});
  EXPECT_EQ(last_answer(half_hidden, real_too), slept(admissible::between({0, rational(11, 8)})));
}

// 11/8 doubles to 11/4, which is above half of either maximum.
TEST(utils_real_mapping, leaves_the_way_to_the_maximum_as_it_is) {
  checks("AWS-RU-004", "AWS-RU-012");
  struct {
    std::string_view growth;
    integer max;
    std::vector<rational> windows;
  } const rows[]{
      {"min", 4, {{11, 8}, {11, 4}, 4, 4}},          {"min", 3, {{11, 8}, {11, 4}, 3, 3}},
      {"compare-half", 4, {{11, 8}, {11, 4}, 4, 4}}, {"compare-half", 3, {{11, 8}, 3, 3}},
      {"freeze", 4, {{11, 8}, {11, 4}, {11, 4}}},    {"freeze", 3, {{11, 8}, {11, 8}}},
      {"comment", 4, {{11, 8}, {11, 4}, {11, 4}}},   {"comment", 3, {{11, 8}, {11, 4}, {11, 4}}},
  };
  for (auto const& row : rows) {
    std::vector<pin> const real{{"draw-mapping", "real"}, {"jitter-mapping", "real"}, {"window-growth", row.growth}};
    history h{{1, row.max, 1, unlimited}, {{true, {draw::kind::unit, 3, 8}}}};
    for (auto const& window : row.windows) {
      h.calls.push_back({false, {draw::kind::unit, 1, 2}});
      EXPECT_EQ(last_answer(h, real), slept(rational(window / 2))) << row.growth << ", " << row.max << ": " << window;
    }
  }
}

// 5 · 4 / 10 is 2, or 1.99…: the jitter is 1 or 2, each with windows and sleeps of its own.
TEST(utils_scaled_mapping, leaves_two_windows_where_rounding_decides) {
  checks("AWS-RU-013", "AWS-RU-016");
  std::vector<pin> pins{{"draw-mapping", "scaled"}, {"jitter-mapping", "scaled"}};
  auto const tenth = [](std::uint64_t n) { return draw{draw::kind::rand, n, 10}; };
  history h{{10, 100, 3, unlimited, true}, {{true, tenth(5)}}};
  EXPECT_EQ(last_answer(h, pins)[field_next_jitter_max], admissible::integers(11, 1, 2));
  h.calls.push_back({false, tenth(9)});  // floor(12 · 9 / 10) or floor(13 · 9 / 10)
  EXPECT_EQ(last_answer(h, pins), (expectation{word_of(status::retry), admissible::integers(10, 1, 2),
                                               admissible::exactly(1), admissible::integers(22, 2, 2)}));
  h.calls.push_back({false, tenth(9)});  // floor(23 · 9 / 10) or floor(25 · 9 / 10)
  EXPECT_EQ(last_answer(h, pins)[field_slept], admissible::integers(20, 2, 2));
  h.calls.back().from = tenth(2);  // floor(23 · 2 / 10) = 4, or floor(25 · 2 / 10) = 5, or 4.99…
  EXPECT_EQ(last_answer(h, pins)[field_slept], admissible::integers(4, 1, 2));
  h.calls.back().from = tenth(1);  // floor(2.3) or floor(2.5): the same
  EXPECT_EQ(last_answer(h, pins)[field_slept], admissible::exactly(2));
  // 5 · 22 / 10 = 11, or 10.99…, beside floor(5 · 24 / 10) = 12, or 11.99…
  h.with.initial_backoff_s = 20;
  h.calls = {{true, tenth(5)}, {false, tenth(5)}};
  EXPECT_EQ(last_answer(h, pins)[field_slept], admissible::integers(10, 1, 2)) << "11, 11.5";
  // Windows 49 and 50 below a maximum of 100: only the smaller one doubles.
  h.with.initial_backoff_s = 48;
  h.calls = {{true, tenth(5)}, {false, tenth(0)}, {false, tenth(9)}};
  pins.push_back({"window-growth", "freeze"});
  EXPECT_EQ(last_answer(h, pins), (expectation{word_of(status::retry), admissible::integers(45, 44, 2),
                                               admissible::exactly(2), admissible::integers(50, 48, 2)}));
  // Windows 0 and 1, where a window of 0 is undefined.
  history const touching{{0, 100, 1, unlimited}, {{true, tenth(5)}, {false, tenth(9)}}};
  pins = {{"draw-mapping", "scaled"}, {"jitter-mapping", "scaled"}};
  EXPECT_EQ(last_answer(touching, pins), slept(admissible::integers(0, 1, 2)));
  pins.push_back({"empty-window", "undefined"});
  EXPECT_EQ(last_answer(touching, pins), unjudged);
}

// Half of a jitter of 10 is one of 5 and 6, or about 5 s.
TEST(utils_near_mapping, leaves_windows_beside_each_other) {
  checks("AWS-RU-013", "AWS-RU-016");
  std::vector<pin> const near{{"draw-mapping", "near"}, {"jitter-mapping", "near"}};
  auto const and_also = [](std::vector<pin> pins, std::vector<pin> const& more) {
    pins.insert(pins.end(), more.begin(), more.end());
    return pins;
  };
  history const h{{10, 100, 10, unlimited}, {reset_with(two_to_32 / 2), back_off_with(two_to_32 / 2)}};
  // 16 · 1/2 ± 1.000004, 17 · 1/2 ± 1.000004
  EXPECT_EQ(last_answer(h, near), slept(admissible::integers(7, 1, 3)));
  // An exclusive jitter is 4, 5 or 6: 15 · 1/2 ± 1.000004 to 17 · 1/2 ± 1.000004
  EXPECT_EQ(last_answer(h, and_also(near, {{"jitter-bound", "exclusive"}})), slept(admissible::integers(7, 1, 3)));
  rational const part(1, 1 << 22);
  rational const off = rational(1, 100) + 10 * part;
  auto const [low, high] = std::pair(rational(15 - off), rational(15 + off));
  EXPECT_EQ(
      last_answer(h, and_also(near, {{"delay-resolution", "real"}, {"jitter-resolution", "real"}})),
      slept(admissible::between({low / 2 - low * part - rational(1, 100), high / 2 + high * part + rational(1, 100)})));
  // Windows 0 and 1, where a window of 0 is undefined.
  history const touching{{0, 100, 1, unlimited}, {reset_with(0), back_off_with(two_to_32 / 2)}};
  EXPECT_EQ(last_answer(touching, near), slept(admissible::integers(0, 1, 2)));
  EXPECT_EQ(last_answer(touching, and_also(near, {{"empty-window", "undefined"}})), unjudged);
}

// The window is 10 + 3/4 of 10 = 17.5, or modulo 11 one of 10 + 3.
TEST(utils_mixed_mappings, draw_each_in_its_own_way) {
  checks("AWS-RU-013", "AWS-RU-016");
  history h{{10, 100, 10, unlimited}, {{true, {draw::kind::rand, 6, 8}}, {false, {draw::kind::rand, 7, 8}}}};
  auto const slept_under = [&](std::vector<pin> const& pins) { return last_answer(h, pins)[field_slept]; };
  pin const real_jitter{"jitter-mapping", "real"};
  EXPECT_EQ(slept_under({{"draw-mapping", "real"}}), exactly(rational(7 * 16, 8))) << "of 10 + 6";
  EXPECT_EQ(slept_under({real_jitter}), admissible::exactly(7)) << "modulo 18 or 19";
  EXPECT_EQ(slept_under({{"draw-mapping", "real"}, real_jitter}), exactly(rational(7 * 35, 16)));
  EXPECT_EQ(slept_under({{"draw-mapping", "scaled"}, real_jitter}), admissible::integers(15, 1, 2))
      << "floor(18 · 7 / 8), floor(19 · 7 / 8)";
  EXPECT_EQ(slept_under({{"draw-mapping", "scaled"}, {"upper-bound", "exclusive"}, real_jitter}),
            admissible::integers(14, 1, 2));
  EXPECT_EQ(slept_under({{"draw-mapping", "divided"}, real_jitter}), admissible::exactly(7)) << "by 1";
  EXPECT_EQ(slept_under({{"draw-mapping", "other"}, real_jitter}), admissible::integers(0, 1, 18));
  EXPECT_EQ(slept_under({{"draw-mapping", "other"}, {"upper-bound", "exclusive"}, real_jitter}),
            admissible::integers(0, 1, 18));
  h.calls.back().from = {draw::kind::rand, 18, 64};
  EXPECT_EQ(slept_under({real_jitter}), admissible::exactly(0)) << "18 modulo 19 is beyond 17.5";
  EXPECT_EQ(slept_under({{"upper-bound", "exclusive"}, real_jitter}), admissible::integers(0, 1, 2))
      << "modulo 17 or 18";
  // A jitter that is not known: any window of 10 to 20.
  pin const any_jitter{"jitter-mapping", "other"};
  EXPECT_EQ(slept_under({any_jitter}), admissible::integers(0, 1, 21));
  EXPECT_EQ(slept_under({{"draw-mapping", "scaled"}, any_jitter}), admissible::integers(3, 1, 3))
      << "floor(11 · 18 / 64) to floor(21 · 18 / 64)";
  EXPECT_EQ(slept_under({{"draw-mapping", "real"}, any_jitter}),
            admissible::between({rational(180, 64), rational(360, 64)}));
  EXPECT_EQ(slept_under({any_jitter, {"jitter-resolution", "real"}}), admissible::integers(0, 1, 21));
  EXPECT_EQ(slept_under({{"draw-mapping", "scaled"}, any_jitter, {"jitter-resolution", "real"}}),
            admissible::integers(3, 1, 3));
  // Two jitters: 0 or 1, and no window in between.
  h.with.max_jitter_s = 1;
  EXPECT_EQ(slept_under({{"draw-mapping", "real"}, any_jitter}),
            admissible::either({rational(180, 64), rational(198, 64)}));
  EXPECT_EQ(slept_under({{"draw-mapping", "real"}, any_jitter, {"jitter-resolution", "real"}}),
            admissible::between({rational(180, 64), rational(198, 64)}));
  EXPECT_EQ(slept_under({{"draw-mapping", "other"}, {"delay-resolution", "real"}, any_jitter}),
            admissible::between(0, 11));
  h.with.initial_backoff_s = 0;
  EXPECT_EQ(slept_under({{"draw-mapping", "real"}, any_jitter, {"empty-window", "undefined"}}), admissible::unjudged());
  EXPECT_EQ(slept_under({{"draw-mapping", "real"}, any_jitter}), admissible::either({0, rational(18, 64)}));
  h.calls.back().from = {draw::kind::rand, 0, 64};
  EXPECT_EQ(slept_under({{"draw-mapping", "real"}, any_jitter}), admissible::between(0, 0));
}

// Windows of 10 to 20: the draw is the remainder where it is below all of them, and any where quotients differ.
TEST(utils_mixed_mappings, leave_remainders_of_windows_that_are_not_known) {
  checks("AWS-RU-013", "AWS-RU-016");
  pin const any_jitter{"jitter-mapping", "other"};
  pin const exclusive{"upper-bound", "exclusive"};
  auto const slept_of = [&](integer initial, std::uint64_t draw, std::vector<pin> const& pins) {
    return last_answer({{initial, 100, 10, unlimited}, {reset_with(0), back_off_with(draw)}}, pins)[field_slept];
  };
  EXPECT_EQ(slept_of(10, 5, {any_jitter}), admissible::exactly(5));
  EXPECT_EQ(slept_of(10, 22, {any_jitter}), admissible::integers(0, 1, 21)) << "22 / 11 is 2, 22 / 21 is 1";
  EXPECT_EQ(slept_of(10, 21, {any_jitter}), admissible::integers(0, 1, 11)) << "21 modulo 11 to modulo 21";
  EXPECT_EQ(slept_of(10, 18, {any_jitter, exclusive}), admissible::integers(0, 1, 20));
  EXPECT_EQ(slept_of(0, 18, {any_jitter, exclusive}), admissible::integers(0, 1, 10)) << "a window may be empty";
}

TEST(utils_mixed_mappings, take_a_window_that_is_nearly_whole_for_whole) {
  checks("AWS-RU-013", "AWS-RU-016");
  draw const nearly_half{draw::kind::unit, (std::uint64_t{1} << 51) - 1, std::uint64_t{1} << 52};
  history const h{{1, 100, 2, unlimited}, {{true, nearly_half}, back_off_with(2)}};
  EXPECT_EQ(last_answer(h, {{"jitter-mapping", "real"}}), slept(admissible::integers(0, 2, 2))) << "2 modulo 2 or 3";
  history const half{{1, 100, 2, unlimited}, {{true, {draw::kind::unit, 1, 2}}, back_off_with(2)}};
  EXPECT_EQ(last_answer(half, {{"jitter-mapping", "real"}}), slept(2)) << "modulo 3";
}

TEST(utils_hidden_draws, leave_every_window_that_a_jitter_can_make) {
  checks("AWS-RU-003", "AWS-RU-012", "AWS-RU-017");
  struct {
    std::string_view what;
    std::vector<pin> pins;
    parameters with;
    std::vector<integer> longest;  // of each sleep
  } const rows[]{
      {"the largest jitter", {}, {3, 100, 5, unlimited}, {8, 16, 32, 64, 100, 100}},
      {"below the largest", {{"jitter-bound", "exclusive"}}, {3, 100, 5, unlimited}, {7, 14, 28, 56, 100}},
      {"below the window", {{"upper-bound", "exclusive"}}, {3, 100, 5, unlimited}, {7, 15, 31, 63, 99}},
      {"no jitter in the base", {{"base-jitter", "none"}}, {3, 100, 5, unlimited}, {3, 6, 12}},
      {"capped at once", {}, {3, 5, 9, unlimited}, {5, 5}},
      {"uncapped at first", {{"first-window", "uncapped"}}, {3, 5, 9, unlimited}, {12, 5}},
      {"two windows", {}, {3, 100, 1, unlimited}, {4, 8, 16}},
      {"from nothing", {}, {0, 9, 5, unlimited}, {5, 9, 9}},
      {"jumping to the cap", {{"window-growth", "compare-half"}}, {3, 21, 5, unlimited}, {8, 16, 21, 21}},
      {"no window but 0", {}, {9, 0, 9, unlimited}, {0, 0}},
      // after four doublings 48, 64, 80, 96; 7 and 8 have stopped at 56 and 64
      {"not the largest jitter", {{"window-growth", "freeze"}}, {3, 100, 5, unlimited}, {8, 16, 32, 64, 96, 96}},
      // 50 stays, 49 doubles
      {"the last that doubles", {{"window-growth", "freeze"}}, {40, 100, 20, unlimited}, {60, 98, 98}},
      {"the least is the last that doubles", {{"window-growth", "freeze"}}, {49, 100, 11, unlimited}, {60, 98, 98}},
      {"the last that doubles", {{"window-growth", "comment"}}, {40, 101, 20, unlimited}, {60, 100, 100}},
      {"none that doubles", {{"window-growth", "comment"}}, {60, 101, 20, unlimited}, {80, 80}},
      {"one late doubling", {{"window-growth", "freeze"}}, {10, 100, 2, unlimited}, {12, 24, 48, 96, 96}},
      {"counted from one",
       {{"window-growth", "freeze"}, {"attempt-origin", "one"}},
       {40, 100, 20, unlimited},
       {98, 98}},
  };
  for (auto const& row : rows) {
    history h{row.with, {hidden_reset}};
    for (auto const longest : row.longest) {
      h.calls.push_back(hidden_back_off);
      EXPECT_EQ(last_answer(h, row.pins), slept(admissible::integers(0, 1, longest + 1)))
          << row.what << ": " << longest;
    }
  }
}

TEST(utils_hidden_draws, depend_on_one_jitter_of_the_reset) {
  checks("AWS-RU-012", "AWS-RU-013", "AWS-RU-016", "AWS-RU-017");
  struct {
    std::vector<pin> pins;
    parameters with;
    integer jitters;
    integer jitter;
    std::vector<integer> longest;  // of each sleep, where that jitter was drawn
  } const rows[]{
      {{}, {3, 100, 5, unlimited}, 6, 0, {3, 6, 12, 24, 48, 96, 100}},
      {{}, {3, 100, 5, unlimited}, 6, 5, {8, 16, 32, 64, 100}},
      {{}, {0, 9, 0, unlimited}, 1, 0, {0, 0}},
      {{}, {3, 5, 9, unlimited}, 10, 4, {5, 5}},
      {{{"jitter-bound", "exclusive"}}, {3, 100, 5, unlimited}, 5, 4, {7, 14, 28}},
      {{{"upper-bound", "exclusive"}}, {3, 100, 5, unlimited}, 6, 1, {3, 7, 15}},
      {{{"base-jitter", "none"}}, {3, 100, 5, unlimited}, 1, 0, {3, 6, 12}},
      {{{"attempt-origin", "one"}}, {3, 100, 5, unlimited}, 6, 1, {8, 16, 32}},
      {{{"window-growth", "freeze"}}, {3, 100, 5, unlimited}, 6, 3, {6, 12, 24, 48, 96, 96}},
      {{{"window-growth", "freeze"}}, {3, 100, 5, unlimited}, 6, 5, {8, 16, 32, 64, 64, 64}},
      {{{"first-window", "uncapped"}}, {3, 5, 9, unlimited}, 10, 9, {12, 5}},
  };
  for (auto const& row : rows) {
    under(readings(), pinned(readings(), row.pins), [&](chooser& choose) {
      EXPECT_EQ(jitters(row.with, choose), row.jitters);
      for (std::size_t n = 0; n < row.longest.size(); ++n) {
        std::vector<double> each(static_cast<std::size_t>(row.jitters));
        choices(row.with, static_cast<integer>(n), each, choose);
        EXPECT_EQ(each[static_cast<std::size_t>(row.jitter)], row.longest[n] + 1)
            << row.jitter << " of " << row.jitters << ", after " << n;
      }
      return 0;
    });
  }
  auto const jitters_where = [](parameters const& p, std::vector<pin> const& pins) {
    return under(readings(), pinned(readings(), pins), [&](chooser& choices) { return jitters(p, choices); });
  };
  pin const real_jitter{"jitter-resolution", "real"};
  EXPECT_EQ(jitters_where({3, 100, 5, unlimited}, {real_jitter}), 40) << "in eighths";
  EXPECT_EQ(jitters_where({3, 100, 5, unlimited}, {real_jitter, {"base-jitter", "none"}}), 1);
  EXPECT_EQ(jitters_where({0, 100, 5, unlimited}, {}), 6);
  EXPECT_EQ(jitters_where({0, 100, 5, unlimited}, {real_jitter}), 0) << "windows as narrow as one likes";
  EXPECT_EQ(jitters_where({0, 100, 5, unlimited}, {{"delay-resolution", "real"}}), 0) << "a window may be empty";
  EXPECT_EQ(jitters_where({3, 100, 5, unlimited}, {{"delay-resolution", "real"}}), 6);
  EXPECT_EQ(jitters_where({0, 100, 0, unlimited}, {real_jitter, {"delay-resolution", "real"}}), 1);
}

// Reals have no last one that doubles: windows come as near to twice the turning point as one likes.
TEST(utils_hidden_draws, reach_every_real_window) {
  checks("AWS-RU-012", "AWS-RU-017");
  std::vector<pin> const real{{"delay-resolution", "real"}, {"jitter-resolution", "real"}};
  auto freeze = real;
  freeze.push_back({"window-growth", "freeze"});
  auto comment = real;
  comment.push_back({"window-growth", "comment"});
  history h{{40, 100, 20, unlimited}, {hidden_reset, hidden_back_off}};
  EXPECT_EQ(last_answer(h, freeze), slept(admissible::between(0, 60)));
  h.calls.push_back(hidden_back_off);
  EXPECT_EQ(last_answer(h, freeze), slept(admissible::between(0, 100)));
  h.with.max_backoff_s = 101;
  EXPECT_EQ(last_answer(h, freeze), slept(admissible::between(0, 100)));
  EXPECT_EQ(last_answer(h, comment), slept(admissible::between(0, 102))) << "not above 101, and little is lost by it";
  h.with.initial_backoff_s = 60;
  EXPECT_EQ(last_answer(h, freeze), slept(admissible::between(0, 80))) << "none that doubles";
  h = {{3, 100, 5, unlimited}, {hidden_reset}};
  for (integer const longest : {8, 16, 32, 64, 100}) {
    h.calls.push_back(hidden_back_off);
    EXPECT_EQ(last_answer(h, real), slept(admissible::between(0, longest)));
    EXPECT_EQ(last_answer({{9, 0, 9, unlimited}, h.calls}, real), slept(0)) << "no window but 0";
  }
  h.calls = {hidden_reset};
  for (integer const longest : {8, 16, 32, 64, 100, 100}) {
    h.calls.push_back(hidden_back_off);
    EXPECT_EQ(last_answer(h, freeze), slept(admissible::between(0, longest)));
  }
}

// One jitter at a time: how many a reset may have drawn, and the sleeps that each leaves.
TEST(utils_hidden_draws, leave_the_sleeps_of_each_jitter) {
  checks("AWS-RU-003", "AWS-RU-012", "AWS-RU-017");
  parameters const p{3, 20, 4, unlimited};
  auto const count = [&](std::vector<pin> const& pins) {
    return under(readings(), pinned(readings(), pins), [&](chooser& choices) { return jitters(p, choices); });
  };
  EXPECT_EQ(count({}), 5);
  EXPECT_EQ(count({{"jitter-bound", "exclusive"}}), 4);
  EXPECT_EQ(count({{"base-jitter", "none"}}), 1);
  auto const longest = [&](integer retries, integer jitter, std::vector<pin> const& pins) {
    return under(readings(), pinned(readings(), pins), [&](chooser& choose) {
      std::vector<double> each(static_cast<std::size_t>(jitters(p, choose)));
      choices(p, retries, each, choose);
      return each[static_cast<std::size_t>(jitter)] - 1;
    });
  };
  EXPECT_EQ(longest(0, 0, {}), 3);
  EXPECT_EQ(longest(0, 2, {}), 5);
  EXPECT_EQ(longest(1, 2, {}), 10);
  EXPECT_EQ(longest(2, 2, {}), 20);
  EXPECT_EQ(longest(2, 1, {}), 16);
  EXPECT_EQ(longest(1, 4, {}), 14);
  EXPECT_EQ(longest(1, 4, {{"upper-bound", "exclusive"}}), 13);
  EXPECT_EQ(longest(2, 4, {{"window-growth", "freeze"}}), 14);
  EXPECT_EQ(longest(1, 2, {{"attempt-origin", "one"}}), 20);
  EXPECT_EQ(longest(1, 1, {{"delay-resolution", "real"}}), 8 - 1) << "the window";
  pin const real_jitter{"jitter-resolution", "real"};  // the second eighth is 3/16
  EXPECT_EQ(longest(0, 1, {real_jitter}), 3) << "numbers of 3 3/16";
  EXPECT_EQ(longest(0, 1, {real_jitter, {"upper-bound", "exclusive"}}), 3.0 + 3.0 / 16 - 1);
  EXPECT_EQ(longest(2, 1, {real_jitter, {"delay-resolution", "real"}}), 4 * (3.0 + 3.0 / 16) - 1);
  EXPECT_EQ(longest(3, 1, {real_jitter, {"delay-resolution", "real"}}), 20 - 1);
  EXPECT_EQ(longest(2, 31, {real_jitter, {"window-growth", "freeze"}}), 13) << "7 - 1/16 once doubled";
}

TEST(utils_hidden_draws, fill_a_window_that_is_shown) {
  checks("AWS-RU-016");
  auto const of_17 = [](std::vector<pin> const& pins) {
    return under(readings(), pinned(readings(), pins), [](chooser& choose) { return sleeps(17, choose); });
  };
  EXPECT_EQ(of_17({}), admissible::integers(0, 1, 18));
  EXPECT_EQ(of_17({{"upper-bound", "exclusive"}}), admissible::integers(0, 1, 17));
  EXPECT_EQ(of_17({{"delay-resolution", "real"}}), admissible::between(0, 17));
}

TEST(utils_hidden_draws, leave_a_window_of_zero_undefined_where_it_is) {
  checks("AWS-RU-003");
  for (std::string_view const resolution : {"integer", "real"}) {
    std::vector<pin> const pins{
        {"empty-window", "undefined"}, {"delay-resolution", resolution}, {"jitter-resolution", resolution}};
    EXPECT_EQ(last_answer({{0, 9, 5, unlimited}, {hidden_reset, hidden_back_off}}, pins), unjudged);
    EXPECT_NE(last_answer({{1, 9, 5, unlimited}, {hidden_reset, hidden_back_off}}, pins), unjudged);
    std::vector<pin> const defined{{"delay-resolution", resolution}, {"jitter-resolution", resolution}};
    EXPECT_NE(last_answer({{0, 9, 5, unlimited}, {hidden_reset, hidden_back_off}}, defined), unjudged);
  }
}

TEST(utils_shown_state, is_that_of_the_next_sleep) {
  checks("AWS-RU-011", "AWS-RU-012", "AWS-RU-023");
  auto const shown = [](history const& h, std::vector<pin> const& pins = {}) {
    auto const answer = last_answer(h, pins);
    return std::pair(answer[field_attempts_done], answer[field_next_jitter_max]);
  };
  auto const exact = [](integer done, integer next) {
    return std::pair(admissible::exactly(done), admissible::exactly(next));
  };
  history h{{4, 100, 3, 2, true}, {reset_with(2)}};
  EXPECT_EQ(shown(h), exact(0, 6));
  EXPECT_EQ(shown(h, {{"attempt-origin", "one"}}).second, admissible::integers(6, 6, 2)) << "doubled, or as reset";
  h.calls.push_back(back_off_with(9));
  EXPECT_EQ(shown(h), exact(1, 12));
  h.calls.push_back(back_off_with(9));
  EXPECT_EQ(shown(h), exact(2, 24));
  auto const early = shown(h, {{"exhaustion-call", "n"}});
  EXPECT_EQ(early, std::pair(admissible::unjudged(), admissible::unjudged())) << "it may have slept";
  EXPECT_EQ(last_answer(h, {{"exhaustion-call", "n"}})[field_status], word_of(status::exhausted));
  EXPECT_EQ(shown(h, {{"exhaustion-call", "n"}, {"exhaustion-state", "resets-itself"}}), exact(0, 5));
  h.calls.push_back(back_off_with(9));
  EXPECT_EQ(shown(h), exact(2, 24)) << "exhausted";
  EXPECT_EQ(shown(h, {{"exhaustion-state", "resets-itself"}}), exact(0, 5)) << "9 modulo 4 is 1";
  h.with.max_backoff_s = 5;
  h.calls.resize(1);
  EXPECT_EQ(shown(h), std::pair(admissible::exactly(0), admissible::integers(5, 1, 2))) << "capped, or as reset: 6";
  h.calls.push_back(back_off_with(9));
  EXPECT_EQ(shown(h), exact(1, 5));
}

TEST(utils_shown_state, follows_hidden_draws_as_far_as_it_can) {
  checks("AWS-RU-012", "AWS-RU-017", "AWS-RU-018");
  auto const next = [](history const& h, std::vector<pin> const& pins = {}) {
    return last_answer(h, pins)[field_next_jitter_max];
  };
  history h{{3, 26, 5, unlimited, true}, {hidden_reset}};
  EXPECT_EQ(next(h), admissible::integers(3, 1, 6));
  EXPECT_EQ(next(h, {{"jitter-resolution", "real"}}), admissible::between(3, 8));
  h.calls.push_back(hidden_back_off);
  EXPECT_EQ(next(h), admissible::integers(6, 2, 6));
  h.calls.push_back(hidden_back_off);  // 12, 16, 20, 24, 26
  EXPECT_EQ(next(h), admissible::integers(12, 2, 8));
  EXPECT_EQ(next(h, {{"jitter-resolution", "real"}}), admissible::between(12, 26));
  // 12, 16, 20, 24, 14, 16: the least is not the first
  EXPECT_EQ(next(h, {{"window-growth", "freeze"}}), admissible::integers(3, 1, 22));
  h.calls.push_back(hidden_back_off);
  h.calls.push_back(hidden_back_off);
  EXPECT_TRUE(next(h).admits(observed::of(26)) && !next(h).admits(observed::of(25)));
}

// Where growth keeps no order, none that may be is left out; where it does, none that may not be is let in.
TEST(utils_shown_state, leaves_every_window_that_may_be) {
  checks("AWS-RU-012", "AWS-RU-017", "AWS-RU-018");
  auto const next = [](parameters const& p, std::vector<pin> const& pins) {
    return last_answer({p, {hidden_reset, hidden_back_off}}, pins)[field_next_jitter_max];
  };
  for (std::string_view const growth : {"min", "compare-half"}) {
    std::vector<pin> const pins{{"window-growth", growth}};
    EXPECT_EQ(next({5, 100, 2, unlimited, true}, pins), admissible::integers(10, 2, 3)) << growth;
    EXPECT_EQ(next({5, 6, 2, unlimited, true}, pins), admissible::exactly(6)) << growth;
  }
  EXPECT_EQ(
      last_answer({{5, 100, 2, unlimited, true}, {hidden_reset}}, {{"attempt-origin", "one"}})[field_next_jitter_max],
      admissible::integers(5, 1, 10))
      << "10, 12, 14, or as reset: 5, 6, 7";
  for (std::string_view const growth : {"freeze", "comment"}) {
    std::vector<pin> const pins{{"window-growth", growth}};
    EXPECT_EQ(next({4, 12, 3, unlimited, true}, pins), admissible::integers(4, 1, 7)) << growth << ": 8, 10, 6, 7";
    EXPECT_EQ(next({6, 12, 2, unlimited, true}, pins), admissible::integers(6, 1, 3)) << growth << ": none doubles";
  }
  EXPECT_EQ(next({5, 12, 1, unlimited, true}, {{"jitter-resolution", "real"}, {"window-growth", "freeze"}}),
            admissible::between(5, 12))
      << "6 stays, what is hardly less is nearly 12";
}

// What ends a cycle early under one reading and starts it again under another, together.
TEST(utils_exhaustion, combines_its_two_readings) {
  checks("AWS-RU-019", "AWS-RU-021");
  std::vector<pin> const pins{{"exhaustion-call", "n"}, {"exhaustion-state", "resets-itself"}};
  history const h{{4, 100, 3, 2},
                  {reset_with(0), back_off_with(4), back_off_with(2), back_off_with(6), back_off_with(1)}};
  EXPECT_TRUE(answers(h, pins) == (std::vector{ok, slept(4), exhausted, slept(6), exhausted}));
  history const undefined{{4, 100, 0, 1}, {reset_with(0), back_off_with(4), back_off_with(2)}};
  std::vector<pin> const alone{{"empty-window", "undefined"}, {"base-jitter", "none"}};
  EXPECT_EQ(last_answer(undefined, alone), exhausted);
}

TEST(utils_exhaustion, may_divide_by_zero_when_it_resets_itself) {
  checks("AWS-RU-013", "AWS-RU-021");
  under(readings(), pinned(readings(), {{"exhaustion-state", "resets-itself"}, {"empty-window", "undefined"}}),
        [](chooser& choices) {
          state s{u32(0), 1, false, origin::first_reset};
          EXPECT_EQ(back_off({4, 100, 0, 1}, s, u32(3), choices).answer, unjudged);
          return 0;
        });
}

using account = std::tuple<bool, bool, bool, bool, bool, integer, bool, integer>;
account account_of(facts const& f) {
  return {f.grants, f.announces, f.limited, f.again, f.by_itself, f.retries, f.at_cap, f.limit};
}

TEST(utils_facts, follow_the_cycle) {
  checks("AWS-RU-018", "AWS-RU-019", "AWS-RU-021");
  parameters const p{6, 10, 0, 2};
  std::vector<cube> elsewhere;
  chooser choices(readings(), readings().admitting(standing::canonical), elsewhere);
  state s;
  auto const step = [&] { return account_of(back_off(p, s, u32(1), choices).facts); };
  EXPECT_EQ(account_of(reset(p, s, u32(0), choices).facts), account(false, false, false, false, false, 0, false, 0));
  EXPECT_EQ(s, (state{u32(0), 0, false, origin::first_reset}));
  EXPECT_EQ(step(), account(true, false, true, false, false, 0, false, 10));
  EXPECT_EQ(step(), account(true, false, true, false, false, 1, true, 10));
  EXPECT_EQ(step(), account(false, true, true, false, false, 2, false, 10));
  EXPECT_EQ(step(), account(false, false, true, false, false, 2, false, 10));
  EXPECT_EQ(s, (state{u32(0), 2, true, origin::first_reset}));
  EXPECT_EQ(account_of(reset(p, s, u32(5), choices).facts), account(false, false, false, true, false, 0, false, 0));
  EXPECT_EQ(s, (state{u32(5), 0, false, origin::later_reset}));
  EXPECT_EQ(step(), account(true, false, true, true, false, 0, false, 10));
}

TEST(utils_facts, know_no_limit_and_no_other_cycle_without_one) {
  checks("AWS-RU-018", "AWS-RU-020");
  std::vector<cube> elsewhere;
  chooser choices(readings(), readings().admitting(standing::canonical), elsewhere);
  state s;
  EXPECT_EQ(account_of(back_off({6, 10, 0, unlimited}, s, u32(1), choices).facts),
            account(true, false, false, false, false, 0, false, 10));
}

TEST(utils_facts, know_where_the_windows_can_be) {
  checks("AWS-RU-003", "AWS-RU-018");
  auto const facts_of = [](parameters const& p, std::vector<draw> const& draws, std::vector<pin> const& pins) {
    return under(readings(), pinned(readings(), pins), [&](chooser& choices) {
      state s;
      static_cast<void>(reset(p, s, draws.front(), choices));
      facts f;
      for (std::size_t i = 1; i < draws.size(); ++i) f = back_off(p, s, draws[i], choices).facts;
      return std::pair(f.at_cap, f.limit);
    });
  };
  std::vector<pin> const real{{"draw-mapping", "real"}, {"jitter-mapping", "real"}};
  auto uncapped = real;
  uncapped.push_back({"first-window", "uncapped"});
  draw const third{draw::kind::rand, 1, 3};
  EXPECT_EQ(facts_of({4, 5, 2, unlimited}, {u32(1), u32(1)}, {}), std::pair(true, integer{5}));
  EXPECT_EQ(facts_of({4, 5, 2, unlimited}, {{}, {}}, {}), std::pair(false, integer{5})) << "4, or 5";
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {{}, {}}, {}), std::pair(true, integer{5}));
  EXPECT_EQ(facts_of({4, 5, 2, unlimited}, {third, third}, real), std::pair(false, integer{5})) << "4 2/3";
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {third, third}, real), std::pair(true, integer{5}));
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {third, third}, uncapped), std::pair(false, integer{6})) << "5 2/3";
  EXPECT_EQ(facts_of({4, 5, 2, unlimited}, {{}, {}}, {{"jitter-resolution", "real"}}), std::pair(false, integer{5}));
  EXPECT_EQ(facts_of({5, 5, 3, unlimited}, {third, third}, uncapped), std::pair(false, integer{6})) << "6";
  EXPECT_EQ(facts_of({9, 5, 2, unlimited}, {u32(1), u32(1)}, {{"first-window", "uncapped"}}),
            std::pair(false, integer{10}));
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {{}, {}}, {{"first-window", "uncapped"}}), std::pair(false, integer{7}));
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {{}, {}}, uncapped), std::pair(false, integer{7})) << "5, or up to 7";
  std::vector<pin> const real_uncapped{{"jitter-resolution", "real"}, {"first-window", "uncapped"}};
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {{}, {}}, real_uncapped), std::pair(false, integer{7}));
  auto near_uncapped = real_uncapped;
  near_uncapped.push_back({"jitter-mapping", "near"});
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {u32(0), u32(0)}, near_uncapped), std::pair(false, integer{6}))
      << "5, or up to 5.01";
}

TEST(utils_state, equals_the_same_state) {
  checks("AWS-RU-010");
  state const same{u32(1), 2, false, origin::first_reset};
  EXPECT_EQ(same, (state{u32(1), 2, false, origin::first_reset}));
  EXPECT_FALSE(same == (state{u32(2), 2, false, origin::first_reset}));
  EXPECT_FALSE(same == (state{{draw::kind::rand, 1, two_to_32}, 2, false, origin::first_reset}));
  EXPECT_FALSE(same == (state{{draw::kind::u32, 1, 8}, 2, false, origin::first_reset}));
  EXPECT_FALSE(same == (state{u32(1), 3, false, origin::first_reset}));
  EXPECT_FALSE(same == (state{u32(1), 2, true, origin::first_reset}));
  EXPECT_FALSE(same == (state{u32(1), 2, false, origin::later_reset}));
}

TEST(utils_facts, know_a_cycle_that_began_by_itself) {
  checks("AWS-RU-019", "AWS-RU-021");
  std::vector<cube> elsewhere;
  chooser choices(readings(), pinned(readings(), {{"exhaustion-state", "resets-itself"}}), elsewhere);
  state s{u32(0), 1, false, origin::first_reset};
  parameters const p{6, 10, 0, 1};
  EXPECT_EQ(account_of(back_off(p, s, u32(1), choices).facts), account(false, true, true, false, false, 1, false, 10));
  EXPECT_EQ(s, (state{u32(1), 0, false, origin::itself}));
  EXPECT_EQ(account_of(back_off(p, s, u32(1), choices).facts), account(true, false, true, true, true, 0, false, 10));
  EXPECT_EQ(account_of(back_off(p, s, u32(1), choices).facts), account(false, true, true, true, true, 1, false, 10));
  EXPECT_EQ(account_of(reset(p, s, u32(1), choices).facts), account(false, false, false, true, false, 0, false, 0));
}

TEST(utils_assignments, depend_on_the_kind_of_draw) {
  checks("AWS-RU-013", "AWS-RU-016");
  cube const canonical = readings().admitting(standing::canonical);
  for (auto const& [draws, size] : {std::pair{draw::kind::u32, 9U}, {draw::kind::rand, 9U}, {draw::kind::hidden, 1U}}) {
    auto const cubes = assignments(draws);
    EXPECT_EQ(cubes.size(), size);
    EXPECT_TRUE(std::ranges::any_of(cubes, [&](cube c) { return readings().common(c, canonical).has_value(); }));
  }
  EXPECT_EQ(assignments(draw::kind::unit).size(), 9U);
}

}  // namespace
}  // namespace backoff::spec::aws_retry_utils
