// The tests of hidden randomness by hand: that none of them gains anything on average where draws are uniform and
// independent, computed over all outcomes of small cases; that they are then hardly ever wrong, computed too; and that
// each of them gains on what it looks for.
#include "judge/e_process.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "histories/random.hpp"

namespace {

using namespace backoff::judge;

constexpr draw_tests_mask all_tests = (draw_tests_mask{1} << draw_tests) - 1;

// Value k of m equally likely ones.
drawn_part value_of(std::uint64_t k, std::uint64_t m) {
  auto const count = static_cast<double>(m);
  return {static_cast<double>(k) / count, static_cast<double>(k + 1) / count, 1 / count, 1 / count, m};
}

// Compares a draw with whatever can be compared: with those before, and with two that are fixed.
drawn_before compared(std::vector<drawn_part> const& drawn) {
  if (drawn.empty()) return {{}, 0.3, {}, 0.9};
  return {drawn.back().middle(), 0.6, drawn.front().middle(), 0.1};
}

// All sequences of so many values, each drawn from a window of its own, with what the tests make of them.
template <class Visit>
void for_each_sequence(std::vector<std::uint64_t> const& windows, Visit visit) {
  std::vector<drawn_part> drawn;
  auto const go = [&](auto const& self, draw_bets const& bets, double probability, double most) -> void {
    if (drawn.size() == windows.size()) {
      visit(bets, probability, most);
      return;
    }
    auto const m = windows[drawn.size()];
    for (std::uint64_t k = 0; k < m; ++k) {
      auto next = bets;
      auto part = value_of(k, m);
      part.attempt = static_cast<std::uint32_t>(
          71 + drawn.size() % 3);  // two groups alone, and one of many attempts that stays empty
      next.take(part, compared(drawn));
      drawn.push_back(part);
      self(self, next, probability / static_cast<double>(m), std::max(most, next.gained()));
      drawn.pop_back();
    }
  };
  go(go, draw_bets(all_tests), 1, 0);
}

std::vector<std::vector<std::uint64_t>> const small_cases{
    {2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {3, 3, 3, 3, 3, 3, 3}, {5, 5, 5, 5, 5}, {1, 2, 4, 5, 5, 5}, {100, 33, 2}, {70'000}};

TEST(e_process, every_capital_is_expected_to_stay_what_it_is) {
  for (auto const& windows : small_cases) {
    std::array<double, draw_tests> mean{};
    double together = 0;
    for_each_sequence(windows, [&](draw_bets const& bets, double probability, double) {
      for (std::size_t t = 0; t < draw_tests; ++t)
        mean[t] += probability * std::exp(bets.gained_by(static_cast<draw_test>(t)));
      together += probability * std::exp(bets.gained());
    });
    for (std::size_t t = 0; t < draw_tests; ++t)
      EXPECT_NEAR(mean[t], 1, 1e-9) << text_of(static_cast<draw_test>(t)).name << " of " << windows.size();
    EXPECT_NEAR(together, 1, 1e-9);
  }
}

// A bound heaps up the upper half of a window: one value of probability 1/2, and a hundred of 1/200.
TEST(e_process, every_capital_is_expected_to_stay_what_it_is_where_one_value_has_half_of_the_window) {
  constexpr double one = 0.005;
  std::vector<std::pair<drawn_part, double>> all{{{0.5, 1, one, 0.5}, 0.5}};
  for (int k = 0; k < 100; ++k) all.push_back({{k * one, (k + 1) * one, one, 0.5}, one});
  std::array<double, draw_tests> mean{};
  for (auto [first, p] : all) {
    first.attempt = 1;
    draw_bets one_draw(all_tests);
    one_draw.take(first, {});
    for (auto [second, q] : all) {
      second.attempt = 2;
      auto two = one_draw;
      two.take(second, {first.middle(), {}, 0.25, {}});
      for (std::size_t t = 0; t < draw_tests; ++t)
        mean[t] += p * q * std::exp(two.gained_by(static_cast<draw_test>(t)));
    }
  }
  for (std::size_t t = 0; t < draw_tests; ++t) EXPECT_NEAR(mean[t], 1, 1e-9) << text_of(static_cast<draw_test>(t)).name;
}

// Ville's inequality, computed: the probability that the capital has ever reached 1/alpha.
TEST(e_process, false_alarms_are_rarer_than_alpha) {
  for (auto const& windows : small_cases) {
    for (double const alpha : {0.5, 0.1, 0.05, 0.01}) {
      double alarms = 0;
      for_each_sequence(windows, [&](draw_bets const&, double probability, double most) {
        if (most >= -std::log(alpha)) alarms += probability;
      });
      EXPECT_LE(alarms, alpha) << windows.size() << " draws";
    }
  }
}

TEST(e_process, draws_are_shown_by_sixteenths_and_by_the_part_in_which_all_lie) {
  draw_bets bets(all_tests);
  EXPECT_EQ(bets.sixteenths(), std::vector<double>(16));
  for (double const u : {0.01, 0.02, 0.03, 0.99}) bets.take({u, u, 0, 0, 0}, {});
  std::vector<double> expected(16);
  expected.front() = 0.75;
  expected.back() = 0.25;
  EXPECT_EQ(bets.sixteenths(), expected);
  EXPECT_EQ(bets.spread().low, 0.01);
  EXPECT_EQ(bets.spread().high, 0.99);
  bets.take({0, 0.5, 0.5, 0.5, 2}, {});  // the half [0, 1/2), which could be any of its eight sixteenths
  EXPECT_NEAR(bets.sixteenths().front(), (3 + 1.0 / 8) / 5, 1e-12);
  EXPECT_EQ(bets.spread().low, 0.01);
  bets.take({0, 0, 0, 0, 0}, {});
  EXPECT_EQ(bets.spread().low, 0);
}

TEST(e_process, a_real_draw_is_bet_on_by_a_density) {
  draw_bets bets(all_tests);
  random_bits random(3);
  for (int i = 0; i < 50; ++i) {
    double const u = std::sqrt(static_cast<double>(random.between(0, 1 << 20)) / ((1 << 20) + 1));
    bets.take({u, u, 0, 0, 0}, {});
  }
  constexpr int points = 1 << 16;  // a multiple of every number of bins, also after 15 more bits
  double mean = 0;
  for (int i = 0; i < points; ++i) {
    double const u = (i + 0.5) / points;
    auto next = bets;
    next.take({u, u, 0, 0, 0}, {});
    mean += std::exp(next.gained_by(draw_test::sixteenths) - bets.gained_by(draw_test::sixteenths)) / points;
  }
  EXPECT_NEAR(mean, 1, 1e-9);
}

// A draw of [0, 1) for each call.
template <class Draw>
draw_bets after(int draws, Draw draw, draw_tests_mask tests = all_tests) {
  draw_bets bets(tests);
  random_bits random(1);
  std::optional<double> previous;
  for (int i = 0; i < draws; ++i) {
    auto const part = draw(random, previous);
    bets.take(part, {previous, {}, {}, {}});
    previous = part.middle();
  }
  return bets;
}
drawn_part at(random_bits& random, std::uint64_t m) {
  return value_of(static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(m) - 1)), m);
}

TEST(e_process, gains_nothing_on_fair_draws) {
  for (std::uint64_t const m : {std::uint64_t{2}, std::uint64_t{12}, std::uint64_t{20'001}, std::uint64_t{1} << 32}) {
    auto const bets = after(20'000, [&](random_bits& random, auto const&) { return at(random, m); });
    EXPECT_EQ(bets.draws(), 20'000U);
    EXPECT_LT(bets.gained(), std::log(10)) << m;
  }
}

struct found_by {
  draw_test test;
  int draws;
  drawn_part (*draw)(random_bits&, std::optional<double> const&);
};

TEST(e_process, each_test_gains_most_on_what_it_looks_for) {
  found_by const rows[]{
      {draw_test::halves, 60,
       [](random_bits& r, auto const&) {
         return value_of(at(r, 500).below < 0.5 ? 7U + static_cast<std::uint64_t>(r.between(0, 490))
                                                : static_cast<std::uint64_t>(r.between(0, 499)),
                         1'000);
       }},
      {draw_test::grains, 60,
       [](random_bits& r, auto const&) {
         return value_of(static_cast<std::uint64_t>(r.between(0, 19)) * 1'000, 20'001);
       }},
      {draw_test::upper_end, 60,
       [](random_bits& r, auto const&) { return r.one_in(3) ? value_of(20'000, 20'001) : at(r, 20'001); }},
      {draw_test::lower_end, 60,
       [](random_bits& r, auto const&) { return r.one_in(3) ? value_of(0, 20'001) : at(r, 20'001); }},
      {draw_test::half_ends, 900,
       [](random_bits& r, auto const&) { return value_of(static_cast<std::uint64_t>((r.between(0, 7) + 1) / 2), 5); }},
      {draw_test::fine_digits, 60,
       [](random_bits& r, auto const&) {
         return value_of(static_cast<std::uint64_t>(r.between(0, 32'767)) << 17, std::uint64_t{1} << 32);
       }},
      {draw_test::low_bit, 60,
       [](random_bits& r, auto const&) {
         return value_of(2 * static_cast<std::uint64_t>(r.between(0, 10'000)), 20'001);
       }},
      {draw_test::near_previous, 60,
       [](random_bits& r, std::optional<double> const& p) {
         double const from = p.value_or(0) + 0.37;  // of the circle
         return value_of(
             (static_cast<std::uint64_t>(from * 20'000) + static_cast<std::uint64_t>(r.between(0, 99))) % 20'000,
             20'000);
       }},
      {draw_test::after_previous, 200,
       [](random_bits& r, std::optional<double> const& p) {
         // the quarters take turns, but where in a quarter is random
         auto const quarter = p ? (static_cast<std::uint64_t>(*p * 4) * 3 + 1) % 4 : 0;
         return value_of(quarter * 5'000 + static_cast<std::uint64_t>(r.between(0, 4'999)), 20'000);
       }},
  };
  for (auto const& row : rows) {
    auto const bets = after(row.draws, row.draw);
    EXPECT_EQ(text_of(bets.best(all_tests)).name, text_of(row.test).name);
    EXPECT_GT(bets.gained(), std::log(1e9)) << text_of(row.test).name;
  }
}

TEST(e_process, small_windows_are_told_value_by_value) {
  auto const bets = after(400, [](random_bits& r, auto const&) {
    auto const k = static_cast<std::uint64_t>(r.between(0, 10));
    return value_of(k == 5 ? 6 : k, 11);  // one value never comes, its neighbour for it
  });
  EXPECT_EQ(bets.best(all_tests), draw_test::single_values);
  EXPECT_GT(bets.gained(), std::log(1e9));
}

TEST(e_process, comparisons_find_draws_that_are_made_twice) {
  struct {
    draw_test test;
    drawn_before (*compare)(double);
  } const rows[]{{draw_test::near_cycle_before, [](double u) { return drawn_before{.cycle_ago = u}; }},
                 {draw_test::near_history_before, [](double u) { return drawn_before{.in_history = u}; }},
                 {draw_test::near_other_instance, [](double u) { return drawn_before{.on_other = u}; }},
                 {draw_test::near_other_process, [](double u) { return drawn_before{.in_process = u}; }}};
  for (auto const& row : rows) {
    draw_bets bets(all_tests);
    random_bits random(1);
    for (int i = 0; i < 30; ++i) {
      auto const part = at(random, 20'001);
      bets.take(part, row.compare(part.middle()));
    }
    EXPECT_EQ(bets.best(all_tests), row.test);
    EXPECT_GT(bets.gained(), std::log(1e9));
  }
}

TEST(e_process, claims_have_tests_of_their_own) {
  auto const uniform = tests_of(about_draws::uniform);
  auto const independent = tests_of(about_draws::independent);
  auto const seeded = tests_of(about_draws::seeded);
  EXPECT_EQ(uniform & independent, 0U);
  EXPECT_EQ((uniform | independent) & seeded, 0U);
  EXPECT_EQ(uniform | independent | seeded, all_tests);
  auto const repeated = [](random_bits&, auto const&) { return value_of(7, 20'001); };
  EXPECT_EQ(text_of(after(100, repeated, independent).best(all_tests)).claim, about_draws::independent);
  EXPECT_EQ(text_of(after(100, repeated, uniform).best(all_tests)).claim, about_draws::uniform);
  EXPECT_GT(after(100, repeated, independent).gained(), std::log(1e9));
}

TEST(e_process, ends_are_counted) {
  auto const bets =
      after(100, [](random_bits& r, auto const&) { return r.one_in(4) ? value_of(9, 10) : value_of(3, 10); });
  EXPECT_NEAR(static_cast<double>(bets.at_an_end(true).seen), 25, 10);
  EXPECT_EQ(bets.at_an_end(true).tried, 100U);
  EXPECT_EQ(bets.at_an_end(false).seen, 0U);
  EXPECT_EQ(bets.at_an_end(false, {{0, false}, false}).tried, 100U);
  EXPECT_EQ(bets.at_an_end(false, {{0, true}, true}).tried, 0U);
}

// A value that is certain tells nothing.
TEST(e_process, a_window_of_one_value_gains_nothing) {
  auto const bets = after(10, [](random_bits&, auto const&) { return drawn_part{0, 1, 1, 1, 1}; });
  EXPECT_NEAR(bets.gained(), 0, 1e-12);
}

// What has gained that much has at least one test that has, and is asked of that alone.
TEST(e_process, asks_of_the_mean_whether_it_has_gained_enough) {
  auto const bets = after(40, [](random_bits& r, auto const&) {
    auto part = r.one_in(3) ? value_of(20'000, 20'001) : at(r, 20'001);
    part.attempt = 7;
    return part;
  });
  EXPECT_TRUE(bets.has_gained(bets.gained()));
  EXPECT_FALSE(bets.has_gained(std::nextafter(bets.gained(), HUGE_VAL)));
  EXPECT_GT(bets.gained_by(bets.best(all_tests)), bets.gained() + 1);
  EXPECT_FALSE(bets.has_gained(bets.gained_by(bets.best(all_tests))));
  EXPECT_FALSE(bets.has_gained(HUGE_VAL));
}

// Every test again, each by the bins that it is documented to have, and by what it takes and leaves out.
class tests_by_hand {
 public:
  void take(drawn_part const& d, drawn_before const& before) {
    for (auto& [t, bet] : even_) bet.bet(d.below, d.upto);
    if (d.width() < 1.0 / 64) grains_.bet(d.below, d.upto);
    if (d.width() < 1.0 / 131'072) digits_.bet(d.below * 32'768, d.upto * 32'768);
    if (d.lowest > 0 && d.lowest < 1) lower_.bet(d.below == 0, d.lowest);
    if (d.highest > 0 && d.highest < 1) upper_.bet(d.upto == 1, d.highest);
    auto const m = static_cast<double>(d.values);
    if (d.values > 2) half_ends_ += std::log(d.below == 0 || d.upto == 1 ? m / (2 * m - 2) : m / (m - 1));
    if (d.values > 2 && d.values <= 4'194'304) low_bit_.bet(std::lround(d.below * m) % 2 == 0, std::ceil(m / 2) / m);
    if (d.values > 1 && d.values <= 32) {
      values_.try_emplace(m, static_cast<unsigned>(d.values), 0.5).first->second.bet(d.below, d.upto);
    }
    if (before.in_cycle)
      after_.try_emplace(std::floor(*before.in_cycle * 4), 4, 0.5).first->second.bet(d.below, d.upto);
    auto const near = [&](draw_test t, std::optional<double> const& earlier) {
      if (earlier) near_.try_emplace(t, 16, 0.5).first->second.bet(d.below - *earlier, d.upto - *earlier);
    };
    near(draw_test::near_previous, before.in_cycle);
    near(draw_test::near_cycle_before, before.cycle_ago);
    near(draw_test::near_history_before, before.in_history);
    near(draw_test::near_other_instance, before.on_other);
    near(draw_test::near_other_process, before.in_process);
  }

  [[nodiscard]] double gained_by(draw_test t) const {
    if (even_.contains(t)) return even_.at(t).gained();
    if (near_.contains(t)) return near_.at(t).gained();
    if (t == draw_test::grains) return grains_.gained();
    if (t == draw_test::fine_digits) return digits_.gained();
    if (t == draw_test::upper_end) return upper_.gained();
    if (t == draw_test::lower_end) return lower_.gained();
    if (t == draw_test::half_ends) return half_ends_;
    if (t == draw_test::low_bit) return low_bit_.gained();
    double sum = 0;
    for (auto const& [key, bet] : t == draw_test::single_values ? values_ : after_) sum += bet.gained();
    return sum;
  }

 private:
  std::map<draw_test, density_bet> even_{{draw_test::halves, density_bet(2, 0.5)},
                                         {draw_test::quarters, density_bet(4, 0.5)},
                                         {draw_test::sixteenths, density_bet(16, 0.5)}};
  std::map<draw_test, density_bet> near_;
  std::map<double, density_bet> values_, after_;
  density_bet grains_{1024, 1.0 / 64}, digits_{4, 0.5};
  event_bet lower_, upper_, low_bit_;
  double half_ends_ = 0;
};

TEST(e_process, tests_have_the_bins_that_they_are_documented_to_have) {
  for (bool const compares : {false, true}) {
    draw_bets bets(all_tests);
    tests_by_hand expected;
    random_bits random(5);
    constexpr std::array<std::uint64_t, 14> sizes{1,  2,  3,  4,     31,      32,      33,
                                                  63, 64, 65, 1'000, 131'072, 131'073, 4'294'967'296};
    for (int i = 0; i < 2'000; ++i) {
      auto const m = sizes[random() % sizes.size()];
      auto const some = [&]() -> std::optional<double> {
        return compares ? std::optional(static_cast<double>(random() % 16) / 16) : std::nullopt;
      };
      drawn_before const before{some(), some(), some(), some(), some()};
      auto const part = value_of(std::min(random() % m, random() % m), m);
      bets.take(part, before);
      expected.take(part, before);
    }
    for (std::size_t i = 0; i < draw_tests - late_tests; ++i) {
      draw_test const t{static_cast<std::uint8_t>(i)};
      EXPECT_NEAR(bets.gained_by(t), expected.gained_by(t), 1e-6) << text_of(t).name;
    }
  }
  EXPECT_EQ(draw_bets(all_tests).best(~0U), draw_test::halves) << "the first of several";
}

TEST(e_process, every_test_is_evidence_against_one_claim) {
  std::array<std::string, 3> names;
  for (std::size_t i = 0; i < draw_tests; ++i) {
    auto const& text = text_of(draw_test{static_cast<std::uint8_t>(i)});
    names[static_cast<std::size_t>(text.claim)] += std::string(text.name) + " ";
  }
  EXPECT_EQ(names[static_cast<std::size_t>(about_draws::uniform)],
            "halves quarters sixteenths grains single-values upper-end lower-end half-ends fine-digits low-bit "
            "late-lower-end "
            "late-upper-end late-halves late-grains ");
  EXPECT_EQ(names[static_cast<std::size_t>(about_draws::independent)],
            "after-previous near-previous near-cycle-before near-history-before near-other-instance late-repeats ");
  EXPECT_EQ(names[static_cast<std::size_t>(about_draws::seeded)], "near-other-process ");
}

}  // namespace
