// From a draw to the admissible delays: small windows against sets worked out by hand, under every mapping, bound and
// resolution; and which series of delays count as following one of the listed mappings.
#include "relation/full_jitter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "histories/present.hpp"
#include "relation/rational.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec {
namespace {

// Not in the order of any system, so that positions must be taken from full_jitter_readings.
constexpr std::array resolution_names{alternative{"integer", standing::canonical}, alternative{"real", standing::open}};
constexpr std::array mapping_names{alternative{"modulo", standing::canonical}, alternative{"scaled", standing::open},
                                   alternative{"real", standing::open},        alternative{"divided", standing::open},
                                   alternative{"near", standing::open},        alternative{"other", standing::open}};
constexpr std::array empty_names{alternative{"zero", standing::canonical}, alternative{"undefined", standing::hazard}};
constexpr std::array bound_names{alternative{"inclusive", standing::canonical},
                                 alternative{"exclusive", standing::open}};
constexpr std::array rows{reading{"resolution", resolution_names}, reading{"mapping", mapping_names},
                          reading{"empty", empty_names}, reading{"bound", bound_names}};
constexpr reading_table table{rows};
constexpr full_jitter_readings where{.upper_bound = 3, .empty_window = 2, .draw_mapping = 1, .delay_resolution = 0};

constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

draw u32(std::uint64_t value) { return {draw_kind::u32, value, two_to_32}; }
draw of_four(std::uint64_t value) { return {draw_kind::rand, value, 4}; }
draw eighths(std::uint64_t value) { return {draw_kind::unit, value, 8}; }
draw const hidden{};

admissible delay(integer window, draw const& from, std::vector<pin> const& pins) {
  return under(table, pinned(table, pins),
               [&](chooser& readings) { return full_jitter(window, from, readings, where); });
}

admissible exactly_real(rational const& value) { return admissible::between({value, value}); }

// A generator with four values shows the whole of a mapping: one row a window, one column a draw.
TEST(full_jitter, maps_four_draws_onto_small_windows) {
  struct {
    integer window;
    std::string_view mapping;
    std::string_view bound;
    std::array<integer, 4> delays;
  } const small[]{
      {1, "modulo", "inclusive", {0, 1, 0, 1}},  {1, "modulo", "exclusive", {0, 0, 0, 0}},
      {2, "modulo", "inclusive", {0, 1, 2, 0}},  {2, "modulo", "exclusive", {0, 1, 0, 1}},
      {3, "modulo", "inclusive", {0, 1, 2, 3}},  {3, "modulo", "exclusive", {0, 1, 2, 0}},
      {4, "modulo", "inclusive", {0, 1, 2, 3}},  {4, "modulo", "exclusive", {0, 1, 2, 3}},
      {1, "scaled", "inclusive", {0, 0, 1, 1}},  {1, "scaled", "exclusive", {0, 0, 0, 0}},
      {2, "scaled", "inclusive", {0, 0, 1, 2}},  {2, "scaled", "exclusive", {0, 0, 1, 1}},
      {3, "scaled", "inclusive", {0, 1, 2, 3}},  {3, "scaled", "exclusive", {0, 0, 1, 2}},
      {9, "scaled", "inclusive", {0, 2, 5, 7}},  {9, "scaled", "exclusive", {0, 2, 4, 6}},
      {1, "divided", "inclusive", {0, 0, 1, 1}}, {1, "divided", "exclusive", {0, 0, 0, 0}},
      {2, "divided", "inclusive", {0, 0, 1, 1}}, {2, "divided", "exclusive", {0, 0, 1, 1}},
      {3, "divided", "inclusive", {0, 1, 2, 3}}, {3, "divided", "exclusive", {0, 0, 1, 1}},
      {9, "divided", "inclusive", {0, 1, 2, 3}}, {9, "divided", "exclusive", {0, 1, 2, 3}},
  };
  for (auto const& [window, mapping, bound, delays] : small) {
    for (std::uint64_t r = 0; r < 4; ++r) {
      EXPECT_EQ(delay(window, of_four(r), {{"mapping", mapping}, {"bound", bound}}), admissible::exactly(delays[r]))
          << mapping << ' ' << bound << ", window " << window << ", draw " << r;
    }
  }
}

TEST(full_jitter, is_real_and_exact_under_the_real_mapping) {
  for (std::string_view const bound : {"inclusive", "exclusive"}) {
    std::vector<pin> const pins{{"mapping", "real"}, {"bound", bound}};
    EXPECT_EQ(delay(3, of_four(0), pins), exactly_real(0));
    EXPECT_EQ(delay(3, of_four(1), pins), exactly_real(rational(3, 4)));
    EXPECT_EQ(delay(3, of_four(3), pins), exactly_real(rational(9, 4)));
    EXPECT_EQ(delay(5, eighths(7), pins), exactly_real(rational(35, 8)));
    EXPECT_EQ(delay(1000, u32(two_to_32 - 1), pins), exactly_real(1000 - rational(1000) / two_to_32));
  }
}

TEST(full_jitter, takes_unit_draws_and_wide_ones_alike) {
  struct {
    integer window;
    draw from;
    std::string_view mapping;
    integer delay;
  } const rows_of_draws[]{
      {5, eighths(0), "scaled", 0},    // the smallest draw: the lower end
      {5, eighths(7), "scaled", 5},    // floor(7 · 6 / 8): the largest reaches the upper end
      {5, eighths(4), "scaled", 3},    // one half of 6
      {9, u32(123), "modulo", 3},      // any window below the draw
      {999, u32(123), "modulo", 123},  // any window above it
      {4'294'967'295, u32(4'294'967'295), "modulo", 4'294'967'295},  // window + 1 = 2^32: every draw is a delay
      {4'294'967'295, u32(4'294'967'295), "scaled", 4'294'967'295},
      {8'589'934'591, u32(4'294'967'295), "scaled", 8'589'934'590},  // the largest window: two delays a draw
      {100, u32(2'147'483'648), "scaled", 50},                       // one half of 101, rounded down
  };
  for (auto const& row : rows_of_draws) {
    EXPECT_EQ(delay(row.window, row.from, {{"mapping", row.mapping}}), admissible::exactly(row.delay))
        << row.mapping << ", window " << row.window << ", draw " << row.from.value;
  }
}

// A port that multiplies in doubles meets whole numbers by rounding: up from just below always, down from the number
// itself only where a draw is divided by what is no power of two.
TEST(full_jitter, admits_what_scaling_in_doubles_rounds_to) {
  std::vector<pin> const scaled{{"mapping", "scaled"}};
  draw const of_ten{draw_kind::rand, 5, 10};
  EXPECT_EQ(delay(3, of_ten, scaled), admissible::integers(1, 1, 2));  // 5 · 4 / 10 = 2, or 1.99…
  EXPECT_EQ(delay(3, of_four(2), scaled), admissible::exactly(2));     // 2 · 4 / 4, exactly
  EXPECT_EQ(delay(2, of_ten, scaled), admissible::exactly(1));         // 1.5
  EXPECT_EQ(delay(1'132'462'080, u32(4'294'966'784), scaled),
            admissible::integers(1'132'461'945, 1, 2));  // ….999999881
  // k less one part in 2^32 is within 2^-40 of k from 257 on.
  EXPECT_EQ(delay(274, u32(3'998'224'101), scaled), admissible::exactly(255));         // 256 - 2^-32
  EXPECT_EQ(delay(1'510, u32(730'513'961), scaled), admissible::integers(256, 1, 2));  // 257 - 2^-32
  EXPECT_EQ(delay(99, draw{draw_kind::rand, 9'999'999'999'999, 10'000'000'000'000}, scaled),
            admissible::exactly(99));  // 99.99999999999: never the whole 100
}

// One unit for rounding, and one draw, or one of 2^22 parts: of four draws, a fourth of the window.
TEST(full_jitter, admits_what_is_near) {
  std::vector<pin> const near{{"mapping", "near"}};
  std::vector<pin> const exclusive{{"mapping", "near"}, {"bound", "exclusive"}};
  std::vector<pin> const real{{"mapping", "near"}, {"resolution", "real"}};
  EXPECT_EQ(delay(1'000, u32(two_to_32 / 2), near), admissible::integers(500, 1, 2));       // 500.5 ± 1.0002
  EXPECT_EQ(delay(1'000, u32(two_to_32 / 2), exclusive), admissible::integers(499, 1, 3));  // 500 ± 1.0002
  EXPECT_EQ(delay(100, of_four(2), near), admissible::integers(25, 1, 52));                 // 50.5 ± 26.25
  EXPECT_EQ(delay(100, of_four(0), near), admissible::integers(0, 1, 27));
  EXPECT_EQ(delay(1'000, u32(two_to_32 - 1), exclusive), admissible::integers(999, 1, 2)) << "the window too";
  EXPECT_EQ(delay(1'000, u32(4'292'819'812), exclusive), admissible::exactly(999))
      << "by the last draws alone";  // 999.5
  EXPECT_EQ(delay(1'000, u32(0), near), admissible::integers(0, 1, 2));
  rational const off = rational(1'000, 1 << 22) + rational(1, 100);
  EXPECT_EQ(delay(1'000, u32(two_to_32 / 2), real), admissible::between({500 - off, 500 + off}));
  EXPECT_EQ(delay(1'000, u32(0), real), admissible::between({0, off}));
  EXPECT_EQ(delay(1'000, u32(two_to_32 - 1), real),
            admissible::between({1'000 - rational(1'000) / two_to_32 - off, 1'000}));
  EXPECT_EQ(delay(0, u32(7), near), admissible::exactly(0));
}

TEST(full_jitter, admits_the_whole_window_where_the_draw_says_nothing) {
  for (auto const& [from, mapping] :
       {std::pair{hidden, "modulo"}, {hidden, "real"}, {hidden, "other"}, {u32(5), "other"}, {eighths(5), "other"}}) {
    EXPECT_EQ(delay(2, from, {{"mapping", mapping}}), admissible::integers(0, 1, 3));
    EXPECT_EQ(delay(2, from, {{"mapping", mapping}, {"bound", "exclusive"}}), admissible::integers(0, 1, 2));
    EXPECT_EQ(delay(2, from, {{"mapping", mapping}, {"resolution", "real"}}), admissible::between(0, 2));
  }
}

TEST(full_jitter, has_one_delay_in_an_empty_window_or_none_that_is_defined) {
  for (draw const& from : {hidden, u32(77), of_four(3), eighths(7)}) {
    for (std::string_view const mapping : {"modulo", "scaled", "real", "other"}) {
      EXPECT_EQ(delay(0, from, {{"mapping", mapping}}), admissible::exactly(0)) << mapping;
      EXPECT_EQ(delay(0, from, {{"mapping", mapping}, {"empty", "undefined"}}), admissible::unjudged()) << mapping;
    }
  }
}

// What a step does not consult stays open: the forks of one step are as few as its answers need.
TEST(full_jitter, consults_only_what_matters) {
  auto const consulted = [](integer window, draw const& from, std::vector<pin> const& pins) {
    cube start = table.admitting(standing::hazard);
    for (auto const& p : pins) {
      unsigned const r = histories::present(table.find(p.reading));
      start = table.with(start, r, histories::present(table.find(r, p.alternative)));
    }
    std::vector<cube> elsewhere;
    chooser readings(table, start, elsewhere);
    static_cast<void>(full_jitter(window, from, readings, where));
    return elsewhere.size();
  };
  EXPECT_EQ(consulted(0, u32(1), {}), 1U);  // empty
  EXPECT_EQ(consulted(5, u32(1), {}), 2U);  // mapping, bound
  EXPECT_EQ(consulted(5, u32(1), {{"mapping", "real"}}), 0U);
  EXPECT_EQ(consulted(5, hidden, {}), 2U);  // resolution, bound
  EXPECT_EQ(consulted(5, hidden, {{"resolution", "real"}}), 0U);
  EXPECT_EQ(consulted(5, u32(1), {{"mapping", "near"}}), 2U);  // resolution, bound
  EXPECT_EQ(consulted(5, u32(1), {{"mapping", "near"}, {"resolution", "real"}}), 0U);
}

TEST(exactly_mapped, is_by_all_but_near_and_other) {
  constexpr std::array named{reading{"bound", bound_names}, reading{"draw-mapping", mapping_names},
                             reading{"jitter-mapping", mapping_names}};
  EXPECT_EQ(exactly_mapped(reading_table{named}), cube{0b001111'001111'11U});
  EXPECT_EQ(exactly_mapped(table), table.admitting(standing::hazard)) << "no readings of those names";
}

TEST(consistent_assignments, follow_from_the_kind_of_draw) {
  // Bits, lowest first: integer real · modulo scaled real divided near other · zero undefined · inclusive exclusive.
  constexpr std::uint64_t any_bound_any_empty = 0b11'11'000000'00;
  cube const whole{any_bound_any_empty | 0b001011'01};
  cube const scaled{any_bound_any_empty | 0b000010'01};
  cube const real{any_bound_any_empty | 0b000100'10};
  cube const inexact{any_bound_any_empty | 0b110000'11};
  auto const sorted = [](draw_kind draws) {
    auto cubes = consistent_assignments(table, where, draws);
    std::ranges::sort(cubes, {}, &cube::bits);
    return cubes;
  };
  EXPECT_EQ(sorted(draw_kind::u32), (std::vector{real, whole, inexact}));
  EXPECT_EQ(sorted(draw_kind::rand), (std::vector{real, whole, inexact}));
  EXPECT_EQ(sorted(draw_kind::unit), (std::vector{scaled, real, inexact}));
  EXPECT_EQ(sorted(draw_kind::hidden), (std::vector{table.admitting(standing::hazard)}));
}

struct drawn_text {
  draw from;
  std::string_view delay;  // empty: not a number
};

bool follows(std::vector<drawn_text> const& series) {
  std::vector<drawn_delay> delays;
  for (auto const& [from, text] : series) {
    auto const value = parse_decimal(text);
    delays.push_back({from, value ? observed::of(*value) : observed{observed_kind::not_a_number, 0, {}}});
  }
  return follows_a_listed_mapping(delays);
}

TEST(follows_a_listed_mapping, accepts_every_listed_mapping) {
  EXPECT_TRUE(follows({{u32(10), "0"}, {u32(11), "1"}, {u32(4'294'967'295), "5"}})) << "modulo 10";
  EXPECT_TRUE(follows({{u32(3'000), "998"}, {u32(4'294'967'295), "619"}, {u32(2'001), "1000"}})) << "modulo 1001";
  EXPECT_TRUE(follows({{u32(1), "1"}, {u32(2), "2"}})) << "modulo anything above 2";
  EXPECT_TRUE(follows({{of_four(0), "0"}, {of_four(1), "2"}, {of_four(2), "5"}, {of_four(3), "7"}})) << "scaled by 10";
  EXPECT_TRUE(follows({{eighths(0), "0"}, {eighths(4), "3"}, {eighths(7), "5"}})) << "scaled by 6";
  EXPECT_TRUE(follows({{u32(0), "0"}, {u32(4'294'967'295), "666"}, {u32(6'440'000), "1"}, {u32(6'439'999), "0"}}))
      << "divided by 6440000";
  EXPECT_TRUE(follows({{u32(0), "0"}, {u32(4'294'967'295), "666"}, {u32(6'440'000), "1"}, {u32(6'439'500), "0"}}))
      << "divided by that or a little less";
  EXPECT_TRUE(follows({{of_four(0), "0"}, {of_four(1), "0.75"}, {of_four(3), "2.25"}})) << "3, real";
  EXPECT_TRUE(follows({{eighths(7), "4.375"}, {eighths(1), "0.625"}, {eighths(0), "0"}})) << "5, real";
  EXPECT_TRUE(follows({{u32(1'431'655'765), "333.3333332557231"}, {u32(3), "6.984919309616089e-7"}}))
      << "1000, as doubles give it";
}

TEST(follows_a_listed_mapping, accepts_what_tells_nothing) {
  EXPECT_TRUE(follows({})) << "no delay at all";
  EXPECT_TRUE(follows({{u32(5), "3"}, {u32(9), "3"}, {u32(0), "3"}})) << "constant";
  EXPECT_TRUE(follows({{u32(5), "3"}, {u32(9), ""}, {u32(0), "7"}})) << "not a number";
}

// 3.63e-12 is hardly less than 2^-38, 3.64e-12 hardly more.
TEST(follows_a_listed_mapping, forgives_real_delays_what_doubles_make_of_them_and_no_more) {
  EXPECT_TRUE(follows({{u32(2'147'483'648), "1.00000000000363"}, {u32(1'073'741'824), "0.5"}}));
  EXPECT_FALSE(follows({{u32(2'147'483'648), "1.00000000000364"}, {u32(1'073'741'824), "0.5"}}));
}

TEST(follows_a_listed_mapping, refuses_everything_else) {
  EXPECT_FALSE(follows({{of_four(0), "7"}, {of_four(1), "5"}, {of_four(2), "2"}, {of_four(3), "0"}})) << "reversed";
  EXPECT_FALSE(follows({{of_four(0), "2.25"}, {of_four(1), "1.5"}, {of_four(3), "0"}})) << "reversed, real";
  EXPECT_FALSE(follows({{of_four(0), "5"}, {of_four(1), "6"}, {of_four(2), "7"}, {of_four(3), "8"}})) << "half jitter";
  EXPECT_FALSE(follows({{u32(1'000'000), "-1"}, {u32(2'000'000), "-2"}})) << "negative";
  EXPECT_FALSE(follows({{eighths(1), "-0.5"}, {eighths(2), "-1"}})) << "negative, real";
  EXPECT_FALSE(follows({{u32(13), "3"}, {u32(24), "5"}, {u32(35), "4"}})) << "of no modulus: 10, 19 and 31 share none";
  EXPECT_FALSE(follows({{u32(20), "10"}, {u32(11), "1"}})) << "10 is no remainder of 10";
  EXPECT_FALSE(follows({{u32(1), "3"}, {u32(2), "1"}})) << "longer than its draw, and no proportion";
  EXPECT_FALSE(follows({{eighths(1), "1"}, {eighths(3), "0"}})) << "a remainder, but of a unit draw";
  EXPECT_FALSE(follows({{eighths(7), "1"}, {eighths(5), "1"}, {eighths(4), "0"}})) << "divided by 5, but a unit draw";
  EXPECT_FALSE(follows({{u32(5), "0.1"}, {u32(7), "0.1"}, {u32(11), "0.2"}})) << "divided by 4, but tenths";
  EXPECT_FALSE(follows({{u32(5), "-2"}, {u32(7), "-2"}, {u32(11), "0"}})) << "divided by no number: negative";
  EXPECT_FALSE(follows({{u32(0), "0"}, {u32(4'294'967'295), "666"}, {u32(6'440'000), "1"}, {u32(6'430'000), "1"}}))
      << "divided by no number";
  EXPECT_FALSE(follows({{of_four(1), "0.75"}, {of_four(3), "2.2500001"}})) << "almost 3, real";
  EXPECT_FALSE(follows({{u32(4'294'967'295), "1000"}, {u32(2'147'483'648), "500.0000001164153"}}))
      << "1000 · r / R, real";
  EXPECT_FALSE(follows({{of_four(1), "0.6666666666666667"}, {of_four(2), "1.3333333333333333"}})) << "2 · r / R, real";
  EXPECT_FALSE(follows({{of_four(1), "-1"}, {of_four(2), "0"}})) << "negative: the floor of no window";
  EXPECT_FALSE(follows({{of_four(0), "0"}, {of_four(1), "-1"}, {of_four(3), "-1"}})) << "a window of -1";
  EXPECT_FALSE(follows({{u32(4), "-1"}, {u32(10), "0"}})) << "remainders with a sign";
  EXPECT_FALSE(follows({{u32(1), "0.1"}, {u32(7), "0.7"}, {u32(12), "0.2"}})) << "tenths of a remainder";
  EXPECT_FALSE(follows({{of_four(0), "7"}, {of_four(1), "2"}, {of_four(2), "5"}, {of_four(3), "7"}}))
      << "scaled, but for 0";
  // 2863311531 · 4294967293 / 2^32 is 2^-32 short of the first delay, 2863311532 more than the second.
  EXPECT_FALSE(follows({{u32(4'294'967'293), "2863311529"}, {u32(4'294'967'295), "2863311530"}})) << "of no window";
}

// Draws modulo 50,401, of which the port answers some otherwise. Of 64 the first `count` are asked about.
bool follows_but_for(std::vector<std::size_t> const& others, std::size_t count = 48) {
  std::vector<drawn_delay> delays;
  for (std::size_t i = 0; i < 64; ++i) {
    std::uint64_t const r = i * 2'654'435'761U % 4'294'967'296U;
    bool const other = std::ranges::find(others, i) != others.end();
    delays.push_back({u32(r), observed::of(other ? integer{60'000} : static_cast<integer>(r % 50'401))});
  }
  return follows_a_listed_mapping(std::span(delays).first(count));
}

TEST(follows_a_listed_mapping, is_that_of_most_draws) {
  EXPECT_TRUE(follows_but_for({}));
  EXPECT_TRUE(follows_but_for({0})) << "one draw";
  EXPECT_TRUE(follows_but_for({0, 1, 40})) << "in two groups of six";
  EXPECT_FALSE(follows_but_for({0, 10, 40})) << "in three";
  EXPECT_FALSE(follows_but_for({7, 8, 16})) << "in three groups of eight, of which two are beside each other";
  EXPECT_FALSE(follows_but_for({0}, 16)) << "in one of two";
  EXPECT_TRUE(follows_but_for({12, 13}, 12)) << "beyond";
}

}  // namespace
}  // namespace backoff::spec
