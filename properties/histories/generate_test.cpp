// Generated histories contain the special values and lengths that reveal faults, and nothing that a port does not take.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "histories/decode.hpp"
#include "histories/generated_test.hpp"
#include "histories/shrink.hpp"
#include "histories/text.hpp"
#include "judge/plan.hpp"

namespace {

using namespace backoff::judge;
namespace spec = backoff::spec;

TEST(generate, reaches_every_special_value_word_and_range_end) {
  for (auto const* s : shapes()) {
    auto takes = documented_domain(*s, {});
    takes.features = s->features;
    auto const all = generated(*s, takes, 10'000);
    for (std::size_t i = 0; i < s->params.size(); ++i) {
      std::set<std::int64_t> numbers;
      std::set<std::int64_t> words;
      for (auto const& h : all) (h.params[i].kind == value_kind::keyword ? words : numbers).insert(h.params[i].n);
      for (auto const& special : s->params[i].specials) {
        EXPECT_TRUE(numbers.contains(special.value)) << s->params[i].name << ": " << special.why;
      }
      bool const has_numbers = s->params[i].kind != field_kind::keyword;
      EXPECT_TRUE(!has_numbers || (numbers.contains(s->params[i].low) && numbers.contains(s->params[i].high)))
          << s->params[i].name;
      EXPECT_EQ(words.size(), s->params[i].words.size()) << s->params[i].name;
    }
  }
}

TEST(generate, asks_the_java_policy_for_counts_up_to_128_and_for_those_of_long_delays_that_nothing_caps) {
  auto const& s = backoff::systems::azure_java_retry_policy_shape;
  std::set<std::int64_t> asked;
  std::set<std::int64_t> uncapped;
  for (auto const& h : generated(s, usual_domain(s, {}, 0), 10'000)) {
    bool const grows = h.params[1].kind != value_kind::absent && h.params[1].n >= 1 && h.params[1].n <= 3;
    bool const is_capped = h.params[3].n != s.params[3].high;
    for (auto const& step : h.steps) {
      asked.insert(step.args[0].n);
      if (grows && !is_capped) uncapped.insert(step.args[0].n);
    }
  }
  for (std::int64_t x = 1; x <= 128; ++x) EXPECT_TRUE(asked.contains(x)) << x;
  for (std::int64_t x = 21; x <= 33; ++x) EXPECT_TRUE(uncapped.contains(x)) << x;
}

TEST(generate, says_that_nobody_answered_only_to_a_port_that_takes_it) {
  auto const& s = backoff::systems::aws_prescriptive_sample_shape;
  auto takes = usual_domain(s, {}, 0);
  for (std::int64_t const low : {100, 0}) {
    takes.args[0][0].low = low;
    std::int64_t least = 599;
    for (auto const& h : generated(s, takes, 2'000)) {
      for (auto const& step : h.steps) least = std::min(least, step.args[0].n);
    }
    EXPECT_EQ(least, low);
  }
}

TEST(generate, keeps_to_the_calls_that_the_document_allows_and_so_do_decoder_and_shrinker) {
  for (auto const* s : shapes_and_every_form()) {
    auto takes = documented_domain(*s, {});
    takes.features = s->features;
    for (auto const& h : generated(*s, takes, 300)) {
      EXPECT_TRUE(inside(*s, takes, h));
      EXPECT_TRUE(allowed(*s, h)) << s->misuse(h);
      history same = h;
      s->repair(same, takes);
      EXPECT_EQ(same, h) << "what is allowed needs no repair";
      EXPECT_EQ(decode(*s, takes, encode(*s, takes, h)), h)
          << to_token({s, {h, decode(*s, takes, encode(*s, takes, h))}});
    }
    random_bits random(3);
    for (int i = 0; i < 300; ++i) {
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(random.between(0, 90)));
      for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
      auto const h = decode(*s, takes, bytes);
      EXPECT_TRUE(allowed(*s, h)) << s->misuse(h);
      EXPECT_TRUE(inside(*s, takes, h));
    }
    std::size_t shown = 0;
    static_cast<void>(shrink(*s, takes, generated(*s, takes, 1)[0], [&](std::vector<history> const& candidates) {
      for (auto const& c : candidates) EXPECT_TRUE(allowed(*s, c)) << s->misuse(c);
      shown += candidates.size();
      return std::vector<bool>(candidates.size(), shown < 3'000);
    }));
  }
}

TEST(generate, gives_a_field_that_needs_a_feature_to_ports_that_have_it_and_leaves_out_what_may_be) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  for (bool const offered : {false, true}) {
    takes.features = offered ? bit(feature::state) : 0;
    std::map<bool, int> margins;
    std::map<bool, int> finals;
    for (auto const& h : generated(s, takes, 1'000)) {
      ASSERT_EQ(h.params[3].kind != value_kind::absent, offered);
      ++margins[h.params[2].kind != value_kind::absent];
      for (auto const& call : h.steps) {
        if (call.op == 2) continue;
        ASSERT_EQ(call.args[1].kind != value_kind::absent, offered);
        ++finals[call.args[2].kind != value_kind::absent];
      }
      EXPECT_EQ(decode(s, takes, encode(s, takes, h)), h);
      EXPECT_TRUE(inside(s, takes, h));
      takes.features = 0;
      EXPECT_EQ(inside(s, takes, h), !offered) << "a port without the feature";
      takes.features = offered ? bit(feature::state) : 0;
    }
    EXPECT_NEAR(margins[false], 250, 50);
    EXPECT_GT(std::min(finals[false], finals[true]), 1'000);
  }
}

TEST(generate, lists_have_no_gaps_and_sets_hold_one_word_or_several) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  takes.features = s.features;
  std::map<std::int64_t, int> sets;
  std::map<int, int> lengths;
  auto const look_at = [&](history const& h) {
    for (auto const& call : h.steps) {
      if (call.op != 2) continue;
      bool const second = call.args[1].kind != value_kind::absent;
      bool const third = call.args[2].kind != value_kind::absent;
      EXPECT_TRUE(second || !third);
      ++lengths[1 + second + third];
      ++sets[call.args[5].n];
    }
  };
  for (auto const& h : generated(s, takes, 500)) look_at(h);
  EXPECT_EQ(sets.size(), 8U);
  EXPECT_GT(sets[1], sets[3]);
  EXPECT_EQ(lengths.size(), 3U);
  random_bits random(5);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::uint8_t> bytes(60);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    look_at(decode(s, takes, bytes));
  }
  static_cast<void>(shrink(s, takes, generated(s, takes, 1)[0], [&](std::vector<history> const& candidates) {
    for (auto const& c : candidates) look_at(c);
    return std::vector<bool>(candidates.size(), lengths[1] + lengths[2] + lengths[3] < 20'000);
  }));
  takes.args[2][5].words = 0b010;
  for (auto const& h : generated(s, takes, 100)) {
    EXPECT_TRUE(inside(s, takes, h));
    EXPECT_EQ(decode(s, takes, encode(s, takes, h)), h);
  }
}

TEST(generate, makes_short_and_long_histories_of_every_operation) {
  for (auto const* s : shapes()) {
    std::map<std::uint8_t, int> operations;
    std::map<int, int> lengths;
    for (auto const& h : generated(*s, documented_domain(*s, {}), 10'000)) {
      auto const n = h.steps.size();
      ++lengths[n <= 6 ? 0 : n <= 18 ? 1 : n <= 40 ? 2 : n > 1'024 ? 3 : n <= 80 ? 4 : n <= 300 ? 5 : 6];
      for (auto const& step : h.steps) ++operations[step.op];
    }
    EXPECT_EQ(operations.size(), s->operations.size());
    for (int const wanted : {0, 1, 2}) EXPECT_GT(lengths[wanted], 5) << "length class " << wanted;
    for (int const longer : {3, 4, 5}) EXPECT_EQ(lengths[longer] > 5, s->remembers) << "length class " << longer;
    EXPECT_EQ(lengths[6], 0);
  }
}

TEST(generate, uses_several_instances_only_where_they_are_taken) {
  for (auto const* s : shapes()) {
    auto takes = documented_domain(*s, {});
    for (auto const& h : generated(*s, takes, 1'000)) {
      for (auto const& step : h.steps) ASSERT_EQ(step.on, 0);
    }
    takes.features = bit(feature::instances);
    std::map<std::uint8_t, int> used;
    for (auto const& h : generated(*s, takes, 1'000)) {
      for (auto const& step : h.steps) ++used[step.on];
    }
    EXPECT_EQ(used.size(), instances_max);
    EXPECT_GT(used[0], used[1]);
  }
}

TEST(generate, puts_caps_where_windows_reach_them) {
  auto const* s = find_shape("aws_backoff_algorithm");
  int at = 0, above = 0, below = 0, first = 0, odd_half = 0;
  for (auto const& h : generated(*s, documented_domain(*s, {}), 10'000)) {
    auto const base = h.params[0].n, cap = h.params[1].n;
    if (base > cap) ++first;
    for (std::int64_t w = base; w > 0 && w <= cap + 1; w *= 2) {
      at += w == cap ? 1 : 0;
      above += w + 1 == cap ? 1 : 0;
      below += w - 1 == cap ? 1 : 0;
      odd_half += cap % 2 == 1 && cap / 2 == w ? 1 : 0;
    }
  }
  for (int const count : {at, above, below, first, odd_half}) EXPECT_GT(count, 100);
}

TEST(generate, sends_no_call_that_a_port_does_not_answer_and_neither_does_the_decoder) {
  auto const& s = *find_shape("aws_backoff_algorithm");
  auto takes = documented_domain(s, {});
  auto const all = generated(s, takes, 1'000);
  takes.operations = 1;
  auto const resets = [](history const& h) { return std::ranges::count(h.steps, 1, &step::op) != 0; };
  EXPECT_TRUE(std::ranges::any_of(all, resets));
  for (auto const& h : all) {
    EXPECT_EQ(inside(s, takes, h), !resets(h));
    EXPECT_FALSE(resets(decode(s, takes, encode(s, documented_domain(s, {}), h))));
  }
  for (auto const& h : generated(s, takes, 1'000)) ASSERT_FALSE(resets(h)) << to_token({&s, {h}});
}

TEST(generate, stays_inside_declared_ranges) {
  for (auto const* s : shapes()) {
    auto takes = documented_domain(*s, {spec::draw_kind::rand, 32'768});
    for (auto& r : takes.params) r.high = std::min<std::int64_t>(r.high, r.low + 9);
    for (auto const& h : generated(*s, takes, 5'000)) ASSERT_TRUE(inside(*s, takes, h)) << to_token({s, {h}});
    takes.features = s->features;
    for (std::size_t op = 0; op < s->operations.size(); ++op) {
      for (std::size_t i = 0; i < s->operations[op].args.size(); ++i) {
        if (s->operations[op].args[i].kind != field_kind::integer) continue;
        auto& r = takes.args[op][i];  // a clock that is never negative, and so never fails
        r.low = std::max<std::int64_t>(r.low, 0);
        r.high = std::min<std::int64_t>(r.high, 500);
      }
    }
    for (auto const& h : generated(*s, takes, 5'000)) ASSERT_TRUE(inside(*s, takes, h)) << to_token({s, {h}});
  }
}

// Of each nine draws four are on either side of where a delay of 50401 begins, or of 50400, and four where a divided
// one does. Of 15-bit draws, which are fewer than the delays, they are those whose share hardly misses a whole number.
TEST(probing_draws, lie_where_coarse_arithmetic_is_off) {
  domain d;
  range const all{.low = 0, .high = 0xffff'ffff, .numbers = true};
  random_bits random(1);
  auto const draws = probing_draws(d, all, 50'400, random);
  ASSERT_EQ(draws.size(), 64U);
  EXPECT_EQ(draws[0], 0);
  EXPECT_EQ(draws[1], all.high);
  auto const changes = [&](auto const& delay_of) {
    int n = 0;
    for (std::size_t i = 1; i < draws.size(); ++i)
      n += draws[i] == draws[i - 1] + 1 && delay_of(draws[i]) == delay_of(draws[i - 1]) + 1 ? 1 : 0;
    return n;
  };
  for (std::int64_t const numbers : {50'400, 50'401}) {
    EXPECT_GE(changes([&](std::int64_t r) { return r * numbers >> 32; }), 6) << numbers;
    EXPECT_GE(changes([&](std::int64_t r) { return r / (all.high / numbers + 1); }), 6) << numbers;
  }

  domain coarse;
  coarse.draws = {spec::draw_kind::rand, 32'768};
  range const few{.low = 0, .high = 32'767, .numbers = true};
  auto const of_15_bits = probing_draws(coarse, few, 50'400, random);
  auto const is_near = [](std::int64_t r, std::int64_t numbers) {
    auto const part = r * numbers % 32'768;
    return r > 0 && (part < 300 || part > 32'768 - 300);
  };
  EXPECT_GE(std::ranges::count_if(of_15_bits, [&](std::int64_t r) { return is_near(r, 50'401); }), 12);
  constexpr std::int64_t no_end = std::int64_t{1} << 40;
  EXPECT_EQ(probing_windows(d, no_end), std::vector<std::int64_t>{50'400});
  EXPECT_EQ(probing_windows(coarse, 1'500), (std::vector<std::int64_t>{1'500, 1'499}));
  auto const windows = probing_windows(coarse, no_end);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0], 50'400);
  auto const in_the_wide_one = probing_draws(coarse, few, windows[1], random);
  EXPECT_EQ(std::ranges::count(in_the_wide_one, 0), 1);
  domain one;
  one.draws = {spec::draw_kind::rand, 1};
  EXPECT_EQ(probing_draws(one, {.low = 0, .high = 0, .numbers = true}, 50'400, random),
            std::vector<std::int64_t>(64, 0));
}

TEST(random_bits, are_the_same_everywhere) {
  random_bits one(1, 0);
  random_bits again(1, 0);
  random_bits other(1, 1);
  auto const first = one();
  EXPECT_EQ(first, again());
  EXPECT_NE(first, other());
  EXPECT_EQ(first, 0x6098'2f5a'73a8'22fdU);
  random_bits ends(2);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(ends.between(-1, 1));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-1, 0, 1}));
}

}  // namespace
