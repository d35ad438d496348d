// The readings of the Java SDK's retry policies: all alternatives of each on the history that tells them apart, against
// answers worked out by hand; what the model forgives ports in doubles; and what it says of a failure besides its
// answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "azure_java_retry_policy/model.hpp"
#include "catalogue_json.hpp"
#include "tests/checks.hpp"
#include "tests/model_answers.hpp"

namespace backoff::spec::azure_java_retry_policy {
namespace {

constexpr std::string_view catalogue = azure_java_retry_policy_catalogue_json;

constexpr std::uint64_t half = std::uint64_t{1} << 31;
constexpr std::uint64_t top = 0xffff'ffff;
draw u32(std::uint64_t value) { return {draw::kind::u32, value, std::uint64_t{1} << 32}; }
failure retry(integer x, std::uint64_t draw = 0) { return {.retry_count = x, .from = u32(draw)}; }

expectation model_expectation(parameters const& p, failure const& f, std::vector<pin> const& pins = {}) {
  return under(readings(), pinned(readings(), pins), [&](chooser& choices) { return decide(p, f, choices); }).answer;
}

admissible word_of(bool b) { return admissible::word(b ? 1 : 0); }
admissible status_of(status s) { return admissible::word(static_cast<std::uint8_t>(s)); }
admissible between(std::string_view low, std::string_view high) {
  return admissible::between({number_of(low), number_of(high)});
}
admissible exactly(std::string_view delay) { return between(delay, delay); }
admissible const either = admissible::words(0b11);

expectation retried(admissible const& delay) { return {status_of(status::answered), word_of(true), delay, either}; }
expectation maybe(admissible const& delay) { return {status_of(status::answered), either, delay, either}; }
expectation const stopped{status_of(status::answered), word_of(false), admissible::nothing(), either};
expectation const rejected{status_of(status::rejected)};

struct answer_under {
  std::string_view alternative;
  expectation answer;
  std::vector<pin> with{};  // what the alternative entails
};

// All alternatives, in the order of the table, on the distinguishing history of the catalogue.
void expect_told_apart(std::string_view reading, std::string_view token, parameters const& p, failure const& f,
                       std::vector<answer_under> const& expected) {
  EXPECT_NE(catalogue.find(std::string("\"") + std::string(token) + "\""), catalogue.npos) << token;
  auto const& alternatives = readings().readings()[readings().find(reading).value()].alternatives;
  ASSERT_EQ(alternatives.size(), expected.size());
  for (std::size_t a = 0; a < expected.size(); ++a) {
    EXPECT_EQ(alternatives[a].name, expected[a].alternative);
    auto pins = expected[a].with;
    pins.push_back({reading, expected[a].alternative});
    EXPECT_TRUE(model_expectation(p, f, pins) == expected[a].answer) << expected[a].alternative;
    for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(expected[a].answer == expected[b].answer) << a << ", " << b;
  }
}

pin const whole_kind{"rand-kind", "integer-inclusive"};
pin const exclusive_kind{"rand-kind", "integer-exclusive"};
pin const scaled_mapping{"draw-mapping", "scaled"};
pin const modulo_mapping{"draw-mapping", "modulo"};
pin const truncating{"delay-rounding", "truncate"};
pin const nearest{"delay-rounding", "nearest"};
pin const rounding_up{"delay-rounding", "ceil"};
pin const as_computed{"below-minimum", "as-computed"};

TEST(reading_exponent, decides_the_first_delay) {
  checks("AZ-JR-009", "AZ-JR-012");
  expect_told_apart("exponent", "azure_java_retry_policy/policy=exponential_backoff_with_jitter/decide:1:true:0", {},
                    retry(1, 0), {{"less-one", retried(exactly("100"))}, {"whole", retried(exactly("150"))}});
}

TEST(reading_below_minimum, decides_what_comes_before_the_first_retry) {
  checks("AZ-JR-006", "AZ-JR-012", "AZ-JR-014");
  // 100 - (500 + 250 / 2) / 2
  expect_told_apart("below-minimum",
                    "azure_java_retry_policy/policy=exponential_backoff_with_jitter,c_ms=1000/decide:0:true:2147483648",
                    {.c_ms = 1'000}, retry(0, half),
                    {{"held", retried(exactly("100"))}, {"as-computed", retried(exactly("-212.5"))}});
}

TEST(reading_rand_kind, decides_the_largest_draw) {
  checks("AZ-JR-008", "AZ-JR-012", "AZ-JR-016", "AZ-JR-017");
  rational const below = 175 - rational(25, integer{1} << 32);
  expect_told_apart("rand-kind",
                    "azure_java_retry_policy/policy=exponential_backoff_with_jitter/decide:2:true:4294967295", {},
                    retry(2, top),
                    {{"real", retried(admissible::between({below, below}))},
                     {"integer-inclusive", retried(admissible::exactly(175)), {scaled_mapping}},
                     {"integer-exclusive", retried(admissible::exactly(174)), {scaled_mapping}}});
}

TEST(reading_delay_rounding, decides_every_fraction) {
  checks("AZ-JR-012");
  EXPECT_NE(catalogue.find("\"azure_java_retry_policy/policy=exponential_backoff_with_jitter/"
                           "decide:2:true:1073741824,decide:2:true:3221225472\""),
            catalogue.npos);
  auto const alternatives = readings().readings()[readings().find("delay-rounding").value()].alternatives;
  struct row {
    std::string_view how;
    admissible quarter;  // 100 + 50 + 25 / 4
    admissible three_quarters;
  } const rows[]{{"exact", exactly("156.25"), exactly("168.75")},
                 {"truncate", admissible::exactly(156), admissible::exactly(168)},
                 {"nearest", admissible::exactly(156), admissible::exactly(169)},
                 {"ceil", admissible::exactly(157), admissible::exactly(169)}};
  ASSERT_EQ(alternatives.size(), std::size(rows));
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    EXPECT_EQ(alternatives[i].name, rows[i].how);
    pin const how{"delay-rounding", rows[i].how};
    EXPECT_TRUE(model_expectation({}, retry(2, half / 2), {how}) == retried(rows[i].quarter)) << rows[i].how;
    EXPECT_TRUE(model_expectation({}, retry(2, half + half / 2), {how}) == retried(rows[i].three_quarters))
        << rows[i].how;
  }
}

TEST(reading_inverted_bounds, decides_whether_they_are_taken) {
  checks("AZ-JR-012", "AZ-JR-014", "AZ-JR-015", "AZ-JR-016", "AZ-JR-017");
  parameters const p{.cmin_ms = 500, .cmax_ms = 200};
  expect_told_apart(
      "inverted-bounds",
      "azure_java_retry_policy/policy=exponential_backoff_with_jitter,cmin_ms=500,cmax_ms=200/decide:2:true:0", p,
      retry(2, 0), {{"taken", retried(exactly("200"))}, {"rejected", rejected}});
}

TEST(reading_total_time, decides_the_last_retry) {
  checks("AZ-JR-010");
  failure f = retry(2, 0);
  f.elapsed_ms = 900;
  expect_told_apart(
      "total-time",
      "azure_java_retry_policy/policy=exponential_backoff_with_jitter,total_time_ms=1000/decide:2:true:0::900",
      {.total_time_ms = 1'000}, f, {{"would-be-exceeded", stopped}, {"has-been-exceeded", retried(exactly("150"))}});
}

TEST(reading_draw_mapping, decides_what_a_draw_is_worth) {
  checks("AZ-JR-008", "AZ-JR-012");
  // One of the 250002 numbers from 500002 on: 2^31 = 8589 · 250002 + 216470 = 124999 · 17180 + 828
  expect_told_apart("draw-mapping",
                    "azure_java_retry_policy/policy=exponential_backoff_with_jitter,c_ms=1000004,cmax_ms=10000000/"
                    "decide:2:true:2147483648",
                    {.c_ms = 1'000'004, .cmax_ms = 10'000'000}, retry(2, half),
                    {{"real", retried(exactly("625102.5"))},
                     {"scaled", retried(admissible::exactly(625'103)), {whole_kind}},
                     {"modulo", retried(admissible::exactly(716'572)), {whole_kind}},
                     {"divided", retried(admissible::exactly(625'101)), {whole_kind}},
                     {"near", retried(admissible::integers(625'102, 1, 3)), {whole_kind}},
                     {"other", retried(between("500102", "750103"))}});
}

failure refused(integer x, std::uint64_t draw = 0) {
  return {.retry_count = x, .error = error::service, .from = u32(draw)};
}

TEST(reading_error_shapes_delay, decides_about_a_service_that_refuses) {
  checks("AZ-JR-004", "AZ-JR-007");
  expect_told_apart("error-shapes-delay",
                    "azure_java_retry_policy/policy=exponential_backoff_with_jitter/decide:2::0:service", {},
                    refused(2),
                    {{"count-alone", retried(exactly("150"))},
                     {"ends", stopped},
                     {"doubled", retried(exactly("300"))},
                     {"longest", retried(exactly("10000"))}});
}

TEST(reading_service_filter, decides_about_a_service_that_refuses) {
  checks("AZ-JR-001", "AZ-JR-004", "AZ-JR-021");
  expect_told_apart("service-filter",
                    "azure_java_retry_policy/policy=exponential_backoff_with_jitter/decide:1::0:service", {},
                    refused(1), {{"passes", retried(exactly("100"))}, {"stops", stopped}});
  failure f = refused(1);
  f.custom_retry = true;
  f.custom_delay_ms = 7;
  auto const answered = [&](pin const& p) { return model_expectation({.policy = policy::custom}, f, {p}); };
  EXPECT_EQ(answered({"service-filter", "passes"})[field_consulted], word_of(true));
  EXPECT_EQ(answered({"service-filter", "stops"})[field_consulted], word_of(false));
  EXPECT_EQ(answered({"service-filter", "stops"})[field_retry], word_of(false));
  for (std::string_view const how : {"count-alone", "ends", "doubled", "longest"}) {
    EXPECT_TRUE(answered({"error-shapes-delay", how})[field_delay] == exactly("7")) << how << " is the default's alone";
  }
}

struct rows_of {
  std::string_view what;
  std::vector<pin> pins;
  parameters p;
  failure f;
  expectation expected;
};

void check(std::vector<rows_of> const& rows) {
  for (auto const& row : rows) {
    EXPECT_TRUE(model_expectation(row.p, row.f, row.pins) == row.expected) << row.what;
  }
}

failure hidden(integer x) { return {.retry_count = x}; }
draw rand_draw(std::uint64_t value, std::uint64_t size) { return {draw::kind::rand, value, size}; }

TEST(readings_together, admit_every_delay_of_a_hidden_draw) {
  checks("AZ-JR-012", "AZ-JR-016", "AZ-JR-017");
  check({
      {"real", {}, {}, hidden(3), retried(between("250", "325"))},
      {"the first is certain", {}, {}, hidden(1), retried(exactly("100"))},
      {"cut by the maximum", {}, {.cmax_ms = 300}, hidden(3), retried(between("250", "300"))},
      {"all beyond the maximum", {}, {.cmax_ms = 249}, hidden(3), retried(exactly("249"))},
      {"truncated", {truncating}, {.c_ms = 101}, hidden(2), retried(admissible::integers(150, 1, 26))},  // 150.5,
                                                                                                         // 175.75
      {"to the nearest", {nearest}, {.c_ms = 101}, hidden(2), retried(admissible::integers(150, 1, 27))},
      {"rounded up", {rounding_up}, {.c_ms = 101}, hidden(2), retried(admissible::integers(151, 1, 26))},
      {"rounded up between whole ends", {rounding_up}, {}, hidden(2), retried(admissible::integers(150, 1, 26))},
      {"truncated between whole ends", {truncating}, {}, hidden(2), retried(admissible::integers(150, 1, 26))},
      {"whole", {whole_kind}, {}, hidden(3), retried(admissible::integers(250, 3, 26))},
      {"whole, which leaves nothing to truncate",
       {whole_kind, truncating},
       {},
       hidden(3),
       retried(admissible::integers(250, 3, 26))},
      {"whole, and mapped from no draw",
       {whole_kind, scaled_mapping},
       {},
       hidden(3),
       retried(admissible::integers(250, 3, 26))},
      {"whole, without the end", {exclusive_kind}, {}, hidden(3), retried(admissible::integers(250, 3, 25))},
      {"whole, of ends with fractions",
       {whole_kind},
       {.c_ms = 101},
       hidden(2),
       retried(admissible::integers(150, 1, 26))},  // 50.5, 75.75
      {"whole, cut by the maximum",
       {whole_kind},
       {.cmax_ms = 260},
       hidden(3),
       retried(admissible::integers(250, 3, 4).or_exactly(260))},
      {"whole, cut at one of them",
       {whole_kind},
       {.cmax_ms = 259},
       hidden(3),
       retried(admissible::integers(250, 3, 4))},
      {"whole, in steps beyond the maximum",
       {whole_kind},
       {.c_ms = 1, .jd_thousandths = 1'000, .ju_thousandths = 0},
       hidden(40),
       retried(admissible::integers(100, 10'001, 1).or_exactly(10'000))},
      {"of one whole number", {exclusive_kind}, {.c_ms = 1}, hidden(30), retried(admissible::exactly(100))},
  });
}

// What a factor makes of 500 parts in 2^22, beside a hundredth.
rational off(integer factor) { return rational(factor * 500, integer{1} << 22) + rational(1, 100); }

TEST(readings_together, map_draws_to_whole_numbers) {
  checks("AZ-JR-008", "AZ-JR-012");
  auto const rand = [](integer x, std::uint64_t value, std::uint64_t size) {
    return failure{.retry_count = x, .from = rand_draw(value, size)};
  };
  check({
      {"scaled, exclusive", {exclusive_kind, scaled_mapping}, {}, retry(3, half), retried(admissible::exactly(286))},
      {"modulo, exclusive", {exclusive_kind, modulo_mapping}, {}, retry(3, 27), retried(admissible::exactly(256))},
      {"modulo, inclusive", {whole_kind, modulo_mapping}, {}, retry(3, 27), retried(admissible::exactly(253))},
      // 5 · 26 / 10 = 13 or 12.99…; 9 · 26 / 10 = 23.4
      // 52 draws are divided by 2, 53 by 3, for 26 numbers
      {"divided", {whole_kind, {"draw-mapping", "divided"}}, {}, rand(2, 51, 52), retried(admissible::exactly(175))},
      {"divided by more",
       {whole_kind, {"draw-mapping", "divided"}},
       {},
       rand(2, 52, 53),
       retried(admissible::exactly(167))},
      {"scaled by a size that is no power of two",
       {whole_kind, scaled_mapping},
       {},
       rand(2, 5, 10),
       retried(admissible::integers(162, 1, 2))},
      {"and sure", {whole_kind, scaled_mapping}, {}, rand(2, 9, 10), retried(admissible::exactly(173))},
      {"never as many as there are",  // 26 · (1 - 10^-13)
       {whole_kind, scaled_mapping},
       {},
       rand(2, 9'999'999'999'999, 10'000'000'000'000),
       retried(admissible::exactly(175))},
      {"other, inclusive",
       {whole_kind, {"draw-mapping", "other"}},
       {},
       retry(2, 7),
       retried(admissible::integers(150, 1, 26))},
      {"a mapping of real numbers is none of whole ones",
       {whole_kind},
       {},
       retry(2, 7),
       retried(admissible::integers(150, 1, 26))},
      {"and the other way round", {modulo_mapping}, {}, retry(2, 7), retried(between("150", "175"))},
  });
}

// Of c = 2000 the numbers from 1000 to 1500; in floats. At a retry that is not the second the factor is 3.
TEST(readings_together, forgive_floats_a_little_under_near) {
  checks("AZ-JR-008", "AZ-JR-012");
  pin const near{"draw-mapping", "near"};
  parameters const p{.c_ms = 2'000, .cmax_ms = 10'000};
  rational const half_off = rational(125, 1 << 22) + rational(1, 100);
  check({
      {"whole", {whole_kind, near}, p, retry(2, half), retried(admissible::integers(1'350, 1, 2))},  // 250.5 of 501
      {"whole, exclusive", {exclusive_kind, near}, p, retry(2, half), retried(admissible::integers(1'349, 1, 3))},
      {"whole, in steps", {whole_kind, near}, p, retry(3, half), retried(admissible::integers(3'850, 3, 2))},
      {"never below the least", {whole_kind, near}, p, retry(2, 0), retried(admissible::integers(1'100, 1, 2))},
      {"the last too, where it is excluded",
       {exclusive_kind, near},
       p,
       retry(2, top),
       retried(admissible::integers(1'599, 1, 2))},
      {"but by the last draws alone",  // 499.5 of 500
       {exclusive_kind, near},
       p,
       retry(2, 4'290'672'328),
       retried(admissible::exactly(1'599))},
      {"real", {near}, p, retry(2, half), retried(admissible::between({1'350 - off(1), 1'350 + off(1)}))},
      {"real, later", {near}, p, retry(3, half), retried(admissible::between({3'850 - off(3), 3'850 + off(3)}))},
      {"real, rounded", {near, truncating}, p, retry(2, half), retried(admissible::integers(1'349, 1, 2))},
      {"the maximum", {near}, {.c_ms = 2'000, .cmax_ms = 1'300}, retry(2, half), retried(exactly("1300"))},
      {"at the maximum", {near}, {.c_ms = 2'000, .cmax_ms = 1'100}, retry(2, 0), retried(exactly("1100"))},
      {"below the minimum",  // 100 - 625 / 2
       {near, as_computed},
       {.c_ms = 1'000},
       retry(0, half),
       retried(admissible::between({rational(-425, 2) - half_off, rational(-425, 2) + half_off}))},
      {"up to the maximum",
       {near},
       {.c_ms = 2'000, .cmax_ms = 1'350},
       retry(2, half),
       retried(admissible::between({1'350 - off(1), 1'350}))},
      {"and near it",
       {near},
       {.c_ms = 2'000, .cmax_ms = 1'351},
       retry(2, half),
       retried(admissible::between({1'350 - off(1), 1'350 + off(1)}))},
      {"inverted ends",
       {near},
       {.c_ms = 2'000, .cmax_ms = 10'000, .jd_thousandths = 250, .ju_thousandths = 500},
       retry(2, half),
       retried(between("1100", "1600"))},
  });
}

TEST(readings_together, know_no_direction_between_inverted_ends) {
  checks("AZ-JR-012", "AZ-JR-016", "AZ-JR-017");
  parameters const p{.jd_thousandths = 250, .ju_thousandths = 500};
  check({
      {"real", {}, p, retry(2, 0), retried(between("150", "175"))},
      {"whole", {whole_kind, scaled_mapping}, p, retry(2, 0), retried(admissible::integers(150, 1, 26))},
      {"whole, exclusive", {exclusive_kind, scaled_mapping}, p, retry(2, 0), retried(admissible::integers(150, 1, 26))},
      {"rejected", {{"inverted-bounds", "rejected"}}, p, retry(2, 0), rejected},
      {"equal ends are not inverted",
       {{"inverted-bounds", "rejected"}},
       {.jd_thousandths = 250},
       retry(2, 0),
       retried(exactly("175"))},
      {"nor equal bounds",
       {{"inverted-bounds", "rejected"}},
       {.cmin_ms = 10'000},
       retry(2, 0),
       retried(exactly("10000"))},
      {"no_retry has none",
       {{"inverted-bounds", "rejected"}},
       {.policy = policy::no_retry, .cmin_ms = 9, .cmax_ms = 3},
       retry(2, 0),
       stopped},
  });
}

// 1000 · (1 - 0.9) is 100, but 99.99999999999998 in doubles.
TEST(readings_together, forgive_doubles_where_these_are_not_exact) {
  checks("AZ-JR-012");
  parameters const tenth{.c_ms = 1'000, .jd_thousandths = 900, .ju_thousandths = 900};
  check({
      {"truncated at a whole number", {truncating}, tenth, retry(2, 0), retried(admissible::integers(199, 1, 2))},
      {"rounded up from it",  // 100.00000000000001, had it been 1000 · 0.1
       {rounding_up},
       tenth,
       retry(2, 0),
       retried(admissible::integers(200, 1, 2))},
      {"to the nearest of it", {nearest}, tenth, retry(2, 0), retried(admissible::exactly(200))},
      {"of whole ends", {whole_kind, scaled_mapping}, tenth, retry(2, 0), retried(admissible::integers(199, 1, 2))},
      {"of whole ends, the upper of which doubles may miss",  // 0.5 and 1
       {whole_kind, scaled_mapping},
       {.c_ms = 10, .jd_thousandths = 950, .ju_thousandths = 900},
       retry(2, 0),
       retried(admissible::integers(100, 1, 2))},
      {"of whole ends, the lower of which doubles may miss",  // 1 and 7.5
       {whole_kind, scaled_mapping},
       {.c_ms = 10, .jd_thousandths = 900},
       retry(2, 0),
       retried(admissible::integers(100, 1, 8))},
      {"one factor that no double holds is enough",  // 150 and 170
       {truncating},
       {.ju_thousandths = 300},
       hidden(2),
       retried(admissible::integers(149, 1, 22))},
      {"and be it the other one",
       {truncating},
       {.c_ms = 1'000, .jd_thousandths = 900},
       retry(2, 0),
       retried(admissible::integers(199, 1, 2))},
      {"nothing to forgive", {truncating}, {}, retry(2, 0), retried(exactly("150"))},
      {"a half goes either way", {nearest}, {}, retry(2, half), retried(admissible::integers(162, 1, 2))},
      {"a draw that is simple enough",
       {truncating},
       {.c_ms = 1'000'000, .cmax_ms = 4'000'000},
       retry(2, half),
       retried(exactly("625100"))},
      {"draws of a size that is no power of two",
       {truncating},
       {},
       {.retry_count = 2, .from = rand_draw(2, 5)},
       retried(admissible::integers(159, 1, 2))},
      {"but none makes a sum with the minimum less than that",
       {truncating},
       {.c_ms = 529, .cmin_ms = 210, .jd_thousandths = 6, .ju_thousandths = 1'000},
       retry(11, 0),
       retried(admissible::integers(210, 1, 9'791))},
      {"a product just below a whole number",  // 1771674006.9999999998
       {whole_kind, scaled_mapping},
       {.c_ms = 4'294'967'288, .cmin_ms = 0, .cmax_ms = 4'294'967'295, .jd_thousandths = 1'000, .ju_thousandths = 250},
       retry(2, 2'362'232'013),
       retried(admissible::integers(1'771'674'006, 1, 2))},
      {"the cap is never passed",
       {nearest},
       {.c_ms = 999, .cmax_ms = 200, .jd_thousandths = 900},
       retry(2, 0),
       retried(admissible::exactly(200))},
      {"nor by rounding up",
       {rounding_up},
       {.c_ms = 999, .cmax_ms = 200, .jd_thousandths = 900},
       retry(2, 0),
       retried(admissible::exactly(200))},
      {"the cap may just be missed",
       {truncating},
       {.c_ms = 1'000, .cmax_ms = 200, .jd_thousandths = 900, .ju_thousandths = 900},
       retry(2, 0),
       retried(admissible::integers(199, 1, 2))},
      {"what is well above it is not",  // 100 + 511 · 0.9
       {truncating},
       {.c_ms = 1, .cmax_ms = 300, .jd_thousandths = 100, .ju_thousandths = 100},
       retry(10, 0),
       retried(exactly("300"))},
      {"nor by as much as doubles may be off",  // 1 / 61681 above, and 2^40 - 1 = 61681 · 17825775
       {truncating},
       {.c_ms = 2, .cmin_ms = 17'825'774, .cmax_ms = 17'825'775, .jd_thousandths = 1'000, .ju_thousandths = 0},
       {.retry_count = 2, .from = rand_draw(30'841, 61'681)},
       retried(exactly("17825775"))},
      {"what is hardly above it is cut to it",  // 1000 + 2^-32
       {},
       {.c_ms = 8, .cmin_ms = 999, .cmax_ms = 1'000, .jd_thousandths = 875, .ju_thousandths = 750},
       retry(2, 1),
       retried(exactly("1000"))},
  });
}

// A double of 54 bits is rounded: what is just below a whole number becomes that number.
TEST(readings_together, count_the_bits_that_doubles_would_need) {
  checks("AZ-JR-012");
  auto const eighth_of = [](integer c_ms, integer cmin_ms) {
    return parameters{
        .c_ms = c_ms, .cmin_ms = cmin_ms, .cmax_ms = 4'000'000, .jd_thousandths = 1'000, .ju_thousandths = 875};
  };
  constexpr std::uint64_t part_of_31 = 1'108'378'657;  // 2^35 - 1 = 31 · 1108378657
  check({
      {"53, in parts of 2^-35",  // 2^18 - 2^-35
       {truncating},
       eighth_of(1, 262'143),
       retry(6, part_of_31),
       retried(admissible::exactly(262'143))},
      {"the last of them",  // 2^18
       {truncating},
       {.c_ms = 2, .cmin_ms = 262'143, .cmax_ms = 4'000'000, .ju_thousandths = 500},
       retry(2, 1),
       retried(exactly("262144"))},
      {"54",  // 2^18 + 1 - 2^-35
       {truncating},
       eighth_of(1, 262'144),
       retry(6, part_of_31),
       retried(admissible::integers(262'144, 1, 2))},
      {"55, by the factor",  // 131071 · 79 · 2392135343 = 720891 · 2^35 - 1
       {truncating},
       eighth_of(79, 100),
       retry(18, 2'392'135'343),
       retried(admissible::integers(720'990, 1, 2))},
      {"53, halved before the first retry",  // 131071 - 2^-36
       {as_computed, truncating},
       eighth_of(1, 131'071),
       retry(0, 1),
       retried(admissible::exactly(131'070))},
      {"54, halved",  // 131073 - 2^-36
       {as_computed, truncating},
       eighth_of(1, 131'073),
       retry(0, 1),
       retried(admissible::integers(131'072, 1, 2))},
  });
}

TEST(readings_together, take_what_is_below_the_minimum_as_it_comes) {
  checks("AZ-JR-012", "AZ-JR-014");
  check({
      {"hidden", {as_computed}, {}, hidden(0), retried(between("62.5", "75"))},
      {"truncated towards nothing, or rounded down",
       {as_computed, truncating},
       {.cmin_ms = 0},
       retry(0, half),
       retried(admissible::integers(-32, 1, 2))},  // -31.25
      {"rounded up", {as_computed, rounding_up}, {.cmin_ms = 0}, retry(0, half), retried(admissible::exactly(-31))},
      {"to the nearest", {as_computed, nearest}, {.cmin_ms = 0}, retry(0, half), retried(admissible::exactly(-31))},
      {"of whole numbers", {as_computed, whole_kind, modulo_mapping}, {}, retry(0, 1), retried(exactly("74.5"))},
      {"which may be just missed, either way",  // 200 - 0.5 · 200
       {as_computed, truncating},
       {.c_ms = 2'000, .cmin_ms = 200, .jd_thousandths = 900, .ju_thousandths = 900},
       retry(0, 0),
       retried(admissible::integers(99, 1, 2))},
      {"of a minimum that is the maximum", {as_computed}, {.cmin_ms = 10'000}, retry(0, 0), retried(exactly("9975"))},
      {"capped", {as_computed}, {.cmax_ms = 20}, retry(0, 0), retried(exactly("20"))},
      {"the other exponent has no such count",
       {as_computed, {"exponent", "whole"}},
       {},
       retry(0, 0),
       retried(exactly("100"))},
  });
  // 100 - 0.5 · 200: what cancels out is not exact
  auto const found = model_expectation({.c_ms = 2'000, .jd_thousandths = 900, .ju_thousandths = 900}, retry(0, 0),
                                       {as_computed})[field_delay];
  EXPECT_LT(found.ends().low, 0);
  EXPECT_GT(found.ends().high, 0);
  EXPECT_GT(found.ends().low, rational(-1, 1'000'000'000));
}

TEST(readings_together, double_what_a_service_that_refuses_is_waited_for) {
  checks("AZ-JR-004", "AZ-JR-007");
  pin const doubled{"error-shapes-delay", "doubled"};
  failure const none{.retry_count = 3, .error = error::service};
  check({
      {"hidden", {doubled}, {}, none, retried(between("500", "650"))},
      {"whole numbers of milliseconds", {doubled, whole_kind}, {}, none, retried(admissible::integers(500, 6, 26))},
      {"cut by the maximum", {doubled}, {.cmax_ms = 600}, none, retried(between("500", "600"))},
      {"all beyond the maximum", {doubled}, {.cmax_ms = 499}, none, retried(exactly("499"))},
      {"twice the minimum is the maximum", {doubled}, {.cmax_ms = 200}, refused(2), retried(exactly("200"))},
      {"twice the minimum is past it", {doubled}, {.cmax_ms = 199}, refused(1), retried(exactly("199"))},
      {"the first retry", {doubled}, {}, refused(1), retried(exactly("200"))},
      {"before the first retry", {doubled}, {}, refused(0), retried(exactly("200"))},
      {"and no more than the maximum", {doubled}, {.cmax_ms = 150}, refused(0), retried(exactly("150"))},
      {"before the first retry, as computed", {doubled, as_computed}, {}, refused(0), retried(exactly("150"))},
      {"rounded once, at the end",  // 2 · (100 + 50.5 + 0.5 · 25.25) = 326.25
       {doubled, truncating},
       {.c_ms = 101},
       refused(2, half),
       retried(admissible::exactly(326))},
      {"steps beyond the maximum",
       {doubled, whole_kind},
       {.c_ms = 1, .jd_thousandths = 1'000, .ju_thousandths = 0},
       {.retry_count = 40, .error = error::service},
       retried(admissible::integers(200, 10'001, 1).or_exactly(10'000))},
      {"of another error", {doubled}, {}, {.retry_count = 3, .error = error::protocol}, retried(between("250", "325"))},
      {"of no error that is named", {doubled}, {}, hidden(3), retried(between("250", "325"))},
      {"in time", {doubled}, {.total_time_ms = 500}, none, maybe(exactly("500"))},
      {"not in time", {doubled}, {.total_time_ms = 499}, none, stopped},
  });
  EXPECT_EQ(model_expectation({.policy = policy::no_retry}, none, {doubled}), stopped);
}

TEST(readings_together, end_with_the_total_time) {
  checks("AZ-JR-010");
  auto const late = [](failure f, integer elapsed_ms) {
    f.elapsed_ms = elapsed_ms;
    return f;
  };
  parameters const limited{.total_time_ms = 1'000};
  pin const has_been{"total-time", "has-been-exceeded"};
  parameters const tenth{.c_ms = 1'000, .jd_thousandths = 900, .ju_thousandths = 900, .total_time_ms = 1'000};
  check({
      {"all in time", {}, limited, late(hidden(3), 675), retried(between("250", "325"))},
      {"some in time", {}, limited, late(hidden(3), 700), maybe(between("250", "300"))},
      {"one in time", {}, limited, late(hidden(3), 750), maybe(exactly("250"))},
      {"none in time", {}, limited, late(hidden(3), 751), stopped},
      {"as long as it has not been exceeded",
       {has_been},
       limited,
       late(hidden(3), 1'000),
       retried(between("250", "325"))},
      {"but no longer", {has_been}, limited, late(hidden(3), 1'001), stopped},
      {"whole numbers in time",
       {whole_kind},
       limited,
       late(hidden(3), 745),
       maybe(admissible::integers(250, 3, 2))},  // 250, 253
      {"whole numbers and the maximum",
       {whole_kind},
       {.cmax_ms = 255, .total_time_ms = 1'000},
       late(hidden(3), 700),
       retried(admissible::integers(250, 3, 2).or_exactly(255))},
      {"whole numbers without the maximum",
       {whole_kind},
       {.cmax_ms = 255, .total_time_ms = 1'000},
       late(hidden(3), 746),
       maybe(admissible::integers(250, 3, 2))},
      {"rounded up to its end",
       {nearest},
       limited,
       late(retry(2, half + half / 2), 831),
       retried(admissible::exactly(169))},
      {"rounded up past it", {nearest}, limited, late(retry(2, half + half / 2), 832), stopped},
      {"what is hardly in time or hardly not", {}, tenth, late(retry(2, 0), 800), maybe(exactly("200"))},
      {"what is not in time, whatever doubles lose", {}, tenth, late(retry(2, 0), 801), stopped},
      {"a sum of 53 bits",  // 2^18 - 1 + 2^-35
       {},
       {.c_ms = 1, .cmin_ms = 959, .jd_thousandths = 1'000, .ju_thousandths = 875, .total_time_ms = 262'143},
       late(retry(2, 1), 261'184),
       stopped},
      {"a sum of 54",  // 2^18 + 2^-35
       {},
       {.c_ms = 1, .cmin_ms = 959, .jd_thousandths = 1'000, .ju_thousandths = 875, .total_time_ms = 262'144},
       late(retry(2, 1), 261'185),
       maybe(admissible::between({959 + rational(1, integer{1} << 35), 959 + rational(1, integer{1} << 35)}))},
      {"what a sum in doubles loses",  // 959 + 2^-32 · 75
       {},
       {.cmin_ms = 959, .jd_thousandths = 1'000, .total_time_ms = 4'294'967'295},
       late(retry(2, 1), 4'294'966'336),
       maybe(admissible::between({959 + rational(75, integer{1} << 32), 959 + rational(75, integer{1} << 32)}))},
      {"what is exactly in time", {}, limited, late(retry(2, 0), 850), retried(exactly("150"))},
  });
}

TEST(readings_together, leave_to_the_port_what_only_it_can_know) {
  checks("AZ-JR-021");
  failure f{.elapsed_ms = 11, .custom_retry = true};
  parameters const p{.policy = policy::custom, .total_time_ms = 10};
  EXPECT_EQ(model_expectation(p, f)[field_consulted], either) << "asked, or not any more";
  f.elapsed_ms = 10;
  EXPECT_EQ(model_expectation(p, f)[field_consulted], word_of(true));
  f.elapsed_ms = 9;
  EXPECT_EQ(model_expectation(p, f)[field_consulted], word_of(true));
  f.elapsed_ms = 11;
  f.error = error::unknown;
  EXPECT_EQ(model_expectation(p, f)[field_consulted], word_of(false));
  EXPECT_EQ(model_expectation({}, f)[field_consulted], either);
  EXPECT_EQ(model_expectation({.policy = policy::no_retry}, {})[field_consulted], either);
}

facts facts_of(parameters const& p, failure const& f) {
  return under(readings(), pinned(readings(), {}), [&](chooser& choices) { return decide(p, f, choices); }).facts;
}

TEST(facts, say_where_a_failure_stands) {
  checks("AZ-JR-001", "AZ-JR-010", "AZ-JR-015", "AZ-JR-022");
  auto const f = facts_of({}, retry(3));
  EXPECT_EQ(std::tuple(f.policy, f.error, f.passes, f.vetoed, f.limited, f.inverted),
            std::tuple(policy::exponential_backoff_with_jitter, error::retryable, true, false, false, false));
  EXPECT_EQ(std::tuple(f.retry_count, f.at_cap, f.least_ms, f.most_ms), std::tuple(3, false, 100, 10'000));
  auto const capped = facts_of({.cmin_ms = 300, .cmax_ms = 200, .total_time_ms = 9'000}, retry(9));
  EXPECT_EQ(std::tuple(capped.at_cap, capped.limited, capped.inverted, capped.least_ms, capped.most_ms),
            std::tuple(true, true, true, 200, 200));
  EXPECT_TRUE(facts_of({.jd_thousandths = 0}, retry(9)).inverted);
  auto const vetoed = facts_of({.policy = policy::custom, .cmin_ms = 300, .cmax_ms = 200}, {.error = error::terminal});
  EXPECT_EQ(std::tuple(vetoed.policy, vetoed.error, vetoed.passes, vetoed.vetoed, vetoed.inverted, vetoed.at_cap),
            std::tuple(policy::custom, error::terminal, false, true, false, false));
  EXPECT_FALSE(facts_of({}, refused(3)).vetoed);
  auto const ended = under(readings(), pinned(readings(), {{"error-shapes-delay", "ends"}}),
                           [](chooser& choices) { return decide({}, refused(3), choices); });
  EXPECT_TRUE(ended.facts.passes && ended.facts.vetoed) << "by the default policy";
  auto const willing = facts_of({.policy = policy::custom}, {.custom_retry = true, .custom_delay_ms = 10'000});
  EXPECT_EQ(std::tuple(willing.vetoed, willing.at_cap), std::tuple(false, false));
}

// What leaves no trace is not told apart, and costs nothing.
TEST(readings_are_asked, only_where_they_matter) {
  checks("AZ-JR-012");
  auto const forks = [](parameters const& p, failure const& f) {
    std::vector<cube> elsewhere;
    chooser choices(readings(), readings().admitting(standing::hazard), elsewhere);
    static_cast<void>(decide(p, f, choices));
    return elsewhere.size();
  };
  EXPECT_EQ(forks({.policy = policy::no_retry}, retry(3)), 0U);
  EXPECT_EQ(forks({.policy = policy::custom}, {.custom_retry = true}), 0U);
  EXPECT_EQ(forks({}, {.error = error::terminal}), 0U);
  EXPECT_EQ(forks({}, refused(1)), 3U) << "whether it passes, what the default policy makes of it, and the exponent";
  EXPECT_EQ(forks({.policy = policy::custom}, {.error = error::service, .custom_retry = true}), 1U) << "if it passes";
  EXPECT_EQ(forks({.cmin_ms = 10'000}, retry(3)), 0U) << "the maximum is the minimum";
  EXPECT_EQ(forks({.cmin_ms = 10'000}, retry(1)), 0U);
  EXPECT_EQ(forks({.cmin_ms = 10'001}, retry(3)), 1U) << "whether that is rejected";
  EXPECT_EQ(forks({.c_ms = 101, .cmax_ms = 150}, retry(2)), 1U) << "the least of whole numbers leads to the maximum";
  EXPECT_EQ(forks({}, retry(50)), 1U) << "which power of two, and nothing else";
  EXPECT_EQ(forks({}, retry(1)), 1U);
  EXPECT_EQ(forks({}, retry(2, 0)), 3U) << "the kind and the mapping too, but 150 needs no rounding";
  EXPECT_EQ(forks({}, retry(2, half)), 4U);
  EXPECT_EQ(forks({.total_time_ms = 100}, retry(1)), 1U) << "time enough";
  EXPECT_EQ(forks({.total_time_ms = 99}, retry(1)), 2U);
}

TEST(assignments, join_kinds_and_mappings_that_belong_together) {
  checks("AZ-JR-008", "AZ-JR-012");
  auto const holds = [](draw::kind draws, std::vector<pin> const& pins) {
    auto const all = assignments(draws);
    return std::ranges::any_of(all, [&](cube c) { return readings().common(c, pinned(readings(), pins)).has_value(); });
  };
  pin const other{"draw-mapping", "other"};
  for (auto const draws : {draw::kind::u32, draw::kind::rand, draw::kind::unit}) {
    EXPECT_TRUE(holds(draws, {}));
    EXPECT_TRUE(holds(draws, {other}));
    EXPECT_TRUE(holds(draws, {whole_kind, other}));
    EXPECT_TRUE(holds(draws, {whole_kind, scaled_mapping}));
    EXPECT_TRUE(holds(draws, {exclusive_kind, scaled_mapping, nearest}));
    EXPECT_EQ(holds(draws, {whole_kind, modulo_mapping}), draws != draw::kind::unit);
    EXPECT_EQ(holds(draws, {whole_kind, {"draw-mapping", "divided"}}), draws != draw::kind::unit);
    EXPECT_TRUE(holds(draws, {{"draw-mapping", "near"}}));
    EXPECT_TRUE(holds(draws, {exclusive_kind, {"draw-mapping", "near"}}));
    EXPECT_FALSE(holds(draws, {whole_kind}));
    EXPECT_FALSE(holds(draws, {scaled_mapping}));
    EXPECT_FALSE(holds(draws, {modulo_mapping}));
  }
  EXPECT_EQ(assignments(draw::kind::hidden).size(), 1U);
  EXPECT_TRUE(holds(draw::kind::hidden, {whole_kind, truncating}));
  EXPECT_TRUE(holds(draw::kind::hidden, {{"exponent", "whole"}})) << "hazards too";
}

// Delays that a rule makes of draws, the smallest and the largest first.
std::vector<drawn_delay> drawn_by(draw::kind kind, observed (*rule)(std::uint64_t)) {
  std::vector<drawn_delay> all;
  for (std::uint64_t const r : {std::uint64_t{0}, top, half, std::uint64_t{1}, std::uint64_t{0x3333'3333},
                                std::uint64_t{0xdead'beef}, std::uint64_t{12'345'678}, std::uint64_t{0xabcd'0000}}) {
    all.push_back({{kind, r, std::uint64_t{1} << 32}, rule(r)});
  }
  return all;
}

observed whole(std::uint64_t n) { return observed::of(static_cast<integer>(n)); }

TEST(follows_a_listed_mapping, knows_every_mapping_whatever_the_constants) {
  checks("AZ-JR-008", "AZ-JR-012");
  constexpr auto u32_kind = draw::kind::u32;
  // a real number; whole ones in steps of 3, scaled and by a modulus; and a large modulus
  EXPECT_TRUE(azure_java_retry_policy::follows_a_listed_mapping(drawn_by(
      u32_kind, [](std::uint64_t r) { return observed::of(decimal{static_cast<integer>(r * 4 + 150), -1, false}); })));
  EXPECT_TRUE(azure_java_retry_policy::follows_a_listed_mapping(
      drawn_by(u32_kind, [](std::uint64_t r) { return whole(250 + 3 * (r * 26 >> 32)); })));
  EXPECT_TRUE(azure_java_retry_policy::follows_a_listed_mapping(
      drawn_by(u32_kind, [](std::uint64_t r) { return whole(250 + 3 * (r % 26)); })));
  EXPECT_TRUE(azure_java_retry_policy::follows_a_listed_mapping(
      drawn_by(u32_kind, [](std::uint64_t r) { return whole(50 + r % 1'000'003); })));
}

TEST(follows_a_listed_mapping, knows_none_that_is_not_listed) {
  checks("AZ-JR-008", "AZ-JR-012");
  EXPECT_FALSE(azure_java_retry_policy::follows_a_listed_mapping(drawn_by(draw::kind::u32, [](std::uint64_t r) {
    return observed::of(decimal{static_cast<integer>((r * 2'654'435'761U >> 7) % 9'973), -1, false});
  }))) << "a hash with fractions";
  EXPECT_FALSE(azure_java_retry_policy::follows_a_listed_mapping(drawn_by(draw::kind::u32, [](std::uint64_t r) {
    return whole(5'000 - (r * 1'000 >> 32));
  }))) << "downwards";
  EXPECT_FALSE(azure_java_retry_policy::follows_a_listed_mapping(drawn_by(draw::kind::u32, [](std::uint64_t r) {
    return whole((r * 2'654'435'761U >> 7) % 997);
  }))) << "a hash";
  EXPECT_FALSE(azure_java_retry_policy::follows_a_listed_mapping(drawn_by(draw::kind::unit, [](std::uint64_t r) {
    return whole(50 + r % 1'000'003);
  }))) << "a unit draw has no modulus";
}

// By hand: what each rule forgives, and how far.
TEST(follows_a_listed_mapping, is_decided_by_every_draw) {
  checks("AZ-JR-008", "AZ-JR-012");
  auto const follows = [](std::vector<std::pair<std::uint64_t, std::string_view>> const& rows) {
    std::vector<drawn_delay> all;
    for (auto const& [r, text] : rows) {
      auto const value = parse_decimal(text);
      all.push_back({{draw::kind::u32, r, std::uint64_t{1} << 32},
                     value ? observed::of(*value) : observed{observed::kind::not_a_number, 0, {}}});
    }
    return azure_java_retry_policy::follows_a_listed_mapping(all);
  };
  EXPECT_TRUE(follows({{5, "150"}, {1, "110"}, {9, "190"}, {3, "130"}})) << "a line, in whatever order";
  EXPECT_TRUE(follows({{1, "100.5"}, {2, "150.25"}, {4, "249.75"}})) << "a line of real numbers";
  EXPECT_TRUE(follows({{1, "100.5"}, {2, "150.25000000054"}, {4, "249.75"}})) << "4 · 150.25 · 2^-40 are forgiven";
  EXPECT_FALSE(follows({{1, "100.5"}, {2, "150.25000000055"}, {4, "249.75"}}));
  EXPECT_FALSE(follows({{1, "100.5"}, {2, "150.75"}, {4, "249.75"}}));
  EXPECT_TRUE(follows({{0, "0"}, {1, "30"}, {4, "50"}})) << "steps of 10: 17.5 off the line";
  EXPECT_TRUE(follows({{0, "0"}, {1, "30"}, {4, "40"}})) << "20 off";
  EXPECT_FALSE(follows({{0, "0"}, {1, "40"}, {4, "70"}})) << "22.5 off";
  EXPECT_FALSE(follows({{0, "0"}, {1, "10"}, {4, "0"}, {7, "0"}})) << "a line that does not rise";
  EXPECT_TRUE(follows({{13, "3"}, {24, "4"}, {35, "5"}, {57, "7"}, {98, "8"}, {101, "1"}, {112, "2"}})) << "modulo 10";
  EXPECT_FALSE(follows({{14, "3"}, {24, "4"}, {35, "5"}, {57, "7"}, {98, "8"}, {101, "1"}, {112, "2"}}))
      << "but for the first";
  EXPECT_FALSE(follows({{13, "3"}, {24, "4"}, {35, "5"}, {57, "7"}, {111, "11"}, {101, "1"}}))
      << "11 is 10 more than 1: no remainder of 10";
  EXPECT_TRUE(follows({{0, "0"}, {1, "40"}, {4, "70"}, {5, "none"}})) << "not a number says nothing";
}

TEST(follows_a_listed_mapping, takes_what_says_nothing_for_listed) {
  checks("AZ-JR-008");
  EXPECT_TRUE(azure_java_retry_policy::follows_a_listed_mapping(
      drawn_by(draw::kind::u32, [](std::uint64_t) { return whole(100); })));
  EXPECT_TRUE(azure_java_retry_policy::follows_a_listed_mapping(drawn_by(draw::kind::u32, [](std::uint64_t r) {
    return r == 1 ? observed{observed::kind::not_a_number, 0, {}} : whole(r);
  })));
}

}  // namespace
}  // namespace backoff::spec::azure_java_retry_policy
