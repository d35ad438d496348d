// Formulas against numbers computed by hand, and draws against all of their outcomes.
#include "policies/evaluate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "histories/present.hpp"
#include "policies/curve.hpp"

namespace backoff::policies {
namespace {

using spec::draw_mapping;
using spec::rational;

vocabulary const names{{"n", "base", "cap"}};

expression parsed(std::string_view text) { return parse_expression(text, names, true); }

scope of(spec::integer n, rational const& base, rational const& cap) {
  scope s;
  s.set(0, n);
  s.set(1, number{base, false});
  s.set(2, number{cap, false});
  return s;
}

rational value(std::string_view text, scope const& s) {
  evaluator v(s, -1);
  auto const result = v.value(parsed(text));
  EXPECT_FALSE(v.found()) << text;
  return result.value;
}

std::string_view fault_of(std::string_view text, scope const& s) {
  evaluator v(s, -1);
  static_cast<void>(v.draw(parsed(text)));
  auto const& found = v.found();
  return found ? found->what : std::string_view("none");
}

TEST(expressions, are_exact_and_bind_as_arithmetic_does) {
  auto const s = of(3, 100, 500);
  EXPECT_EQ(value("1 + 2 * 3 ^ 2 - 4 / 8", s), rational(37, 2));
  EXPECT_EQ(value("-2^2", s), -4);
  EXPECT_EQ(value("2^-2", s), rational(1, 4));
  EXPECT_EQ(value("2^3^2", s), 512);
  EXPECT_EQ(value("10 - 3 - 2", s), 5);
  EXPECT_EQ(value("0.1 + 0.2", s), rational(3, 10));
  EXPECT_EQ(value("1e3 + 2.5E+2 - 1e-3 * 1e3", s), 1249);
  EXPECT_EQ(value("1e97 / 10^97 + 1e-80 * 10^80", s), 2);
  EXPECT_EQ(value("base * 1.6^n", s), rational(2048, 5));
  EXPECT_EQ(value("min(cap, base * 2^n)", s), 500);
  EXPECT_EQ(value("max(cap, base × 2^n)", s), 800);
  EXPECT_EQ(value("clamp(base, 150, cap)", s), 150);
  EXPECT_EQ(value("floor(-1.5) + ceil(1.2) + round(2.5)", s), 3);
  EXPECT_EQ(value("floor(1.2345, 0.01)", s), rational(123, 100));
  EXPECT_EQ(value("if(n < 3 or not n == 3 and base > 1, 1, 2)", s), 2);
}

TEST(expressions, round_towards_zero) {
  auto const s = of(3, 100, 500);
  EXPECT_EQ(value("trunc(1.5) + 10 * trunc(-1.5) + trunc(1.29, 0.1)", s), rational(-39, 5));
  EXPECT_EQ(fault_of("trunc(uniform(-1, 1))", s), "trunc of a draw on both sides of 0");
  evaluator v(s, 1);
  auto const below = v.draw(parsed("trunc(uniform(-3.5, -1.5))"));
  EXPECT_EQ(below.lowest(), -3);
  EXPECT_EQ(below.highest(), -1);
  EXPECT_EQ(v.draw(parsed("trunc(uniform(1.5, 3.5))")).highest(), 3);
}

TEST(expressions, have_words_for_no_end_and_for_no_value) {
  auto s = of(3, 100, 500);
  EXPECT_EQ(value("if(cap == unset, 1, 2) + if(base != unset, 10, 20)", s), 12);
  EXPECT_EQ(value("min(forever, 7) + if(cap < forever, 10, 20)", s), 17);
  s.set(2, number{unset(), false});
  EXPECT_EQ(value("if(cap == unset, 1, cap)", s), 1);
  EXPECT_EQ(value("if(unset != cap, cap, 5)", s), 5);
  EXPECT_EQ(fault_of("min(cap, base)", s), "a value that is not set");
  EXPECT_EQ(fault_of("if(cap > 3, 1, 2)", s), "a value that is not set");
  s.set(2, number{endless(), false});
  EXPECT_EQ(value("min(cap, base * 2^n)", s), 800);
  EXPECT_EQ(value("if(cap == forever, 1, 2)", s), 1);
}

TEST(expressions, do_not_compute_powers_that_their_cap_has_outgrown) {
  EXPECT_EQ(value("min(cap, base * 2^n)", of(1'000'000, 100, 500)), 500);
  EXPECT_EQ(value("min(cap, base * 2^n)", of(1'000'000, 0, 500)), 0);
  EXPECT_EQ(value("min(cap, 2^(1e6 * n))", of(2, 100, 500)), 500);
  EXPECT_EQ(value("min(cap, 9^9^9)", of(0, 100, 500)), 500);
  EXPECT_EQ(value("min(cap, n^((base - 0.000000001) * n))", of(20'480, 10, 500)), 500);
  EXPECT_EQ(fault_of("base * 2^n", of(1'000'000, 100, 500)), "a power that is too large to compute");
}

TEST(expressions, keep_thirty_digits_of_fractions_that_doubles_miss) {
  using spec::big_integer;
  rational const of_power(100 * pow(big_integer(101), 1'000), pow(big_integer(100), 1'000));
  rational of_product = 100;
  std::string product = "base";
  for (int i = 0; i < 30; ++i) {
    of_product *= 1 + rational(1) / 1'000'000'000'000'000;
    product += " * 1.000000000000001";
  }
  for (auto const& [text, exact] : {std::pair{product, of_product}, {"base * 1.01^n", of_power}}) {
    auto const kept = value(text, of(1'000, 100, 500));
    EXPECT_LT(msb(denominator(kept)), 128U) << text;
    EXPECT_LE(abs(kept - exact) * rational(pow(big_integer(10), 29)), exact) << text;
  }
  EXPECT_EQ(value("base * 1.5^n", of(70, 100, 500)), rational(100 * pow(big_integer(3), 70), pow(big_integer(2), 70)));
  EXPECT_EQ(fault_of("(base / 300)^(base^9)", of(0, 100, 500)), "a power that is too large to compute");
}

TEST(expressions, have_functions_of_reals) {
  auto const s = of(2, 100, 500);
  for (auto const& [text, doubles] : {std::pair{"exp(n)", std::exp(2.0)},
                                      {"log(base)", std::log(100.0)},
                                      {"tanh(n / 4)", std::tanh(0.5)},
                                      {"sqrt(cap)", std::sqrt(500.0)},
                                      {"1.5^(n / 4)", std::pow(1.5, 0.5)},
                                      {"2^(0 - n / 4)", std::pow(2.0, -0.5)}})
    EXPECT_NEAR(static_cast<double>(value(text, s)), doubles, doubles * 1e-15) << text;
  EXPECT_EQ(value("sqrt(base)", s), 10);
  EXPECT_EQ(value("exp(n - 2) + log(n - 1) + tanh(n - 2)", s), 1);
  EXPECT_EQ(value("min(cap, exp(base * base))", s), 500);
  EXPECT_EQ(fault_of("exp(base * base * 10)", s), "a power that is too large to compute");
}

TEST(expressions, have_named_faults) {
  auto const s = of(3, 100, 500);
  EXPECT_EQ(fault_of("base / (n - 3)", s), "division by zero");
  EXPECT_EQ(fault_of("2^1e9", s), "a power that is too large to compute");
  EXPECT_EQ(fault_of("0^(n - 4)", s), "division by zero: a negative power of 0");
  EXPECT_EQ(fault_of("(0 - base)^(n / 2)", s), "a power that is not whole, of a number below 0");
  EXPECT_EQ(fault_of("log(n - n)", s), "log of a number that is not above 0");
  EXPECT_EQ(fault_of("sqrt(0 - base)", s), "sqrt of a number below 0");
  EXPECT_EQ(fault_of("uniform(cap, base)", s), "a draw with its low end above its high end");
  EXPECT_EQ(fault_of("integer(0.2, 0.8)", s), "a draw of whole numbers where there is none");
  EXPECT_EQ(fault_of("clamp(n, cap, base)", s), "clamp with its low end above its high end");
  EXPECT_EQ(fault_of("floor(n, 0)", s), "a unit to round to that is not above 0");
  EXPECT_EQ(fault_of("uniform(0, base)", s), "none");
}

// 20 · 1.15 is 23, and less in doubles: both count, and neither does for halves, which doubles hold.
TEST(expressions, know_where_doubles_may_round_otherwise) {
  auto const s = of(0, 20, 500);
  for (auto const& [text, down, up] :
       {std::tuple{"floor(base * 1.15)", 22, 23}, std::tuple{"floor(base * 1.5)", 30, 30},
        std::tuple{"if(base * 1.15 == 23, 2, 1)", 2, 1}, std::tuple{"if(1.15^n == 1, 2, 1)", 2, 2}}) {
    evaluator low(s, -1);
    evaluator high(s, 1);
    EXPECT_EQ(low.value(parsed(text)).value, down) << text;
    EXPECT_EQ(high.value(parsed(text)).value, up) << text;
    EXPECT_EQ(low.leaned(), down != up) << text;
  }
}

TEST(expressions, know_the_largest_term_of_what_doubles_miss) {
  auto const s = of(3, rational(1, 10), rational(21, 10));
  auto const slack = [&](std::string_view text) {
    evaluator v(s, 1);
    return v.value(parsed(text)).slack();
  };
  auto const of_the_largest = [](rational const& found, rational const& term) {
    return abs(found - term * grain) <= term * grain / 1'000;
  };
  EXPECT_EQ(slack("100 - 99"), 0);
  EXPECT_TRUE(of_the_largest(slack("2 * 0.1"), rational(1, 5)));
  EXPECT_TRUE(of_the_largest(slack("5.3 - 5.2"), rational(53, 10)));
  EXPECT_TRUE(of_the_largest(slack("(5.3 - 5.2) * 10"), 53));
  EXPECT_TRUE(of_the_largest(slack("1 / (5.3 - 5.2)"), 530));
  EXPECT_TRUE(of_the_largest(slack("(5.3 - 5.2)^2"), rational(106, 100)));
  EXPECT_TRUE(of_the_largest(slack("exp(5.3 - 5.2)") / 1'000, rational(5'857, 1'000'000)));
  EXPECT_TRUE(of_the_largest(slack("sqrt(5.3 - 5.2 - 0.1)"), exactly(std::sqrt(5.3 * 0x1p-40) * 0x1p40)));
  EXPECT_TRUE(of_the_largest(slack("(5.3 - 5.2 - 0.1)^2"), exactly(5.3 * 5.3 * 0x1p-40)));
  EXPECT_TRUE(of_the_largest(slack("min(5.3 - 5.2, 0.1)"), rational(53, 10)));
  EXPECT_TRUE(of_the_largest(slack("max(0.1, 5.3 - 5.2)"), rational(53, 10)));
  EXPECT_TRUE(of_the_largest(slack("clamp(0.1, 5.3 - 5.2, 7)"), rational(53, 10)));
  EXPECT_TRUE(of_the_largest(slack("min(5.3 - 5.2, 0.2)"), rational(53, 10)));
  EXPECT_TRUE(of_the_largest(slack("min(5.3 - 5.2, 0.05)"), rational(1, 20)));
}

TEST(expressions, leave_open_what_doubles_may_find_either_way) {
  auto const s = of(3, rational(1, 10), rational(21, 10));
  auto const decided = [&](std::string_view text) {
    evaluator v(s, 1);
    auto const found = v.decided(parse_condition(text, names));
    EXPECT_FALSE(v.found()) << text;
    return !found ? std::string_view("open") : *found ? "holds" : "fails";
  };
  EXPECT_EQ(decided("0.3 + 0.6 + 1.2 < 2.1"), "open");
  EXPECT_EQ(decided("0.3 + 0.6 + 1.2 - 2.1 < 0"), "open");
  EXPECT_EQ(decided("0 >= 2.1 - 0.3 - 0.6 - 1.2"), "open");
  EXPECT_EQ(decided("0.3 + 0.6 + 1.2 < 2.1 + 1e-11"), "holds");
  EXPECT_EQ(decided("0.3 + 0.6 + 1.2 < 2.1 - 1e-11"), "fails");
  EXPECT_EQ(decided("3 + 6 + 12 < 21"), "fails");
  EXPECT_EQ(decided("0.25 + 0.5 <= 0.75"), "holds");
  EXPECT_EQ(decided("0.1 * 3 < 0.3 and not 0.1 * 3 >= 0.3"), "open");
  EXPECT_EQ(decided("0.1 * 3 < 0.3 and n > 3"), "fails");
  EXPECT_EQ(decided("0.1 * 3 < 0.3 or n == 3"), "holds");
  EXPECT_EQ(decided("n > 3 or 0.1 * 3 < 0.3"), "open");
  EXPECT_EQ(decided("0.1 * 3 < 0.3 and 1 / (0.3 - 0.1 * 3) > 1"), "open");
}

TEST(expressions, say_where_they_cannot_be_read) {
  for (auto const& [text, column] :
       {std::pair{"base +", 6U}, std::pair{"(base", 5U}, std::pair{"bass", 0U}, std::pair{"min(base)", 0U},
        std::pair{"1 + uniform(0, 1) * integer(0, 1)", 18U}, std::pair{"2 ** n", 2U}, std::pair{"n < 3", 2U},
        std::pair{"if(n, 1, 2)", 3U}, std::pair{"1 / uniform(1, 2)", 2U}, std::pair{"base cap", 5U},
        std::pair{"n + 1e", 5U}, std::pair{"n + 1e+", 5U}, std::pair{"n + 1e-400", 4U}, std::pair{"n + 1 e3", 6U},
        std::pair{"n + 1e98", 4U}, std::pair{"n + 1e-81", 4U}}) {
    try {
      static_cast<void>(parsed(text));
      ADD_FAILURE() << text;
    } catch (expression_error const& e) {
      EXPECT_EQ(e.column, column) << text << ": " << e.what();
    }
  }
}

// Every outcome of a whole draw: what is possible, and the chance of each value, are counted.
TEST(draws, have_the_chances_that_all_their_outcomes_have) {
  for (auto const* text :
       {"integer(0, 9)", "100 * integer(1, 6) + 7", "min(cap, integer(0, 9))", "max(3, 9 - integer(0, 9))",
        "clamp(integer(0, 19), 5, 12)", "floor(integer(0, 19) / 3)", "ceil(integer(1, 20) / 4, 2)",
        "round(integer(0, 9) / 2)", "5 - min(4, integer(0, 9))", "min(7, floor(integer(0, 27) / 3) + 2)"}) {
    SCOPED_TRACE(text);
    auto const s = of(0, 100, 6);
    evaluator v(s, -1);
    auto const d = v.draw(parsed(text));
    ASSERT_FALSE(v.found());
    std::map<rational, int> outcomes;
    int count = 0;
    auto const whole = d.possible();
    for (std::uint64_t r = 0; r < 2'520; ++r, ++count) {
      auto const values = d.values({spec::draw_kind::u32, r, std::uint64_t{1} << 32}, draw_mapping::modulo);
      ASSERT_EQ(values.size(), 1U);
      ++outcomes[values.front()];
    }
    double below = 0;
    for (auto const& [value, times] : outcomes) {
      auto const seen = spec::observed::of(static_cast<spec::integer>(numerator(value)));
      EXPECT_TRUE(whole.admits(seen)) << value;
      auto const part = d.part_of(value);
      ASSERT_TRUE(part);
      EXPECT_NEAR(present(part).below, below, 2e-3) << value;
      below += static_cast<double>(times) / count;
      EXPECT_NEAR(present(part).upto, below, 2e-3) << value;
    }
    EXPECT_EQ(d.lowest(), outcomes.begin()->first);
    EXPECT_EQ(d.highest(), outcomes.rbegin()->first);
  }
}

// The same of real draws, on a fine grid of them.
TEST(draws, of_real_numbers_have_the_chances_of_a_fine_grid) {
  constexpr std::uint64_t grid = 512;
  for (auto const* text :
       {"uniform(10, 20)", "floor(uniform(0, 5))", "ceil(uniform(0, 5))", "round(uniform(0, 5))",
        "min(cap, uniform(0, 10))", "max(2, 8 - uniform(0, 8))", "floor(min(cap, uniform(2, 10)) / 2)",
        "cap - floor(uniform(0, 6))", "min(5, round(uniform(0, 9)))"}) {
    SCOPED_TRACE(text);
    auto const s = of(0, 100, 6);
    evaluator v(s, -1);
    auto const d = v.draw(parsed(text));
    std::map<rational, double> outcomes;
    auto const possible = d.possible();
    for (std::uint64_t r = 0; r < grid; ++r) {
      auto const values = d.values({spec::draw_kind::unit, 2 * r + 1, 2 * grid}, draw_mapping::real);
      outcomes[values.front()] += 1.0 / grid;
      if (values.front().is_whole()) {
        EXPECT_TRUE(possible.admits(spec::observed::of(static_cast<spec::integer>(numerator(values.front())))));
      }
    }
    double below = 0;
    for (auto const& [value, chance] : outcomes) {
      auto const part = d.part_of(value);
      ASSERT_TRUE(part);
      EXPECT_NEAR(present(part).below, below, 2.0 / grid) << value;
      below += chance;
      EXPECT_NEAR(present(part).upto, below, 2.0 / grid) << value;
    }
    EXPECT_FALSE(possible.admits(spec::observed::of(static_cast<spec::integer>(21))));
    EXPECT_FALSE(possible.admits(spec::observed::of(static_cast<spec::integer>(-1))));
  }
}

TEST(draws, map_as_ports_do) {
  auto const s = of(0, 100, 6);
  evaluator v(s, -1);
  auto const d = v.draw(parsed("integer(0, 4)"));
  spec::draw const third{spec::draw_kind::u32, 3, std::uint64_t{1} << 32};
  EXPECT_EQ(d.values(third, draw_mapping::modulo), std::vector<rational>{3});
  EXPECT_EQ(d.values(third, draw_mapping::scaled), std::vector<rational>{0});
  auto const real = v.draw(parsed("uniform(0.8 * base, 1.2 * base)"));
  EXPECT_EQ(real.values({spec::draw_kind::unit, 1, 4}, draw_mapping::real), std::vector<rational>{90});
  EXPECT_EQ(d.values({spec::draw_kind::u32, 7, 20}, draw_mapping::divided), std::vector<rational>{1});  // by 4
  // The exclusive end is left out of a whole draw, unless nothing else is left.
  evaluator exclusive(s, -1, true);
  EXPECT_EQ(exclusive.draw(parsed("integer(0, 4)")).highest(), 3);
  EXPECT_EQ(exclusive.draw(parsed("integer(4, 4)")).highest(), 4);
}

// One number more to either side, or a hundredth; beside one of 2^22 parts of the range.
TEST(draws, are_near_what_they_are_mapped_to) {
  auto const s = of(0, 100, 600);
  evaluator v(s, -1);
  spec::draw const half{spec::draw_kind::u32, std::uint64_t{1} << 31, std::uint64_t{1} << 32};
  auto const near = [&](std::string_view text) { return v.draw(parsed(text)).near(half); };
  rational const off = rational(100, 1 << 22) + rational(1, 100);
  EXPECT_EQ(near("integer(0, 99)"), spec::admissible::integers(49, 1, 3));
  EXPECT_EQ(near("300 - 2 * integer(0, 99)"), spec::admissible::integers(198, 2, 3));
  EXPECT_EQ(near("uniform(0, base)"), spec::admissible::between({50 - off, 50 + off}));
  EXPECT_EQ(near("base - uniform(0, base)"), spec::admissible::between({50 - off, 50 + off}));
  EXPECT_EQ(near("floor(uniform(0.5, base + 0.5))"), spec::admissible::integers(49, 1, 3));
  EXPECT_EQ(near("min(50, uniform(0, base))"), spec::admissible::between({50 - off, 50}));
  EXPECT_EQ(near("min(20, uniform(0, base))"), spec::admissible::between({20 - rational(1, 100), 20}));
}

TEST(draws, may_become_the_end_that_is_left_out_where_they_are_the_last_and_near) {
  auto const s = of(0, 100, 600);
  spec::draw const first{spec::draw_kind::rand, 0, 32'768};
  spec::draw const last{spec::draw_kind::rand, 32'767, 32'768};
  evaluator exclusive(s, -1, true);
  EXPECT_EQ(exclusive.draw(parsed("integer(0, 4)")).near(last), spec::admissible::integers(3, 1, 2));
  EXPECT_EQ(exclusive.draw(parsed("10 - integer(0, 4)")).near(last), spec::admissible::integers(6, 1, 2));
  EXPECT_EQ(exclusive.draw(parsed("integer(0, 1)")).near(last), spec::admissible::integers(0, 1, 2));
  EXPECT_EQ(exclusive.draw(parsed("integer(0, 1)")).near(first), spec::admissible::exactly(0));
  EXPECT_EQ(exclusive.draw(parsed("integer(0, 1)")).possible(), spec::admissible::exactly(0));
  EXPECT_EQ(evaluator(s, -1).draw(parsed("integer(0, 4)")).near(last), spec::admissible::between({4, 4}));
}

// 100 - 99.99…: a double has few of its digits left.
TEST(draws, may_be_off_by_what_doubles_lose_in_a_difference) {
  auto const s = of(0, 100, 600);
  evaluator v(s, -1);
  auto const d = v.draw(parsed("base - uniform(0, base)"));
  spec::draw const last{spec::draw_kind::u32, (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 32};
  auto const admitted = d.admitted(d.values(last, spec::draw_mapping::real));
  rational const exact = rational(100) / (std::int64_t{1} << 32);
  rational const lost = rational(100) / (std::int64_t{1} << 52);
  EXPECT_EQ(admitted, spec::admissible::between({exact - lost, exact + lost}));
  EXPECT_EQ(d.values({spec::draw_kind::u32, 1, 2}, spec::draw_mapping::real), std::vector<rational>{50});
}

// A trillion is rounded to a thousandth: doubles may miss it by some of these.
TEST(draws, may_be_anything_between_neighbours_that_are_forgiven) {
  rational const trillion = 1'000'000'000'000;
  auto const near = admissible_of({trillion, trillion + 2}, true);
  EXPECT_TRUE(near.admits(spec::observed::of(1'000'000'000'001)));
  EXPECT_FALSE(near.admits(spec::observed::of(1'000'000'000'003)));
  auto const apart = admissible_of({trillion, trillion + 4}, true);
  EXPECT_FALSE(apart.admits(spec::observed::of(1'000'000'000'001)));
  EXPECT_EQ(admissible_of({trillion, trillion + rational(1, 500)}, false).kind(), spec::admissible_kind::interval);
  EXPECT_TRUE(admissible_of({1, 2}, false).admits(spec::observed::of(2)));
  EXPECT_FALSE(admissible_of({1, 3}, false).admits(spec::observed::of(2)));
}

TEST(draws, are_tested_where_doubles_are_fine_enough_for_them) {
  auto const s = of(0, 100, 6);
  evaluator v(s, -1);
  auto const fills = [&](char const* text) { return v.draw(parsed(text)).fills_doubles(); };
  EXPECT_TRUE(fills("uniform(0, base)"));
  EXPECT_TRUE(fills("65535 + uniform(0, 1)"));
  EXPECT_FALSE(fills("65536 + uniform(0, 1)"));
  EXPECT_TRUE(fills("2^39 - 9 + integer(0, 8)"));
  EXPECT_FALSE(fills("2^39 - 8 + integer(0, 8)"));
  EXPECT_FALSE(fills("2^38 + integer(0, 8) / 2"));
  EXPECT_TRUE(fills("integer(0, 2^50)"));
}

TEST(draws, are_alike_where_no_test_tells_them_apart) {
  auto const s = of(0, 100, 6);
  evaluator v(s, -1);
  auto const alike = [&](char const* one, char const* other) {
    return v.draw(parsed(one)).is_drawn_as(v.draw(parsed(other)));
  };
  EXPECT_TRUE(alike("uniform(0, base)", "uniform(0, base)"));
  EXPECT_FALSE(alike("uniform(0, base)", "base"));
  EXPECT_FALSE(alike("base", "uniform(0, base)"));
  EXPECT_FALSE(alike("integer(0, 10)", "integer(0, 11)"));
  EXPECT_FALSE(alike("integer(0, 10)", "integer(1, 10)"));
  EXPECT_TRUE(alike("integer(0, 2^20)", "integer(0, 2^20 + 1)"));
  EXPECT_FALSE(alike("min(cap, uniform(0, 10))", "min(cap, uniform(0, 11))")) << "as often at the cap";
  EXPECT_FALSE(alike("max(cap, uniform(0, 10))", "max(cap, uniform(1, 10))")) << "as often at the least";
}

// A formula of n, base, cap and a draw u.
drawn tangled(std::string_view text, std::string_view u, scope const& s) {
  static std::vector<expression> kept;  // what is drawn refers to its formula
  kept.reserve(64);
  vocabulary all = names;
  all.add("u");
  kept.push_back(with(parse_expression(text, all, true), 3, parsed(u)));
  EXPECT_TRUE(kept.back().is_tangled) << text;
  evaluator v(s, 1);
  auto const d = v.draw(kept.back());
  EXPECT_FALSE(v.found()) << text;
  return d;
}

double below(drawn const& d, rational const& value) { return present(d.part_of(value)).below; }

spec::draw part(std::uint64_t of_16) { return {spec::draw_kind::unit, of_16 << 28U, std::uint64_t{1} << 32U}; }

TEST(tangled_draws, are_worth_what_a_plain_draw_is) {
  auto const s = of(3, 100, 500);
  evaluator v(s, 1);
  auto const plain = v.draw(parsed("uniform(2 * base, cap)"));
  auto const twice = tangled("u + u", "uniform(base, cap / 2)", s);
  EXPECT_EQ(twice.lowest(), plain.lowest());
  EXPECT_EQ(twice.highest(), plain.highest());
  for (int const x : {200, 250, 333, 499}) EXPECT_NEAR(below(twice, x), below(plain, x), 1e-12) << x;
  EXPECT_EQ(twice.values(part(4), draw_mapping::real), plain.values(part(4), draw_mapping::real));
  EXPECT_TRUE(twice.near(part(4)).admits(spec::observed::of(spec::decimal{275, 0, {}})));
  EXPECT_FALSE(twice.near(part(4)).admits(spec::observed::of(spec::decimal{276, 0, {}})));
  EXPECT_TRUE(twice.fills_doubles() && twice.is_drawn_as(plain));
}

TEST(tangled_draws, turn_and_jump) {
  auto const s = of(3, 100, 500);
  auto const hill = tangled("u * (1 - u)", "uniform(0, 1)", s);
  EXPECT_EQ(hill.lowest(), 0);
  EXPECT_NEAR(static_cast<double>(hill.highest()), 0.25, 1e-15);
  EXPECT_NEAR(below(hill, rational(3, 16)), 0.5, 1e-9);
  auto const cut = tangled("if(u * base > 50, 300 + 100 * u, u * cap)", "uniform(0, 1)", s);
  EXPECT_EQ(cut.lowest(), 0);
  EXPECT_EQ(cut.highest(), 400);
  EXPECT_NEAR(below(cut, 250), 0.5, 1e-9);
  EXPECT_NEAR(below(cut, 375), 0.75, 1e-9);
  auto const falls = tangled("if(u > 0.5, 1 - u, 1 + u)", "uniform(0, 1)", s);
  EXPECT_EQ(falls.lowest(), 0);
  EXPECT_EQ(falls.highest(), rational(3, 2));
  EXPECT_NEAR(below(falls, rational(1, 4)), 0.25, 1e-9);
  EXPECT_NEAR(below(falls, rational(5, 4)), 0.75, 1e-9);
  auto const teeth = tangled("10 * u - floor(10 * u)", "uniform(0, 1)", s);
  EXPECT_EQ(teeth.lowest(), 0);
  EXPECT_NEAR(static_cast<double>(teeth.highest()), 1, 1e-12);
  EXPECT_NEAR(below(teeth, rational(1, 3)), 1.0 / 3, 1e-9);
  auto const flat = tangled("min(u * u, 0.25)", "uniform(0, 1)", s);
  EXPECT_NEAR(present(flat.part_of(rational(1, 4))).below, 0.5, 1e-9);
  EXPECT_EQ(present(flat.part_of(rational(1, 4))).upto, 1);
}

TEST(tangled_draws, lose_nothing_of_what_is_not_chosen) {
  auto const s = of(60, 100, 500);
  for (auto const* text :
       {"min(base, 2^n * (1 + u) + u)", "clamp(2^n * (1 + u) + u, 1, base)", "if(2^n * (1 + u) + u > base, base, u)"}) {
    auto const d = tangled(text, "uniform(0, 1)", s);
    EXPECT_EQ(d.lowest(), 100) << text;
    EXPECT_EQ(d.highest(), 100) << text;
  }
}

TEST(tangled_draws, of_whole_numbers_have_a_chance_each) {
  auto const s = of(3, 100, 500);
  auto const powers = tangled("base * 2^u", "integer(0, n)", s);
  EXPECT_EQ(powers.lowest(), 100);
  EXPECT_EQ(powers.highest(), 800);
  EXPECT_EQ(present(powers.part_of(400)).below, 0.5);
  EXPECT_EQ(present(powers.part_of(400)).upto, 0.75);
  EXPECT_EQ(powers.values({spec::draw_kind::u32, 6, std::uint64_t{1} << 32U}, draw_mapping::modulo),
            std::vector<rational>{400});
  auto const many = tangled("u * (99999 - u)", "integer(0, 100000)", s);
  EXPECT_EQ(many.lowest(), -100'000);
  EXPECT_EQ(many.highest(), spec::integer{50'000} * 49'999);
  EXPECT_FALSE(many.fills_doubles());
}

TEST(tangled_draws, of_several_draws_have_the_chances_of_their_sum) {
  static auto const sum = [] {
    vocabulary all = names;
    all.add("u");
    all.add("k");
    auto second = parsed("uniform(0, 1)");
    second.name = 1;
    return with(with(parse_expression("base * (u + k)", all, true), 3, parsed("uniform(0, 1)")), 4, second);
  }();
  auto const s = of(3, 100, 500);
  evaluator v(s, 1);
  auto const d = v.draw(sum);
  EXPECT_FALSE(d.is_of_one_draw());
  EXPECT_EQ(d.lowest(), 0);
  EXPECT_EQ(d.highest(), 200);
  EXPECT_NEAR(below(d, 100), 0.5, 1e-3);
  EXPECT_NEAR(below(d, 50), 0.125, 1e-3);
  EXPECT_NEAR(below(d, 150), 0.875, 1e-3);
  EXPECT_EQ(present(d.part_of(100)).cells, 1'024U);
}

TEST(tangled_draws, that_have_no_value_somewhere_are_a_fault) {
  auto const s = of(3, 100, 500);
  vocabulary all = names;
  all.add("u");
  auto const e = with(parse_expression("1 / u", all, true), 3, parsed("uniform(0, 1)"));
  evaluator v(s, 1);
  static_cast<void>(v.draw(e));
  ASSERT_TRUE(v.found());
  EXPECT_EQ(v.found()->what, "division by zero");
}

}  // namespace
}  // namespace backoff::policies
