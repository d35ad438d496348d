// What the model of Retry Utilities says of a step besides its answer, what hidden draws of one jitter leave possible,
// and the states that no history shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "aws_retry_utils/model.hpp"
#include "relation/rational.hpp"
#include "tests/checks.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::aws_retry_utils {
namespace {

constexpr integer unlimited = 0;
constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;

draw u32(std::uint64_t value) { return {draw_kind::u32, value, two_to_32}; }

template <class Model>
auto with(std::vector<pin> const& pins, Model const& model) {
  return under(readings(), pinned(readings(), pins), model);
}

using account = std::tuple<bool, bool, bool, bool, bool, integer, bool, integer>;
account account_of(facts const& f) {
  return {f.grants, f.announces, f.limited, f.again, f.by_itself, f.retries, f.at_cap, f.limit};
}

TEST(utils_facts, follow_the_cycle) {
  checks("AWS-RU-018", "AWS-RU-019", "AWS-RU-021");
  parameters const p{6, 10, 0, 2};
  std::vector<cube> elsewhere;
  chooser choices(readings(), readings().admitting(standing::canonical), elsewhere);
  state s;
  auto const step = [&] { return account_of(back_off(p, s, u32(1), choices).facts); };
  EXPECT_EQ(account_of(reset(p, s, u32(0), choices).facts), account(false, false, false, false, false, 0, false, 0));
  EXPECT_EQ(s, (state{u32(0), 0, false, origin::first_reset}));
  EXPECT_EQ(step(), account(true, false, true, false, false, 0, false, 10));
  EXPECT_EQ(step(), account(true, false, true, false, false, 1, true, 10));
  EXPECT_EQ(step(), account(false, true, true, false, false, 2, false, 10));
  EXPECT_EQ(step(), account(false, false, true, false, false, 2, false, 10));
  EXPECT_EQ(s, (state{u32(0), 2, true, origin::first_reset}));
  EXPECT_EQ(account_of(reset(p, s, u32(5), choices).facts), account(false, false, false, true, false, 0, false, 0));
  EXPECT_EQ(s, (state{u32(5), 0, false, origin::later_reset}));
  EXPECT_EQ(step(), account(true, false, true, true, false, 0, false, 10));
}

TEST(utils_facts, know_no_limit_and_no_other_cycle_without_one) {
  checks("AWS-RU-018", "AWS-RU-020");
  std::vector<cube> elsewhere;
  chooser choices(readings(), readings().admitting(standing::canonical), elsewhere);
  state s;
  EXPECT_EQ(account_of(back_off({6, 10, 0, unlimited}, s, u32(1), choices).facts),
            account(true, false, false, false, false, 0, false, 10));
}

TEST(utils_facts, know_a_cycle_that_began_by_itself) {
  checks("AWS-RU-019", "AWS-RU-021");
  std::vector<cube> elsewhere;
  chooser choices(readings(), pinned(readings(), {{"exhaustion-state", "resets-itself"}}), elsewhere);
  state s{u32(0), 1, false, origin::first_reset};
  parameters const p{6, 10, 0, 1};
  EXPECT_EQ(account_of(back_off(p, s, u32(1), choices).facts), account(false, true, true, false, false, 1, false, 10));
  EXPECT_EQ(s, (state{u32(1), 0, false, origin::itself}));
  EXPECT_EQ(account_of(back_off(p, s, u32(1), choices).facts), account(true, false, true, true, true, 0, false, 10));
  EXPECT_EQ(account_of(back_off(p, s, u32(1), choices).facts), account(false, true, true, true, true, 1, false, 10));
  EXPECT_EQ(account_of(reset(p, s, u32(1), choices).facts), account(false, false, false, true, false, 0, false, 0));
}

TEST(utils_facts, know_where_the_windows_can_be) {
  checks("AWS-RU-003", "AWS-RU-018");
  auto const facts_of = [](parameters const& p, std::vector<draw> const& draws, std::vector<pin> const& pins) {
    return with(pins, [&](chooser& choices) {
      state s;
      static_cast<void>(reset(p, s, draws.front(), choices));
      facts f;
      for (std::size_t i = 1; i < draws.size(); ++i) f = back_off(p, s, draws[i], choices).facts;
      return std::pair(f.at_cap, f.limit);
    });
  };
  std::vector<pin> const real{{"draw-mapping", "real"}, {"jitter-mapping", "real"}};
  auto uncapped = real;
  uncapped.push_back({"first-window", "uncapped"});
  draw const third{draw_kind::rand, 1, 3};
  EXPECT_EQ(facts_of({4, 5, 2, unlimited}, {u32(1), u32(1)}, {}), std::pair(true, integer{5}));
  EXPECT_EQ(facts_of({4, 5, 2, unlimited}, {{}, {}}, {}), std::pair(false, integer{5})) << "4, or 5";
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {{}, {}}, {}), std::pair(true, integer{5}));
  EXPECT_EQ(facts_of({4, 5, 2, unlimited}, {third, third}, real), std::pair(false, integer{5})) << "4 2/3";
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {third, third}, real), std::pair(true, integer{5}));
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {third, third}, uncapped), std::pair(false, integer{6})) << "5 2/3";
  EXPECT_EQ(facts_of({4, 5, 2, unlimited}, {{}, {}}, {{"jitter-resolution", "real"}}), std::pair(false, integer{5}));
  EXPECT_EQ(facts_of({5, 5, 3, unlimited}, {third, third}, uncapped), std::pair(false, integer{6})) << "6";
  EXPECT_EQ(facts_of({9, 5, 2, unlimited}, {u32(1), u32(1)}, {{"first-window", "uncapped"}}),
            std::pair(false, integer{10}));
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {{}, {}}, {{"first-window", "uncapped"}}), std::pair(false, integer{7}));
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {{}, {}}, uncapped), std::pair(false, integer{7})) << "5, or up to 7";
  std::vector<pin> const real_uncapped{{"jitter-resolution", "real"}, {"first-window", "uncapped"}};
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {{}, {}}, real_uncapped), std::pair(false, integer{7}));
  auto near_uncapped = real_uncapped;
  near_uncapped.push_back({"jitter-mapping", "near"});
  EXPECT_EQ(facts_of({5, 5, 2, unlimited}, {u32(0), u32(0)}, near_uncapped), std::pair(false, integer{6}))
      << "5, or up to 5.01";
}

TEST(utils_state, counter_of_retries_never_ends_an_unlimited_cycle) {
  checks("AWS-RU-020", "AWS-RU-023");
  state s;
  s.retries = 4'294'967'296;  // past every 32-bit counter
  with({}, [&](chooser& choices) {
    EXPECT_EQ(back_off({1, 7, 0, unlimited, true}, s, u32(7), choices).answer,
              (expectation{admissible::word(static_cast<std::uint8_t>(status::retry)), admissible::exactly(7),
                           admissible::exactly(4'294'967'297), admissible::exactly(7)}));
    return 0;
  });
}

TEST(utils_state, may_divide_by_zero_when_it_resets_itself) {
  checks("AWS-RU-013", "AWS-RU-021");
  with({{"exhaustion-state", "resets-itself"}, {"empty-window", "undefined"}}, [](chooser& choices) {
    state s{u32(0), 1, false, origin::first_reset};
    EXPECT_EQ(back_off({4, 100, 0, 1}, s, u32(3), choices).answer[field_status], admissible::unjudged());
    return 0;
  });
}

TEST(utils_state, before_the_first_back_off_may_pass_the_maximum) {
  checks("AWS-RU-012", "AWS-RU-023");
  auto const shown = with({}, [](chooser& choices) {
    state s;
    return reset({4, 5, 3, unlimited, true}, s, u32(2), choices).answer;
  });
  EXPECT_EQ(shown[field_next_jitter_max], admissible::integers(5, 1, 2)) << "capped, or as reset: 6";
}

TEST(utils_state, is_shown_by_ports_that_show_it) {
  checks("AWS-RU-019", "AWS-RU-023");
  with({{"exhaustion-call", "n"}}, [](chooser& choices) {
    auto const ok = admissible::word(static_cast<std::uint8_t>(status::ok));
    auto const exhausted = admissible::word(static_cast<std::uint8_t>(status::exhausted));
    state s;
    EXPECT_EQ(reset({4, 100, 0, 1}, s, u32(2), choices).answer, expectation{ok});
    EXPECT_EQ(back_off({4, 100, 0, 1}, s, u32(9), choices).answer, expectation{exhausted});
    EXPECT_EQ(back_off({4, 100, 0, 1, true}, s, u32(9), choices).answer,
              (expectation{exhausted, admissible::nothing(), admissible::unjudged(), admissible::unjudged()}))
        << "it may have slept";
    return 0;
  });
}

TEST(utils_state, equals_the_same_state) {
  checks("AWS-RU-010");
  state const same{u32(1), 2, false, origin::first_reset};
  EXPECT_EQ(same, (state{u32(1), 2, false, origin::first_reset}));
  EXPECT_FALSE(same == (state{u32(2), 2, false, origin::first_reset}));
  EXPECT_FALSE(same == (state{{draw_kind::rand, 1, two_to_32}, 2, false, origin::first_reset}));
  EXPECT_FALSE(same == (state{{draw_kind::u32, 1, 8}, 2, false, origin::first_reset}));
  EXPECT_FALSE(same == (state{u32(1), 3, false, origin::first_reset}));
  EXPECT_FALSE(same == (state{u32(1), 2, true, origin::first_reset}));
  EXPECT_FALSE(same == (state{u32(1), 2, false, origin::later_reset}));
}

TEST(utils_hidden_draws, depend_on_one_jitter_of_the_reset) {
  checks("AWS-RU-012", "AWS-RU-013", "AWS-RU-016", "AWS-RU-017");
  struct {
    std::vector<pin> pins;
    parameters with;
    integer jitters;
    integer jitter;
    std::vector<integer> longest;  // of each sleep, where that jitter was drawn
  } const rows[]{
      {{}, {3, 100, 5, unlimited}, 6, 0, {3, 6, 12, 24, 48, 96, 100}},
      {{}, {3, 100, 5, unlimited}, 6, 5, {8, 16, 32, 64, 100}},
      {{}, {0, 9, 0, unlimited}, 1, 0, {0, 0}},
      {{}, {3, 5, 9, unlimited}, 10, 4, {5, 5}},
      {{{"jitter-bound", "exclusive"}}, {3, 100, 5, unlimited}, 5, 4, {7, 14, 28}},
      {{{"upper-bound", "exclusive"}}, {3, 100, 5, unlimited}, 6, 1, {3, 7, 15}},
      {{{"base-jitter", "none"}}, {3, 100, 5, unlimited}, 1, 0, {3, 6, 12}},
      {{{"attempt-origin", "one"}}, {3, 100, 5, unlimited}, 6, 1, {8, 16, 32}},
      {{{"window-growth", "freeze"}}, {3, 100, 5, unlimited}, 6, 3, {6, 12, 24, 48, 96, 96}},
      {{{"window-growth", "freeze"}}, {3, 100, 5, unlimited}, 6, 5, {8, 16, 32, 64, 64, 64}},
      {{{"first-window", "uncapped"}}, {3, 5, 9, unlimited}, 10, 9, {12, 5}},
  };
  for (auto const& row : rows) {
    with(row.pins, [&](chooser& choose) {
      EXPECT_EQ(jitters(row.with, choose), row.jitters);
      for (std::size_t n = 0; n < row.longest.size(); ++n) {
        std::vector<double> each(static_cast<std::size_t>(row.jitters));
        choices(row.with, static_cast<integer>(n), each, choose);
        EXPECT_EQ(each[static_cast<std::size_t>(row.jitter)], row.longest[n] + 1)
            << row.jitter << " of " << row.jitters << ", after " << n;
      }
      return 0;
    });
  }
  auto const jitters_where = [](parameters const& p, std::vector<pin> const& pins) {
    return with(pins, [&](chooser& choices) { return jitters(p, choices); });
  };
  pin const real_jitter{"jitter-resolution", "real"};
  EXPECT_EQ(jitters_where({3, 100, 5, unlimited}, {real_jitter}), 40) << "in eighths";
  EXPECT_EQ(jitters_where({3, 100, 5, unlimited}, {real_jitter, {"base-jitter", "none"}}), 1);
  EXPECT_EQ(jitters_where({0, 100, 5, unlimited}, {}), 6);
  EXPECT_EQ(jitters_where({0, 100, 5, unlimited}, {real_jitter}), 0) << "windows as narrow as one likes";
  EXPECT_EQ(jitters_where({0, 100, 1, unlimited}, {real_jitter}), 0);
  EXPECT_EQ(jitters_where({0, 100, 5, unlimited}, {{"delay-resolution", "real"}}), 0) << "a window may be empty";
  EXPECT_EQ(jitters_where({3, 100, 5, unlimited}, {{"delay-resolution", "real"}}), 6);
  EXPECT_EQ(jitters_where({0, 100, 0, unlimited}, {real_jitter, {"delay-resolution", "real"}}), 1);
}

// One jitter at a time: how many a reset may have drawn, and the sleeps that each leaves.
TEST(utils_hidden_draws, leave_the_sleeps_of_each_jitter) {
  checks("AWS-RU-003", "AWS-RU-012", "AWS-RU-017");
  parameters const p{3, 20, 4, unlimited};
  auto const count = [&](std::vector<pin> const& pins) {
    return with(pins, [&](chooser& choices) { return jitters(p, choices); });
  };
  EXPECT_EQ(count({}), 5);
  EXPECT_EQ(count({{"jitter-bound", "exclusive"}}), 4);
  EXPECT_EQ(count({{"base-jitter", "none"}}), 1);
  auto const longest = [&](integer retries, integer jitter, std::vector<pin> const& pins) {
    return with(pins, [&](chooser& choose) {
      std::vector<double> each(static_cast<std::size_t>(jitters(p, choose)));
      choices(p, retries, each, choose);
      return each[static_cast<std::size_t>(jitter)] - 1;
    });
  };
  EXPECT_EQ(longest(0, 0, {}), 3);
  EXPECT_EQ(longest(0, 2, {}), 5);
  EXPECT_EQ(longest(1, 2, {}), 10);
  EXPECT_EQ(longest(2, 2, {}), 20);
  EXPECT_EQ(longest(2, 1, {}), 16);
  EXPECT_EQ(longest(1, 4, {}), 14);
  EXPECT_EQ(longest(1, 4, {{"upper-bound", "exclusive"}}), 13);
  EXPECT_EQ(longest(2, 4, {{"window-growth", "freeze"}}), 14);
  EXPECT_EQ(longest(1, 2, {{"attempt-origin", "one"}}), 20);
  EXPECT_EQ(longest(1, 1, {{"delay-resolution", "real"}}), 8 - 1) << "the window";
  pin const real_jitter{"jitter-resolution", "real"};  // the second eighth is 3/16
  EXPECT_EQ(longest(0, 1, {real_jitter}), 3) << "numbers of 3 3/16";
  EXPECT_EQ(longest(0, 1, {real_jitter, {"upper-bound", "exclusive"}}), 3.0 + 3.0 / 16 - 1);
  EXPECT_EQ(longest(2, 1, {real_jitter, {"delay-resolution", "real"}}), 4 * (3.0 + 3.0 / 16) - 1);
  EXPECT_EQ(longest(3, 1, {real_jitter, {"delay-resolution", "real"}}), 20 - 1);
  EXPECT_EQ(longest(2, 31, {real_jitter, {"window-growth", "freeze"}}), 13) << "7 - 1/16 once doubled";
  std::vector<double> none{1};
  with({{"delay-resolution", "real"}}, [&](chooser& choose) {
    choices({0, 20, 0, unlimited}, 0, none, choose);
    return 0;
  });
  EXPECT_EQ(none.front(), 0) << "an empty window";
}

TEST(utils_hidden_draws, fill_a_window_that_is_shown) {
  checks("AWS-RU-016");
  auto const of_17 = [](std::vector<pin> const& pins) {
    return with(pins, [](chooser& choose) { return sleeps(17, choose); });
  };
  EXPECT_EQ(of_17({}), admissible::integers(0, 1, 18));
  EXPECT_EQ(of_17({{"upper-bound", "exclusive"}}), admissible::integers(0, 1, 17));
  EXPECT_EQ(of_17({{"delay-resolution", "real"}}), admissible::between(0, 17));
}

TEST(utils_hidden_draws, are_told_by_the_window_that_a_reset_shows) {
  checks("AWS-RU-012", "AWS-RU-013", "AWS-RU-017");
  parameters const wide{3, 100, 5, unlimited};
  parameters const narrow{3, 5, 9, unlimited};
  pin const real_jitter{"jitter-resolution", "real"};
  pin const doubled{"attempt-origin", "one"};
  auto const shown = [](parameters const& p, std::vector<pin> const& pins) {
    return with(pins, [&](chooser& choose) { return first_windows_shown(p, choose); });
  };
  EXPECT_EQ(shown(wide, {}), admissible::integers(3, 1, 6));
  EXPECT_EQ(shown(wide, {{"jitter-bound", "exclusive"}}), admissible::integers(3, 1, 5));
  EXPECT_EQ(shown(wide, {{"base-jitter", "none"}}), admissible::exactly(3));
  EXPECT_EQ(shown(wide, {real_jitter}), admissible::between(3, 8));
  EXPECT_EQ(shown(wide, {doubled}), std::nullopt);
  EXPECT_EQ(shown(narrow, {}), std::nullopt) << "it may be shown capped";
  EXPECT_EQ(shown(narrow, {real_jitter}), std::nullopt);
  EXPECT_EQ(shown({3, 100, 0, unlimited}, {{"empty-window", "undefined"}}), std::nullopt);
  auto const slept_after = [](parameters const& p, std::vector<pin> const& pins) {
    return with(pins, [&](chooser& choose) { return window_of_first_sleep(p, 8, choose); });
  };
  EXPECT_EQ(slept_after(wide, {}), 8);
  EXPECT_EQ(slept_after(narrow, {}), 5);
  EXPECT_EQ(slept_after(narrow, {{"first-window", "uncapped"}}), 8);
  EXPECT_EQ(slept_after(wide, {doubled}), std::nullopt);
}

TEST(utils_sleeps, that_can_only_be_zero_are_whole) {
  checks("AWS-RU-003");
  auto const slept = [](std::vector<pin> const& pins, parameters const& p, draw const& jitter, draw const& sleep) {
    return with(pins, [&](chooser& choices) {
      state s;
      static_cast<void>(reset(p, s, jitter, choices));
      return back_off(p, s, sleep, choices).answer[field_slept];
    });
  };
  auto const eighth = [](std::uint64_t n) { return draw{draw_kind::unit, n, 8}; };
  EXPECT_EQ(slept({{"draw-mapping", "real"}, {"jitter-mapping", "real"}}, {0, 3, 1, unlimited}, eighth(0), eighth(4)),
            admissible::exactly(0));
  EXPECT_EQ(slept({{"delay-resolution", "real"}, {"jitter-resolution", "real"}}, {9, 0, 9, unlimited}, {}, {}),
            admissible::exactly(0));
  EXPECT_EQ(slept({{"jitter-mapping", "real"}}, {0, 3, 3, unlimited}, eighth(4), u32(2)), admissible::exactly(0))
      << "0 modulo 2; the remainder 2 modulo 3 is more than 1.5";
}

TEST(utils_assignments, depend_on_the_kind_of_draw) {
  checks("AWS-RU-013", "AWS-RU-016");
  cube const canonical = readings().admitting(standing::canonical);
  for (auto const& [draws, size] : {std::pair{draw_kind::u32, 9U}, {draw_kind::rand, 9U}, {draw_kind::hidden, 1U}}) {
    auto const cubes = assignments(draws);
    EXPECT_EQ(cubes.size(), size);
    EXPECT_TRUE(std::ranges::any_of(cubes, [&](cube c) { return readings().common(c, canonical).has_value(); }));
  }
  auto const of_unit = assignments(draw_kind::unit);
  EXPECT_EQ(of_unit.size(), 9U);
  EXPECT_TRUE(std::ranges::none_of(of_unit, [&](cube c) { return readings().common(c, canonical).has_value(); }))
      << "it has no remainder";
}

}  // namespace
}  // namespace backoff::spec::aws_retry_utils
