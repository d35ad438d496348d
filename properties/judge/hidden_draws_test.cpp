// What hidden draws leave of the readings, on answers made by hand and by ports that draw for themselves.
#include "judge/hidden_draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "histories/present.hpp"
#include "histories/systems.hpp"
#include "judge/drawn.hpp"
#include "judge/judged_system.hpp"
#include "relation/rational.hpp"

namespace {

using namespace backoff::judge;
using backoff::spec::admissible;
using backoff::spec::cube;
using backoff::spec::decimal;
using backoff::spec::rational;

constexpr draw_tests_mask all_tests = (draw_tests_mask{1} << draw_tests) - 1;
constexpr double alpha = 1e-9;
draw_source const hidden{backoff::spec::draw_kind::hidden, 1};

judged_system const& system_of(std::string_view stem) { return *find_judged_system(stem); }
judged_system const& full_jitter() { return system_of("aws_backoff_algorithm"); }

// Four calls on one instance: windows 2, 4, 7, 7 where the document is read as the library reads it.
history const four_calls{{value::of(2), value::of(7), value::word(0)},
                         {{0, 0, {}}, {0, 0, {}}, {0, 0, {}}, {0, 0, {}}}};

answer delay(std::int64_t ms) { return {observed::word(0), observed::of(ms)}; }

// Draws from each window, less some of its highest values.
std::vector<answer> drawn(random_bits& random, std::int64_t less) {
  std::vector<answer> answers;
  for (std::int64_t const window : {2, 4, 7, 7}) answers.push_back(delay(random.between(0, window - less)));
  return answers;
}

cube canonical() {
  auto const& table = full_jitter().readings();
  return table.simplest(table.admitting(backoff::spec::standing::hazard));
}
cube reading(std::string_view name, std::string_view alternative) {
  auto const& table = full_jitter().readings();
  unsigned const r = present(table.find(name));
  return table.with(canonical(), r, present(table.find(r, alternative)));
}
bool lives(hidden_draws const& d, cube c) { return !d.living({c}).empty(); }

TEST(hidden_draws, leave_the_reading_that_the_port_follows_and_refute_its_neighbours) {
  for (std::int64_t const less : {0, 1}) {
    hidden_draws draws(full_jitter(), alpha, all_tests, full_jitter().assignments(hidden.kind));
    random_bits random(1);
    bool refuted = false;
    for (int i = 0; i < 400; ++i) refuted = draws.absorb(four_calls, drawn(random, less), {}) || refuted;
    EXPECT_TRUE(refuted);
    EXPECT_EQ(lives(draws, canonical()), less == 0);
    if (less == 1) {
      EXPECT_TRUE(lives(draws, reading("upper-bound", "exclusive")));
    }
    EXPECT_FALSE(lives(draws, reading("delay-resolution", "real")));
    EXPECT_FALSE(lives(draws, reading("attempt-origin", "one")));
    EXPECT_TRUE(lives(draws, reading("distribution", "unspecified"))) << "it admits every distribution";
    auto const* tested = draws.draws_of(canonical());
    ASSERT_NE(tested, nullptr);
    EXPECT_EQ(tested->bets().gained() >= -std::log(alpha), less == 1);
  }
}

TEST(hidden_draws, share_their_tests_until_something_tells_the_readings_apart) {
  hidden_draws draws(full_jitter(), alpha, all_tests, full_jitter().assignments(hidden.kind));
  EXPECT_EQ(draws.draws_of(canonical()), draws.draws_of(reading("window-growth", "compare-half")));
  random_bits random(1);
  EXPECT_FALSE(draws.absorb(four_calls, drawn(random, 0), {}));
  EXPECT_EQ(draws.draws_of(canonical()), draws.draws_of(reading("window-growth", "compare-half")));
  EXPECT_NE(draws.draws_of(canonical()), draws.draws_of(reading("attempt-origin", "one")));
  EXPECT_EQ(draws.draws_of(canonical())->bets().draws(), 4U);
  EXPECT_EQ(draws.draws_of(canonical())->layouts().size(), 1U);
}

TEST(hidden_draws, forget_what_is_refuted_elsewhere) {
  hidden_draws draws(full_jitter(), alpha, all_tests, full_jitter().assignments(hidden.kind));
  draws.narrow_to({canonical()});
  EXPECT_TRUE(lives(draws, canonical()));
  EXPECT_FALSE(lives(draws, reading("upper-bound", "exclusive")));
  EXPECT_EQ(draws.draws_of(reading("upper-bound", "exclusive")), nullptr);
}

TEST(hidden_draws, end_where_an_answer_is_not_admitted) {
  hidden_draws draws(full_jitter(), alpha, all_tests, {canonical()});
  EXPECT_FALSE(draws.absorb(four_calls, std::vector{delay(1), delay(5), delay(1), delay(1)}, {}));
  EXPECT_EQ(draws.draws_of(canonical())->bets().draws(), 1U);
}

TEST(hidden_draws, from_a_window_of_one_value_tell_nothing) {
  history h = four_calls;
  h.params[0] = value::of(0);
  hidden_draws draws(full_jitter(), alpha, all_tests, {canonical()});
  EXPECT_FALSE(draws.absorb(h, std::vector(4, delay(0)), {}));
  EXPECT_EQ(draws.draws_of(canonical())->bets().draws(), 0U);
}

TEST(hidden_draws, are_compared_with_another_process) {
  hidden_draws draws(full_jitter(), alpha, all_tests, {canonical()});
  random_bits random(1);
  bool refuted = false;
  for (int i = 0; i < 30 && !refuted; ++i) {
    auto const answers = drawn(random, 0);
    refuted = draws.absorb(four_calls, answers, answers);
  }
  EXPECT_TRUE(refuted);
  EXPECT_EQ(draws.draws_of(canonical())->bets().best(~0U), draw_test::near_other_process);
}

TEST(hidden_draws, on_two_instances_are_compared_with_each_other) {
  auto calls = four_calls;
  for (std::uint8_t i = 0; i < 4; ++i) calls.steps[i].on = i % 2;  // windows 2, 2, 4, 4
  hidden_draws draws(full_jitter(), alpha, all_tests, {canonical()});
  random_bits random(1);
  bool refuted = false;
  for (int i = 0; i < 60 && !refuted; ++i) {
    auto const first = delay(random.between(0, 2));
    auto const second = delay(random.between(0, 4));
    refuted = draws.absorb(calls, std::vector{first, first, second, second}, {});
  }
  EXPECT_TRUE(refuted);
  EXPECT_EQ(draws.draws_of(canonical())->bets().best(~0U), draw_test::near_other_instance);
}

// The second of two instances draws the same value at one place of every cycle. No comparison with the draw before it
// shows that. The calls of the two instances take turns.
TEST(hidden_draws, after_a_reset_are_compared_with_those_of_the_cycle_before) {
  for (std::size_t const repeated : {0U, 2U}) {
    history calls{{value::of(1'000), value::of(4'000), value::word(0)}, {}};
    for (int cycle = 0; cycle < 4; ++cycle) {
      for (int call = 0; call < 3; ++call) {
        for (std::uint8_t on = 0; on < 2; ++on) calls.steps.push_back({0, on, {}});
      }
      if (cycle < 3) calls.steps.push_back({1, 1, {}});
      if (cycle == 1) calls.steps.push_back({1, 0, {}});
    }
    hidden_draws draws(full_jitter(), alpha, all_tests, {canonical()});
    random_bits random(1);
    bool refuted = false;
    for (int i = 0; i < 60 && !refuted; ++i) {
      std::array<std::size_t, 2> attempt{};
      std::optional<std::int64_t> kept;
      std::vector<answer> answers;
      for (auto const& step : calls.steps) {
        if (step.op == 1) {
          attempt[step.on] = 0;
          answers.push_back({observed::word(2), {}});
          continue;
        }
        auto const place = attempt[step.on]++;
        auto ms = random.between(0, std::min<std::int64_t>(4'000, 1'000 << std::min<std::size_t>(place, 2)));
        if (step.on == 1 && place == repeated) ms = *(kept ? kept : kept = ms);
        answers.push_back(delay(ms));
      }
      refuted = draws.absorb(calls, answers, {});
    }
    EXPECT_TRUE(refuted) << repeated;
    EXPECT_EQ(draws.draws_of(canonical())->bets().best(~0U), draw_test::near_cycle_before) << repeated;
  }
}

// A system whose answers tell of no draw has none to test.
TEST(hidden_draws, are_not_seen_where_nothing_is_drawn) {
  auto const& system = system_of("aws_step_functions");
  EXPECT_FALSE(system.shows_draws());
  hidden_draws draws(system, alpha, all_tests, system.assignments(hidden.kind));
  history const h{{value::of(3), {value_kind::decimal, 3, 1'500}, value::of(1)}, {{0, 0, {}}}};
  random_bits random(1);
  auto const& table = system.readings();
  auto const played = system.play(h, hidden, table.simplest(system.assignments(hidden.kind).front()), random);
  EXPECT_FALSE(draws.absorb(h, played.answers, {}));
  EXPECT_EQ(draws.draws_of(system.assignments(hidden.kind).front())->bets().draws(), 0U);
}

// The jitter of F(x): only where a delay comes from it, and nothing cuts it off.
TEST(hidden_draws, of_a_formula_with_bounds_are_told_between_them) {
  auto const& system = system_of("azure_java_retry_policy");
  auto const& table = system.readings();
  enum policy : std::int64_t { backs_off, no_retry, custom };
  struct {
    std::string_view why;
    policy decides;
    std::array<std::int64_t, 3> cmax_jd_ju;
    std::optional<std::int64_t> total;
    std::int64_t count;
    std::optional<decimal> delay;  // no retry without one
    std::pair<std::string_view, std::string_view> reading;
    std::vector<std::pair<double, double>> parts;  // of the jitter
  } const rows[]{
      {"second retry", backs_off, {10'000, 500, 250}, {}, 2, decimal{1605, -1, false}, {}, {{0.42, 0.42}}},
      {"truncated",
       backs_off,
       {10'000, 500, 250},
       {},
       2,
       decimal{160, 0, false},
       {"delay-rounding", "truncate"},
       {{0.4, 0.44}}},
      {"nearest",
       backs_off,
       {10'000, 500, 250},
       {},
       2,
       decimal{175, 0, false},
       {"delay-rounding", "nearest"},
       {{0.98, 1}}},
      {"rounded up",
       backs_off,
       {10'000, 500, 250},
       {},
       2,
       decimal{160, 0, false},
       {"delay-rounding", "ceil"},
       {{0.36, 0.4}}},
      {"whole factors",
       backs_off,
       {10'000, 500, 250},
       {},
       3,
       decimal{253, 0, false},
       {"rand-kind", "integer-inclusive"},
       {{1.0 / 26, 2.0 / 26}}},
      {"first retry of the other exponent",
       backs_off,
       {10'000, 500, 250},
       {},
       1,
       decimal{160, 0, false},
       {"exponent", "whole"},
       {{0.4, 0.4}}},
      {"inverted, before the first",
       backs_off,
       {10'000, 250, 500},
       {},
       0,
       decimal{70, 0, false},
       {"below-minimum", "as-computed"},
       {}},
      {"cut off at its end", backs_off, {175, 500, 250}, {}, 2, decimal{160, 0, false}, {}, {{0.4, 0.4}}},
      {"first retry", backs_off, {10'000, 500, 250}, {}, 1, decimal{100, 0, false}, {}, {}},
      {"before the first", backs_off, {10'000, 500, 250}, {}, 0, decimal{100, 0, false}, {}, {}},
      {"below the cut", backs_off, {160, 500, 250}, {}, 2, decimal{155, 0, false}, {}, {{0.2, 0.2}}},
      {"cut off", backs_off, {160, 500, 250}, {}, 2, decimal{160, 0, false}, {}, {{0.4, 1}}},
      {"truncated below the cut",
       backs_off,
       {160, 500, 250},
       {},
       2,
       decimal{159, 0, false},
       {"delay-rounding", "truncate"},
       {{0.36, 0.4}}},
      {"nearest, cut off",
       backs_off,
       {160, 500, 250},
       {},
       2,
       decimal{160, 0, false},
       {"delay-rounding", "nearest"},
       {{0.38, 1}}},
      {"rounded up, cut off",
       backs_off,
       {160, 500, 250},
       {},
       2,
       decimal{160, 0, false},
       {"delay-rounding", "ceil"},
       {{0.36, 1}}},
      {"whole factors, cut off",
       backs_off,
       {160, 500, 250},
       {},
       2,
       decimal{155, 0, false},
       {"rand-kind", "integer-inclusive"},
       {}},
      {"all cut off", backs_off, {150, 500, 250}, {}, 2, decimal{150, 0, false}, {}, {}},
      {"mostly cut off, but not here",
       backs_off,
       {10'000, 1'000, 250},
       {},
       12,
       decimal{777'625, -2, false},
       {},
       {{0.05, 0.05}}},
      {"no jitter", backs_off, {10'000, 500, 500}, {}, 2, decimal{150, 0, false}, {}, {}},
      {"inverted", backs_off, {10'000, 250, 500}, {}, 2, decimal{160, 0, false}, {}, {}},
      {"limited", backs_off, {10'000, 500, 250}, 100'000, 2, decimal{160, 0, false}, {}, {}},
      {"other exponent",
       backs_off,
       {10'000, 500, 250},
       {},
       2,
       decimal{260, 0, false},
       {"exponent", "whole"},
       {{2.0 / 15, 2.0 / 15}}},
      {"no retry", no_retry, {}, {}, 2, {}, {}, {}},
      {"custom", custom, {}, {}, 2, decimal{160, 0, false}, {}, {}},
  };
  for (auto const& row : rows) {
    history h;
    h.params[0] = value::word(row.decides);
    if (row.decides == backs_off) {
      h.params[3] = value::of(row.cmax_jd_ju[0]);
      h.params[4] = {value_kind::decimal, 3, row.cmax_jd_ju[1]};
      h.params[5] = {value_kind::decimal, 3, row.cmax_jd_ju[2]};
    }
    if (row.total) h.params[6] = value::of(*row.total);
    step call{0, 0, {value::of(row.count), value::word(1)}};
    if (row.total) call.args[4] = value::of(0);
    if (row.decides == custom) {
      call.args[5] = value::word(1);
      call.args[6] = value::of(160);
    }
    h.steps = {call};
    answer a{observed::word(0), observed::word(row.delay ? 1 : 0)};
    if (row.delay) a[2] = observed::of(*row.delay);
    cube follows = table.simplest(table.admitting(backoff::spec::standing::hazard));
    if (!row.reading.first.empty()) {
      auto const r = table.find(row.reading.first);
      ASSERT_TRUE(r) << row.reading.first;
      auto const alternative = table.find(present(r), row.reading.second);
      ASSERT_TRUE(alternative) << row.reading.second;
      follows = table.with(follows, present(r), present(alternative));
    }
    hidden_draws draws(system, alpha, all_tests, {follows});
    EXPECT_FALSE(draws.absorb(h, std::vector{a}, {}));
    EXPECT_EQ(draws.draws_of(follows)->bets().draws(), row.parts.size()) << row.why;
    auto const seen = draws.seen_by(follows, h, std::vector{a});
    ASSERT_EQ(seen.size(), row.parts.size()) << row.why;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_NEAR(seen[i].part.below, row.parts[i].first, 1e-12) << row.why;
      EXPECT_NEAR(seen[i].part.upto, row.parts[i].second, 1e-12) << row.why;
    }
  }
}

// At a count whose delay the maximum as good as always is, a short one is no chance.
TEST(hidden_draws, that_cannot_be_refute_at_once) {
  auto const& system = system_of("azure_java_retry_policy");
  auto const& table = system.readings();
  auto const canonical_cube = table.simplest(table.admitting(backoff::spec::standing::hazard));
  history h;
  h.params[0] = value::word(0);
  h.params[4] = {value_kind::decimal, 3, 1'000};
  h.steps = {{0, 0, {value::of(2'000'000'000), value::word(1)}}};
  for (std::int64_t const ms : {150, 10'000}) {
    hidden_draws draws(system, alpha, all_tests, {canonical_cube});
    answer a{observed::word(0), observed::word(1), observed::of(ms)};
    EXPECT_EQ(draws.absorb(h, std::vector{a}, {}), ms == 150);
  }
}

TEST(hidden_draws, let_live_untested_what_is_tested_no_more) {
  auto const exclusive = reading("upper-bound", "exclusive");
  hidden_draws draws(full_jitter(), alpha, all_tests, {canonical(), exclusive});
  random_bits random(1);
  EXPECT_FALSE(draws.absorb(four_calls, drawn(random, 0), {}));
  EXPECT_NE(draws.draws_of(exclusive), nullptr);
  draws.keep_testing({canonical()});
  EXPECT_EQ(draws.draws_of(exclusive), nullptr);
  EXPECT_NE(draws.draws_of(canonical()), nullptr);
  for (int i = 0; i < 400; ++i) EXPECT_FALSE(draws.absorb(four_calls, drawn(random, 0), {}));
  EXPECT_TRUE(lives(draws, exclusive));
  EXPECT_TRUE(lives(draws, canonical()));
}

// ---- Which draws are compared ----

drawn_part eighth(std::int64_t k) {
  auto const below = static_cast<double>(k) / 8;
  return {below, below + 0.125, 0.125, 0.125, 8};
}

// Draws of a history: so many on each instance, in cycles of two.
draw_sequence drawn_on(std::span<std::uint32_t const> instances, random_bits& random) {
  draw_sequence draws;
  for (std::uint32_t number = 0; number < 4; ++number) {
    for (std::size_t at = 0; at < instances.size(); ++at) {
      auto const on = static_cast<std::uint8_t>(at);
      auto const cycle_ago = number < 2 ? std::nullopt : std::optional(number - 2);
      if (number < instances[on]) draws.push_back({eighth(random.between(0, 7)), on, number, cycle_ago});
    }
  }
  return draws;
}

// The same comparisons, from tables by instance and number.
class compared {
 public:
  void take(draw_sequence const& draws, draw_sequence const& elsewhere) {
    places here;
    places const there = places_of(elsewhere);
    for (auto const& [part, on, number, cycle_ago] : draws) {
      std::optional<double> other;
      for (std::uint8_t o = 0; o < on && !other; ++o) other = at(here, o, number);
      auto const earlier = number == 0 ? std::nullopt : at(here, on, number - 1);
      auto const ago = cycle_ago ? at(here, on, *cycle_ago) : std::nullopt;
      bets.take(part, {earlier, ago, at(last_, on, number), other, at(there, on, number)});
      here[{on, number}] = part.middle();
    }
    last_ = here;
  }
  draw_bets bets{all_tests};

 private:
  using places = std::map<std::pair<std::uint8_t, std::uint32_t>, double>;
  static places places_of(draw_sequence const& draws) {
    places result;
    for (auto const& d : draws) result[{d.on, d.number}] = d.part.middle();
    return result;
  }
  static std::optional<double> at(places const& in, std::uint8_t on, std::uint32_t number) {
    auto const found = in.find({on, number});
    return found == in.end() ? std::nullopt : std::optional(found->second);
  }
  places last_;
};

TEST(sampled_draws, are_compared_with_those_before_beside_and_elsewhere) {
  sampled_draws draws(all_tests);
  compared expected;
  random_bits random(1);
  for (int i = 0; i < 60; ++i) {
    std::array<std::uint32_t, 3> counts{};
    for (auto& c : counts) c = static_cast<std::uint32_t>(random.between(0, 4));
    auto const history = drawn_on(counts, random);
    auto const elsewhere = random.one_in(2) ? drawn_on(counts, random) : draw_sequence{};
    draws.take(history, elsewhere);
    expected.take(history, elsewhere);
  }
  for (std::size_t i = 0; i < draw_tests; ++i) {
    draw_test const t{static_cast<std::uint8_t>(i)};
    EXPECT_EQ(draws.bets().gained_by(t), expected.bets.gained_by(t)) << text_of(t).name;
  }
}

// Seventeen ways to draw: the first is forgotten when the last has come, the second is not.
// A port whose every history is laid out otherwise is tested to the end, and kept in mind no further.
TEST(sampled_draws, keep_layouts_of_300000_draws_at_most) {
  constexpr std::uint32_t draws_each = 1'000;
  sampled_draws draws(bit(draw_test::halves));
  for (std::uint32_t i = 0; i < 310; ++i) {
    draw_sequence history(draws_each);
    for (std::uint32_t k = 0; k < draws_each; ++k) history[k] = {{0.25, 0.5, 0.25, 0.25, 4 + i}, 0, k};
    draws.take(std::move(history), {});
  }
  EXPECT_EQ(draws.layouts().size(), 300U);
  EXPECT_EQ(draws.order().size(), 300U);
  EXPECT_EQ(draws.bets().draws(), 310'000U);
}

// A history that comes once adds its draws and states no power.
TEST(sampled_draws, keep_the_layouts_of_what_comes_again) {
  sampled_draws draws(all_tests);
  random_bits random(1);
  draws.take(drawn_on(std::array{3U}, random), {}, false, false);
  EXPECT_EQ(draws.bets().draws(), 3U);
  EXPECT_TRUE(draws.layouts().empty());
  EXPECT_TRUE(draws.order().empty());
}

TEST(sampled_draws, remember_sixteen_layouts) {
  sampled_draws draws(all_tests);
  random_bits random(1);
  auto const take = [&](std::uint32_t k) { draws.take(drawn_on(std::array{k / 4, k % 4, 1U}, random), {}); };
  std::vector<std::uint32_t> order;
  for (std::uint32_t k = 0; k < 17; ++k) {
    take(k);
    take(k);
    order.insert(order.end(), 2, k);
  }
  take(1);
  take(0);
  order.insert(order.end(), {1, 17});
  EXPECT_TRUE(std::ranges::equal(draws.order(), order));
  EXPECT_EQ(draws.layouts().size(), 18U);
}

// --- a generator that is seeded with the second ---

// Two cycles of a hundred sixteenths each, from a generator seeded anew for each cycle.
draw_sequence seeded_with(std::uint64_t seed, std::int64_t lowest = 0) {
  draw_sequence all;
  for (std::uint32_t cycle = 0; cycle < 2; ++cycle) {
    random_bits random(seed);
    for (std::uint32_t k = 0; k < 100; ++k) {
      double const below = static_cast<double>(random.between(lowest, 15)) / 16;
      all.push_back(
          {{below, below + 1.0 / 16, 1.0 / 16, 1.0 / 16, 16, 0, k + 1, cycle != 0, true}, 0, 100 * cycle + k});
    }
  }
  return all;
}

// 300 histories, each asked three times in a row, so many of them a second.
bool refuted_by(std::uint64_t asked_a_second, std::int64_t lowest = 0) {
  sampled_draws draws(all_tests);
  bool refuted = false;
  for (std::uint64_t i = 0; i < 900; ++i) {
    draws.take(seeded_with(i / asked_a_second, lowest), {}, i % 3 != 0);
    refuted = refuted || draws.has_gained(-std::log(alpha));
  }
  return refuted;
}

TEST(sampled_draws, of_a_generator_that_is_seeded_with_the_second_repeat_within_it) {
  EXPECT_FALSE(refuted_by(900));
  EXPECT_FALSE(refuted_by(50));
  EXPECT_TRUE(refuted_by(1)) << "no two draw alike";
}

TEST(sampled_draws, of_a_generator_that_is_seeded_with_the_second_are_uniform_within_a_cycle) {
  EXPECT_TRUE(refuted_by(50, 8)) << "the lower half never comes";
}

TEST(part_of, places_a_value_among_those_admitted) {
  EXPECT_EQ(part_of(admissible::integers(10, 5, 4), observed::of(15)), (drawn_part{0.25, 0.5, 0.25, 0.25, 4}));
  EXPECT_EQ(part_of(admissible::exactly(3), observed::of(3)), std::nullopt);
  EXPECT_EQ(part_of(admissible::word(1), observed::word(1)), std::nullopt);
  rational const two(2);
  EXPECT_EQ(part_of(admissible::between({two, two}), observed::of(2)), std::nullopt);
  auto const half = part_of(admissible::between(2, 4), observed::of(decimal{3, 0, false}));
  EXPECT_EQ(half, (drawn_part{0.5, 0.5, 0, 0, 0}));
  auto const quarter = part_of(admissible::between(2, 4), observed::of(decimal{25, -1, false}));
  EXPECT_EQ(quarter, (drawn_part{0.25, 0.25, 0, 0, 0}));
  EXPECT_LT(present(part_of(admissible::between(2, 4), observed::of(4))).upto, 1)
      << "the end is a point of the window too";
}

}  // namespace
