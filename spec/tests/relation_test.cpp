// Which answers an expectation admits: every kind of expectation against every kind of answer, and the exact edges of
// the tolerance for real values, 2^-40 of the wanted one.
#include "relation/relation.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "histories/present.hpp"
#include "relation/rational.hpp"

namespace backoff::spec {
namespace {

observed number(std::string_view text) { return observed::of(histories::present(parse_decimal(text))); }

observed const absent{};
observed const not_a_number{observed_kind::not_a_number, 0, {}};

struct expectations {
  admissible of;
  std::vector<observed> admitted;
  std::vector<observed> refused;
};

void check(std::vector<expectations> const& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (auto const& [answers, wanted] : {std::pair{&rows[i].admitted, true}, {&rows[i].refused, false}}) {
      for (auto const& a : *answers) {
        EXPECT_EQ(rows[i].of.admits(a), wanted) << "row " << i << ", answer of kind " << static_cast<int>(a.kind)
                                                << ": " << a.value.mantissa << "e" << a.value.exponent;
      }
    }
  }
}

TEST(admissible, judges_every_kind_of_answer) {
  observed const seven = observed::of(7);
  observed const word = observed::word(7);
  check({{admissible::nothing(), {absent}, {seven, word, not_a_number}},
         {admissible::unjudged(), {absent, seven, word, not_a_number}, {}},
         {admissible::word(7), {word}, {absent, seven, not_a_number, observed::word(6), observed::word(39)}},
         {admissible::word(0), {observed::word(0)}, {absent, observed::of(0), not_a_number, observed::word(32)}},
         {admissible::words(1U << 7 | 1U << 31),
          {word, observed::word(31)},
          {absent, seven, not_a_number, observed::word(0), observed::word(6), observed::word(30), observed::word(255)}},
         {admissible::not_zero(),
          {seven, observed::of(-7), number("0.1"), number("1e-30")},
          {absent, word, not_a_number, observed::of(0), number("0.0"), number("-0")}},
         {admissible::exactly(7), {seven}, {absent, word, not_a_number}},
         {admissible::exactly(0), {observed::of(0)}, {absent, observed::word(0), not_a_number}},
         {admissible::between(7, 7), {seven}, {absent, word, not_a_number}},
         {admissible::not_finite(), {not_a_number}, {absent, seven, word, observed::of(0)}}});
}

TEST(admissible, takes_integers_exactly) {
  check({{admissible::exactly(5),
          {number("5"), number("5.0"), number("50e-1")},
          {number("4"), number("6"), number("-5")}},
         {admissible::exactly(549'755'813'888), {}, {number("549755813889"), number("549755813887")}},
         {admissible::integers(10, 5, 3),
          {number("10"), number("15"), number("20")},
          {number("5"), number("9"), number("11"), number("14"), number("16"), number("25"), number("30"), number("0"),
           number("-10")}},
         {admissible::integers(10, 5, 2).or_exactly(18),
          {number("10"), number("15"), number("18"), number("18.0")},
          {number("5"), number("17"), number("19"), number("20"), number("-18")}}});
}

// 2^39: the tolerance is exactly one half.
TEST(admissible, takes_reals_up_to_the_edge_of_the_tolerance) {
  std::vector const inside{number("549755813887.5"), number("549755813887.6"), number("549755813888.4"),
                           number("549755813888.5")};
  std::vector const outside{number("549755813887.4"), number("549755813887.499999"), number("549755813888.500001"),
                            number("549755813888.6")};
  check({{admissible::exactly(549'755'813'888), inside, outside},
         {admissible::between(549'755'813'888, 549'755'813'888), inside, outside},
         // at 2^40 it is 1, and in an interval integers are reals like any other
         {admissible::between(549'755'813'888, 1'099'511'627'776),
          {number("549755813887.5"), number("1e12"), number("1000000000000.5"), number("1099511627777")},
          {number("549755813887.4"), number("1099511627777.01"), number("1099511627778"), number("549755813887")}}});
}

TEST(admissible, takes_a_real_near_a_lattice_point) {
  check(
      {{admissible::integers(10, 5, 3),
        {number("9.999999999999"), number("10.000000000001"), number("14.999999999999"), number("15.000000000001"),
         number("19.999999999999"), number("20.000000000001")},
        {number("9.9999"), number("10.0001"), number("12.5"), number("14.9999"), number("15.0001"), number("20.0001"),
         number("24.999999999999"), number("25.5"), number("5.0000000000001"), number("4.9999999999999"),
         number("25.0000000000001"), number("4.5"), number("-9.5"), number("1e30"), number("-1e30"), number("1e-30")}},
       {admissible::integers(10, 5, 2).or_exactly(18),
        {number("14.999999999999"), number("18.000000000001"), number("17.999999999999")},
        {number("17.9999"), number("18.0001"), number("20.000000000001"), number("12.5")}},
       {admissible::integers(0, 1, 2), {number("0.9999999999995")}, {number("0.5"), number("1e-30"), number("-1e-30")}},
       {admissible::exactly(1), {number("1.0000000000000000001")}, {}},  // hardly more than 1, its digits cut off
       {admissible::integers(2, 1, 3),
        {number("2.0000000000000000001")},
        {number("1.0000000000000000001"), number("5.0000000000000000001")}}});
}

TEST(admissible, takes_reals_of_a_closed_interval_with_exact_ends) {
  auto const thirds = admissible::between({rational(1, 3), rational(2, 3)});
  check({{thirds,
          {number("0.333333333333333333"), number("0.33333333333304"), number("0.5"), number("0.66666666666727")},
          {number("0.33333333333302"), number("0.66666666666728"), number("0"), number("1"), number("-0.5")}},
         {admissible::between(0, 0), {number("0")}, {number("1e-30"), number("-1e-30"), number("-0.99999999999995")}},
         {admissible::between(-8, -4),  // 2^-38 and 2^-39 beyond the ends, and no further
          {number("-8"), number("-5.5"), number("-4"), number("-8.000000000007"), number("-3.9999999999964")},
          {number("-8.0000000000073"), number("-3.9999999999963"), number("0"), number("6")}},
         {admissible::between(-1, 1),
          {number("-1"), number("0"), number("1e-30"), number("1"), number("-1.0000000000009")},
          {number("-1.000000000001"), number("1.000000000001")}}});
}

TEST(admissible, takes_either_of_two_reals_and_nothing_between) {
  check({{admissible::either({rational(22), rational(45, 2)}),
          {number("22"), number("22.5"), number("22.00000000002"), number("21.99999999998"), number("22.50000000002")},
          {number("22.0000000001"), number("22.25"), number("21.9999999999"), number("22.5000000001"), number("0"),
           number("-22")}}});
}

TEST(admissible, says_what_it_is) {
  EXPECT_EQ(admissible::nothing().kind(), admissible_kind::absent);
  EXPECT_EQ(admissible::unjudged().kind(), admissible_kind::unjudged);
  EXPECT_EQ(admissible::not_finite().kind(), admissible_kind::not_finite);
  EXPECT_EQ(admissible::word(3).kind(), admissible_kind::keyword);
  EXPECT_EQ(admissible::word(3).word(), 3);
  EXPECT_EQ(admissible::word(3).words(), 8U);
  EXPECT_EQ(admissible::words(0b110).kind(), admissible_kind::keyword);
  EXPECT_EQ(admissible::words(0b110).word(), 1);
  EXPECT_EQ(admissible::words(0b110).words(), 6U);
  EXPECT_EQ(admissible::not_zero().kind(), admissible_kind::not_zero);
  auto const lattice = admissible::integers(10, 5, 3);
  EXPECT_EQ(lattice.kind(), admissible_kind::lattice);
  EXPECT_EQ(lattice.first(), 10);
  EXPECT_EQ(lattice.step(), 5);
  EXPECT_EQ(lattice.count(), 3);
  EXPECT_EQ(lattice.last(), 20);
  EXPECT_FALSE(lattice.has_ends());
  EXPECT_TRUE(lattice.or_exactly(22).has_ends());
  EXPECT_EQ(lattice.or_exactly(22).ends().low, 22);
  EXPECT_EQ(lattice.or_exactly(22).count(), 3);
  auto const interval = admissible::between(2, 9);
  EXPECT_EQ(interval.kind(), admissible_kind::interval);
  EXPECT_EQ(interval.ends().low, 2);
  EXPECT_EQ(interval.ends().high, 9);
  auto const either = admissible::either({rational(2), rational(9)});
  EXPECT_EQ(either.kind(), admissible_kind::either);
  EXPECT_EQ(either.ends().low, 2);
  EXPECT_EQ(either.ends().high, 9);
}

// Every value differs from every other and from nothing else: two tables made alike, compared pair by pair.
template <class Value, class Make>
void expect_all_different(Make const& make) {
  std::vector<Value> const left = make();
  std::vector<Value> const right = make();
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) EXPECT_EQ(left[i] == right[j], i == j) << i << ", " << j;
  }
}

TEST(admissible, equals_what_admits_the_same_in_the_same_words) {
  expect_all_different<admissible>([] {
    return std::vector{admissible::nothing(),
                       admissible::unjudged(),
                       admissible::word(0),
                       admissible::word(1),
                       admissible::words(3),
                       admissible::not_zero(),
                       admissible::exactly(5),
                       admissible::exactly(6),
                       admissible::integers(5, 2, 1),
                       admissible::integers(5, 1, 2),
                       admissible::integers(5, 1, 2).or_exactly(9),
                       admissible::integers(5, 1, 2).or_exactly(8),
                       admissible::between(5, 6),
                       admissible::between(5, 7),
                       admissible::between(4, 6),
                       admissible::between({rational(11, 2), 6}),
                       admissible::either({rational(5), rational(6)}),
                       admissible::either({rational(5), rational(7)}),
                       admissible::not_finite()};
  });
}

TEST(expectation, is_nothing_in_fields_that_were_not_set) {
  expectation e{admissible::word(1), admissible::between(2, 9)};
  expectation const& seen = e;
  EXPECT_EQ(seen[1], admissible::between(2, 9));
  EXPECT_EQ(seen[2], admissible::nothing());
  EXPECT_EQ(seen[answer_fields_max - 1], admissible::nothing());
  e[4] = admissible::exactly(5);
  EXPECT_EQ(seen[3], admissible::nothing());
  EXPECT_EQ(seen[4], admissible::exactly(5));
  auto copied = e;
  EXPECT_EQ(copied, e);
  auto const moved = std::move(copied);
  EXPECT_EQ(moved, e);
  e = expectation{admissible::word(2)};
  EXPECT_EQ(seen[0], admissible::word(2));
  EXPECT_EQ(seen[1], admissible::nothing());
  e = moved;
  EXPECT_EQ(e, moved);
  e.fill(admissible::unjudged());
  for (std::size_t i = 0; i < e.size(); ++i) EXPECT_EQ(seen[i], admissible::unjudged()) << i;
}

TEST(expectation, equals_one_that_admits_the_same_in_each_field) {
  expect_all_different<expectation>([] {
    return std::vector<expectation>{{},
                                    {admissible::word(1)},
                                    {admissible::word(1), admissible::exactly(5)},
                                    {admissible::word(1), admissible::exactly(6)},
                                    {admissible::nothing(), admissible::exactly(5)}};
  });
  EXPECT_EQ(expectation{}, (expectation{admissible::nothing(), admissible::nothing()}));
  EXPECT_EQ((expectation{admissible::word(1), admissible::nothing()}), expectation{admissible::word(1)});
}

TEST(observed, equals_the_same_answer) {
  expect_all_different<observed>([] {
    return std::vector{absent,          not_a_number, observed::word(0), observed::word(1),
                       number("0"),     number("1"),  number("0.1"),     number("0.10000000000000000001"),
                       observed::of(-1)};
  });
}

}  // namespace
}  // namespace backoff::spec
