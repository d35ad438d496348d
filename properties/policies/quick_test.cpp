// What machine words have an answer for. That it is the evaluator's: formulas_test.cpp.
#include "policies/quick.hpp"

#include <gtest/gtest.h>

#include <array>

namespace backoff::policies {
namespace {

using spec::rational;

// What a policy's formulas are mostly like has an answer; what the evaluator must see has none.
TEST(machine_words, answer_ordinary_formulas_and_nothing_doubtful) {
  auto const of = [](std::string_view text, std::int64_t n) {
    std::array const words{quick(n), quick(100), quick(20'000), quick_decimal(115, 2)};
    quick_draw found;
    return quick_formula(parse_expression(text, {{"n", "base", "cap", "x"}}, true)).draw(words.data(), false, found)
               ? found.high.value()
               : rational(-1);
  };
  EXPECT_EQ(of("min(cap, base * 2^n)", 3), 800);
  EXPECT_EQ(of("min(cap, base * 2^n)", 1'000), 20'000);
  EXPECT_EQ(of("min(cap, (2^n - 1) * base)", 1'000), 20'000);
  EXPECT_EQ(of("uniform(0, min(cap, base * 1.6^n))", 600), 20'000);
  EXPECT_EQ(of("floor(min(cap, base * 1.6^n), 0.1)", 5), rational(10'485) / 10);
  EXPECT_EQ(of("if(base * 2^n < cap, 1, 2)", 600), 2);
  EXPECT_EQ(of("floor(20 * x)", 0), -1);
  EXPECT_EQ(of("if(20 * x == 23, 1, 2)", 0), -1);
  EXPECT_EQ(of("base * 1.6^n", 100), -1);
  EXPECT_EQ(of("base / (n - 3)", 3), -1);
  EXPECT_EQ(of("min(cap, uniform(0, 2 * cap))", 0), -1);
}

}  // namespace
}  // namespace backoff::policies
