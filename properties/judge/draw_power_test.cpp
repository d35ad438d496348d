// The power of a pass: enough draws show every gross fault, few show none.
#include "judge/draw_power.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace {

using namespace backoff::judge;

constexpr draw_tests_mask all_tests = (draw_tests_mask{1} << draw_tests) - 1;
constexpr double alpha = 1e-9;

// So many histories of four draws from windows of these many values; 0: real values.
sampled_draws sampled(unsigned histories, std::array<std::uint64_t, 4> const& windows) {
  sampled_draws result(all_tests);
  draw_sequence history;
  for (std::uint32_t i = 0; i < windows.size(); ++i) {
    double const mass = windows[i] == 0 ? 0 : 1 / static_cast<double>(windows[i]);
    history.push_back({{0, mass, mass, mass, windows[i]}, 0, i});
  }
  for (unsigned i = 0; i < histories; ++i) result.take(history, {});
  return result;
}

unsigned caught(std::vector<power> const& all, std::string_view name) {
  auto const at = std::ranges::find_if(all, [&](power const& p) { return p.fault->name == name; });
  return at->caught;
}

// --- what the faults are ---

draw_fault const& fault_named(std::string_view name) {
  return *std::ranges::find(draw_faults(), name, &draw_fault::name);
}

// So many draws of one instance from a window of so many values, or of real ones.
draw_sequence windows_of(std::uint64_t values, std::size_t draws) {
  return draw_sequence(draws, {{.values = values}, 0, 0});
}

// How often each of the values comes.
std::vector<double> shares(draw_sequence const& drawn, std::size_t values) {
  std::vector<double> result(values);
  for (auto const& d : drawn) {
    result.at(static_cast<std::size_t>(std::lround(d.part.below * static_cast<double>(values)))) +=
        1 / static_cast<double>(drawn.size());
    EXPECT_NEAR(d.part.width(), 1 / static_cast<double>(values), 1e-12);
  }
  return result;
}

void expect_shares(std::vector<double> const& seen, std::vector<double> const& expected, std::string_view of) {
  ASSERT_EQ(seen.size(), expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_NEAR(seen[i], expected[i], 0.02) << of << ", value " << i;
}

TEST(draw_faults, that_a_pass_must_exclude) {
  std::vector<std::string_view> gross;
  for (auto const& f : draw_faults()) {
    if (f.gross) gross.push_back(f.name);
  }
  EXPECT_EQ(gross, (std::vector<std::string_view>{"no-jitter", "half-window", "less-of-two", "mass-at-the-cap",
                                                  "repeats", "same-again"}));
}

TEST(draw_faults, draw_what_they_say) {
  double const cap = 0.37;
  double const low = (1 - cap) / 4;
  std::vector<std::pair<std::string_view, std::vector<double>>> const expected{
      {"no-jitter", {0, 0, 0, 1}},
      {"half-window", {0.5, 0.5, 0, 0}},
      {"less-of-two", {7.0 / 16, 5.0 / 16, 3.0 / 16, 1.0 / 16}},
      {"mass-at-the-cap", {low, low, low, low + cap}},
      {"repeats", {0.25, 0.25, 0.25, 0.25}},
      {"same-again", {0.25, 0.25, 0.25, 0.25}},
      {"half-ends", {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
      {"15-bit-generator", {0.25, 0.25, 0.25, 0.25}},
  };
  ASSERT_EQ(draw_faults().size(), expected.size());
  for (auto const& [name, of_four] : expected) {
    random_bits random(1);
    expect_shares(shares(drawn_by(fault_named(name), windows_of(4, 8'000), random), 4), of_four, name);
  }
}

// Real values, seen in four bins.
TEST(draw_faults, draw_real_values_too) {
  std::vector<std::pair<std::string_view, std::vector<double>>> const expected{
      {"no-jitter", {0, 0, 0, 1}},
      {"mass-at-the-cap", {0.1575, 0.1575, 0.1575, 0.5275}},
      {"half-ends", {0.25, 0.25, 0.25, 0.25}},
      {"15-bit-generator", {0.25, 0.25, 0.25, 0.25}},
  };
  for (auto const& [name, quarters] : expected) {
    random_bits random(1);
    auto drawn = drawn_by(fault_named(name), windows_of(0, 8'000), random);
    for (auto& d : drawn) {
      EXPECT_EQ(d.part.width(), 0);
      d.part.below = std::floor(d.part.below * 4) / 4;
      d.part.upto = d.part.below + 0.25;
    }
    expect_shares(shares(drawn, 4), quarters, name);
  }
}

TEST(draw_faults, mass_at_the_cap_is_in_the_widest_window_alone) {
  random_bits random(1);
  auto windows = windows_of(2, 8'000);
  windows.push_back({{.values = 3}, 0, 0});
  auto drawn = drawn_by(fault_named("mass-at-the-cap"), windows, random);
  drawn.pop_back();
  expect_shares(shares(drawn, 2), {0.5, 0.5}, "narrow");
}

// The same point, on the same instance, and what it means in a window of another size.
TEST(draw_faults, repeats_stay_on_their_instance) {
  draw_sequence windows;
  for (std::uint32_t i = 0; i < 4'000; ++i)
    windows.push_back({{.values = 1'000 + i}, static_cast<std::uint8_t>(i % 2), i});
  random_bits random(1);
  auto const drawn = drawn_by(fault_named("repeats"), windows, random);
  double again = 0;
  for (std::size_t i = 2; i < drawn.size(); ++i)
    again += std::abs(drawn[i].part.below - drawn[i - 2].part.below) < 2e-3 ? 1 : 0;
  EXPECT_NEAR(again / 4'000, 0.5, 0.02);
}

TEST(draw_faults, fresh_instances_draw_the_same_again) {
  random_bits random(1);
  auto const one = drawn_by(fault_named("same-again"), windows_of(1'000, 20), random);
  EXPECT_EQ(drawn_by(fault_named("same-again"), windows_of(1'000, 20), random), one);
  EXPECT_NE(drawn_by(fault_named("repeats"), windows_of(1'000, 20), random),
            drawn_by(fault_named("repeats"), windows_of(1'000, 20), random));
}

TEST(draw_faults, fifteen_bits_are_too_few_for_a_window_beyond_them) {
  random_bits random(1);
  random_bits same(1);
  for (auto const& d : drawn_by(fault_named("15-bit-generator"), windows_of(20'001, 500), random))
    EXPECT_EQ(std::llround(d.part.below * 20'001), static_cast<std::int64_t>(same() % 32'768 % 20'001));
  for (auto const& d : drawn_by(fault_named("15-bit-generator"), windows_of(0, 500), random))
    EXPECT_EQ(d.part.below * 32'768, static_cast<double>(same() % 32'768));
}

// What a point stands for.
template <int Thousandths>
drawn_part at_point(drawn_part const& window) {
  draw_fault const fixed{"", "", false, [](drawing const&) noexcept { return Thousandths / 1'000.0; }};
  random_bits random(1);
  return drawn_by(fixed, {{window, 0, 0}}, random).front().part;
}

TEST(draw_faults, a_point_stands_for_the_value_that_it_falls_on) {
  drawn_part const four{0, 0, 0.25, 0.25, 4};
  EXPECT_EQ(at_point<0>(four), (drawn_part{0, 0.25, 0.25, 0.25, 4}));
  EXPECT_EQ(at_point<749>(four), (drawn_part{0.5, 0.75, 0.25, 0.25, 4}));
  EXPECT_EQ(at_point<750>(four), (drawn_part{0.75, 1, 0.25, 0.25, 4}));
  EXPECT_EQ(at_point<600>({0, 0, 0, 0, 1}), (drawn_part{0, 1, 0, 0, 1}));
  EXPECT_EQ(at_point<600>({0, 0, 0, 0, 0, 2}), (drawn_part{0.5, 1, 0, 0, 0, 2}));
  drawn_part const cut{0.5, 0.5, 0.25, 0.125, 0};
  EXPECT_EQ(at_point<249>(cut), (drawn_part{0, 0.25, 0.25, 0.125, 0}));
  EXPECT_EQ(at_point<250>(cut), (drawn_part{0.25, 0.25, 0.25, 0.125, 0}));
  EXPECT_EQ(at_point<874>(cut), (drawn_part{0.874, 0.874, 0.25, 0.125, 0}));
  for (auto const& highest : {at_point<875>(cut), at_point<999>(cut)})
    EXPECT_EQ(highest, (drawn_part{0.875, 1, 0.25, 0.125, 0}));
}

// --- and how often they are caught ---

TEST(draw_power, many_draws_show_every_gross_fault) {
  for (auto const& windows : {std::array<std::uint64_t, 4>{3, 5, 12, 12}, {101, 201, 20'001, 20'001}, {0, 0, 0, 0}}) {
    for (auto const& p : power_on(sampled(400, windows), alpha, all_tests)) {
      EXPECT_EQ(p.tried, 10U);
      if (p.fault->gross) {
        EXPECT_EQ(p.caught, p.tried) << p.fault->name << " in windows of " << windows[3];
      }
    }
  }
}

TEST(draw_power, few_draws_show_nothing) {
  for (auto const& p : power_on(sampled(2, {3, 5, 12, 12}), alpha, all_tests)) EXPECT_EQ(p.caught, 0U) << p.fault->name;
}

// Half-weight ends show in small windows alone, a small generator in large ones alone.
TEST(draw_power, fine_faults_show_where_windows_let_them) {
  auto const small = power_on(sampled(1'000, {5, 5, 5, 5}), alpha, all_tests);
  auto const large = power_on(sampled(1'000, {20'001, 20'001, 20'001, 20'001}), alpha, all_tests);
  EXPECT_EQ(caught(small, "half-ends"), 10U);
  EXPECT_EQ(caught(large, "half-ends"), 0U);
  EXPECT_EQ(caught(small, "15-bit-generator"), 0U);
  EXPECT_EQ(caught(large, "15-bit-generator"), 10U);
}

// A point mass at either end of values that are otherwise real: a draw that is cut to a bound.
TEST(draw_power, values_with_a_mass_at_their_ends_are_drawn_too) {
  sampled_draws cut(all_tests);
  for (unsigned i = 0; i < 400; ++i) cut.take({{{0, 0.25, 0.25, 0.25, 0}, 0, 0}, {{0, 0, 0.25, 0.25, 0}, 0, 1}}, {});
  for (auto const& p : power_on(cut, alpha, all_tests)) {
    if (p.fault->gross) {
      EXPECT_EQ(p.caught, p.tried) << p.fault->name;
    }
  }
}

// What is only seen to lie in one of some cells cannot show how finely it was drawn.
TEST(draw_power, cells_show_gross_faults_and_hide_fine_ones) {
  sampled_draws cells(all_tests);
  for (unsigned i = 0; i < 1'000; ++i) cells.take({{{0, 0.0625, 0, 0, 0, 16}, 0, 0}, {{0, 0.2, 0, 0, 0, 5}, 0, 1}}, {});
  auto const all = power_on(cells, alpha, all_tests);
  for (auto const& p : all) {
    if (p.fault->gross) {
      EXPECT_EQ(p.caught, p.tried) << p.fault->name;
    }
  }
  EXPECT_EQ(caught(all, "15-bit-generator"), 0U);
  EXPECT_EQ(caught(all, "half-ends"), 0U);
}

// ---- Faults that begin late ----

// So many histories of draws at attempts 1 to 100, from windows of as many values as `window` says.
template <class Window>
sampled_draws sampled_up_to_100(unsigned histories, Window window) {
  sampled_draws result(all_tests);
  draw_sequence history;
  for (std::uint32_t attempt = 1; attempt <= 100; ++attempt) {
    history.push_back({window(attempt), 0, attempt - 1});
    history.back().part.attempt = attempt;
  }
  for (unsigned i = 0; i < histories; ++i) result.take(history, {});
  return result;
}
drawn_part window_of(std::uint64_t values) {
  double const mass = 1 / static_cast<double>(values);
  return {0, mass, mass, mass, values};
}

TEST(late_power, is_up_to_the_last_attempt_from_which_on_a_fault_shows) {
  auto const wide = [](std::uint32_t) { return window_of(1'000'000); };
  auto const many = late_power_on(sampled_up_to_100(20, wide), alpha, all_tests);
  EXPECT_EQ(many.tested, 96U) << "the first of the attempts that stand together with the last";
  EXPECT_EQ(many.drawn, 100U);
  auto const one = late_power_on(sampled_up_to_100(1, wide), alpha, all_tests);
  EXPECT_LT(one.tested, 100U);
  EXPECT_GT(one.tested, 72U);
  auto const narrow = late_power_on(sampled_up_to_100(1, [](std::uint32_t) { return window_of(2); }), alpha, all_tests);
  EXPECT_LT(narrow.tested, 60U);
  EXPECT_EQ(narrow.drawn, 100U);
}

TEST(late_power, ends_where_windows_have_become_too_few) {
  auto const early = [](std::uint32_t attempt) { return window_of(attempt <= 30 ? 1'000'000 : 2); };
  auto const all = late_power_on(sampled_up_to_100(3, early), alpha, all_tests);
  auto const few = late_power_on(sampled_up_to_100(1, early), alpha, all_tests);
  EXPECT_GT(all.tested, few.tested);
}

// What is likely anyway shows no fault: only what else may come is asked for.
TEST(late_power, asks_for_no_fault_that_is_none) {
  auto const cut = [](std::uint32_t attempt) {
    return attempt <= 30 ? drawn_part{0, 0, 0, 1.0 / 1'024, 0} : drawn_part{0, 0, 0, 1 - 0x1p-40, 0};
  };
  EXPECT_EQ(late_power_on(sampled_up_to_100(20, cut), alpha, all_tests).tested, 96U);
}

TEST(late_power, is_none_without_draws_or_tests) {
  auto const wide = [](std::uint32_t) { return window_of(1'000'000); };
  auto const unplaced = late_power_on(sampled(100, {9, 9, 9, 9}), alpha, all_tests);
  EXPECT_EQ(unplaced.tested, 0U);
  EXPECT_EQ(unplaced.drawn, 0U);
  EXPECT_EQ(late_power_on(sampled_up_to_100(20, wide), alpha, bit(draw_test::halves)).tested, 0U);
  EXPECT_GT(late_power_on(sampled_up_to_100(20, wide), alpha, bit(draw_test::late_grains)).tested, 72U);
  EXPECT_EQ(late_power_on(sampled_up_to_100(20, wide), alpha, bit(draw_test::late_repeats)).tested, 0U);
}

}  // namespace
