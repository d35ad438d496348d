// Sleeps of Retry Utilities after a hidden jitter, by hand. Each sleep stands among those that the possible jitters
// allow; the sleeps before it say how likely each jitter is.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "histories/present.hpp"
#include "judge/hidden_draws.hpp"
#include "judge/judged_system.hpp"

namespace {

using namespace backoff::judge;
using backoff::spec::cube;

judged_system const& retry_utils() { return *find_judged_system("aws_retry_utils"); }

struct loop {
  std::int64_t initial_s, max_s, jitter_s;
  std::int64_t max_attempts = 0;
};

cube canonical() { return retry_utils().readings().admitting(backoff::spec::standing::canonical); }
cube reading(std::string_view name, std::string_view alternative, cube beside = canonical()) {
  auto const& table = retry_utils().readings();
  unsigned const r = present(table.find(name));
  return table.with(beside, r, present(table.find(r, alternative)));
}

constexpr std::int64_t exhausted = -1;
constexpr draw_tests_mask all_tests = (draw_tests_mask{1} << draw_tests) - 1;

// What the sleeps of one cycle tell; and the windows that the port shows beside them, from the reset on.
draw_sequence told_by(loop const& of, std::vector<std::int64_t> const& sleeps, cube under = canonical(),
                      std::vector<std::int64_t> const& windows = {}, std::int32_t exponent = 0) {
  history h{{value::of(of.initial_s), value::of(of.max_s), value::of(of.jitter_s), value::of(of.max_attempts)},
            {{1, 0, {}}}};
  std::vector<answer> answers{{observed::word(2)}};
  for (auto const slept : sleeps) {
    h.steps.push_back({0, 0, {}});
    answers.push_back(slept == exhausted ? answer{observed::word(1)} : answer{observed::word(0), observed::of(slept)});
  }
  for (std::size_t i = 0; i < windows.size(); ++i) answers[i][3] = observed::of({windows[i], exponent, false});
  return hidden_draws(retry_utils(), 1e-9, all_tests, {under}).seen_by(under, h, answers);
}

void expect_part(draw_sequence const& told, std::size_t i, drawn_part const& expected) {
  ASSERT_LT(i, told.size());
  auto const& part = told[i].part;
  EXPECT_NEAR(part.below, expected.below, 1e-12) << i;
  EXPECT_NEAR(part.upto, expected.upto, 1e-12) << i;
  EXPECT_NEAR(part.lowest, expected.lowest, 1e-12) << i;
  EXPECT_NEAR(part.highest, expected.highest, 1e-12) << i;
  EXPECT_EQ(part.values, expected.values) << i;
}

TEST(hidden_jitter, makes_likely_what_fits_the_sleeps_before) {
  loop const nought_or_one{0, 10, 1};  // windows 0, 0 or 1, 2
  auto told = told_by(nought_or_one, {0, 0});
  expect_part(told, 0, {0, 3.0 / 4, 3.0 / 4, 1.0 / 4, 0});
  expect_part(told, 1, {0, 7.0 / 9, 7.0 / 9, 1.0 / 9, 0});  // 0 was twice as likely without jitter
  told = told_by(nought_or_one, {0, 2});
  expect_part(told, 1, {8.0 / 9, 1, 7.0 / 9, 1.0 / 9, 0});
  told = told_by(nought_or_one, {1, 1});
  expect_part(told, 0, {3.0 / 4, 1, 3.0 / 4, 1.0 / 4, 0});
  expect_part(told, 1, {1.0 / 3, 2.0 / 3, 1.0 / 3, 1.0 / 3, 0});  // there was a jitter
}

// Both windows are cut to 5 at the second sleep.
TEST(hidden_jitter, of_several_values_may_allow_the_longest_sleep) {
  expect_part(told_by({4, 5, 1}, {0, 5}), 1, {5.0 / 6, 1, 1.0 / 6, 1.0 / 6, 6});
}

// After these sleeps a jitter is so unlikely that no double below 1 is as near to 1 as the end of the sleep 0. That end
// is not the end of the longest sleep all the same, and the jitters keep weights that a double can hold.
TEST(hidden_jitter, that_is_all_but_excluded_makes_no_short_sleep_the_longest) {
  draw_sequence const told = told_by({0, 1025, 1}, std::vector<std::int64_t>(200, 0));
  ASSERT_EQ(told.size(), 200U);
  for (auto const& d : told) EXPECT_LT(d.part.upto, 1) << d.number;
  EXPECT_EQ(told_by({1, 1025, 1}, std::vector<std::int64_t>(200, 1025)).size(), 0U) << "1025 is no first sleep";
  std::vector<std::int64_t> rising{1, 2};
  rising.resize(200, 1);
  EXPECT_EQ(told_by({1, 1025, 1}, rising).size(), 200U);
}

TEST(hidden_jitter, leaves_nothing_to_weigh_where_it_can_only_be_0) {
  for (auto const under : {canonical(), reading("jitter-bound", "exclusive")}) {
    loop const one_window{2, 11, under == canonical() ? 0 : 1};
    expect_part(told_by(one_window, {1}, under), 0, {1.0 / 3, 2.0 / 3, 1.0 / 3, 1.0 / 3, 3});
  }
  EXPECT_TRUE(told_by({1, 0, 1}, {0}).empty()) << "no sleep but 0 is possible";
}

TEST(hidden_jitter, of_too_many_values_tells_nothing) {
  EXPECT_EQ(told_by({1, 100, 63}, {1, 2}).size(), 2U);
  EXPECT_TRUE(told_by({1, 100, 64}, {1, 2}).empty());
  cube const real = reading("jitter-resolution", "real");
  EXPECT_EQ(told_by({1, 100, 8}, {1, 2}, real).size(), 2U);
  EXPECT_TRUE(told_by({1, 100, 9}, {1, 2}, real).empty());
  EXPECT_TRUE(told_by({0, 100, 1}, {0, 1}, real).empty()) << "windows as narrow as one likes";
}

// A real sleep of a window of 1 or 2, then of 2 or 4.
TEST(hidden_jitter, may_be_whole_where_sleeps_are_real) {
  auto const told = told_by({1, 10, 1}, {1, 2}, reading("delay-resolution", "real"));
  expect_part(told, 0, {3.0 / 4, 3.0 / 4, 0, 0, 0});
  expect_part(told, 1, {5.0 / 6, 5.0 / 6, 0, 0, 0});  // 1 was twice as likely of the narrower one
  EXPECT_LT(told_by({1, 10, 1}, {2, 4}, reading("delay-resolution", "real"))[1].part.upto, 1);
  EXPECT_EQ(told_by({1, 10, 1}, {2, 4}, reading("delay-resolution", "real")).size(), 2U);
}

// In eighths of a second: windows of 1 1/16 to 1 15/16, then of 2 1/8 to 3 7/8.
TEST(hidden_jitter, may_be_real_where_sleeps_are_whole) {
  cube const real = reading("jitter-resolution", "real");
  auto const told = told_by({1, 10, 1}, {1, 3}, real);
  expect_part(told, 0, {1.0 / 2, 1, 1.0 / 2, 0, 0});
  EXPECT_LT(told[0].part.upto, 1) << "2 would be longer";
  expect_part(told, 1, {7.0 / 8, 1, 7.0 / 24, 0, 0});  // of three numbers, or of four
  double below = 0;
  double longest = 0;
  for (int k = 0; k < 8; ++k) {
    double const window = 1 + (2 * k + 1) / 16.0;
    below += 1 / window / 8;
    longest += (window - 1) / window / 8;
  }
  auto const exclusive = told_by({1, 10, 1}, {1}, reading("upper-bound", "exclusive", real));
  expect_part(exclusive, 0, {below, 1, below, longest, 0});
}

TEST(hidden_jitter, is_of_no_account_at_the_cap) {
  auto const told = told_by({10, 10, 1'000}, {3, 10});
  ASSERT_EQ(told.size(), 2U);
  expect_part(told, 0, {3.0 / 11, 4.0 / 11, 1.0 / 11, 1.0 / 11, 11});
  expect_part(told_by({10, 10, 1'000}, {3}, canonical(), {10, 10}), 0, {3.0 / 11, 4.0 / 11, 1.0 / 11, 1.0 / 11, 11});
  EXPECT_EQ(told_by({10, 20, 1'000}, {3, 5}).size(), 1U) << "the first window is any from 10 on";
  EXPECT_EQ(told_by({10, 10, 1'000}, {3}, reading("delay-resolution", "real")).size(), 1U);
  loop const once{10, 10, 1'000, 1};
  EXPECT_EQ(told_by(once, {3, exhausted, 3}, reading("exhaustion-state", "resets-itself")).size(), 1U);
}

// 10 and a jitter of 7; after 1 s the window is 34.
TEST(hidden_jitter, is_told_where_the_window_is_shown_and_then_of_no_account) {
  loop const wide{10, 1'000, 100};
  auto const told = told_by(wide, {1, 34, 2}, canonical(), {17, 34, 68, 136});
  ASSERT_EQ(told.size(), 4U);
  expect_part(told, 0, {7.0 / 101, 8.0 / 101, 1.0 / 101, 1.0 / 101, 101});
  expect_part(told, 1, {1.0 / 18, 2.0 / 18, 1.0 / 18, 1.0 / 18, 18});
  expect_part(told, 2, {34.0 / 35, 1, 1.0 / 35, 1.0 / 35, 35});
  EXPECT_EQ(told_by(wide, {1, 34, 2}, canonical(), {17, 34}).size(), 3U);
  expect_part(told_by({1, 100, 5}, {1}, canonical(), {3, 6}), 1, {1.0 / 4, 2.0 / 4, 1.0 / 4, 1.0 / 4, 4});
  auto const capped = told_by({10, 12, 100}, {12}, canonical(), {17});
  expect_part(capped, 0, {12.0 / 13, 1, 1.0 / 13, 1.0 / 13, 13});
  auto const uncapped = told_by({10, 12, 100}, {12}, reading("first-window", "uncapped"), {17});
  expect_part(uncapped, 0, {12.0 / 18, 13.0 / 18, 1.0 / 18, 1.0 / 18, 18});
  auto const beyond = told_by(wide, {20}, canonical(), {17});
  expect_part(beyond, 1, {17.0 / 18, 1, 1.0 / 18, 1.0 / 18, 18});
  auto const real = told_by(wide, {20}, reading("delay-resolution", "real"), {17});
  ASSERT_EQ(real.size(), 2U);
  EXPECT_NEAR(real[1].part.below, 1, 1e-12) << "counts as 17";
  EXPECT_EQ(told_by({0, 1'000, 100}, {0}, canonical(), {0}).size(), 1U) << "0 is the only sleep of that window";
  EXPECT_TRUE(told_by(wide, {1}, reading("jitter-resolution", "real"), {175}, -1).empty()) << "no whole window";
}

TEST(hidden_jitter, that_is_shown_is_one_of_those_that_the_document_admits) {
  loop const of{1, 100, 8};
  expect_part(told_by(of, {}, reading("jitter-bound", "exclusive"), {3}), 0, {2.0 / 8, 3.0 / 8, 1.0 / 8, 1.0 / 8, 8});
  cube const real = reading("jitter-resolution", "real");
  expect_part(told_by(of, {}, real, {3}), 0, {2.0 / 8, 2.0 / 8, 0, 0, 0});
  EXPECT_TRUE(told_by({1, 8, 8}, {}, real, {3}).empty()) << "9 is cut to 8";
  EXPECT_TRUE(told_by({1, 8, 8}, {}, canonical(), {3}).empty());
  EXPECT_EQ(told_by({1, 9, 8}, {}, canonical(), {3}).size(), 1U);
  EXPECT_TRUE(told_by({3, 5, 0}, {1}, reading("empty-window", "undefined"), {3, 5}).empty()) << "anything goes";
  EXPECT_TRUE(told_by(of, {}, reading("base-jitter", "none"), {1}).empty()) << "there is none";
}

// Under the reading that windows double before the first sleep, it is not known whether 4 is 3 + 1 or twice 1 + 1.
TEST(hidden_jitter, is_not_told_where_the_window_may_be_shown_doubled) {
  auto const told = told_by({1, 100, 4}, {0, 3}, reading("attempt-origin", "one"), {4, 8, 16});
  ASSERT_EQ(told.size(), 2U);
  expect_part(told, 1, {3.0 / 9, 4.0 / 9, 1.0 / 9, 1.0 / 9, 9});
  EXPECT_EQ(told[0].part.values, 0U) << "of all jitters";
}

// A reset begins a cycle; the first one of a history begins none again.
TEST(hidden_jitter, of_a_reset_is_the_first_draw_of_its_cycle) {
  history const h{{value::of(1), value::of(100), value::of(5), value::of(0)},
                  {{1, 0, {}}, {0, 0, {}}, {1, 0, {}}, {1, 0, {}}, {0, 0, {}}}};
  auto const shown = [](std::uint8_t status, std::int64_t slept, std::int64_t window) {
    answer a{observed::word(status)};
    if (status == 0) a[1] = observed::of(slept);
    a[3] = observed::of(window);
    return a;
  };
  std::vector<answer> const answers{shown(2, 0, 3), shown(0, 1, 6), shown(2, 0, 5), shown(2, 0, 1), shown(0, 0, 2)};
  auto const told = hidden_draws(retry_utils(), 1e-9, all_tests, {canonical()}).seen_by(canonical(), h, answers);
  ASSERT_EQ(told.size(), 5U);
  std::vector<bool> again;
  std::vector<std::optional<std::uint32_t>> cycle_ago;
  for (auto const& d : told) {
    again.push_back(d.part.again);
    cycle_ago.push_back(d.cycle_ago);
  }
  EXPECT_EQ(again, (std::vector<bool>{false, false, true, true, true}));
  EXPECT_EQ(cycle_ago, (std::vector<std::optional<std::uint32_t>>{{}, {}, 0, 2, {}}));
}

TEST(hidden_jitter, tells_nothing_under_a_reading_that_leaves_the_draws_open) {
  EXPECT_TRUE(told_by({1, 100, 1}, {1, 2}, reading("distribution", "unspecified")).empty());
}

TEST(hidden_jitter, of_a_generator_that_is_seeded_with_the_second_repeats) {
  auto const repeats = [](cube c) {
    auto const told = told_by({1, 100, 1}, {1, 2}, c);
    return told.size() == 2 && told[0].part.repeats && told[1].part.repeats;
  };
  EXPECT_TRUE(repeats(reading("reseed", "each-second")));
  EXPECT_FALSE(repeats(reading("reseed", "independent")));
}

// Whether draws repeat shows where the same history comes twice in a row. Before that they are taken for repeated ones.
TEST(hidden_jitter, of_such_a_generator_is_supposed_to_repeat_until_a_history_comes_again) {
  cube const each_second = reading("reseed", "each-second");
  hidden_draws draws(retry_utils(), 1e-9, all_tests, {each_second});
  auto const takes = [&](std::int64_t max_s, std::int64_t slept) {
    history const h{{value::of(1), value::of(max_s), value::of(0), value::of(0)}, {{1, 0, {}}, {0, 0, {}}, {0, 0, {}}}};
    auto const sleep = [&](std::int64_t s) { return answer{observed::word(0), observed::of(s)}; };
    EXPECT_FALSE(draws.absorb(h, std::vector<answer>{{observed::word(2)}, sleep(slept), sleep(slept)}, {}, true));
    return draws.draws_of(each_second);
  };
  auto const* seen = takes(50, 1);
  EXPECT_FALSE(seen->awaits_repetition()) << "all were new";
  EXPECT_TRUE(seen->repeats_as_supposed());
  EXPECT_FALSE(draws.awaits_repetition());
  seen = takes(60, 0);
  EXPECT_TRUE(seen->awaits_repetition());
  EXPECT_FALSE(seen->repeats_as_supposed()) << "nothing says so";
  EXPECT_TRUE(draws.awaits_repetition());
  seen = takes(60, 0);
  EXPECT_FALSE(seen->awaits_repetition());
  EXPECT_TRUE(seen->repeats_as_supposed());
  for (int i = 0; i < 4; ++i) seen = takes(60, (i + 1) % 2);
  EXPECT_FALSE(seen->awaits_repetition());
  EXPECT_FALSE(seen->repeats_as_supposed());
}

TEST(hidden_jitter, of_a_cycle_that_began_by_itself_is_not_known) {
  EXPECT_EQ(told_by({1, 100, 1, 1}, {1, exhausted, 1}, reading("exhaustion-state", "resets-itself")).size(), 1U);
}

// Windows that double up to half of 100: from 4 to 64, from 3 to 96.
TEST(hidden_jitter, that_fits_no_sleep_any_more_ends_what_is_told) {
  loop const up_to_4{1, 100, 3};
  EXPECT_EQ(told_by(up_to_4, {4, 0, 0, 0, 0, 96, 0}).size(), 7U);
  EXPECT_EQ(told_by(up_to_4, {4, 0, 0, 0, 0, 64, 0}, reading("window-growth", "freeze")).size(), 7U);
  EXPECT_EQ(told_by(up_to_4, {4, 0, 0, 0, 0, 96, 0}, reading("window-growth", "freeze")).size(), 5U);
  EXPECT_EQ(told_by(up_to_4, {3, 0, 0, 0, 0, 96, 0}, reading("window-growth", "freeze")).size(), 7U) << "3 alone";
}

}  // namespace
