// The readings of the sample loop: all alternatives of each on the history that tells them apart, against answers
// worked out by hand; and what the model says of a request besides its answer.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "aws_prescriptive_sample/model.hpp"
#include "catalogue_json.hpp"
#include "tests/checks.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::aws_prescriptive_sample {
namespace {

constexpr std::string_view catalogue = aws_prescriptive_sample_catalogue_json;
constexpr integer longest = 2'147'483'647;

expectation answered(integer delay, retry again) {
  return {admissible::word(static_cast<std::uint8_t>(status::answered)), admissible::exactly(delay),
          admissible::word(static_cast<std::uint8_t>(again))};
}
expectation goes_on(integer delay) { return answered(delay, retry::yes); }
expectation stops(integer delay) { return answered(delay, retry::no); }
expectation either_way(integer delay) {
  expectation e = stops(delay);
  e[field_retry] = admissible::words(3);
  return e;
}
expectation const fails{admissible::word(static_cast<std::uint8_t>(status::error))};
expectation const undocumented{admissible::unjudged(), admissible::unjudged(), admissible::unjudged()};

// Requests that are all answered alike.
struct history {
  integer max_retries;
  int http_status;
  int requests;
};

bool is_in_the_catalogue(history const& h) {
  std::string const request = "/attempt:" + std::to_string(h.http_status);
  std::string const token = "\"aws_prescriptive_sample/max_retries=" + std::to_string(h.max_retries) + request +
                            (h.requests > 1 ? "@" + std::to_string(h.requests) : "") + '"';
  return catalogue.find(token) != catalogue.npos;
}

std::vector<expectation> answers(history const& h, std::vector<pin> const& pins) {
  return under(readings(), pinned(readings(), pins), [&](chooser& choices) {
    std::vector<expectation> result;
    state s;
    for (int i = 0; i < h.requests; ++i) {
      result.push_back(attempt({h.max_retries}, s, h.http_status, choices).answer);
    }
    return result;
  });
}

struct last_answer_under {
  std::string_view alternative;
  expectation answer;
};

// All alternatives, in the order of the table, on the distinguishing history of the catalogue: its last request tells.
void expect_told_apart(std::string_view reading, history const& h, std::vector<last_answer_under> const& expected) {
  auto const& alternatives = readings().readings()[readings().find(reading).value()].alternatives;
  ASSERT_EQ(alternatives.size(), expected.size());
  auto const canonically = answers(h, {});
  for (std::size_t a = 0; a < expected.size(); ++a) {
    EXPECT_EQ(alternatives[a].name, expected[a].alternative);
    auto found = answers(h, {{reading, expected[a].alternative}});
    EXPECT_TRUE(found.back() == expected[a].answer) << reading << " = " << expected[a].alternative;
    found.back() = canonically.back();
    EXPECT_TRUE(found == canonically) << reading << " = " << expected[a].alternative << " differs before the end";
    for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(expected[a].answer == expected[b].answer);
  }
  EXPECT_TRUE(is_in_the_catalogue(h)) << reading << ": the catalogue tells it apart by another history";
}

TEST(reading_overflow, decides_at_the_twenty_sixth_request) {
  checks("AWS-PS-003", "AWS-PS-013", "AWS-PS-015");
  // (2^25 - 1) * 100 = 3355443100 = 2^32 - 939524196
  expect_told_apart("overflow", {26, 429, 26},
                    {{"error", fails}, {"saturates", stops(longest)}, {"wraps", stops(-939'524'196)}});
}

TEST(reading_limit_counts, decides_whether_there_is_a_second_request) {
  checks("AWS-PS-003", "AWS-PS-019");
  expect_told_apart("limit-counts", {1, 429, 1}, {{"requests", stops(0)}, {"retries", goes_on(0)}});
  std::vector<pin> const retries{{"limit-counts", "retries"}};
  EXPECT_TRUE(answers({1, 429, 3}, retries) == (std::vector{goes_on(0), stops(100), undocumented}));
  EXPECT_TRUE(answers({2, 504, 3}, retries) == (std::vector{goes_on(0), goes_on(100), stops(300)}));
  EXPECT_TRUE(answers({0, 429, 1}, retries) == (std::vector{stops(0)})) << "no retry, and one request all the same";
}

TEST(reading_status_filter, decides_whether_503_is_the_end) {
  checks("AWS-PS-001", "AWS-PS-005", "AWS-PS-006", "AWS-PS-017", "AWS-PS-018");
  expect_told_apart("status-filter", {2, 503, 1}, {{"code", stops(0)}, {"prose", goes_on(0)}});
}

TEST(reading_status_filter, widens_to_what_is_unavailable_and_may_widen_to_a_network_that_fails) {
  checks("AWS-PS-001", "AWS-PS-005", "AWS-PS-006", "AWS-PS-017", "AWS-PS-018");
  for (int status = 100; status <= 599; ++status) {
    auto const found = answers({9, status, 1}, {{"status-filter", "prose"}});
    bool const transient = status == 429 || status == 503 || status == 504;
    bool const undecided = status == 408 || status == 502;
    EXPECT_TRUE(found.back() == (transient ? goes_on(0) : undecided ? either_way(0) : stops(0))) << status;
  }
  EXPECT_TRUE(answers({1, 502, 1}, {{"status-filter", "prose"}}).back() == stops(0)) << "the limit ends it in any case";
  auto const retried_once = answers({1, 502, 1}, {{"status-filter", "prose"}, {"limit-counts", "retries"}});
  EXPECT_TRUE(retried_once.back() == either_way(0)) << "one retry is left";
  auto const limited = answers({3, 503, 3}, {{"status-filter", "prose"}});
  EXPECT_TRUE(limited == (std::vector{goes_on(0), goes_on(100), stops(300)}));
}

TEST(reading_overflow, wraps_modulo_two_to_the_32) {
  checks("AWS-PS-003", "AWS-PS-013", "AWS-PS-015");
  std::vector<integer> const waits{1'677'721'500, -939'524'196, -1'879'048'292, 536'870'812, 1'073'741'724,
                                   2'147'483'548, -100,         -100,           -100,        -100};
  auto const found = answers({1'100, 504, 1'100}, {{"overflow", "wraps"}});
  for (std::size_t i = 0; i < waits.size(); ++i) EXPECT_TRUE(found[24 + i] == goes_on(waits[i])) << "n = " << 24 + i;
  for (std::size_t n = 24 + waits.size(); n < 1'099; ++n) ASSERT_TRUE(found[n] == goes_on(-100)) << "n = " << n;
  EXPECT_TRUE(found.back() == stops(-100));
}

TEST(reading_overflow, ends_the_run_where_it_is_an_error) {
  checks("AWS-PS-003", "AWS-PS-013", "AWS-PS-015");
  auto const found = answers({100, 429, 28}, {{"overflow", "error"}});
  EXPECT_TRUE(found[24] == goes_on(1'677'721'500));
  EXPECT_TRUE(found[25] == fails);
  EXPECT_TRUE(found[26] == undocumented);
  EXPECT_TRUE(found[27] == undocumented);
}

TEST(model, says_nothing_of_requests_after_the_last) {
  checks("AWS-PS-016", "AWS-PS-018", "AWS-PS-019");
  for (int const status : {200, 500, 503}) {
    EXPECT_TRUE(answers({9, status, 3}, {}) == (std::vector{stops(0), undocumented, undocumented})) << status;
  }
  EXPECT_TRUE(answers({0, 429, 2}, {}) == (std::vector{stops(0), undocumented}));
  EXPECT_TRUE(answers({2, 429, 3}, {}) == (std::vector{goes_on(0), stops(100), undocumented}));
}

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
  for (auto const draws : {draw::kind::u32, draw::kind::rand, draw::kind::unit, draw::kind::hidden}) {
    EXPECT_EQ(assignments(draws), std::vector{readings().admitting(standing::hazard)});
  }
}

}  // namespace
}  // namespace backoff::spec::aws_prescriptive_sample
