// Shrinking ends, stays inside the ranges and never grows.
#include "histories/shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/generated_test.hpp"
#include "histories/text.hpp"

namespace {

using namespace backoff::histories;
namespace spec = backoff::spec;

// Which of the candidates fail, for shrink.
auto each(auto fails) {
  return [=](std::vector<history> const& candidates) {
    std::vector<bool> all;
    all.reserve(candidates.size());
    for (auto const& c : candidates) all.push_back(fails(c));
    return all;
  };
}

TEST(shrink, comes_nearer_to_zero_from_both_sides_and_to_fewer_words) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  takes.features = s.features;
  history h{{every_form::params[0].number(2'000'000), value::word(0)}, {}};
  h.steps = {{0, 0, {every_form::args[0].number(0)}},
             saving({value::of(-9), value::of(-7), value::of(6), {}, {}, value::words(0b111)})};
  auto const least = shrink(s, takes, h, each([](history const& c) {
                              return c.steps.size() == 2 && c.steps[1].op == 2 && c.steps[1].args[1].n < -2 &&
                                     (c.steps[1].args[5].n & 0b100) != 0;
                            }));
  EXPECT_EQ(least.steps[1], saving({value::of(0), value::of(-3), {}, {}, {}, value::words(0b100)}));
}

TEST(shrink, moves_times_together) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  constexpr std::int64_t far = std::int64_t{1} << 40;
  for (std::size_t i = 0; i < 3; ++i) {
    takes.args[2][i].low = -4 * far;
    takes.args[2][i].high = 4 * far;
  }
  for (std::int64_t const from : {far, -3 * far}) {
    history h{{every_form::params[0].number(2'000'000), value::word(0)}, {}};
    h.steps = {{0, 0, {every_form::args[0].number(0)}},
               saving({value::of(from)}),
               saving({value::of(from + 50)}),
               saving({value::of(from + 1'051)})};
    std::size_t rounds = 0;
    auto const least = shrink(s, takes, h, [&](std::vector<history> const& candidates) {
      ++rounds;
      return each([](history const& c) {
        bool const whole = c.steps.size() == 4 && c.steps[1].op == 2 && c.steps[2].op == 2 && c.steps[3].op == 2;
        auto const gap = whole ? c.steps[3].args[0].n - c.steps[2].args[0].n : 0;
        return gap == 1'000 || gap == 1'001;
      })(candidates);
    });
    EXPECT_LT(rounds, 200U);
    EXPECT_EQ(least.steps[2].args[0].n, from > 0 ? 0 : -1'000);
    EXPECT_EQ(least.steps[3].args[0].n, from > 0 ? 1'000 : 0);
  }
}

// One at a time, they would take a million turns.
TEST(shrink, moves_numbers_together_that_hold_each_other_at_a_distance) {
  auto const* s = find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(*s, {});
  history const h{{value::of(3'000'000'000), value::of(3'000'001'000), value::word(0)}, {}};
  std::size_t tried = 0;
  auto const least = shrink(*s, takes, h, [&](std::vector<history> const& candidates) {
    tried += candidates.size();
    return each([](history const& c) {
      auto const apart = c.params[1].n - c.params[0].n;
      return c.params[0].n >= 7 && apart >= 999 && apart <= 1'000;
    })(candidates);
  });
  EXPECT_EQ(least.params[0].n, 7);
  EXPECT_EQ(least.params[1].n, 1'006);
  EXPECT_LT(tried, 20'000U);
}

TEST(shrink, asks_for_few_long_histories_at_once) {
  auto const* s = find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(*s, {});
  history h = generated(*s, takes, 1)[0];
  auto const call = h.steps.back();
  h.steps.resize(1'100, call);
  std::size_t most = 0;
  static_cast<void>(shrink(*s, takes, h, [&](std::vector<history> const& candidates) {
    std::size_t steps = 0;
    for (auto const& c : candidates) steps += c.steps.size();
    most = std::max(most, steps);
    return each([](history const& c) { return c.steps.size() == 1'100; })(candidates);
  }));
  EXPECT_LT(most, 4'096U + 1'100U);
}

TEST(shrink, moves_all_calls_of_an_instance_to_the_first_that_has_none) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  takes.features = s.features;
  history h{{every_form::params[0].number(2'000'000), value::word(0)}, {}};
  auto call = saving({value::of(1)});
  auto const on = [&](std::uint8_t instance) {
    call.on = instance;
    return call;
  };
  h.steps = {{0, 2, {every_form::args[0].number(0)}}, on(3), on(2), on(3)};
  auto const least = shrink(s, takes, h, each([](history const& c) {
                              bool const whole = c.steps.size() == 4 && c.steps[0].on == c.steps[2].on &&
                                                 c.steps[1].on == c.steps[3].on;
                              return whole && c.steps[0].on != c.steps[1].on;
                            }));
  std::vector<int> instances;
  instances.reserve(least.steps.size());
  for (auto const& step : least.steps) instances.push_back(step.on);
  EXPECT_EQ(instances, (std::vector{0, 1, 0, 1}));
}

TEST(shrink, leaves_out_what_may_be) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  takes.features = s.features;
  auto const least = shrink(s, takes, generated(s, takes, 40).back(), each([](history const&) { return true; }));
  EXPECT_EQ(least.params[2], value{});
  EXPECT_NE(least.params[3], value{});
}

TEST(shrink, finds_the_decimal_with_the_fewest_places) {
  auto const takes = documented_domain(every_form::system, {});
  history h;
  h.params = {every_form::params[0].number(77'654'321), value::word(0)};
  auto const least =
      shrink(every_form::system, takes, h, each([](history const& c) { return c.params[0].n > 3'123'456; }));
  EXPECT_EQ(to_text(every_form::params[0], least.params[0]), "3.123457");
}

TEST(shrink, ends_at_the_smallest_history_that_still_fails) {
  for (auto const* s : shapes()) {
    if (s->params.empty()) continue;
    auto takes = documented_domain(*s, {});
    auto const number = std::ranges::find(s->params, field_kind::integer, &field::kind);
    auto const p = static_cast<std::size_t>(number - s->params.begin());
    takes.params[p].low = 3;
    auto const fails = [&](history const& h) { return h.params[p].n >= 100 && h.steps.size() >= 3; };
    auto const failing = each([&](history const& h) {
      EXPECT_TRUE(inside(*s, takes, h));
      return fails(h);
    });
    int shrunk = 0;
    for (auto const& h : generated(*s, takes, 300)) {
      if (!fails(h)) continue;
      auto const small = shrink(*s, takes, h, failing);
      EXPECT_EQ(small.params[p].n, 100);
      EXPECT_EQ(small.steps.size(), 3U);
      for (std::size_t k = 0; k < small.steps.size(); ++k) {
        auto const& r = takes.args[small.steps[k].op][0];
        history least = small;
        least.steps[k].args[0].n = std::clamp<std::int64_t>(0, r.low, r.high);
        EXPECT_TRUE(least == small || !allowed(*s, least)) << to_token({s, {small, least}});
      }
      ++shrunk;
    }
    EXPECT_GT(shrunk, 50);
  }
}

// Of a history that must stay long only the last step keeps what it has, and that takes no trial of every step.
TEST(shrink, makes_all_steps_alike_but_the_last) {
  auto const* s = find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(*s, {});
  history h{{value::of(1), value::of(1), value::word(0)}, {}};
  random_bits random(1);
  for (int i = 0; i < 400; ++i) h.steps.push_back({0, 0, {value::of(random.between(1'000, 4'000'000'000))}});
  std::size_t tried = 0;
  auto const least = shrink(*s, takes, h, [&](std::vector<history> const& candidates) {
    tried += candidates.size();
    return each([](history const& c) { return c.steps.size() >= 300 && c.steps.back().args[0].n >= 1'000; })(
        candidates);
  });
  ASSERT_EQ(least.steps.size(), 300U);
  for (std::size_t k = 0; k < 300; ++k) EXPECT_EQ(least.steps[k].args[0].n, k == 299 ? 1'000 : 0) << k;
  EXPECT_LT(tried, 10'000U);
}

TEST(shrink, prefers_simple_fractions_for_draws_of_the_unit_interval) {
  auto const* s = find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(*s, {spec::draw_kind::unit, std::uint64_t{1} << 32});
  history h{{value::of(1), value::of(1), value::word(0)}, {{0, 0, {value::of(0xdead'beef)}}}};
  auto const failing = each([](history const& c) { return !c.steps.empty() && c.steps[0].args[0].n > 0x9000'0000; });
  EXPECT_EQ(shrink(*s, takes, h, failing).steps[0].args[0].n, 0xc000'0000);
}

}  // namespace
