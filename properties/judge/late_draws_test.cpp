// The tests by attempt, by hand: which attempts stand together, what each looks for, and that what begins late is found
// and placed. That nothing is gained on average is in e_process_test.cpp.
#include "judge/late_draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "histories/present.hpp"
#include "histories/random.hpp"
#include "judge/e_process.hpp"

namespace {

using namespace backoff::judge;

enum late_name : std::size_t { lower, upper, halves, grains, again };

drawn_part value_at(std::uint64_t k, std::uint64_t m, std::uint32_t attempt) {
  auto const count = static_cast<double>(m);
  return {static_cast<double>(k) / count, static_cast<double>(k + 1) / count, 1 / count, 1 / count, m, 0, attempt};
}
drawn_part any_of(random_bits& random, std::uint64_t m, std::uint32_t attempt) {
  return value_at(random() % m, m, attempt);
}

TEST(late_draws, attempts_stand_alone_as_far_as_code_goes_and_where_words_end) {
  auto const first = attempt_groups();
  EXPECT_EQ(first.front(), 0U);
  EXPECT_TRUE(std::ranges::is_sorted(first));
  EXPECT_EQ(std::ranges::adjacent_find(first), first.end());
  for (std::uint32_t attempt = 0; attempt <= 1'200; ++attempt) {
    auto const g = group_of(attempt);
    ASSERT_LT(g, first.size());
    EXPECT_LE(first[g], attempt);
    if (g + 1 < first.size()) {
      EXPECT_LT(attempt, first[g + 1]);
    }
  }
  for (std::uint32_t const alone : {0U, 1U, 17U, 33U, 65U, 72U, 127U, 128U, 129U, 255U, 256U, 1'023U, 1'024U, 1'025U}) {
    EXPECT_EQ(first[group_of(alone)], alone);
  }
  EXPECT_EQ(group_of(~std::uint32_t{0}), first.size() - 1);
}

// Histories of so many attempts in a window of so many values; from attempt `from` to `upto` the draws are wrong.
template <class Draw>
late_draws faulty(std::uint32_t attempts, std::uint64_t m, int histories, std::uint32_t from, std::uint32_t upto,
                  Draw wrong) {
  late_draws bets;
  random_bits random(1);
  for (int i = 0; i < histories; ++i) {
    std::optional<double> previous;
    for (std::uint32_t attempt = 1; attempt <= attempts; ++attempt) {
      bool const is_wrong = attempt >= from && attempt <= upto;
      auto const part = is_wrong ? wrong(random, attempt, previous) : any_of(random, m, attempt);
      bets.take(part, previous);
      previous = part.middle();
    }
  }
  return bets;
}

constexpr std::uint64_t wide = 20'001;
drawn_part smallest(random_bits&, std::uint32_t attempt, std::optional<double>) { return value_at(0, wide, attempt); }
drawn_part largest(random_bits&, std::uint32_t attempt, std::optional<double>) {
  return value_at(wide - 1, wide, attempt);
}
drawn_part lower_half(random_bits& r, std::uint32_t attempt, std::optional<double>) {
  return value_at(r() % (wide / 2), wide, attempt);
}
drawn_part one_sixteenth(random_bits& r, std::uint32_t attempt, std::optional<double>) {
  return value_at(5'100 + r() % 1'000, wide, attempt);
}
drawn_part same(random_bits& r, std::uint32_t attempt, std::optional<double> previous) {
  if (!previous) return any_of(r, wide, attempt);
  return value_at(static_cast<std::uint64_t>(*previous * wide), wide, attempt);
}

TEST(late_draws, each_test_finds_what_it_looks_for_and_where_it_begins) {
  struct {
    late_name test;
    drawn_part (*wrong)(random_bits&, std::uint32_t, std::optional<double>);
  } const rows[]{{lower, smallest}, {upper, largest}, {halves, lower_half}, {grains, one_sixteenth}, {again, same}};
  for (auto const& [test, wrong] : rows) {
    auto const lasting = faulty(72, wide, 12, 61, 72, wrong);
    EXPECT_GT(lasting.gained()[test], std::log(1e9)) << test;
    bool const counts_on = test != again;  // a value that repeated once is no news where it goes on to
    EXPECT_EQ(lasting.found(test), (late_draws::place{61, counts_on})) << test;
    auto const once = faulty(72, wide, 60, 33, 33, wrong);
    EXPECT_GT(once.gained()[test], std::log(1e9)) << test;
    EXPECT_EQ(once.found(test), (late_draws::place{33, false})) << test;
    EXPECT_NE(once.found(test), lasting.found(test)) << test;
    EXPECT_NE(once.found(test), (late_draws::place{33, true})) << test;
    EXPECT_EQ(once.last(), 72U);
  }
}

TEST(late_draws, gain_nothing_on_fair_draws) {
  for (std::uint64_t const m : {std::uint64_t{2}, std::uint64_t{12}, wide}) {
    auto const bets = faulty(300, m, 50, 1, 0, smallest);
    for (auto const gain : bets.gained()) EXPECT_LT(gain, std::log(10)) << m;
  }
}

// What one group has gained counts from each group up to it on, less what as many capitals cost as there may be.
TEST(late_draws, count_what_comes_later) {
  auto const bets = faulty(72, wide, 12, 61, 72, smallest);
  double const cost = std::log(2.0 * static_cast<double>(attempt_groups().size()));
  EXPECT_GT(bets.gained_from(group_of(61), lower) + cost, 11 * 12 * std::log(wide / 2.0));
  EXPECT_GT(bets.gained_from(group_of(61), lower), bets.gained_from(group_of(62), lower));
  EXPECT_NEAR(bets.gained_from(group_of(80), lower), -cost, 1e-12);
  for (std::size_t t = 0; t < late_tests; ++t) EXPECT_GE(bets.most()[t], bets.gained()[t]);
}

// The mean of capitals by hand: one group alone, all from one on, and those that nothing was bet on.
TEST(late_draws, are_the_mean_of_all_their_capitals) {
  late_draws bets;
  bets.take(value_at(0, 4, 2), {});
  bets.take(value_at(0, 4, 3), {});
  bets.take(value_at(1, 4, 3), {});
  double const of_2 = 0.5 / 0.25;
  double const of_3 = 0.5 / 0.25 * (0.25 / 0.75);
  auto const all = 2.0 * static_cast<double>(attempt_groups().size());
  double const sum = of_2 + 2 * of_3 + 3 * (of_2 * of_3) + 2 + (all - 8);
  EXPECT_NEAR(bets.gained()[lower], std::log(sum / all), 1e-12);
}

// A fault in the draws of resets is told as theirs only if the draws of attempts have no fault.
TEST(late_draws, say_what_is_wrong_where_cycles_begin) {
  constexpr std::uint64_t few = 6;
  auto const found = [](bool at_the_start, bool later) {
    late_draws bets;
    random_bits random(7);
    auto const draw = [&](std::uint32_t attempt, bool is_wrong) {
      auto const k = is_wrong ? 1 + random() % (few - 1) : random() % few;
      bets.take(value_at(k, few, attempt), {});
    };
    for (int i = 0; i < 500; ++i) {
      draw(0, at_the_start);
      draw(1, later);
    }
    return bets.found_at_the_start();
  };
  EXPECT_EQ(found(true, false), lower);
  EXPECT_EQ(found(true, true), std::nullopt);
  EXPECT_EQ(found(false, true), std::nullopt);
  EXPECT_EQ(found(false, false), std::nullopt);
  EXPECT_EQ(late_draws().found_at_the_start(), std::nullopt);
  draw_bets bets(bit(draw_test::late_lower_end));
  EXPECT_EQ(bets.found_at_the_start(), std::nullopt);
  for (int i = 0; i < 500; ++i) bets.take(value_at(3, few, 0), {});
  EXPECT_EQ(bets.found_at_the_start(), draw_test::late_grains);
}

TEST(late_draws, count_the_ends_where_they_found_something) {
  late_draws bets;
  for (std::uint32_t attempt = 0; attempt < 4; ++attempt) {
    for (std::uint64_t k = 0; k < 4; ++k) bets.take(value_at(std::max<std::uint64_t>(k, attempt / 2), 4, attempt), {});
  }
  auto const at = [&](bool upper, std::uint32_t attempt, bool and_later) {
    auto const [seen, tried, expected] = bets.at_an_end(upper, {attempt, and_later});
    EXPECT_NEAR(expected, static_cast<double>(tried) / 4, 1e-12);
    return std::pair(seen, tried);
  };
  EXPECT_EQ(at(false, 0, false), std::pair(1UL, 4UL));
  EXPECT_EQ(at(false, 0, true), std::pair(2UL, 16UL));
  EXPECT_EQ(at(false, 2, true), std::pair(0UL, 8UL));
  EXPECT_EQ(at(true, 3, false), std::pair(1UL, 4UL));
}

TEST(late_draws, stay_numbers_however_much_they_gain) {
  late_draws bets;
  for (int i = 0; i < 1'000; ++i) bets.take(value_at(0, std::uint64_t{1} << 32, 9), 0.0);
  for (auto const gain : bets.gained()) EXPECT_TRUE(std::isfinite(gain));
  EXPECT_GT(bets.gained()[lower], 500);
}

// Among all tests of draws they stand last, and what they found is asked for by their own number.
TEST(late_draws, are_tests_of_draws_by_their_own_number) {
  EXPECT_EQ(late_test(draw_test::near_other_process), std::nullopt);
  EXPECT_EQ(late_test(draw_test::late_lower_end), lower);
  EXPECT_EQ(late_test(draw_test::late_repeats), again);
  draw_bets bets(bit(draw_test::late_lower_end));
  for (int i = 0; i < 20; ++i) bets.take(value_at(0, wide, 33), {});
  auto const [attempt, after_reset] = bets.found(present(late_test(bets.best(~0U))));
  EXPECT_EQ(attempt, (late_draws::place{33, false}));
  EXPECT_FALSE(after_reset);
}

// What is wrong after a reset alone is found there, however many right draws come before a reset.
TEST(late_draws, of_the_cycles_after_a_reset_have_bets_of_their_own) {
  draw_bets bets(bit(draw_test::late_halves));
  random_bits random(3);
  for (int i = 0; i < 3'000; ++i) {
    auto part = value_at(static_cast<std::uint64_t>(random.between(0, 19)), 20, 5);
    if (i % 30 == 0) {
      part = value_at(static_cast<std::uint64_t>(random.between(0, 9)), 20, 5);
      part.again = true;
    }
    bets.take(part, {});
  }
  EXPECT_TRUE(bets.found(present(late_test(draw_test::late_halves))).after_reset);
  EXPECT_GT(bets.gained(), std::log(1e9));
}

// A value that comes again and again is one that the draws fall on too often, whatever comes between.
TEST(late_draws, of_a_value_that_comes_often_are_no_repeats) {
  constexpr std::uint64_t very_wide = std::uint64_t{1} << 32;
  random_bits random(1);
  draw_bets bets((draw_tests_mask{1} << draw_tests) - 1);
  std::optional<double> previous;
  for (std::uint32_t i = 0; i < 60; ++i) {
    auto const m = very_wide >> (i / 20);
    auto const part = random.one_in(2) ? value_at(1, m, 1 + i % 20) : any_of(random, m, 1 + i % 20);
    bets.take(part, {.in_cycle = previous});
    previous = part.middle();
  }
  EXPECT_EQ(text_of(bets.best(~0U)).claim, about_draws::uniform) << text_of(bets.best(~0U)).name;
  EXPECT_LT(bets.gained_by(draw_test::late_repeats), 20);
}

// In a narrow window a value repeats by chance: each repeat counts there.
TEST(late_draws, repeat_by_chance_in_narrow_windows) {
  for (auto const& [m, counts] : {std::pair{std::uint64_t{1'024}, true}, {std::uint64_t{1'025}, false}}) {
    late_draws bets;
    for (int i = 0; i < 20; ++i) bets.take(value_at(7, m, 3), 7.5 / static_cast<double>(m));
    EXPECT_EQ(bets.gained()[again] > 50, counts) << m;
  }
}

// As many as 64 are kept in mind, by their number and by their share of a window.
TEST(late_draws, know_64_values_that_repeated) {
  auto const m = std::uint64_t{1} << 20;
  late_draws bets;
  auto const gains_at = [&](std::uint64_t k, std::uint64_t values) {
    double const before = bets.gained_from(group_of(3), again);
    bets.take(value_at(k, values, 3), (static_cast<double>(k) + 0.5) / static_cast<double>(values));
    return bets.gained_from(group_of(3), again) > before;
  };
  for (std::uint64_t k = 0; k < 65; ++k) EXPECT_TRUE(gains_at(1'000 * k + 500, m));
  EXPECT_FALSE(gains_at(500, m));
  EXPECT_FALSE(gains_at(500, m / 2)) << "the same number";
  EXPECT_FALSE(gains_at(1'001, 2 * m)) << "the same share";
  EXPECT_FALSE(gains_at(63'500, m));
  EXPECT_TRUE(gains_at(64'500, m));
  EXPECT_TRUE(gains_at(64'500, m)) << "one more than are kept";
}

// A value that is certain is no event; a value without a mass of its own has no end.
TEST(late_draws, leave_out_what_tells_nothing) {
  late_draws bets;
  bets.take({0, 1, 1, 1, 1, 0, 4}, 0.5);
  bets.take({0.3, 0.3, 0, 0, 0, 0, 5}, 0.3);
  EXPECT_NEAR(bets.gained()[lower], 0, 1e-12);
  EXPECT_NEAR(bets.gained()[upper], 0, 1e-12);
  EXPECT_NEAR(bets.gained()[again], 0, 1e-12);
  EXPECT_EQ(bets.last(), 5U);
  EXPECT_EQ(late_draws().last(), 0U);
}

}  // namespace
