// What the model takes for a number, and its exact value: rows of texts with hand-made decimals. Also the one place
// where the model stops the program.
#include "relation/number.hpp"

#include <gtest/gtest.h>

#include <boost/throw_exception.hpp>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "histories/present.hpp"
#include "relation/rational.hpp"

namespace backoff::spec {

void PrintTo(decimal const& d, std::ostream* out) {
  *out << d.mantissa << "e" << d.exponent << (d.inexact ? " and more" : "");
}

namespace {

TEST(parse_decimal, reads_json_numbers) {
  struct {
    std::string_view text;
    decimal value;
  } const rows[]{
      {"0", {0, 0, false}},
      {"-0", {0, 0, false}},
      {"0.00", {0, 0, false}},
      {"0e9", {0, 0, false}},
      {"7", {7, 0, false}},
      {"-12", {-12, 0, false}},
      {"120", {120, 0, false}},
      {"0.5", {5, -1, false}},
      {"-0.5", {-5, -1, false}},
      {"10.25", {1025, -2, false}},
      {"12.500", {125, -1, false}},
      {"3.000", {3, 0, false}},
      {"1e3", {1000, 0, false}},
      {"1E3", {1000, 0, false}},
      {"1e+3", {1000, 0, false}},
      {"1e-3", {1, -3, false}},
      {"15e-1", {15, -1, false}},
      {"150e-1", {15, 0, false}},
      {"2.5e1", {25, 0, false}},
      {"1e007", {10'000'000, 0, false}},
      {"4294967295", {4'294'967'295, 0, false}},
      {"999999999999999999", {999'999'999'999'999'999, 0, false}},   // the largest of 18 digits
      {"1000000000000000000", {100'000'000'000'000'000, 1, false}},  // 10^18: a digit too long
      {"1e18", {100'000'000'000'000'000, 1, false}},                 // the same number, the same form
      {"1234567890123456780", {123'456'789'012'345'678, 1, false}},  // what was cut off was 0
      {"1234567890123456789", {123'456'789'012'345'678, 1, true}},   // what was cut off was not
      {"12345678901234567891234", {123'456'789'012'345'678, 5, true}},
      {"1234567890123456789100", {123'456'789'012'345'678, 4, true}},  // of what was cut off only the first was not 0
      {"0.1234567890123456789", {123'456'789'012'345'678, -18, true}},
      {"1.0000000000000000001", {1, 0, true}},       // hardly above 1
      {"0.000000000000000000001", {1, -21, false}},  // leading zeros cost no digits
      {"1e100000", {100'000'000'000'000'000, 99'983, false}},
      {"1e100001", {100'000'000'000'000'000, 99'983, false}},                // cut
      {"1e99999999999999999999", {100'000'000'000'000'000, 99'983, false}},  // cut, far beyond any machine integer
      {"1e-100001", {1, -100'000, false}},
  };
  for (auto const& [text, value] : rows) EXPECT_EQ(parse_decimal(text), value) << text;
}

TEST(parse_decimal, reads_nothing_else) {
  for (std::string_view const text :
       {"",     "-",     "+1",    "--1",   "01",    "00",    "-01",     ".5",       "-.5",       "5.",
        "1.e2", "1e",    "1e+",   "1e-",   "1e+-2", "1e-+2", "1e2.5",   "1ee2",     "1eE2",      " 1",
        "1 ",   "1,5",   "0x10",  "1_000", "NaN",   "nan",   "inf",     "Infinity", "-Infinity", "null",
        "true", "\"1\"", "1e2e3", "1..2",  "1:",    "1/",    "\xD9\xA1"}) {
    EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_decimal(std::string_view("1\0", 2)), std::nullopt);
  EXPECT_EQ(parse_decimal(std::string_view("1234").substr(0, 2)), (decimal{12, 0, false})) << "nothing behind its end";
}

// Each field of a decimal on its own.
TEST(decimal, is_integral_without_exponent_and_remainder) {
  for (auto const& [d, integral] : {std::pair{decimal{5, 0, false}, true},
                                    {decimal{5, -1, false}, false},
                                    {decimal{5, 1, false}, false},
                                    {decimal{5, 0, true}, false}}) {
    EXPECT_EQ(d.integral(), integral) << testing::PrintToString(d);
    EXPECT_EQ(d == decimal({5, 0, false}), integral);
  }
  EXPECT_FALSE(decimal({5, 0, false}) == decimal({6, 0, false}));
}

rational ten_to_the(unsigned n) { return pow(big_integer(10), n); }

TEST(to_rational, is_exact) {
  struct {
    std::string_view text;
    rational value;
  } const rows[]{
      {"0", 0},
      {"-3", -3},
      {"0.5", rational(1, 2)},
      {"-0.125", rational(-1, 8)},
      {"33.3", rational(333, 10)},
      {"1e20", ten_to_the(20)},
      {"-1e-20", -1 / ten_to_the(20)},
      {"1e97", ten_to_the(97)},  // the largest power of ten that is exact: 10^17 · 10^80
      {"1e-80", 1 / ten_to_the(80)},
      {"1234567890123456789", rational(1'234'567'890'123'456'780)},  // as far as its 18 digits go
  };
  for (auto const& [text, value] : rows) EXPECT_EQ(to_rational(histories::present(parse_decimal(text))), value) << text;
}

// Numbers around the ends of words, and of two.
std::vector<big_integer> around_the_ends() {
  std::vector<big_integer> all{0, 1, 2, 3, 10, 1'000'003};
  for (unsigned const bits : {31U, 32U, 62U, 63U, 64U, 126U, 127U, 128U, 200U})
    for (int const by : {-1, 0, 1}) all.push_back((big_integer(1) << bits) + by);
  big_integer const ten = 10;
  all.insert(all.end(), {pow(ten, 40), pow(ten, 40) * 3, pow(big_integer(5), 27) << 3U, pow(big_integer(5), 130)});
  for (std::size_t i = all.size(); i-- > 1;) all.push_back(-all[i]);
  return all;
}

using reference = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend>;

reference as_reference(rational const& x) { return {numerator(x), denominator(x)}; }

reference value_of(scaled const& s) {
  auto const power = big_integer(1) << static_cast<unsigned>(std::abs(s.exponent));
  return s.exponent < 0 ? reference(reference(s.digits) / power) : reference(reference(s.digits) * power);
}

TEST(rational, computes_as_the_reference_does) {
  auto const ends = around_the_ends();
  std::vector<rational> all;
  all.reserve(ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    all.emplace_back(ends[i]);
    for (std::size_t k = 1; k < ends.size(); k += 13) all.emplace_back(ends[i], ends[(i + k) % (ends.size() - 1) + 1]);
  }
  for (auto const& a : all) {
    auto const x = as_reference(a);
    ASSERT_TRUE(denominator(a) > 0 && big_integer(gcd(numerator(a), denominator(a))) == 1) << a;
    ASSERT_EQ(as_reference(-a), -x);
    ASSERT_EQ(as_reference(abs(a)), reference(abs(x)));
    ASSERT_EQ(a.is_whole(), denominator(x) == 1);
    ASSERT_EQ(static_cast<double>(a), static_cast<double>(x));
    ASSERT_LE(abs(reference(value_of(a.about()) - x)) * (big_integer(1) << 50), abs(x)) << a;
    auto const gap = x - as_reference(floored(a));
    ASSERT_TRUE(floored(a).is_whole() && gap >= 0 && gap < 1) << a;
    std::ostringstream printed;
    printed << a;
    ASSERT_EQ(reference(printed.str()), x);
    for (std::size_t k = 0; k < all.size(); k += 7) {
      auto const& b = all[k];
      auto const y = as_reference(b);
      ASSERT_EQ(as_reference(a + b), x + y) << a << ", " << b;
      ASSERT_EQ(as_reference(a - b), x - y) << a << ", " << b;
      ASSERT_EQ(as_reference(a * b), x * y) << a << ", " << b;
      if (y != 0) {
        ASSERT_EQ(as_reference(a / b), x / y) << a << ", " << b;
      }
      ASSERT_EQ(a < b, numerator(x) * denominator(y) < numerator(y) * denominator(x)) << a << ", " << b;
      ASSERT_EQ(a == b, x == y) << a << ", " << b;
      ASSERT_EQ(a, a + b - b) << a << ", " << b;
    }
  }
}

// Parts that doubles do not hold would be rounded before their quotient is.
TEST(rational, becomes_a_double_in_one_rounding) {
  std::uint64_t bits = 1;
  for (int i = 0; i < 2'000; ++i) {
    bits = bits * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    auto const long_part = static_cast<std::int64_t>(bits >> 2U);
    auto const short_part = static_cast<std::int64_t>(bits >> 40U) + 1;
    for (auto const& x : {rational(long_part, short_part), rational(short_part, long_part)}) {
      ASSERT_EQ(static_cast<double>(x), static_cast<double>(as_reference(x))) << x;
      ASSERT_EQ(static_cast<double>(-x), -static_cast<double>(x)) << x;
    }
  }
}

TEST(rational, is_any_integer) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(numerator(rational(least)), big_integer(least));
  EXPECT_EQ(numerator(rational(least + 1)), big_integer(least + 1));
  EXPECT_EQ(numerator(rational(most)), big_integer(most));
  EXPECT_EQ(static_cast<std::uint64_t>(rational(most)), most);
  EXPECT_EQ(static_cast<int>(rational(-7, 2)), -3);
  EXPECT_EQ(static_cast<int>(rational((big_integer(9) << 98) + 1, big_integer(2) << 98)), 4);
  EXPECT_EQ(static_cast<double>(rational(big_integer(1) << 2000)), std::numeric_limits<double>::infinity());
}

TEST(about, is_near_the_value) {
  for (std::string_view const text : {"0", "-3", "0.1", "-1234567890.12345678", "999999999999999999e80", "-1e-80",
                                      "1e98", "123456789012345678e22", "123456789012345678e-40"}) {
    auto const d = histories::present(parse_decimal(text));
    auto const x = as_reference(to_rational(d));
    EXPECT_LE(abs(reference(value_of(about(d)) - x)) * (big_integer(1) << 50), abs(x)) << text;
  }
}

TEST(rational, has_no_common_factor) {
  big_integer const ten = 10;
  EXPECT_EQ(rational(3 * pow(ten, 60), pow(ten, 80)).str(), "3/100000000000000000000");
  EXPECT_EQ(rational(pow(ten, 80), 3 * pow(ten, 60)).str(), "100000000000000000000/3");
  EXPECT_EQ(rational(pow(ten, 80), pow(ten, 27) << 40).str(), rational(pow(ten, 53) >> 40).str());
  EXPECT_EQ(rational(pow(big_integer(5), 30), pow(big_integer(5), 28)), 25);
  EXPECT_EQ(rational(7 * pow(big_integer(5), 130), pow(big_integer(5), 131)), rational(7) / 5);
  EXPECT_EQ(rational(big_integer(7) << 100, big_integer(-7) << 101), rational(-1) / 2);
  EXPECT_EQ(rational(0, big_integer(1) << 100), 0);
}

// Longer than words, and apart by less than doubles tell.
TEST(rational, compares_neighbours_exactly) {
  rational const x(big_integer(1) << 400, (big_integer(1) << 70) + 1);
  rational const by(1, big_integer(1) << 500);
  EXPECT_LT(x, x + by);
  EXPECT_GT(x, x - by);
  EXPECT_LT(-x, by - x);
  EXPECT_EQ(x, x + by - by);
  EXPECT_LT(by, x);
  EXPECT_GT(rational(1) / (integer{1} << 62), by);
}

TEST(to_rational, takes_exponents_beyond_80_for_80) {
  EXPECT_EQ(to_rational(histories::present(parse_decimal("1e98"))), ten_to_the(97));
  EXPECT_EQ(to_rational(histories::present(parse_decimal("-2e100000"))), -2 * ten_to_the(97));
  EXPECT_EQ(to_rational(histories::present(parse_decimal("3e-81"))), 3 / ten_to_the(80));
  EXPECT_EQ(to_rational(histories::present(parse_decimal("-1e-100000"))), -1 / ten_to_the(80));
}

// abort() becomes an orderly exit, so that the counters of a coverage build survive it.
template <class Offence>
void exit_where_it_aborts(Offence const& offence) {
  static_cast<void>(std::signal(SIGABRT, [](int) { std::exit(42); }));
  offence();
}

TEST(rational_death_test, stops_the_program_where_boost_would_throw) {
  rational const nothing = to_rational(histories::present(parse_decimal("0")));
  EXPECT_EXIT(exit_where_it_aborts([&] { static_cast<void>(rational(1 / nothing)); }), testing::ExitedWithCode(42), "");
  EXPECT_EXIT(exit_where_it_aborts([] { static_cast<void>(rational(big_integer(1), big_integer(0))); }),
              testing::ExitedWithCode(42), "");
  EXPECT_EXIT(exit_where_it_aborts([&] { static_cast<void>(big_integer(1 / numerator(nothing))); }),
              testing::ExitedWithCode(42), "");
  EXPECT_EXIT(exit_where_it_aborts([] { boost::throw_exception(std::overflow_error("")); }),
              testing::ExitedWithCode(42), "");
}

}  // namespace
}  // namespace backoff::spec
