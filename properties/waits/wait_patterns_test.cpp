// Waits that follow a rule, and waits that nearly do.
#include "waits/wait_patterns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace backoff::waits {
namespace {

constexpr double ms = 1e6;
tolerance const allowed{3'000'000, 50'000'000, 20'000'000, {}};

// 200 ms, doubled, at most `cap`, and `spread` of it either way.
std::vector<range_ns> doubled(std::size_t count, double cap = 1e9, double spread = 0) {
  std::vector<range_ns> all;
  for (std::size_t n = 0; n < count; ++n) {
    double const delay = std::min(cap, 200 * std::pow(2, n)) * ms;
    all.push_back({delay * (1 - spread), delay * (1 + spread)});
  }
  return all;
}

// seen[i]: the waits before retry i + 1, in milliseconds. documented has one range more.
std::string told(std::vector<std::vector<double>> const& seen, std::vector<range_ns> const& documented) {
  std::vector<wait_row> rows;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    wait_row row{.retry = i + 1, .documented = documented[i], .seen = {}};
    for (double const wait : seen[i]) {
      bool const is_early = wait * ms < documented[i].low - static_cast<double>(allowed.early_ns);
      bool const is_late = wait * ms > documented[i].high + static_cast<double>(allowed.late_ns);
      row.seen.push_back({wait * ms, !is_early && !is_late});
      row.early += is_early ? 1U : 0U;
      row.late += is_late ? 1U : 0U;
    }
    rows.push_back(std::move(row));
  }
  return pattern_of(rows, documented[seen.size()], allowed).value_or("");
}

TEST(wait_patterns, tell_what_all_wrong_waits_have_in_common) {
  EXPECT_EQ(told({{201}, {203}, {202}}, doubled(4)), "each wait is about 201 ms: they do not grow");
  EXPECT_EQ(told({{401}, {802}, {1603}}, doubled(4)),
            "each wait is the documented delay of the next retry: the first one is left out");
  EXPECT_EQ(told({{1}, {202}, {403}, {801}}, doubled(5)),
            "from the second on, each wait is the documented delay of the retry before; the first is 1 ms");
  EXPECT_EQ(told({{600.5}, {1200}, {2400}}, doubled(4)), "each wait is about 3 times the documented delay");
  EXPECT_EQ(told({{201}, {402}, {801}, {1602}}, doubled(5, 400)),
            "waits grow on, to 1602 ms, where the document holds them at 400 ms at most");
  EXPECT_EQ(told({{201}, {402}, {500}, {501}}, doubled(5)),
            "waits stop growing at 501 ms, where the document lets them grow");
  EXPECT_EQ(told({{201}, {301}, {452}, {677}}, doubled(5)),
            "each wait is about 1.50 times the one before, where the document has 2.00 times");
}

TEST(wait_patterns, tell_no_factor_where_only_the_last_wait_is_wrong) {
  EXPECT_EQ(
      told(
          {{50.6}, {100.6}, {200.7}, {350.6}},
          {{50 * ms, 50 * ms}, {100 * ms, 100 * ms}, {200 * ms, 200 * ms}, {400 * ms, 400 * ms}, {400 * ms, 400 * ms}}),
      "");
}

TEST(wait_patterns, tell_a_time_that_is_added_or_left_out) {
  EXPECT_EQ(told({{351}, {552}, {950}}, doubled(4)), "each wait is about 150 ms longer than documented");
  EXPECT_EQ(told({{150}, {351}, {750}}, doubled(4)), "each wait is about 50 ms shorter than documented");
}

// The tolerance for a slow program is no reason to take two delays for one.
TEST(wait_patterns, are_none_of_linear_waits_and_of_delays_that_begin_with_0) {
  EXPECT_EQ(told({{201}, {402}, {601}, {803}}, doubled(5)), "");
  EXPECT_EQ(told({{101}, {202}, {301}, {403}}, doubled(5)), "");
  std::vector<range_ns> const listed{{0, 0}, {200 * ms, 200 * ms}, {500 * ms, 500 * ms}, {900 * ms, 900 * ms}};
  EXPECT_EQ(told({{1}, {500}, {202}}, listed), "");
  EXPECT_EQ(told({{6}, {101}, {150}}, listed), "");
}

TEST(wait_patterns, are_none_where_one_wait_does_not_fit) {
  EXPECT_EQ(told({{201}, {203}, {500}}, doubled(4)), "");
  EXPECT_EQ(told({{401}, {802}, {1900}}, doubled(4)), "");
  EXPECT_EQ(told({{201, 300}, {203}, {202}}, doubled(4)), "");
}

TEST(wait_patterns, are_none_of_right_waits_and_of_two_retries) {
  EXPECT_EQ(told({{201}, {402}, {801}}, doubled(4)), "");
  EXPECT_EQ(told({{401}, {802}}, doubled(3)), "");
}

// Three waits in the middle of wide ranges fit many rules; waits that fill them fit one.
TEST(wait_patterns, leave_no_more_room_than_the_waits_fill) {
  auto const jittered = doubled(4, 1e9, 0.5);
  EXPECT_EQ(told({{500}, {1000}, {2000}}, jittered), "");
  EXPECT_EQ(told({{220, 300, 400, 500, 590}, {420, 600, 800, 1000, 1190}, {850, 1200, 1600, 2000, 2390}}, jittered),
            "each wait is the documented delay of the next retry: the first one is left out");
}

}  // namespace
}  // namespace backoff::waits
