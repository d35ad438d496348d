// The algebra of readings on a small made-up table: cubes, their union, and what a chooser leaves behind.
#include "relation/readings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <ostream>
#include <vector>

namespace backoff::spec {

void PrintTo(cube c, std::ostream* out) { *out << "0x" << std::hex << c.bits << std::dec; }

namespace {

constexpr std::array colour_names{alternative{"red", standing::open}, alternative{"green", standing::canonical},
                                  alternative{"blue", standing::hazard}};
constexpr std::array size_names{alternative{"only", standing::canonical}};
constexpr std::array shape_names{alternative{"round", standing::canonical}, alternative{"square", standing::open},
                                 alternative{"flat", standing::open}, alternative{"none", standing::hazard}};
constexpr std::array rows{reading{"colour", colour_names}, reading{"size", size_names}, reading{"shape", shape_names}};
constexpr reading_table table{rows};

enum colour : unsigned { red, green, blue };
enum shape : unsigned { round, square, flat, none };
constexpr unsigned colour_reading = 0;
constexpr unsigned size_reading = 1;
constexpr unsigned shape_reading = 2;

// Layout, lowest bit first: red green blue · only · round square flat none.
static_assert(table.field(shape_reading) == 0b1111'0'000 && table.bit(shape_reading, flat) == 0b0100'0'000);

constexpr cube all{0b1111'1'111};

cube some(std::initializer_list<colour> colours, std::initializer_list<shape> shapes) {
  cube result{table.bit(size_reading, 0)};
  for (auto const c : colours) result.bits |= table.bit(colour_reading, c);
  for (auto const s : shapes) result.bits |= table.bit(shape_reading, s);
  return result;
}

TEST(reading_table, lays_fields_side_by_side) {
  EXPECT_EQ(table.readings().size(), 3U);
  EXPECT_EQ(table.field(colour_reading), 0b0000'0'111U);
  EXPECT_EQ(table.field(size_reading), 0b0000'1'000U);
  EXPECT_EQ(table.field(shape_reading), 0b1111'0'000U);
  EXPECT_EQ(some({red, green, blue}, {round, square, flat, none}), all);
  EXPECT_EQ(some({blue}, {square}), cube{0b0010'1'100});
}

TEST(reading_table, holds_the_readings_it_is_given) {
  std::vector const last_two(rows.begin() + 1, rows.end());
  reading_table const small(last_two);
  EXPECT_EQ(small.readings().front().name, "size");
  EXPECT_EQ(small.field(1), 0b1111'0U);
}

TEST(reading_table, admits_what_is_at_most_as_doubtful) {
  EXPECT_EQ(table.admitting(standing::canonical), some({green}, {round}));
  EXPECT_EQ(table.admitting(standing::open), some({red, green}, {round, square, flat}));
  EXPECT_EQ(table.admitting(standing::hazard), all);
}

TEST(reading_table, finds_by_name) {
  EXPECT_EQ(table.find("colour"), colour_reading);
  EXPECT_EQ(table.find("shape"), shape_reading);
  EXPECT_EQ(table.find("round"), std::nullopt);
  EXPECT_EQ(table.find(colour_reading, "blue"), blue);
  EXPECT_EQ(table.find(shape_reading, "none"), none);
  EXPECT_EQ(table.find(colour_reading, "none"), std::nullopt);
  std::array const but_the_last{reading{"shape", std::span(shape_names).first(3)}};
  EXPECT_EQ(reading_table(but_the_last).find(0, "none"), std::nullopt) << "it stands behind them";
}

TEST(cubes, are_equal_where_they_hold_the_same) {
  EXPECT_EQ(some({red}, {flat}), some({red}, {flat}));
  EXPECT_NE(some({red}, {flat}), some({red}, {flat, none}));
}

TEST(cubes, have_in_common_what_every_field_shares) {
  EXPECT_EQ(table.common(some({red, green}, {round, flat}), some({green, blue}, {flat, none})), some({green}, {flat}));
  EXPECT_EQ(table.common(all, some({red}, {none})), some({red}, {none}));
  EXPECT_EQ(table.common(some({red}, {round}), some({green, blue}, {round})), std::nullopt);
  EXPECT_EQ(table.common(some({red}, {round}), some({red}, {square})), std::nullopt);
}

TEST(cubes, join_where_the_union_is_a_product) {
  EXPECT_EQ(table.joined(some({red}, {round}), some({blue}, {round})), some({red, blue}, {round}));
  EXPECT_EQ(table.joined(some({red, blue}, {flat}), some({red, blue}, {none})), some({red, blue}, {flat, none}));
  EXPECT_EQ(table.joined(all, all), all);
  EXPECT_EQ(table.joined(some({red}, {round}), some({blue}, {flat})), std::nullopt);
}

TEST(cubes, pin_one_reading) {
  EXPECT_EQ(table.with(all, shape_reading, flat), some({red, green, blue}, {flat}));
  EXPECT_EQ(table.with(some({red}, {round}), colour_reading, blue), some({blue}, {round}));
}

TEST(cubes, know_their_simplest_assignment) {
  EXPECT_EQ(table.simplest(all), some({green}, {round}));
  EXPECT_EQ(table.simplest(some({red, blue}, {flat, none})), some({red}, {flat}));
  EXPECT_EQ(table.simplest(some({green, blue}, {none})), some({green}, {none}));
  EXPECT_EQ(table.deviations(some({green}, {round})), 0);
  EXPECT_EQ(table.deviations(some({green}, {none})), 1);
  EXPECT_EQ(table.deviations(some({red}, {flat})), 2);
}

TEST(common_cubes, are_those_of_each_with_each) {
  std::vector const reds_and_blues{some({red}, {round, flat}), some({blue}, {round, flat})};
  std::vector const flats_and_nones{some({red, blue}, {flat}), some({red, green}, {none})};
  EXPECT_EQ(common_cubes(table, reds_and_blues, flats_and_nones),
            (std::vector{some({red}, {flat}), some({blue}, {flat})}));
  EXPECT_EQ(common_cubes(table, reds_and_blues, {}), std::vector<cube>{});
}

TEST(join_cubes, leaves_no_two_that_could_be_one) {
  // Singles to rows, rows to the whole: the first two joins make a third possible.
  std::vector<cube> quarters{some({red}, {round}), some({blue}, {flat}), some({blue}, {round}), some({red}, {flat})};
  join_cubes(table, quarters);
  EXPECT_EQ(quarters, (std::vector{some({red, blue}, {round, flat})}));

  std::vector<cube> corner{some({red}, {round}), some({blue}, {flat}), some({blue}, {round})};
  join_cubes(table, corner);
  EXPECT_EQ(corner, (std::vector{some({red, blue}, {round}), some({blue}, {flat})}));

  std::vector<cube> diagonal{some({red}, {round}), some({blue}, {flat})};
  join_cubes(table, diagonal);
  EXPECT_EQ(diagonal, (std::vector{some({red}, {round}), some({blue}, {flat})}));

  std::vector<cube> nothing;
  join_cubes(table, nothing);
  EXPECT_TRUE(nothing.empty());
}

TEST(chooser, goes_on_with_one_alternative_and_leaves_exactly_the_others) {
  std::vector<cube> elsewhere;
  chooser readings(table, some({green, blue}, {round, square, none}), elsewhere);
  EXPECT_EQ(readings.choose(colour_reading), green);
  EXPECT_EQ(readings.here(), some({green}, {round, square, none}));
  EXPECT_EQ(elsewhere, (std::vector{some({blue}, {round, square, none})}));
  EXPECT_EQ(readings.choose<shape>(shape_reading), round);
  EXPECT_EQ(readings.here(), some({green}, {round}));
  EXPECT_EQ(elsewhere, (std::vector{some({blue}, {round, square, none}), some({green}, {square, none})}));
}

TEST(chooser, forks_on_the_first_question_only) {
  std::vector<cube> elsewhere;
  chooser readings(table, all, elsewhere);
  for (int asked = 0; asked < 3; ++asked) EXPECT_EQ(readings.choose(shape_reading), round);
  EXPECT_EQ(elsewhere, (std::vector{some({red, green, blue}, {square, flat, none})}));
}

TEST(chooser, never_forks_where_a_single_alternative_is_left) {
  std::vector<cube> elsewhere;
  cube const one = some({blue}, {none});
  chooser readings(table, one, elsewhere);
  EXPECT_EQ(readings.choose(size_reading), 0U);
  EXPECT_EQ(readings.choose(shape_reading), none);
  EXPECT_EQ(readings.choose(colour_reading), blue);
  EXPECT_EQ(readings.here(), one);
  EXPECT_TRUE(elsewhere.empty());
}

// Whoever takes up everything left behind meets every assignment once.
TEST(chooser, splits_a_cube_without_loss_or_overlap) {
  std::vector<cube> elsewhere{all};
  std::vector<cube> met;
  while (!elsewhere.empty()) {
    cube const here = elsewhere.back();
    elsewhere.pop_back();
    chooser readings(table, here, elsewhere);
    if (readings.choose<colour>(colour_reading) != green) static_cast<void>(readings.choose(shape_reading));
    met.push_back(readings.here());
    ASSERT_LE(met.size(), 12U) << "more cubes than assignments";
  }
  EXPECT_EQ(met.size(), 4U + 1U + 4U);  // green never asks for the shape
  for (unsigned c = 0; c < 3; ++c) {
    for (unsigned s = 0; s < 4; ++s) {
      cube const single = some({static_cast<colour>(c)}, {static_cast<shape>(s)});
      int covering = 0;
      for (auto const m : met) covering += table.common(m, single) ? 1 : 0;
      EXPECT_EQ(covering, 1) << colour_names[c].name << ", " << shape_names[s].name;
    }
  }
}

}  // namespace
}  // namespace backoff::spec
