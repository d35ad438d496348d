// Mutations change every part of a history and stay inside the ranges.
#include "histories/mutate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "histories/decode.hpp"
#include "histories/generated_test.hpp"
#include "histories/text.hpp"

namespace {

using namespace backoff::histories;

TEST(mutate, changes_every_part_of_a_history_and_never_leaves_the_domain) {
  constexpr std::size_t steps_max = 50;
  for (auto const* s : shapes_and_every_form()) {
    for (auto const& takes : domains_of(*s)) {
      std::size_t same = 0, fewer = 0, more = 0, repeated = 0, other_params = 0, with_number = 0;
      std::set<std::int64_t> tried;
      auto const from = generated(*s, takes, 2'000);
      for (std::size_t i = 0; i < from.size(); ++i) {
        random_bits random(3, i);
        history h = from[i];
        if (h.steps.size() > steps_max) continue;
        mutate(h, *s, takes, steps_max, random);
        ASSERT_TRUE(inside(*s, takes, h)) << to_token({s, {h}});
        ASSERT_TRUE(allowed(*s, h)) << s->misuse(h);
        ASSERT_LE(h.steps.size(), steps_max);
        ASSERT_EQ(decode(*s, takes, encode(*s, takes, h)), h) << to_token({s, {h}});
        same += h == from[i] ? 1 : 0;
        fewer += h.steps.size() < from[i].steps.size() ? 1 : 0;
        more += h.steps.size() > from[i].steps.size() ? 1 : 0;
        repeated += h.steps.size() > from[i].steps.size() + 3 ? 1 : 0;
        other_params += h.params != from[i].params ? 1 : 0;
        history put = h;
        put_number(put, *s, takes, 11, random);
        ASSERT_TRUE(inside(*s, takes, put)) << to_token({s, {put}});
        ASSERT_TRUE(allowed(*s, put)) << s->misuse(put);
        with_number += put != h ? 1 : 0;
        auto const joined = crossed(*s, takes, h, from[(i + 1) % from.size()], steps_max, random);
        ASSERT_TRUE(inside(*s, takes, joined));
        ASSERT_TRUE(allowed(*s, joined)) << s->misuse(joined);
        ASSERT_EQ(joined.params, h.params);
        ASSERT_LE(joined.steps.size(), steps_max);
      }
      EXPECT_LT(same, 700U) << s->stem;
      EXPECT_GT(with_number, 100U) << s->stem;  // fewest where the ranges are narrow
      EXPECT_GT(std::min(fewer, more), 100U) << s->stem;
      EXPECT_GT(repeated, 25U) << s->stem;
      EXPECT_TRUE(s->params.empty() || other_params > 200) << s->stem;
    }
  }
}

// A value comes to stand exactly at, before and behind what another value makes of it.
TEST(mutate, moves_values_to_boundaries) {
  auto const* s = find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(*s, {});
  history const h{{value::of(1'000), value::of(77'777), value::of(5)}, {{0, 0, {value::of(9)}}}};
  std::set<std::int64_t> caps;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    random_bits random(5, i);
    history changed = h;
    mutate(changed, *s, takes, 10, random);
    if (changed.params[0].n == 1'000) caps.insert(changed.params[1].n);
  }
  for (std::int64_t const n :
       {77'776, 77'778, 38'888, 155'554, 0, 999, 1'000, 1'001, 1'999, 2'000, 2'001, 4'000, 65'535, 65'536})
    EXPECT_TRUE(caps.contains(n)) << n;
  EXPECT_TRUE(caps.contains(0xffff'ffff));
}

}  // namespace
