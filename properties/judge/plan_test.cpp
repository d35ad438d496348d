// Which histories a run tries, in which order.
#include "judge/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/present.hpp"
#include "histories/text.hpp"
#include "judge/catalogue.hpp"
#include "judge/countdown_test.hpp"
#include "judge/model_subject.hpp"

namespace {

using namespace backoff::judge;
namespace spec = backoff::spec;

std::vector<history> all_of(plan& from) {
  auto const given = from.next(1'000'000);
  return {given.begin(), given.end()};
}

TEST(plan, is_reproducible_and_stays_inside_the_ranges) {
  for (auto const* system : judged_systems()) {
    auto takes = documented_domain(system->shape(), {});
    takes.params[0].high = takes.params[0].low + 3;
    plan one(system->shape(), takes, 3'000, 5);
    plan two(system->shape(), takes, 3'000, 5);
    auto const all = all_of(one);
    EXPECT_EQ(all.size(), 3'000U);
    std::vector<history> pieces;
    for (auto batch = two.next(7); !batch.empty(); batch = two.next(7)) {
      pieces.insert(pieces.end(), batch.begin(), batch.end());
      EXPECT_EQ(two.given(), pieces.size());
    }
    EXPECT_EQ(all, pieces);
    for (auto const& h : all) EXPECT_TRUE(inside(system->shape(), takes, h)) << to_token({&system->shape(), {h}});
  }
}

// A shard: any part of a plan is the same whether what stands before it was given or passed over.
TEST(plan, passes_over_what_others_try) {
  for (auto const* system : judged_systems()) {
    auto const takes = documented_domain(system->shape(), {spec::draw_kind::hidden, 1});
    plan whole(system->shape(), takes, 700, 5, system->shows_draws());
    auto const all = all_of(whole);
    for (std::size_t const from : {0U, 1U, 30U, 350U, 699U, 700U}) {
      plan part(system->shape(), takes, 700, 5, system->shows_draws());
      part.skip(from);
      EXPECT_EQ(part.given(), from);
      EXPECT_TRUE(std::ranges::equal(all_of(part), std::span(all).subspan(from))) << from;
    }
    plan none(system->shape(), takes, 700, 5, system->shows_draws());
    none.skip(701);
    EXPECT_EQ(none.given(), 700U);
  }
}

// One history in five hundred is long: were its memory kept, every place of a batch would end up with as much.
TEST(plan, gives_back_the_memory_of_long_histories) {
  auto const* system = find_judged_system("aws_backoff_algorithm");
  auto const takes = documented_domain(system->shape(), {});
  plan histories(system->shape(), takes, 8'000, 5);
  std::size_t long_ones = 0;
  for (auto batch = histories.next(20); !batch.empty(); batch = histories.next(20)) {
    for (auto const& h : batch) {
      if (h.steps.size() > 1'000) ++long_ones;
      if (histories.given() < 7'900) {
        EXPECT_LE(h.steps.capacity(), std::max<std::size_t>(64, h.steps.size()));
      }
    }
  }
  EXPECT_GT(long_ones, 5U);
}

// Of the catalogue's histories, those that a port with these features takes: some show what only one without them is
// sent.
std::vector<history> telling_apart(judged_system const& system, domain const& takes) {
  auto all = distinguishing_histories(system.shape().stem);
  std::erase_if(all, [&](history const& h) { return !inside(system.shape(), takes, h); });
  return all;
}

TEST(plan, begins_with_what_tells_readings_apart_and_ends_with_the_corners) {
  for (auto const* system : judged_systems()) {
    auto takes = documented_domain(system->shape(), {});
    takes.features = system->shape().features;
    auto const first = telling_apart(*system, takes);
    random_bits random(5);
    auto const corners_of = system->shape().corners;
    auto const last = corners_of == nullptr ? std::vector<history>() : corners_of(takes, random);
    for (std::size_t const between : {0U, 50U}) {
      plan histories(system->shape(), takes, first.size() + between + last.size(), 5);
      auto const all = all_of(histories);
      ASSERT_EQ(all.size(), first.size() + between + last.size());
      EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin()));
      EXPECT_TRUE(std::equal(last.rbegin(), last.rend(), all.end() - static_cast<std::ptrdiff_t>(last.size())));
    }
  }
}

TEST(plan, leaves_the_corners_out_of_a_run_too_short_for_them) {
  for (auto const* system : judged_systems()) {
    auto takes = documented_domain(system->shape(), {});
    takes.features = system->shape().features;
    auto const first = telling_apart(*system, takes);
    plan histories(system->shape(), takes, first.size(), 5);
    EXPECT_EQ(all_of(histories), first);
  }
}

TEST(plan, of_a_system_without_corners_ends_with_generated_histories) {
  auto const* system = find_judged_system("aws_backoff_algorithm");
  auto bare = system->shape();
  bare.corners = nullptr;
  auto const takes = documented_domain(bare, {});
  plan with_corners(system->shape(), takes, 500, 5);
  plan without(bare, takes, 500, 5);
  auto const one = all_of(with_corners);
  auto const other = all_of(without);
  EXPECT_NE(one.back(), other.back());
  EXPECT_EQ(one.front(), other.front());
}

TEST(plan, leaves_out_what_the_port_does_not_take) {
  auto const* system = find_judged_system("aws_backoff_algorithm");
  auto takes = documented_domain(system->shape(), {});
  takes.params[0].low = takes.params[0].high = 1'234'567;
  plan histories(system->shape(), takes, 100, 5);
  for (auto const& h : all_of(histories)) EXPECT_EQ(h.params[0], value::of(1'234'567));
}

TEST(plan, sends_no_draws_to_a_port_that_makes_its_own) {
  auto const* system = find_judged_system("aws_backoff_algorithm");
  std::vector<history> const drawn{{{value::of(1), value::of(2), value::of(3)}, {{0, 0, {value::of(7)}}, {1, 0, {}}}}};
  auto const takes = documented_domain(system->shape(), {});
  EXPECT_EQ(without_hidden_draws(drawn, system->shape(), takes), drawn);
  auto const hidden = documented_domain(system->shape(), {spec::draw_kind::hidden, 1});
  auto const bare = without_hidden_draws(drawn, system->shape(), hidden);
  EXPECT_EQ(bare[0].steps[0].args[0].kind, value_kind::absent);
  EXPECT_EQ(bare[0].params, drawn[0].params);
}

TEST(plan, takes_arguments_that_are_no_draws_for_what_they_are) {
  static constexpr std::array args{field{"count", field_kind::integer, 0, 9}, field{"draw", field_kind::draw}};
  static constexpr std::array operations{operation{"ask", args}};
  shape s = countdown::counts;
  s.operations = operations;
  auto const bare = without_hidden_draws({{{}, {{0, 0, {value::of(7), value::of(8)}}}}}, s,
                                         documented_domain(s, {spec::draw_kind::hidden, 1}));
  EXPECT_EQ(bare[0].steps[0].args[0], value::of(7));
  EXPECT_EQ(bare[0].steps[0].args[1].kind, value_kind::absent);
}

TEST(plan, sends_nothing_that_leaves_a_parameter_to_a_default_outside_the_ports_range) {
  auto const& s = find_judged_system("azure_java_retry_policy")->shape();
  auto const c_ms = present(s.find_param("c_ms"));
  auto takes = documented_domain(s, {});
  for (bool const takes_default : {true, false}) {
    if (!takes_default) takes.params[c_ms].low = present(s.params[c_ms].by_default) + 1;
    plan histories(s, takes, 300, 5);
    auto const left_out = [&](history const& h) {  // by the policy that has it
      return h.params[0] == value::word(0) && h.params[c_ms].kind == value_kind::absent;
    };
    EXPECT_EQ(std::ranges::any_of(all_of(histories), left_out), takes_default);
  }
}

// Samples of draws that are given, and mapped in some way of the port's own: each has its own draws.
TEST(plan, fills_in_the_draws_of_samples) {
  shape s = find_judged_system("aws_backoff_algorithm")->shape();
  s.samples = [](domain const&) {
    return std::vector<history>{
        {{value::of(1), value::of(2), value::of(3)}, {{0, 0, {value::of(3)}}, {1, 0, {}}, {0, 0, {value::of(3)}}}}};
  };
  s.long_samples = nullptr;
  auto const takes = documented_domain(s, {});
  plan histories(s, takes, 1000, 5, true);
  auto const all = all_of(histories);
  std::vector<std::int64_t> draws;
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    if (!histories.samples(i)) continue;
    ASSERT_EQ(all[i].steps.size(), 3U);
    EXPECT_EQ(all[i].params[1], value::of(2));
    EXPECT_EQ(all[i].steps[1], (step{1, 0, {}}));
    for (std::size_t const k : {0U, 2U}) draws.push_back(all[i].steps[k].args[0].n);
  }
  EXPECT_GT(draws.size(), 500U);
  std::ranges::sort(draws);
  EXPECT_EQ(std::ranges::adjacent_find(draws), draws.end()) << "of 2^32 values";
}

// backoffAlgorithm with three corners and two samples.
shape sampled_twice() {
  shape s = find_judged_system("aws_backoff_algorithm")->shape();
  s.corners = [](domain const&, random_bits&) {
    return std::vector<history>(3, {{value::of(1), value::of(9), value::of(3)}, {{1, 0, {}}}});
  };
  s.samples = [](domain const&) {
    return std::vector<history>{{{value::of(1), value::of(2), value::of(3)}, {{0, 0, {value::of(7)}}}},
                                {{value::of(4), value::of(5), value::of(6)}, {{0, 0, {value::of(8)}}}}};
  };
  s.long_samples = nullptr;
  return s;
}

// Half of what curated histories and corners leave, up to 20,000, before the corners.
TEST(plan, samples_half_of_what_is_left) {
  auto const s = sampled_twice();
  auto const takes = documented_domain(s, {spec::draw_kind::hidden, 1});
  auto curated = without_hidden_draws(distinguishing_histories(s.stem), s, takes);
  std::erase_if(curated, [&](history const& h) { return !inside(s, takes, h); });
  struct expected {
    std::size_t more, samples, corners;
  };
  for (auto const& [more, samples, corners] : {expected{0, 0, 0},
                                               {2, 1, 0},
                                               {3, 0, 3},
                                               {103, 50, 3},
                                               {104, 50, 3},
                                               {40'003, 20'000, 3},
                                               {90'003, 20'000, 3}}) {
    auto const total = curated.size() + more;
    plan const histories(s, takes, total, 5, true);
    for (std::size_t i = 0; i < total; ++i)
      ASSERT_EQ(histories.samples(i), i < total - corners && i >= total - corners - samples) << i << " of " << total;
  }
  plan none(s, takes, 1, 5, true);
  EXPECT_FALSE(none.samples(0)) << "where even the curated are too many";
  EXPECT_EQ(all_of(none), std::vector{curated[0]});
}

// Hidden draws of a generated history count where its shape says so; those of curated histories and corners never do.
TEST(plan, counts_the_draws_of_generated_histories_that_tell_of_them) {
  auto const hidden = draw_source{spec::draw_kind::hidden, 1};
  using tells = bool (*)(history const&);
  tells const always = [](history const&) { return true; };
  tells const with_even_bases = [](history const& h) { return h.params[0].n % 2 == 0; };
  for (auto const tells_draws : {always, with_even_bases, tells{nullptr}}) {
    for (auto const& draws : {hidden, draw_source{}}) {
      for (bool const sampled : {true, false}) {
        auto s = sampled_twice();
        s.tells_draws.in = tells_draws;
        auto const takes = documented_domain(s, draws);
        plan histories(s, takes, 600, 5, sampled);
        auto const all = all_of(histories);
        std::size_t generated = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
          auto const kind = histories.kind_of(i, all[i]);
          bool const counts = kind != sample_kind::none;
          if (histories.samples(i)) {
            EXPECT_EQ(kind, sample_kind::repeated);
            continue;
          }
          EXPECT_NE(kind, sample_kind::repeated);
          generated += counts ? 1 : 0;
          bool const may = sampled && draws.kind == hidden.kind && tells_draws != nullptr && i < 310;
          EXPECT_TRUE(!counts || (may && tells_draws(all[i]))) << i;
        }
        bool const some = sampled && draws.kind == hidden.kind && tells_draws != nullptr;
        EXPECT_EQ(generated > 100, some);
        EXPECT_EQ(generated > 250, some && tells_draws == always);
      }
    }
  }
}

// Sixteen alike, so that it shows whether fresh instances draw alike.
TEST(plan, repeats_each_sample_before_the_next) {
  auto const s = sampled_twice();
  auto const takes = documented_domain(s, {spec::draw_kind::hidden, 1});
  auto const two = without_hidden_draws(s.samples(takes), s, takes);
  plan histories(s, takes, 400, 5, true);
  auto const pairs = histories.for_two_processes();
  EXPECT_EQ(pairs.size(), 48U);
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_EQ(pairs[i], two[i / 16 % 2]) << i;
  auto const all = all_of(histories);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!histories.samples(i)) continue;
    EXPECT_EQ(all[i], two[seen++ / 16 % 2]) << i;
  }
  EXPECT_GT(seen, 100U);
  EXPECT_TRUE(plan(s, documented_domain(s, {}), 400, 5, true).for_two_processes().empty()) << "draws are given";
  EXPECT_TRUE(plan(s, takes, 400, 5, false).for_two_processes().empty()) << "no samples are taken";
}

// A round is 32 calls of short samples, so that long ones have 10 2/3 together: of 8 calls two in three rounds, of 40
// two in fifteen.
TEST(plan, repeats_long_samples_by_their_share_of_the_calls) {
  auto s = sampled_twice();
  s.long_samples = [](domain const&) {
    history h{{value::of(7), value::of(8), value::of(9)}, {}};
    auto longer = h;
    h.steps.resize(8);
    longer.steps.resize(40);
    return std::vector{h, longer, history{{value::of(7), value::of(8), value::of(9)}, {}}};  // one without a call
  };
  auto const takes = documented_domain(s, {spec::draw_kind::hidden, 1});
  plan histories(s, takes, 1'500, 5, true);
  auto const all = all_of(histories);
  std::vector<std::size_t> calls;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (histories.samples(i)) calls.push_back(all[i].steps.size());
  }
  std::vector<std::size_t> expected;
  for (int round = 1; expected.size() < calls.size(); ++round) {
    expected.insert(expected.end(), 32, 1);
    if (round % 3 != 1) expected.push_back(8);
    if (round % 15 == 8 || round % 15 == 0) expected.push_back(40);
  }
  expected.resize(calls.size());
  EXPECT_GE(std::ranges::count(calls, 40U), 2);
  EXPECT_EQ(calls, expected);
}

// Past where machine words end, at one attempt after the other of one instance.
TEST(plan, samples_long_runs_of_every_system_that_draws) {
  for (auto const* system : judged_systems()) {
    if (!system->shows_draws()) continue;
    auto const takes = documented_domain(system->shape(), {spec::draw_kind::hidden, 1});
    auto const longest = [](std::vector<history> const& all) {
      std::size_t most = 0;
      for (auto const& h : all) most = std::max(most, h.steps.size());
      return most;
    };
    auto const all = system->shape().long_samples(takes);
    EXPECT_GE(longest(all), system->shape().remembers ? 1'026U : 72U) << system->shape().stem;
    for (auto const& h : all) EXPECT_TRUE(allowed(system->shape(), h)) << to_token({&system->shape(), {h}});
  }
}

TEST(plan, drives_a_run_to_its_verdict) {
  for (auto const* system : judged_systems()) {
    auto const canonical = system->readings().admitting(spec::standing::canonical);
    model_subject port(*system, canonical, {}, 1);
    EXPECT_EQ(port.describes().takes.features, system->shape().features);
    auto judged = countdown::begun(*system, port.describes());
    drive(judged, port, 1'500, 1);
    EXPECT_EQ(judged.counts().judged, 1'500U);
    EXPECT_EQ(judged.verdict(), verdict::conforms);
    EXPECT_TRUE(judged.breaches().empty());
  }
}

}  // namespace
