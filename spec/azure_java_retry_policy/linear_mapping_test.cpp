// Which series of delays count as following a rising line or a modulus.
#include "relation/linear_mapping.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/checks.hpp"

namespace backoff::spec {
namespace {

constexpr std::uint64_t half = std::uint64_t{1} << 31;
constexpr std::uint64_t top = 0xffff'ffff;

// Delays that a rule makes of draws, the smallest and the largest first.
std::vector<drawn_delay> drawn_by(draw_kind kind, observed (*rule)(std::uint64_t)) {
  std::vector<drawn_delay> all;
  for (std::uint64_t const r : {std::uint64_t{0}, top, half, std::uint64_t{1}, std::uint64_t{0x3333'3333},
                                std::uint64_t{0xdead'beef}, std::uint64_t{12'345'678}, std::uint64_t{0xabcd'0000}}) {
    all.push_back({{kind, r, std::uint64_t{1} << 32}, rule(r)});
  }
  return all;
}

bool is_listed(std::vector<drawn_delay> const& delays) { return follows_a_linear_mapping(delays); }
observed whole(std::uint64_t n) { return observed::of(static_cast<integer>(n)); }

TEST(follows_a_linear_mapping, knows_every_mapping_whatever_the_constants) {
  checks("AZ-JR-008", "AZ-JR-012");
  constexpr auto u32_kind = draw_kind::u32;
  // a real number; whole ones in steps of 3, scaled and by a modulus; and a large modulus
  EXPECT_TRUE(is_listed(drawn_by(
      u32_kind, [](std::uint64_t r) { return observed::of(decimal{static_cast<integer>(r * 4 + 150), -1, false}); })));
  EXPECT_TRUE(is_listed(drawn_by(u32_kind, [](std::uint64_t r) { return whole(250 + 3 * (r * 26 >> 32)); })));
  EXPECT_TRUE(is_listed(drawn_by(u32_kind, [](std::uint64_t r) { return whole(250 + 3 * (r % 26)); })));
  EXPECT_TRUE(is_listed(drawn_by(u32_kind, [](std::uint64_t r) { return whole(50 + r % 1'000'003); })));
}

TEST(follows_a_linear_mapping, knows_none_that_is_not_listed) {
  checks("AZ-JR-008", "AZ-JR-012");
  EXPECT_FALSE(is_listed(drawn_by(draw_kind::u32, [](std::uint64_t r) {
    return observed::of(decimal{static_cast<integer>((r * 2'654'435'761U >> 7) % 9'973), -1, false});
  }))) << "a hash with fractions";
  EXPECT_FALSE(is_listed(drawn_by(draw_kind::u32, [](std::uint64_t r) { return whole(5'000 - (r * 1'000 >> 32)); })))
      << "downwards";
  EXPECT_FALSE(is_listed(drawn_by(draw_kind::u32, [](std::uint64_t r) {
    return whole((r * 2'654'435'761U >> 7) % 997);
  }))) << "a hash";
  EXPECT_FALSE(is_listed(drawn_by(draw_kind::unit, [](std::uint64_t r) { return whole(50 + r % 1'000'003); })))
      << "a unit draw has no modulus";
}

// By hand: what each rule forgives, and how far.
TEST(follows_a_linear_mapping, is_decided_by_every_draw) {
  checks("AZ-JR-008", "AZ-JR-012");
  auto const follows = [](std::vector<std::pair<std::uint64_t, std::string_view>> const& rows) {
    std::vector<drawn_delay> all;
    for (auto const& [r, text] : rows) {
      auto const value = parse_decimal(text);
      all.push_back({{draw_kind::u32, r, std::uint64_t{1} << 32},
                     value ? observed::of(*value) : observed{observed_kind::not_a_number, 0, {}}});
    }
    return is_listed(all);
  };
  EXPECT_TRUE(follows({{5, "150"}, {1, "110"}, {9, "190"}, {3, "130"}})) << "a line, in whatever order";
  EXPECT_TRUE(follows({{1, "100.5"}, {2, "150.25"}, {4, "249.75"}})) << "a line of real numbers";
  EXPECT_TRUE(follows({{1, "100.5"}, {2, "150.25000000054"}, {4, "249.75"}})) << "4 · 150.25 · 2^-40 are forgiven";
  EXPECT_FALSE(follows({{1, "100.5"}, {2, "150.25000000055"}, {4, "249.75"}}));
  EXPECT_FALSE(follows({{1, "100.5"}, {2, "150.75"}, {4, "249.75"}}));
  EXPECT_TRUE(follows({{0, "0"}, {1, "30"}, {4, "50"}})) << "steps of 10: 17.5 off the line";
  EXPECT_TRUE(follows({{0, "0"}, {1, "30"}, {4, "40"}})) << "20 off";
  EXPECT_FALSE(follows({{0, "0"}, {1, "40"}, {4, "70"}})) << "22.5 off";
  EXPECT_FALSE(follows({{0, "0"}, {1, "10"}, {4, "0"}, {7, "0"}})) << "a line that does not rise";
  EXPECT_TRUE(follows({{13, "3"}, {24, "4"}, {35, "5"}, {57, "7"}, {98, "8"}, {101, "1"}, {112, "2"}})) << "modulo 10";
  EXPECT_FALSE(follows({{14, "3"}, {24, "4"}, {35, "5"}, {57, "7"}, {98, "8"}, {101, "1"}, {112, "2"}}))
      << "but for the first";
  EXPECT_FALSE(follows({{13, "3"}, {24, "4"}, {35, "5"}, {57, "7"}, {111, "11"}, {101, "1"}}))
      << "11 is 10 more than 1: no remainder of 10";
  EXPECT_TRUE(follows({{0, "0"}, {1, "40"}, {4, "70"}, {5, "none"}})) << "not a number says nothing";
}

TEST(follows_a_linear_mapping, takes_what_says_nothing_for_listed) {
  checks("AZ-JR-008");
  EXPECT_TRUE(is_listed(drawn_by(draw_kind::u32, [](std::uint64_t) { return whole(100); })));
  EXPECT_TRUE(is_listed(drawn_by(draw_kind::u32, [](std::uint64_t r) {
    return r == 1 ? observed{observed_kind::not_a_number, 0, {}} : whole(r);
  })));
}

}  // namespace
}  // namespace backoff::spec
