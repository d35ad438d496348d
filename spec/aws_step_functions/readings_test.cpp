// The readings of the Step Functions example: all alternatives of each on the history that tells them apart, against
// answers worked out by hand; and what the model says of a step besides its answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "aws_step_functions/model.hpp"
#include "catalogue_json.hpp"
#include "tests/checks.hpp"
#include "tests/model_answers.hpp"

namespace backoff::spec::aws_step_functions {
namespace {

constexpr std::string_view catalogue = aws_step_functions_catalogue_json;

using texts = std::vector<std::string_view>;

admissible exactly(rational const& delay) { return admissible::between({delay, delay}); }

std::vector<admissible> delays(texts const& each) {
  std::vector<admissible> result;
  for (auto const text : each) result.push_back(exactly(number_of(text)));
  return result;
}

std::vector<admissible> delays(parameters const& p, std::vector<pin> const& pins, std::size_t calls) {
  return under(readings(), pinned(readings(), pins), [&](chooser& choices) {
    std::vector<admissible> result;
    state s;
    for (std::size_t k = 0; k < calls; ++k) {
      auto const answer = next(p, s, choices).answer;
      EXPECT_EQ(answer[field_status], admissible::word(static_cast<std::uint8_t>(status::retry)));
      result.push_back(answer[field_delay]);
    }
    return result;
  });
}

// What is admitted where the port answers these, one after another; and the delay after the last of them.
std::vector<admissible> delays_after(parameters const& p, std::vector<pin> const& pins, texts const& answered) {
  return under(readings(), pinned(readings(), pins), [&](chooser& choices) {
    std::vector<admissible> result;
    state s;
    for (auto const& text : answered) {
      result.push_back(next(p, s, choices).answer[field_delay]);
      answer port;
      port[field_delay] = observed::of(parse_decimal(text).value());
      EXPECT_TRUE(result.back().admits(port[field_delay])) << text;
      observe(s, port);
    }
    result.push_back(next(p, s, choices).answer[field_delay]);
    return result;
  });
}

struct delays_under {
  std::string_view alternative;
  std::vector<admissible> delays;
};

// All alternatives, in the order of the table, on the distinguishing history of the catalogue.
void expect_told_apart(std::string_view reading, std::string_view token, parameters const& p,
                       std::vector<delays_under> const& expected, std::vector<pin> pins = {}) {
  EXPECT_NE(catalogue.find(std::string("\"") + std::string(token) + "\""), catalogue.npos) << token;
  auto const& alternatives = readings().readings()[readings().find(reading).value()].alternatives;
  ASSERT_EQ(alternatives.size(), expected.size());
  pins.push_back({reading, {}});
  for (std::size_t a = 0; a < expected.size(); ++a) {
    EXPECT_EQ(alternatives[a].name, expected[a].alternative);
    pins.back().alternative = expected[a].alternative;
    EXPECT_TRUE(delays(p, pins, expected[a].delays.size()) == expected[a].delays) << expected[a].alternative;
    for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(expected[a].delays == expected[b].delays) << a << ", " << b;
  }
}

TEST(reading_delay_origin, decides_the_second_delay) {
  checks("AWS-SF-002", "AWS-SF-003", "AWS-SF-006");
  expect_told_apart("delay-origin", "aws_step_functions/interval_s=3,backoff_rate=1.5,max_attempts=3/next@3",
                    {3, 1'500, 3},
                    {{"previous-try", delays({"3", "4.5", "6.75"})}, {"first-failure", delays({"3", "1.5", "2.25"})}});
}

pin const in_seconds{"rounding-unit", "second"};

TEST(reading_delay_rounding, decides_every_fraction) {
  checks("AWS-SF-002");
  // exactly 4, 6.5, 10.5625, 17.1640625, 27.8916015625
  expect_told_apart("delay-rounding", "aws_step_functions/interval_s=4,backoff_rate=1.625,max_attempts=5/next@5",
                    {4, 1'625, 5},
                    {{"exact", delays({"4", "6.5", "10.5625", "17.1640625", "27.8916015625"})},
                     {"floor", delays({"4", "6.5", "10.562", "17.164", "27.891"})},
                     {"nearest", delays({"4", "6.5", "10.563", "17.164", "27.892"})},
                     {"nearest-even", delays({"4", "6.5", "10.562", "17.164", "27.892"})},
                     {"ceil", delays({"4", "6.5", "10.563", "17.165", "27.892"})},
                     {"floor-each-step", delays({"4", "6.5", "10.562", "17.163", "27.889"})},
                     {"nearest-each-step", delays({"4", "6.5", "10.563", "17.165", "27.893"})},
                     {"nearest-even-each-step", delays({"4", "6.5", "10.562", "17.163", "27.89"})},
                     {"ceil-each-step", delays({"4", "6.5", "10.563", "17.165", "27.894"})}});
}

TEST(reading_rounding_unit, decides_how_many_places_are_left) {
  checks("AWS-SF-002");
  // exactly 3, 4.5, 6.75, 10.125, 15.1875, 22.78125, 34.171875, 51.2578125, 76.88671875, 115.330078125, 172.9951171875
  expect_told_apart(
      "rounding-unit", "aws_step_functions/interval_s=3,backoff_rate=1.5,max_attempts=11/next@11", {3, 1'500, 11},
      {{"millisecond",
        delays({"3", "4.5", "6.75", "10.125", "15.187", "22.781", "34.171", "51.257", "76.886", "115.33", "172.995"})},
       {"microsecond", delays({"3", "4.5", "6.75", "10.125", "15.1875", "22.78125", "34.171875", "51.257812",
                               "76.886718", "115.330078", "172.995117"})},
       {"nanosecond", delays({"3", "4.5", "6.75", "10.125", "15.1875", "22.78125", "34.171875", "51.2578125",
                              "76.88671875", "115.330078125", "172.995117187"})},
       {"second", delays({"3", "4", "6", "10", "15", "22", "34", "51", "76", "115", "172"})}},
      {{"delay-rounding", "floor"}});
}

// 10^n s for n = 7, 8 and so on, as the reading has it, after six that every timer holds.
std::vector<admissible> beyond(admissible (*of)(int n)) {
  auto all = delays({"1", "10", "100", "1000", "10000", "100000", "1000000"});
  for (int n = 7; n < 400; ++n) all.push_back(of(n));
  return all;
}

rational power_of_ten(int n) { return n == 0 ? rational(1) : rational(10 * power_of_ten(n - 1)); }

constexpr int last_read = 80;     // longer decimals all count as at least this long
constexpr int last_double = 308;  // 10^308 < 2^1024 < 10^309

// Beyond 2^41 s the end is a whole second late.
admissible saturated(int n) {
  rational const end = power_of_ten(n < last_read ? n : 99);
  return admissible::between({2'147'483, n > 12 ? rational(end + 1) : end});
}

// 10^(n + 3) ms in 32 bits, unsigned; from 10^32 on it is a multiple of 2^32.
integer low_bits(int n) {
  constexpr integer from_ten[]{1'410'065'408, 1'215'752'192, 3'567'587'328, 1'316'134'912, 276'447'232,   2'764'472'320,
                               1'874'919'424, 1'569'325'056, 2'808'348'672, 2'313'682'944, 1'661'992'960, 3'735'027'712,
                               2'990'538'752, 4'135'583'744, 2'701'131'776, 1'241'513'984, 3'825'205'248, 3'892'314'112,
                               268'435'456,   2'684'354'560, 1'073'741'824, 2'147'483'648};
  auto const i = static_cast<std::size_t>(n - 7);
  return i < std::size(from_ten) ? from_ten[i] : 0;
}
admissible millinumber_of(integer from, integer to) {
  return admissible::between({rational(from, 1'000), rational(to, 1'000)});
}

TEST(reading_overflow, decides_what_comes_after_every_timer) {
  checks("AWS-SF-001", "AWS-SF-002", "AWS-SF-007");
  expect_told_apart(
      "overflow", "aws_step_functions/interval_s=1,backoff_rate=10,max_attempts=400/next@400", {1, 10'000, 400},
      {{"saturates", beyond(saturated)},
       {"infinity", beyond([](int n) { return n <= last_double ? saturated(n) : admissible::not_finite(); })},
       {"negative", beyond([](int n) {
          if (n > last_double) return millinumber_of(-2'147'483'648, 2'147'483'647);
          integer const held = low_bits(n) < 2'147'483'648 ? low_bits(n) : low_bits(n) - 4'294'967'296;
          return millinumber_of(held, held);
        })},
       {"wraps", beyond([](int n) {
          if (n > last_double) return millinumber_of(0, 4'294'967'295);
          return millinumber_of(low_bits(n), low_bits(n));
        })}});
}

struct rows_of {
  std::string_view what;
  std::vector<pin> pins;
  parameters p;
  std::vector<admissible> expected;
};

admissible between(std::string_view low, std::string_view high) {
  return admissible::between({number_of(low), number_of(high)});
}

admissible either(std::string_view low, std::string_view high) {
  return admissible::either({number_of(low), number_of(high)});
}

void check(std::vector<rows_of> const& rows) {
  for (auto const& row : rows) {
    auto const found = delays(row.p, row.pins, row.expected.size());
    for (std::size_t n = 0; n < found.size(); ++n) {
      auto const& [low, high] = found[n].ends();
      EXPECT_TRUE(found[n] == row.expected[n]) << row.what << ", retry " << n << ": [" << low << ", " << high << "]";
    }
  }
}

TEST(readings_together, decide_what_is_subtracted_and_what_is_rounded) {
  checks("AWS-SF-002");
  pin const offsets{"delay-origin", "first-failure"};
  check({
      {"offsets of a rate of 1", {offsets}, {7, 1'000, 9}, delays({"7", "0", "0"})},
      {"offsets rounded at the end",
       {offsets, in_seconds, {"delay-rounding", "floor"}},
       {3, 1'500, 9},
       delays({"3", "1", "2", "4", "5"})},  // 3, 4, 6, 10, 15
      {"offsets rounded at each step",
       {offsets, in_seconds, {"delay-rounding", "floor-each-step"}},
       {3, 1'500, 9},
       delays({"3", "1", "2", "3", "4"})},  // 3, 4, 6, 9, 13
      {"offsets in milliseconds",
       {offsets, {"delay-rounding", "ceil"}},
       {3, 1'500, 9},
       delays({"3", "1.5", "2.25", "3.375", "5.063"})},  // 10.125, 15.188
      {"halves alone go to the even one",
       {in_seconds, {"delay-rounding", "nearest-even"}},
       {11, 1'200, 9},
       delays({"11", "13", "16"})},
      {"an interval is never rounded",
       {offsets, in_seconds, {"delay-rounding", "floor"}},
       {20, 1'150, 9},
       {exactly(20), either("2", "3")}},  // 22 or 23, less 20
      {"between two offsets that doubles may round either way, anything between the ends",
       {offsets, in_seconds, {"delay-rounding", "floor"}},
       {400, 1'050, 9},
       {exactly(400), either("19", "20"), between("20", "22")}},  // 419 or 420, 440 or 441
      {"a first wait that is rounded is the interval",
       {offsets, in_seconds, {"delay-rounding", "ceil"}},
       {1, 1'125, 9},
       delays({"1", "1", "0"})},  // 1, 2 of 1.125, 2 of 1.265625
      {"halves to the even one, at each step",
       {in_seconds, {"delay-rounding", "nearest-even-each-step"}},
       {1, 1'500, 9},
       delays({"1", "2", "3", "4", "6"})},  // 1.5, 3, 4.5, 6
      {"halves up, at each step",
       {in_seconds, {"delay-rounding", "nearest-each-step"}},
       {1, 1'500, 9},
       delays({"1", "2", "3", "5", "8"})},  // 1.5, 3, 4.5, 7.5
  });
}

// 20 · 1.15 is 23, but 22.999999999999996 in doubles.
TEST(readings_together, forgive_doubles_where_these_are_not_exact) {
  checks("AWS-SF-002");
  check({
      {"rounded down at the end",
       {in_seconds, {"delay-rounding", "floor"}},
       {20, 1'150, 9},
       {exactly(20), either("22", "23"), exactly(26), exactly(30)}},  // 23, 26.45, 30.4175
      {"no rate of eighths is forgiven",
       {in_seconds, {"delay-rounding", "floor"}},
       {20, 1'250, 9},
       delays({"20", "25", "31"})},
      {"a number of more than 52 bits is",
       {{"delay-rounding", "ceil"}},
       {4'294'967'295, 1'000, 9},
       {between("2147483", "4294967295"), between("2147483", "4294967295")}},
      {"a nanosecond of twenty seconds is told apart",
       {{"rounding-unit", "nanosecond"}, {"delay-rounding", "floor-each-step"}},
       {20, 1'003, 9},
       {exactly(20), either("20.059999999", "20.06")}},
      {"a nanosecond of two thousand is not",
       {{"rounding-unit", "nanosecond"}, {"delay-rounding", "floor-each-step"}},
       {2'000, 1'003, 9},
       {exactly(2'000), between("2005.999999999", "2006")}},
      {"exact delays are held to the judge's tolerance alone", {}, {20, 1'150, 9}, delays({"20", "23", "26.45"})},
  });
  rational const grain(1, integer{1} << 40);
  auto const eighths = delays({1, 1'125, 9}, {{"delay-origin", "first-failure"}}, 9);
  for (std::size_t n = 0; n < eighths.size(); ++n) {  // three more binary places at each retry: 20 are left after six
    EXPECT_EQ(eighths[n].ends().low == eighths[n].ends().high, n <= 6) << n;
  }
  auto const offsets = delays({20, 1'150, 9}, {{"delay-origin", "first-failure"}}, 2);
  auto const quarters = delays({1, 1'250, 12}, {{"delay-origin", "first-failure"}}, 12);
  for (std::size_t n = 0; n < quarters.size(); ++n) {  // two more places at each retry
    EXPECT_EQ(quarters[n].ends().low == quarters[n].ends().high, n <= 10) << n;
  }
  EXPECT_LE(offsets[1].ends().low, 3 - 42 * grain);
  EXPECT_GE(offsets[1].ends().low, 3 - 44 * grain);
  EXPECT_GE(offsets[1].ends().high, 3 + 42 * grain);
  EXPECT_LE(offsets[1].ends().high, 3 + 44 * grain);
}

// What is rounded at each step is carried on as the port answered it, so that nothing is admitted but one value, or one
// of two neighbours: however often it is rounded.
TEST(readings_together, carry_on_what_was_answered) {
  checks("AWS-SF-002");
  pin const floor_each{"delay-rounding", "floor-each-step"};
  parameters const seconds_p{20, 1'150, 9};
  using all = std::vector<admissible>;
  EXPECT_EQ(delays_after(seconds_p, {in_seconds, floor_each}, {"20", "22", "25"}),
            (all{exactly(20), either("22", "23"), exactly(25), exactly(28)}));  // 25.3, 28.75
  EXPECT_EQ(delays_after(seconds_p, {in_seconds, floor_each}, {"20", "23", "26"}),
            (all{exactly(20), either("22", "23"), exactly(26), exactly(29)}));  // 26.45, 29.9
  // 5 · 1.1^3 = 6.655, times 1.1 is 7.3205: doubles see a half there, or not.
  pin const nearest_each{"delay-rounding", "nearest-each-step"};
  all const before{exactly(5), exactly(number_of("5.5")), exactly(number_of("6.05")), exactly(number_of("6.655"))};
  for (auto const& [answered, following] : {std::pair{"7.32", "8.052"}, {"7.321", "8.053"}}) {  // 8.0531
    auto expected = before;
    expected.push_back(either("7.32", "7.321"));
    expected.push_back(exactly(number_of(following)));
    EXPECT_EQ(delays_after({5, 1'100, 9}, {nearest_each}, {"5", "5.5", "6.05", "6.655", answered}), expected);
    // As a double of this kind is printed, it is that millisecond and no other.
    std::string const printed = std::string(answered) + "0000000000001";
    EXPECT_EQ(delays_after({5, 1'100, 9}, {nearest_each}, {"5", "5.5", "6.05", "6.655", printed}), expected);
  }
  // No double is 0.64 or 75437.04, though these products are some: doubles see them, or just less.
  parameters const eighths{81, 3'125, 9};
  EXPECT_EQ(
      delays_after(eighths, {floor_each}, {"81", "253.125", "791.015", "2471.921", "7724.753", "24139.853", "75437.04"})
          .back(),
      either("235740.749", "235740.75"));
  // 675.2 · 1.25 is 844.
  texts const to_844{"58",      "72.5",    "90.625",  "113.281", "141.601", "177.001",
                     "221.251", "276.563", "345.703", "432.128", "540.16",  "675.2"};
  EXPECT_EQ(delays_after({58, 1'250, 19}, {floor_each}, to_844).back(), either("843.999", "844"));
  // 380.875 or 380.876, of which the former is a double; times 1.125, 428.484375 or 428.4855.
  auto const unanswered = under(readings(), pinned(readings(), {nearest_each}), [](chooser& choices) {
    state s;
    for (auto const* text : {"167", "187.875", "211.359", "237.779", "267.501", "300.939", "338.556"}) {
      static_cast<void>(next({167, 1'125, 9}, s, choices));
      answer port;
      port[field_delay] = observed::of(parse_decimal(text).value());
      observe(s, port);
    }
    auto const rounded = next({167, 1'125, 9}, s, choices).answer[field_delay];
    return std::pair{rounded, next({167, 1'125, 9}, s, choices).answer[field_delay]};
  });
  EXPECT_EQ(unanswered.first, either("380.875", "380.876"));
  EXPECT_EQ(unanswered.second, admissible::between({number_of("428.484"), number_of("428.486")}));
  // At the end it is not carried on, and both ends stay what they are.
  pin const nearest_at_end{"delay-rounding", "nearest"};
  for (auto const answered : {"7.32", "7.321"}) {
    auto expected = before;
    expected.push_back(either("7.32", "7.321"));
    expected.push_back(exactly(number_of("8.053")));  // 8.05255
    EXPECT_EQ(delays_after({5, 1'100, 9}, {nearest_at_end}, {"5", "5.5", "6.05", "6.655", answered}), expected);
  }
}

TEST(readings_together, carry_on_offsets_as_they_were_answered) {
  checks("AWS-SF-002");
  pin const offsets{"delay-origin", "first-failure"};
  pin const floor_end{"delay-rounding", "floor"};
  pin const floor_each{"delay-rounding", "floor-each-step"};
  using all = std::vector<admissible>;
  // Offsets 20, 22 or 23, 26: so the third wait is 4 or 3.
  EXPECT_EQ(delays_after({20, 1'150, 9}, {offsets, in_seconds, floor_end}, {"20", "2"}),
            (all{exactly(20), either("2", "3"), exactly(4)}));
  EXPECT_EQ(delays_after({20, 1'150, 9}, {offsets, in_seconds, floor_end}, {"20", "3"}),
            (all{exactly(20), either("2", "3"), exactly(3)}));
  // 22 · 1.15 = 25.3, 23 · 1.15 = 26.45.
  EXPECT_EQ(delays_after({20, 1'150, 9}, {offsets, in_seconds, floor_each}, {"20", "2"}),
            (all{exactly(20), either("2", "3"), exactly(3)}));
  EXPECT_EQ(delays_after({20, 1'150, 9}, {offsets, in_seconds, floor_each}, {"20", "3"}),
            (all{exactly(20), either("2", "3"), exactly(3)}));
}

// A nanosecond of a million seconds is less than what a port is forgiven: anything between is admitted, but not more
// after a hundred roundings than after one.
TEST(readings_together, admit_no_more_the_more_is_rounded) {
  checks("AWS-SF-002");
  std::vector<pin> const pins{{"delay-rounding", "nearest-each-step"}, {"rounding-unit", "nanosecond"}};
  parameters const p{1'000'000, 1'003, 1'000};
  rational const forgiven(1, integer{1} << 40);
  under(readings(), pinned(readings(), pins), [&](chooser& choices) {
    state s;
    for (int n = 0; n < 250; ++n) {
      auto const ends = next(p, s, choices).answer[field_delay].ends();
      EXPECT_LE(ends.high - ends.low, ends.high * forgiven) << n;
      answer port;
      auto const nanoseconds = static_cast<integer>(numerator(ends.high) * 1'000'000'000 / denominator(ends.high));
      port[field_delay] = observed::of(decimal{nanoseconds, -9, false});
      observe(s, port);
    }
    return 0;
  });
}

TEST(readings_together, learn_nothing_of_what_is_no_answer) {
  checks("AWS-SF-002");
  std::vector<pin> const pins{in_seconds, {"delay-rounding", "floor-each-step"}};
  parameters const p{20, 1'150, 9};
  under(readings(), pinned(readings(), pins), [&](chooser& choices) {
    state s;
    static_cast<void>(next(p, s, choices));
    static_cast<void>(next(p, s, choices));
    state const before = s;
    observe(s, {});
    EXPECT_EQ(s, before);
    // Neither 22 nor 23.
    for (integer const other : {19, 30}) {
      answer port;
      port[field_delay] = observed::of(other);
      observe(s, port);
      EXPECT_EQ(s, before) << other;
    }
    EXPECT_EQ(next(p, s, choices).answer[field_delay], either("25", "26")) << "25.3 or 26.45";
    return 0;
  });
}

// Once a port has answered less than the formula, that is the longest that it can hold: it changes no more. Nor is it
// shorter than what it held before.
TEST(readings_together, let_a_port_saturate_once) {
  checks("AWS-SF-007");
  using all = std::vector<admissible>;
  parameters const p{2'000'000, 2'000, 9};
  EXPECT_EQ(delays_after(p, {}, {"2000000", "2147483.647", "2147483.647"}),
            (all{exactly(2'000'000), between("2147483", "4000000"), exactly(number_of("2147483.647")),
                 exactly(number_of("2147483.647"))}));
  EXPECT_EQ(
      delays_after(p, {}, {"2000000", "4000000", "5000000"}),
      (all{exactly(2'000'000), between("2147483", "4000000"), between("4000000", "8000000"), exactly(5'000'000)}));
  EXPECT_EQ(delays_after(p, {{"overflow", "infinity"}}, {"2000000", "3000000"}).back(), exactly(3'000'000));
  // What is held before is no bound where the wait itself is shorter: 4000000 s, then 2000000 s more.
  EXPECT_EQ(delays_after({2'000'000, 3'000, 9}, {{"delay-origin", "first-failure"}}, {"2000000", "4000000"}).back(),
            between("4000000", "12000000"));
  EXPECT_EQ(delays_after({4'000'000, 1'500, 9}, {{"delay-origin", "first-failure"}}, {"4000000"}).back(),
            exactly(2'000'000));
  EXPECT_EQ(delays_after({8'000'000, 1'500, 9}, {{"delay-origin", "first-failure"}}, {"8000000"}).back(),
            exactly(4'000'000));
  // Seconds that are rounded away, one at each step, are no end of growth.
  EXPECT_EQ(delays_after({3'000'000'000, 1'001, 9}, {}, {"2999999998"}).back(), between("2999999998", "3003000000"));
  EXPECT_EQ(delays_after({3'000'000'000, 1'001, 9}, {}, {"2999999997"}).back(), exactly(2'999'999'997));
  // Within what is forgiven it is the formula's.
  EXPECT_EQ(delays_after({3'000'000, 1'500, 9}, {}, {"2999999.999999"}).back(), between("2999999.999999", "4500000"));
}

// Decimals of 10^80 s and more are not told apart: there a port saturates only where it answers less than that.
TEST(readings_together, let_nothing_saturate_beyond_what_is_read) {
  checks("AWS-SF-007");
  parameters const p{1, 10'000, 400};
  std::vector<std::string> exact;
  for (int n = 0; n < last_read; ++n) exact.push_back("1e" + std::to_string(n));
  auto const after = [&](std::vector<std::string> const& more) {
    texts answered(exact.begin(), exact.end());
    answered.insert(answered.end(), more.begin(), more.end());
    return delays_after(p, {}, answered).back();
  };
  rational const end = power_of_ten(99) + 1;
  EXPECT_EQ(after({}), admissible::between({power_of_ten(79) + 1, end}));
  EXPECT_EQ(after({"1e80"}), admissible::between({power_of_ten(80) + 1, end}));
  EXPECT_EQ(after({"9e85", "1.7e308", "2e82"}), admissible::between({power_of_ten(80) + 1, end}));
  EXPECT_EQ(after({"2e79"}), exactly(2 * power_of_ten(79) + 1));
}

TEST(readings_together, decide_what_overflows) {
  checks("AWS-SF-001", "AWS-SF-002", "AWS-SF-007");
  pin const wraps{"overflow", "wraps"};
  pin const negative{"overflow", "negative"};
  pin const offsets{"delay-origin", "first-failure"};
  check({
      {"the longest that every timer holds", {wraps}, {2'147'483, 1'000, 9}, delays({"2147483"})},
      {"a second more is still held by 32 bits", {wraps}, {2'147'484, 1'000, 9}, delays({"2147484"})},
      {"but not by 31", {negative}, {2'147'484, 1'000, 9}, delays({"-2147483.296"})},
      {"what 32 bits hold keeps its fraction",
       {wraps},
       {2'200'001, 1'125, 9},
       delays({"2200001", "2475001.125", "2784376.265625"})},
      {"2^32 milliseconds are none", {wraps}, {4'194'304, 1'024, 9}, delays({"4194304", "0"})},
      {"half a millisecond is lost", {wraps}, {4'000'000, 1'125, 9}, delays({"4000000", "205032.704"})},
      {"the largest that wraps keep", {wraps}, {4'294'967, 1'000, 9}, delays({"4294967"})},
      {"and the next", {wraps}, {4'294'968, 1'000, 9}, delays({"0.704"})},
      {"a wait that is short stays, however late",
       {wraps, offsets},
       {2'000'000, 1'125, 9},
       delays({"2000000", "250000", "281250"})},
      {"a wait that is long does not", {wraps, offsets}, {2'000'000, 4'000, 9}, delays({"2000000", "1705032.704"})},
      {"infinity is far away",
       {{"overflow", "infinity"}},
       {3'000'000, 2'000, 9},
       {between("2147483", "3000000"), between("2147483", "6000000")}},
  });
}

TEST(readings_together, know_no_low_bits_of_what_is_not_exact) {
  checks("AWS-SF-007");
  // 9.999^n has 3 n places. From the 31st factor on the 91st is lost; some 87 factors later that is a millisecond.
  auto const found = delays({1, 9'999, 200}, {{"overflow", "wraps"}}, 140);
  EXPECT_EQ(found[100].ends().low, found[100].ends().high);
  EXPECT_TRUE(found[139] == millinumber_of(0, 4'294'967'295));
}

// The enclosure, against exact rationals: equal while there are digits for it, and never far off.
TEST(grown, encloses_the_exact_product) {
  checks("AWS-SF-002");
  for (integer const rate : {1'001, 1'333, 1'500, 2'718, 9'999}) {
    parameters const p{7, rate, 200};
    auto const canonical = pinned(readings(), {});
    whole const second = boost::multiprecision::pow(whole(10), 90);
    enclosure v{7 * second, 7 * second, false, false};
    rational exact = rational(7 * second);
    for (int n = 1; n < 120; ++n) {
      v = under(readings(), canonical, [&](chooser& choices) { return grown(p, v, choices); });
      exact *= rational(rate, 1'000);
      ASSERT_FALSE(v.endless);
      EXPECT_LE(rational(v.low), exact) << rate << ", " << n;
      EXPECT_GE(rational(v.high), exact) << rate << ", " << n;
      EXPECT_LE(rational(v.high - v.low) * second, 2 * std::max(n - 30, 0) * exact) << rate << ", " << n;
    }
  }
}

TEST(grown, rounds_the_last_grain_outwards) {
  checks("AWS-SF-002");
  auto const next = under(readings(), pinned(readings(), {}),
                          [](chooser& choices) { return grown({1, 1'001, 9}, {1, 1, false, false}, choices); });
  EXPECT_EQ(next, (enclosure{1, 2, false, false})) << "1.001";
}

TEST(grown, loses_no_digit_that_is_left) {
  checks("AWS-SF-002");
  auto const found = delays({1, 1'001, 100}, {}, 60);
  rational exact = 1;
  for (auto const& delay : found) {
    EXPECT_LE(delay.ends().low, exact);
    EXPECT_GE(delay.ends().high, exact);
    EXPECT_LT((delay.ends().high - delay.ends().low) * (whole(1) << 200), exact);
    exact *= rational(1'001, 1'000);
  }
}

TEST(grown, ends_where_doubles_end) {
  checks("AWS-SF-002", "AWS-SF-007");
  // An infinite wait is no difference of two: so it is from whichever moment.
  std::vector<pin> const offsets{{"overflow", "infinity"}, {"delay-origin", "first-failure"}};
  EXPECT_EQ(delays({1, 2'000, 2'000}, offsets, 1'030).back(), admissible::not_finite());
  // 2^1023 s is computed, 2^1024 s is not; both doubled from 1.
  parameters const p{1, 2'000, 2'000};
  state s;
  for (integer n = 0; n < 1'030; ++n) {
    auto const delay = under(readings(), pinned(readings(), {{"overflow", "infinity"}}), [&](chooser& choices) {
                         return next(p, s, choices);
                       }).answer[field_delay];
    EXPECT_EQ(delay.is() == admissible::kind::not_finite, n >= 1'024) << n;
  }
}

auto tuple_of(facts const& f) { return std::tuple(f.grants, f.announces, f.retries, f.beyond); }

TEST(facts, say_where_a_step_stands) {
  checks("AWS-SF-001", "AWS-SF-004", "AWS-SF-005", "AWS-SF-I01");
  parameters const p{2'000'000, 1'500, 2};
  std::vector<cube> elsewhere;
  chooser choices(readings(), readings().admitting(standing::canonical), elsewhere);
  state s;
  auto const step = [&] { return tuple_of(next(p, s, choices).facts); };
  EXPECT_EQ(step(), std::tuple(true, false, 0, false));
  EXPECT_EQ(step(), std::tuple(true, false, 1, true));
  EXPECT_EQ(step(), std::tuple(false, true, 2, false));
  EXPECT_EQ(step(), std::tuple(false, false, 2, false));
  state fresh;
  EXPECT_FALSE(next({2'147'483, 1'000, 1}, fresh, choices).facts.beyond) << "the longest that every timer holds";
}

TEST(state, equals_the_same_state) {
  checks("AWS-SF-008");
  state const some{1, false, {1, 2, false, false}, {3, 4, false, false}, 5, 6, 7, 8};
  EXPECT_EQ(some, state(some));
  std::vector<void (*)(state&)> const changes{
      [](state& s) { s.retries = 2; },     [](state& s) { s.exhausted = true; },
      [](state& s) { s.reached.low = 0; }, [](state& s) { s.reached.high = 3; },
      [](state& s) { s.since = 0; },       [](state& s) { s.reached.endless = true; },
      [](state& s) { s.offset.low = 0; },  [](state& s) { s.reached.is_an_end = true; },
      [](state& s) { s.answered = 0; },    [](state& s) { s.longest = std::nullopt; },
      [](state& s) { s.unsaturated = 0; },
  };
  for (auto const change : changes) {
    state other = some;
    change(other);
    EXPECT_FALSE(some == other);
  }
}

// What leaves no trace is not told apart, and costs nothing.
TEST(readings_are_asked, only_where_they_matter) {
  checks("AWS-SF-001", "AWS-SF-002");
  auto const forks = [](parameters const& p, std::size_t calls) {
    std::vector<cube> elsewhere;
    chooser choices(readings(), readings().admitting(standing::hazard), elsewhere);
    state s;
    for (std::size_t k = 0; k < calls; ++k) static_cast<void>(next(p, s, choices));
    return elsewhere.size();
  };
  EXPECT_EQ(forks({3, 1'500, 9}, 1), 0U) << "the first delay is the interval";
  EXPECT_EQ(forks({3, 2'000, 9}, 9), 1U) << "whole delays ask from when on, and nothing else";
  EXPECT_EQ(forks({3'000'000, 2'000, 9}, 1), 1U) << "a long one asks what becomes of it";
  EXPECT_EQ(forks({3, 1'500, 9}, 2), 2U) << "exact stands first: then no unit is asked";
  EXPECT_EQ(forks({2'147'483'647, 2'000, 9}, 2), 2U) << "a long one, from when on";
  EXPECT_EQ(forks({2'147'483'648, 2'000, 9}, 2), 3U) << "doubles may miss what has more than 52 bits";
  EXPECT_EQ(forks({4'294'967'295, 2'000, 9}, 2), 3U);
  whole const late = (whole(1) << 40) * boost::multiprecision::pow(whole(10), 90);  // 2^40 s, then 2^42
  std::vector<cube> elsewhere;
  chooser choices(readings(), readings().admitting(standing::hazard), elsewhere);
  state s;
  s.retries = 3;
  s.reached = {late, late, false, false};
  static_cast<void>(next({1, 4'001, 9}, s, choices));
  EXPECT_EQ(elsewhere.size(), 2U) << "nobody can tell whether so many seconds are rounded";
}

TEST(assignments, ask_for_a_unit_only_where_something_is_rounded) {
  checks("AWS-SF-002");
  auto const all = assignments();
  ASSERT_EQ(all.size(), 2U);
  auto const holds = [&](std::vector<pin> const& pins) {
    return std::ranges::any_of(all, [&](cube c) { return readings().common(c, pinned(readings(), pins)).has_value(); });
  };
  EXPECT_TRUE(holds({}));
  EXPECT_TRUE(holds({{"delay-rounding", "floor"}}));
  EXPECT_TRUE(holds({{"delay-rounding", "ceil-each-step"}, {"rounding-unit", "nanosecond"}, {"overflow", "wraps"}}));
  EXPECT_FALSE(holds({{"rounding-unit", "second"}}));
  EXPECT_FALSE(holds({{"rounding-unit", "nanosecond"}, {"overflow", "wraps"}}));
}

}  // namespace
}  // namespace backoff::spec::aws_step_functions
