// Random formulas at random values of their names: where machine words have an answer, it is the evaluator's.
#include "policies/quick.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "histories/generate.hpp"

namespace backoff::policies {
namespace {

using histories::random_bits;
using spec::rational;

vocabulary const names{{"n", "base", "cap", "x"}};

std::string formula(random_bits& random, int depth, std::string_view draw);

std::string number_text(random_bits& random) {
  constexpr std::array<std::string_view, 14> numbers{"0",   "1",    "2",   "3",     "10",     "100", "0.1",
                                                     "0.5", "1.15", "1.6", "86400", "1.0001", "1e9", "999999999999"};
  constexpr std::array<std::string_view, 4> all{"n", "base", "cap", "x"};
  bool const is_name = random.one_in(2);
  return std::string(is_name ? all[static_cast<std::size_t>(random.between(0, 3))]
                             : numbers[static_cast<std::size_t>(random.between(0, 13))]);
}

std::string condition(random_bits& random, int depth) {
  constexpr std::array<std::string_view, 6> signs{"<", "<=", ">", ">=", "==", "!="};
  if (random.one_in(6)) return "x " + std::string(random.one_in(2) ? "==" : "!=") + " unset";
  if (depth > 0 && random.one_in(4))
    return "(" + condition(random, depth - 1) + (random.one_in(2) ? " and " : " or ") + condition(random, depth - 1) +
           ")";
  if (depth > 0 && random.one_in(6)) return "not " + condition(random, depth - 1);
  return formula(random, depth - 1, "") + " " + std::string(signs[static_cast<std::size_t>(random.between(0, 5))]) +
         " " + formula(random, depth - 1, "");
}

// draw: the kind of draw that is in one part of it; empty: none is.
std::string formula(random_bits& random, int depth, std::string_view draw) {
  bool const draws = !draw.empty();
  if (depth <= 0 && !draws) return number_text(random);
  auto const fixed = [&] { return formula(random, depth - 1, ""); };
  if (draws && (depth <= 0 || random.one_in(3)))
    return std::string(draw) + "(" + fixed() + ", " + fixed() + " + 100 * " + number_text(random) + ")";
  bool const first = random.one_in(2);
  auto const a = formula(random, depth - 1, first ? draw : "");
  auto const b = formula(random, depth - 1, first ? "" : draw);
  constexpr std::array<std::string_view, 5> roundings{"floor", "ceil", "round", "trunc", "round"};
  switch (random.between(0, draws ? 7 : 11)) {
    case 0:
      return "(" + a + " + " + b + ")";
    case 1:
      return "(" + a + " - " + b + ")";
    case 2:
    case 3:
      return "(" + a + " * " + b + ")";
    case 4:
      return draws ? "(" + formula(random, depth - 1, draw) + " / " + fixed() + ")" : "(" + a + " / " + b + ")";
    case 5:
      return "min(" + a + ", " + b + ")";
    case 6:
      return "max(" + a + ", " + b + ")";
    case 7:
      return "if(" + condition(random, depth - 1) + ", " + formula(random, depth - 1, draw) + ", " +
             formula(random, depth - 1, draw) + ")";
    case 8:
      return "(" + number_text(random) + ")^(" + (random.one_in(3) ? b : "n") + ")";
    case 9:
      return "clamp(" + a + ", " + number_text(random) + ", " + b + ")";
    default:
      return std::string(roundings[static_cast<std::size_t>(random.between(0, 4))]) + "(" + a +
             (random.one_in(2) ? ")" : ", " + number_text(random) + ")");
  }
}

struct worth {
  scope exact;
  std::array<quick_number, 4> words;

  explicit worth(random_bits& random) {
    set(0, quick(random.between(0, random.one_in(8) ? 1'000 : 12)), false);
    for (unsigned name = 1; name < 4; ++name) {
      if (name == 3 && random.one_in(4)) {
        set(name, quick(number{unset(), false}), true);
      } else {
        auto const most = random.one_in(3) ? std::int64_t{1} << 40 : std::int64_t{5'000};
        set(name, quick_decimal(random.between(0, most), static_cast<unsigned>(random.between(0, 3))), false);
      }
    }
  }
  void set(unsigned name, quick_number const& n, bool is_unset) {
    words[name] = n;
    exact.set(name, number{is_unset ? unset() : n.value(), n.rough});
  }
};

void demand_the_same(drawn const& exact, quick_draw const& found) {
  using kind = quick_draw::kind;
  EXPECT_EQ(exact.is_random(), found.is != kind::none);
  EXPECT_EQ(exact.lowest(), found.low.value());
  EXPECT_FALSE(exact.is_cut());
  if (found.is == kind::whole) {
    EXPECT_EQ(exact.count(), found.count);
    EXPECT_EQ(exact.highest(), found.low.value() + (found.count - 1));
  } else {
    EXPECT_EQ(exact.highest(), found.high.value());
  }
}

TEST(machine_words, have_the_answers_of_the_evaluator) {
  constexpr int formulas = 20'000;
  int answered = 0;
  for (std::uint64_t i = 0; i < formulas; ++i) {
    random_bits random(1, i);
    constexpr std::array<std::string_view, 4> draws{"", "", "uniform", "integer"};
    auto const text = formula(random, static_cast<int>(random.between(1, 3)), draws[i % 4]);
    auto const tree = parse_expression(text, names, true);
    quick_formula const quickly(tree);
    for (int k = 0; k < 4; ++k) {
      worth const w(random);
      SCOPED_TRACE(text + " at " + w.exact.exact[0].value.str() + " " + w.exact.exact[1].value.str() + " " +
                   w.exact.exact[2].value.str() + " " + w.exact.exact[3].value.str());
      quick_names const at = w.words.data();
      bool const exclusive = random.one_in(2);
      quick_draw found;
      if (!quickly.draw(at, exclusive, found)) continue;
      ++answered;
      for (int const lean : {-1, 1}) {
        evaluator v(w.exact, lean, exclusive);
        auto const exact = v.draw(tree);
        ASSERT_FALSE(v.found()) << v.found()->what;
        demand_the_same(exact, found);
        EXPECT_TRUE(tree.draws || exact.fixed().rough == found.low.rough);
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(answered, formulas);
}

// What a policy's formulas are mostly like has an answer; what the evaluator must see has none.
TEST(machine_words, answer_ordinary_formulas_and_nothing_doubtful) {
  auto const of = [](std::string_view text, std::int64_t n) {
    std::array const words{quick(n), quick(100), quick(20'000), quick_decimal(115, 2)};
    quick_draw found;
    return quick_formula(parse_expression(text, names, true)).draw(words.data(), false, found) ? found.high.value()
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
