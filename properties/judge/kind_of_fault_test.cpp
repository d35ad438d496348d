// What is wrong with draws whose fault is known; each kind has a fault that looks like the other kind.
#include "judge/kind_of_fault.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "histories/random.hpp"
#include "judge/drawn.hpp"

namespace {

using namespace backoff::judge;

constexpr draw_tests_mask all_tests = (draw_tests_mask{1} << draw_tests) - 1;

drawn_part value_at(std::uint64_t k, std::uint64_t m, std::uint32_t attempt) {
  auto const n = static_cast<double>(m);
  return {static_cast<double>(k) / n, static_cast<double>(k + 1) / n, 1 / n, 1 / n, m, 0, attempt};
}

// Cycles of so many draws from a window that doubles up to a cap of 4,096 values.
struct cycles {
  unsigned count;
  std::uint32_t draws;
};
template <class Draw>  // the share of the window, by an even one, the attempt, whether it is at the cap, the share
                       // before
about_draws told(cycles const& of, Draw draw, draw_tests_mask tests = all_tests) {
  draw_bets bets(tests);
  kind_of_fault kind;
  random_bits random(1);
  for (unsigned c = 0; c < of.count; ++c) {
    std::optional<double> previous, last;
    for (std::uint32_t x = 1; x <= of.draws; ++x) {
      auto const m = std::uint64_t{64} << std::min(x - 1, 6U);
      double const even = static_cast<double>(random() >> 11) * 0x1p-53;
      double const share = draw(even, x, m == 4'096, last.value_or(even));
      auto const part = value_at(static_cast<std::uint64_t>(share * static_cast<double>(m)), m, x);
      bets.take(part, {.in_cycle = previous});
      kind.take(part, 0, previous);
      previous = part.middle();
      last = share;
    }
  }
  return kind.broken(bets);
}

constexpr auto uniform = about_draws::uniform;
constexpr auto independent = about_draws::independent;

TEST(kind_of_fault, a_window_that_is_not_filled_evenly) {
  cycles const some{20, 30};
  EXPECT_EQ(told(some, [](double u, auto, auto, auto) { return u / 2; }), uniform);
  EXPECT_EQ(told(some, [](double u, auto, bool cap, auto) { return cap ? 0.5 + u / 2 : u; }), uniform);
  EXPECT_EQ(told(some, [](double u, auto x, auto, auto) { return x > 20 ? 0.5 : u; }), uniform) << "though it repeats";
  EXPECT_EQ(told(some, [](auto, auto, auto, auto) { return 0.3; }), uniform);
}

TEST(kind_of_fault, draws_that_depend_on_the_one_before) {
  cycles const some{20, 30};
  EXPECT_EQ(told(some, [](auto, auto, auto, double last) { return last; }), independent) << "one in a cycle";
  EXPECT_EQ(told(some, [](double u, auto x, auto, double last) { return x > 20 ? last : u; }), independent);
  EXPECT_EQ(told(some, [](double u, auto x, auto, double last) { return x % 2 == 0 ? last : u; }), independent);
  EXPECT_EQ(told(some, [](double u, auto, auto, double last) { return std::fmod(last + u / 4, 1); }), independent);
}

// Equal jitter from a window of one value on: small windows round, and under the reading that takes each window for
// twice as wide, draws lie elsewhere once the cap is reached.
TEST(kind_of_fault, a_half_that_is_never_drawn_from_windows_that_grow) {
  for (std::uint64_t const factor : {1U, 2U}) {
    draw_bets bets(all_tests);
    kind_of_fault kind;
    random_bits random(1);
    for (unsigned c = 0; c < 12; ++c) {
      std::optional<double> previous;
      for (std::uint32_t x = 1; x <= 18; ++x) {
        constexpr std::uint64_t cap = 4'096;
        auto const window = std::min(std::uint64_t{1} << (x - 1), cap);
        auto const seen_as = std::min(factor * window, cap);
        auto const part = value_at(window / 2 + random() % (window / 2 + 1), seen_as + 1, x);
        bets.take(part, {.in_cycle = previous});
        kind.take(part, 0, previous);
        previous = part.middle();
      }
    }
    EXPECT_EQ(kind.broken(bets), uniform) << factor;
  }
}

TEST(kind_of_fault, of_claims_that_are_tested) {
  auto const half = [](double u, auto, auto, auto) { return u / 2; };
  EXPECT_EQ(told({20, 30}, half, tests_of(uniform)), uniform);
  EXPECT_EQ(told({20, 30}, half, tests_of(independent)), independent);
  EXPECT_EQ(told({20, 30}, half, bit(draw_test::near_other_process)), about_draws::seeded);
}

TEST(kind_of_fault, counts_the_first_draws_alone) {
  EXPECT_EQ(told({100, 100}, [](double u, auto, auto, auto) { return u / 2; }), uniform);
}

// A generator of 32 bits, by remainder, is even in both parts; what is wider, narrower or real is left as it is.
TEST(remainders, part_a_wide_window_where_the_generator_ends) {
  std::uint64_t const m = 2'491'014'177;
  auto const often = (std::uint64_t{1} << 32) % m;
  auto const first = within_remainders(value_at(0, m, 7));
  EXPECT_EQ(first.below, 0);
  EXPECT_EQ(first.values, often);
  EXPECT_EQ(first.attempt, 7U);
  EXPECT_EQ(within_remainders(value_at(often - 1, m, 7)).upto, 1);
  EXPECT_EQ(within_remainders(value_at(often, m, 7)).below, 0);
  EXPECT_EQ(within_remainders(value_at(m - 1, m, 7)).upto, 1);
  EXPECT_EQ(within_remainders(value_at(m - 1, m, 7)).values, m - often);
  for (auto const as_it_is : {std::uint64_t{1} << 24, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1})
    EXPECT_EQ(within_remainders(value_at(5, as_it_is, 1)), value_at(5, as_it_is, 1));
  drawn_part const real{0.25, 0.25, 0, 0, 0};
  EXPECT_EQ(within_remainders(real), real);
}

}  // namespace
