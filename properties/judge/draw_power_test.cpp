// The power of a pass: enough draws show every gross fault, few show none.
#include "judge/draw_power.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace backoff::conformance;

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

}  // namespace
