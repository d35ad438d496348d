// What the model of Step Functions says of a step besides its answer, how it grows, and where it asks for readings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "aws_step_functions/model.hpp"
#include "histories/present.hpp"
#include "tests/checks.hpp"
#include "tests/model_answers.hpp"

namespace backoff::spec::aws_step_functions {
namespace {

using texts = std::vector<std::string_view>;

admissible exactly(rational const& delay) { return admissible::between({delay, delay}); }

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
    result.reserve(answered.size());
    state s;
    for (auto const& text : answered) {
      result.push_back(next(p, s, choices).answer[field_delay]);
      answer port;
      port[field_delay] = observed::of(histories::present(parse_decimal(text)));
      EXPECT_TRUE(result.back().admits(port[field_delay])) << text;
      observe(s, port);
    }
    result.push_back(next(p, s, choices).answer[field_delay]);
    return result;
  });
}

rational power_of_ten(int n) { return n == 0 ? rational(1) : rational(10 * power_of_ten(n - 1)); }

constexpr int last_read = 80;     // longer decimals all count as at least this long
constexpr int last_double = 308;  // 10^308 < 2^1024 < 10^309

admissible saturated(int n) {
  rational const end = power_of_ten(n < last_read ? n : 99);
  return admissible::between({2'147'483, end});
}

// 10^(n + 3) ms in 32 bits, unsigned.
integer low_bits(int n) {
  integer bits = 1;
  for (int k = 0; k < n + 3; ++k) bits = 10 * bits % 4'294'967'296;
  return bits;
}

admissible millinumber_of(integer from, integer to) {
  return admissible::between({rational(from, 1'000), rational(to, 1'000)});
}

TEST(overflow, goes_on_for_powers_of_ten) {
  checks("AWS-SF-001", "AWS-SF-002", "AWS-SF-007");
  auto const expected_under = [](std::string_view alternative, admissible (*of)(int n)) {
    auto const found = delays({1, 10'000, 400}, {{"overflow", alternative}}, 400);
    for (int n = 0; n < 400; ++n) {
      auto const expected = n < 7 ? exactly(power_of_ten(n)) : of(n);  // every timer holds 10^6 s
      EXPECT_TRUE(found[static_cast<std::size_t>(n)] == expected) << alternative << ", 10^" << n << " s";
    }
  };
  expected_under("saturates", saturated);
  expected_under("infinity", [](int n) { return n <= last_double ? saturated(n) : admissible::not_finite(); });
  expected_under("negative", [](int n) {
    if (n > last_double) return millinumber_of(-2'147'483'648, 2'147'483'647);
    integer const held = low_bits(n) < 2'147'483'648 ? low_bits(n) : low_bits(n) - 4'294'967'296;
    return millinumber_of(held, held);
  });
  expected_under("wraps", [](int n) {
    if (n > last_double) return millinumber_of(0, 4'294'967'295);
    return millinumber_of(low_bits(n), low_bits(n));
  });
}

TEST(delays, are_exact_while_doubles_hold_them) {
  checks("AWS-SF-002");
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
  EXPECT_EQ(offsets[1].kind(), admissible_kind::interval);
  EXPECT_LE(offsets[1].ends().low, 3 - 42 * grain);
  EXPECT_GE(offsets[1].ends().low, 3 - 44 * grain);
  EXPECT_GE(offsets[1].ends().high, 3 + 42 * grain);
  EXPECT_LE(offsets[1].ends().high, 3 + 44 * grain);
}

TEST(delays, are_whole_seconds_where_nobody_tells_seconds_apart) {
  checks("AWS-SF-002", "AWS-SF-007");
  rational exact = 1;
  for (int n = 0; n < 13; ++n) exact *= rational(9'999, 1'000);
  EXPECT_EQ(delays({1, 9'999, 99}, {}, 14).back().ends().high, floored(exact) + 1) << "9.987e12";
}

// What is rounded at each step is carried on as the port answered it, so that nothing is admitted but one value, or one
// of two neighbours: however often it is rounded.
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
  std::vector<pin> const pins{{"rounding-unit", "second"}, {"delay-rounding", "floor-each-step"}};
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
    EXPECT_EQ(next(p, s, choices).answer[field_delay], admissible::either({25, 26})) << "25.3 or 26.45";
    return 0;
  });
}

// Decimals of 10^80 s and more are not told apart: there a port saturates only where it answers less than that.
TEST(readings_together, let_nothing_saturate_beyond_what_is_read) {
  checks("AWS-SF-007");
  parameters const p{1, 10'000, 400};
  std::vector<std::string> exact;
  exact.reserve(last_read);
  for (int n = 0; n < last_read; ++n) exact.push_back("1e" + std::to_string(n));
  auto const after = [&](std::vector<std::string> const& more) {
    texts answered(exact.begin(), exact.end());
    answered.insert(answered.end(), more.begin(), more.end());
    return delays_after(p, {}, answered).back();
  };
  rational const end = power_of_ten(99);
  EXPECT_EQ(after({}), admissible::between({power_of_ten(79), end}));
  EXPECT_EQ(after({"1e80"}), admissible::between({power_of_ten(80), end}));
  EXPECT_EQ(after({"9e85", "1.7e308", "2e82"}), admissible::between({power_of_ten(80), end}));
  EXPECT_EQ(after({"2e79"}), exactly(2 * power_of_ten(79)));
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
    rational const grains = pow(big_integer(10), 90);
    enclosure v{7, 7, false, false};
    rational exact = 7;
    for (int n = 1; n < 120; ++n) {
      v = under(readings(), canonical, [&](chooser& choices) { return grown(p, v, choices); });
      exact *= rational(rate, 1'000);
      ASSERT_FALSE(v.endless);
      EXPECT_LE(v.low, exact) << rate << ", " << n;
      EXPECT_GE(v.high, exact) << rate << ", " << n;
      EXPECT_LE((v.high - v.low) * grains, 2 * std::max(n - 30, 0) * exact) << rate << ", " << n;
    }
  }
}

TEST(grown, rounds_the_last_grain_outwards) {
  checks("AWS-SF-002");
  rational const grain = 1 / rational(pow(big_integer(10), 90));
  auto const next = [](rational const& from) {
    return under(readings(), pinned(readings(), {}),
                 [&](chooser& choices) { return grown({1, 1'001, 9}, {from, from, false, false}, choices); });
  };
  EXPECT_EQ(next(grain), (enclosure{grain, 2 * grain, false, false})) << "1.001";
  // A denominator that divides no power of ten.
  rational const third = 1 / rational(pow(big_integer(3), 60));
  auto const after = next(third);
  EXPECT_LT(after.low, third * rational(1'001, 1'000));
  EXPECT_GT(after.high, third * rational(1'001, 1'000));
  EXPECT_EQ(after.high - after.low, grain);
}

TEST(grown, loses_no_digit_that_is_left) {
  checks("AWS-SF-002");
  auto const found = delays({1, 1'001, 100}, {}, 60);
  rational exact = 1;
  for (auto const& delay : found) {
    EXPECT_LE(delay.ends().low, exact);
    EXPECT_GE(delay.ends().high, exact);
    EXPECT_LT((delay.ends().high - delay.ends().low) * (big_integer(1) << 200), exact);
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
    EXPECT_EQ(delay.kind() == admissible_kind::not_finite, n >= 1'024) << n;
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
  rational const late = integer{1} << 40;  // s, then 2^42
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
