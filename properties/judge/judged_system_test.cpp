// The registry of systems, and the model played as a port: whatever it plays is admitted.
#include "judge/judged_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "judge/countdown_test.hpp"
#include "relation/rational.hpp"

namespace {

using namespace backoff::judge;
namespace spec = backoff::spec;
using spec::admissible;

// One answer that has this for its first field.
answer one_played(admissible const& admitted, random_bits& random) {
  spec::expectation expected;
  expected[0] = admitted;
  return play(expected, random);
}

TEST(judged_system, is_found_by_its_stem) {
  for (auto const* system : judged_systems()) EXPECT_EQ(find_judged_system(system->shape().stem), system);
  EXPECT_EQ(find_judged_system("countdown"), nullptr);
}

TEST(judged_system, of_ones_own_is_found_once_it_is_added) {
  add_judged_system(countdown::system);
  EXPECT_EQ(find_judged_system("countdown"), &countdown::system);
  EXPECT_EQ(find_judged_system("none"), nullptr);
  ASSERT_EQ(declared_systems().size(), 1U);
  EXPECT_TRUE(std::ranges::none_of(judged_systems(), [](auto const* system) { return system == &countdown::system; }));
  EXPECT_EQ(countdown::system.own_fault(), "") << "as documents have none";
  EXPECT_TRUE(countdown::system.variants().empty());
}

TEST(judged_system, of_ones_own_needs_no_registry) {
  explorer<countdown::binding> const own;
  judged_system const& system = own;
  EXPECT_EQ(system.claims().size(), countdown::claims.size());
  EXPECT_EQ(system.shape().stem, "countdown");
}

TEST(judged_system, has_rules_of_several_claims_each) {
  for (auto const* system : judged_systems()) {
    std::map<std::string_view, unsigned> parts;
    for (auto const& c : system->claims()) ++parts[c.rule];
    for (auto const& [rule, claims] : parts) EXPECT_GT(claims, 1U) << system->shape().stem << ": " << rule;
  }
}

TEST(judged_system, has_claims_that_lean_on_others_of_its_own) {
  for (auto const* system : judged_systems()) {
    for (auto const& c : system->claims()) {
      for (auto const name : c.leans_on) {
        EXPECT_NE(name, c.name);
        EXPECT_EQ(std::ranges::count(system->claims(), name, &claim_text::name), 1) << c.name << ": " << name;
      }
    }
  }
}

TEST(judged_system, says_whether_answers_tell_it_anything) {
  for (auto const* system : judged_systems()) {
    bool const keeps_waits = system->shape().stem == "azure_c_retry_control";
    bool const carries_on = system->shape().stem == "aws_step_functions";
    EXPECT_EQ(system->learns_from_answers(), keeps_waits || carries_on) << system->shape().stem;
  }
  EXPECT_FALSE(countdown::system.learns_from_answers());
}

TEST(play, answers_what_is_admitted) {
  spec::rational const third(1, 3);
  spec::rational const huge(spec::rational(1) * 1'000'000'000'000'000'000 * 7);
  std::array const admitted{
      admissible::word(2),
      admissible::words(0b101),
      admissible::not_zero(),
      admissible::integers(3, 4, 5),
      admissible::integers(3, 4, 5).or_exactly(21),
      admissible::exactly(7),
      admissible::between(2, 9),
      admissible::between({third, third}),
      admissible::between({spec::rational(5, 4), spec::rational(5, 4)}),
      admissible::between({huge, huge}),
      admissible::between({spec::rational(1, 1'000'000'000) / 1'000'000'000, spec::rational(1, 1'000'000'000)}),
      admissible::between(0, 0),
      admissible::between(-9, -2),
      admissible::between({-third, -third}),
      admissible::between({-huge, third}),
      admissible::between({huge * huge * huge, huge * huge * huge * huge}),
      admissible::either({third, huge}),
      admissible::not_finite(),
      admissible::nothing(),
  };
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    random_bits random(seed);
    for (auto const& one : admitted) {
      auto const played = one_played(one, random)[0];
      EXPECT_TRUE(one.admits(played)) << static_cast<int>(one.kind()) << " " << played.value.mantissa << "e"
                                      << played.value.exponent;
    }
  }
}

// Eighteen digits, cut; fewer where the rest are zeros behind the point.
TEST(play, writes_the_normalised_decimal_of_a_value) {
  random_bits random(1);
  auto const written = [&](spec::rational const& x) { return one_played(admissible::between({x, x}), random)[0]; };
  auto const decimal = [](spec::integer mantissa, std::int32_t exponent) {
    return observed::of(spec::decimal{mantissa, exponent, false});
  };
  spec::rational const e18(1'000'000'000'000'000'000);
  EXPECT_EQ(written({5, 4}), decimal(125, -2));
  EXPECT_EQ(written({-5, 4}), decimal(-125, -2));
  EXPECT_EQ(written({5, 2}), decimal(25, -1));
  EXPECT_EQ(written({2, 3}), decimal(666'666'666'666'666'666, -18));
  EXPECT_EQ(written({-2, 3}), decimal(-666'666'666'666'666'666, -18));
  EXPECT_EQ(written(e18 + spec::rational(2, 3)), decimal(100'000'000'000'000'000, 1));
  EXPECT_EQ(written(spec::rational(12'345'678'901'234'560) + spec::rational(1, 25)),
            decimal(12'345'678'901'234'560, 0));
  EXPECT_EQ(written(e18), decimal(100'000'000'000'000'000, 1));
  EXPECT_EQ(written(e18 - 1), decimal(999'999'999'999'999'999, 0));
  EXPECT_EQ(written(e18 * 70), decimal(700'000'000'000'000'000, 2));
  EXPECT_EQ(written(10), decimal(10, 0));
  EXPECT_EQ(written(0), decimal(0, 0));
}

// What is played depends on the bits alone, in the order of the fields; what is fixed takes none of them.
TEST(play, takes_one_random_number_for_each_field_that_is_not_fixed) {
  spec::expectation const admitted{admissible::word(3),       admissible::not_finite(), admissible::integers(3, 4, 5),
                                   admissible::between(2, 9), admissible::not_zero(),   admissible::words(0b1011)};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    random_bits random(seed);
    random_bits same(seed);
    auto const played = play(admitted, random);
    EXPECT_EQ(played[0], observed::word(3));
    EXPECT_EQ(played[1], (observed{observed_kind::not_a_number, 0, {}}));
    EXPECT_EQ(played[2], observed::of(3 + 4 * same.between(0, 4)));
    constexpr spec::integer parts = 1 << 20;
    auto const millionth = spec::rational(2) + spec::rational(7 * same.between(0, parts), parts);
    random_bits any(1);
    EXPECT_EQ(played[3], one_played(admissible::between({millionth, millionth}), any)[0]);
    EXPECT_EQ(played[4], observed::of(same.one_in(2) ? 1 : -1));
    constexpr std::array<std::uint8_t, 3> words{0, 1, 3};
    EXPECT_EQ(played[5], observed::word(words.at(static_cast<std::size_t>(same.between(0, 2)))));
  }
}

TEST(play, says_every_word_of_several) {
  auto const words = admissible::words(0b10110);
  std::array<int, 5> seen{};
  random_bits random(1);
  for (int i = 0; i < 500; ++i) ++seen.at(one_played(words, random)[0].keyword);
  for (std::size_t w = 0; w < seen.size(); ++w) EXPECT_EQ(seen[w] > 0, (words.words() >> w & 1) != 0) << w;
}

TEST(play, takes_either_of_two) {
  std::array<int, 2> seen{};
  random_bits random(1);
  auto const either = admissible::either({spec::rational(22), spec::rational(45, 2)});
  for (int i = 0; i < 100; ++i) ++seen[one_played(either, random)[0] == observed::of(22) ? 0 : 1];
  for (int const n : seen) EXPECT_GT(n, 20);
}

TEST(play, draws_every_member_of_a_lattice) {
  auto const lattice = admissible::integers(3, 4, 5);
  std::array<int, 5> seen{};
  random_bits random(1);
  for (int i = 0; i < 500; ++i)
    ++seen[static_cast<std::size_t>((one_played(lattice, random)[0].value.mantissa - 3) / 4)];
  for (int const n : seen) EXPECT_GT(n, 0);
  seen = {};
  for (int i = 0; i < 500; ++i)
    ++seen[static_cast<std::size_t>(
        (one_played(admissible::integers(3, 4, 4).or_exactly(20), random)[0].value.mantissa - 3) / 4)];
  for (int const n : seen) EXPECT_GT(n, 0);
}

}  // namespace
