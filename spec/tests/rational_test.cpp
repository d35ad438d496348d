// Rationals in machine words against those of any size: every operation on values at the edges of the words, where a
// result leaves them or comes back.
#include "relation/rational.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <sstream>
#include <vector>

namespace backoff::spec {
namespace {

using big = rational::big;

whole_number const word_end = whole_number(1) << 63U;  // the first that no word holds

// Numerators and denominators on both sides of each edge: of words, of their halves and of products of two.
std::vector<big> values_at_the_edges() {
  std::vector<whole_number> tops{0, 1, 2, 3, 6'700'417};
  for (unsigned const bits : {32U, 62U, 63U, 64U, 126U}) {
    for (int const beside : {-1, 0, 1}) tops.push_back((whole_number(1) << bits) + beside);
  }
  std::vector<big> all;
  for (auto const& top : tops) {
    for (auto const& bottom :
         {whole_number(1), whole_number(2), whole_number(6'700'417), whole_number(word_end - 1), word_end}) {
      all.emplace_back(top, bottom);
      if (top != 0) all.emplace_back(whole_number(-top), bottom);
    }
  }
  return all;
}

bool fits(big const& x) { return abs(numerator(x)) < word_end && denominator(x) < word_end; }

// The number, and that it is kept in words where it fits.
void expect_is(rational const& got, big const& wanted) {
  EXPECT_EQ(got.as_big(), wanted);
  EXPECT_EQ(got.is_small(), fits(wanted)) << wanted;
}

big floor_of(big const& x) {
  whole_number const n(numerator(x));
  whole_number const d(denominator(x));
  return big(whole_number((n - ((n % d) + d) % d) / d));
}

TEST(rational, has_the_same_results_in_words_as_in_big_numbers) {
  auto const values = values_at_the_edges();
  for (auto const& a : values) {
    auto const x = rational::of(a);
    for (auto const& b : values) {
      auto const y = rational::of(b);
      SCOPED_TRACE(a.str() + " and " + b.str());
      expect_is(x + y, a + b);
      expect_is(x - y, a - b);
      expect_is(x * y, a * b);
      if (b != 0) expect_is(x / y, a / b);
      EXPECT_EQ(x == y, a == b);
      EXPECT_EQ(x < y, a < b);
      EXPECT_EQ(x <= y, a <= b);
      EXPECT_EQ(x > y, a > b);
      EXPECT_EQ(x <=> y, a.compare(b) <=> 0);
      if (HasFailure()) return;
    }
  }
}

TEST(rational, of_one_number_is_the_same_in_words_as_in_big_numbers) {
  for (auto const& a : values_at_the_edges()) {
    auto const x = rational::of(a);
    SCOPED_TRACE(a.str());
    expect_is(x, a);
    expect_is(-x, -a);
    expect_is(abs(x), abs(a));
    expect_is(floor(x), floor_of(a));
    EXPECT_EQ(numerator(x), whole_number(numerator(a)));
    EXPECT_EQ(denominator(x), whole_number(denominator(a)));
    EXPECT_EQ(x.is_whole(), denominator(a) == 1);
    EXPECT_EQ(x.str(), a.str());
    EXPECT_EQ((std::ostringstream() << x).str(), a.str());
    EXPECT_EQ(static_cast<double>(x), static_cast<double>(a));
  }
}

TEST(rational, assigns_what_its_operators_give) {
  rational x(3, 4);
  x += rational(1, 4);
  EXPECT_EQ(x, 1);
  x -= rational(1, 3);
  EXPECT_EQ(x, rational(2, 3));
  x *= 9;
  EXPECT_EQ(x, 6);
  x /= -4;
  EXPECT_EQ(x, rational(-3, 2));
}

TEST(rational, is_made_of_every_kind_of_whole_number) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  expect_is(rational(), 0);
  expect_is(rational(least), -big(word_end));
  expect_is(rational(least + 1), -big(whole_number(word_end - 1)));
  expect_is(rational(most), big(whole_number(2 * word_end - 1)));
  expect_is(rational(most, most), 1);
  expect_is(rational(least, least), 1);
  expect_is(rational(1, least), 1 / -big(word_end));
  expect_is(rational(boost::multiprecision::cpp_int(7) * 3, 9), big(7, 3));
  expect_is(rational(word_end, 6), big(word_end) / 6);
  EXPECT_EQ(rational(-6, -4), rational(3, 2));
  EXPECT_EQ(rational(6, -4), rational(-3, 2));
}

// Sums and products that come near to the end of the double word in which they are computed.
TEST(rational, has_room_for_the_largest_words) {
  constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
  std::int64_t const close[]{end, end - 1, end - 2, end - 3, end - 4};
  for (auto const n : close) {
    for (auto const d : close) {
      for (auto const m : close) {
        for (auto const e : close) {
          big const a(n, d);
          big const b(m, e);
          expect_is(rational(n, d) + rational(m, e), a + b);
          expect_is(rational(n, d) - rational(-m, e), a + b);
          expect_is(rational(n, d) - rational(m, e), a - b);
          expect_is(rational(n, d) * rational(m, e), a * b);
          expect_is(rational(n, d) / rational(-m, e), a / -b);
          EXPECT_EQ(rational(n, d) < rational(m, e), a < b);
        }
      }
    }
  }
}

TEST(rational, is_the_same_for_random_words_of_every_length) {
  std::mt19937_64 random(20261123);
  auto const word = [&] { return static_cast<std::int64_t>(random() >> (1 + random() % 63)); };
  for (int i = 0; i < 20'000; ++i) {
    auto const n = word();
    auto const m = -word();
    auto const d = word() | 1;
    auto const e = word() | 1;
    rational const x(n, d);
    rational const y(m, e);
    big const a(n, d);
    big const b(m, e);
    SCOPED_TRACE(a.str() + " and " + b.str());
    expect_is(x + y, a + b);
    expect_is(x - y, a - b);
    expect_is(x * y, a * b);
    if (m != 0) expect_is(x / y, a / b);
    expect_is(floor(x), floor_of(a));
    EXPECT_EQ(x < -y, a < -b);
    EXPECT_EQ(static_cast<double>(x), static_cast<double>(a));
    EXPECT_EQ(static_cast<double>(y), static_cast<double>(b));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace backoff::spec
