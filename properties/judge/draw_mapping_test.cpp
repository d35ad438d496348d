// How a port maps draws, by its answers to probes.
#include "judge/draw_mapping.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/present.hpp"
#include "judge/begun_test.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::ports;
using backoff::spec::cube;
namespace spec = backoff::spec;
using countdown::begun;

// Probes of the mapping, answered by delays that a rule makes of the draws.
struct probed {
  explicit probed(run_options options = {}, draw_source draws = {})
      : about(about_drawing(draws)), judged(begun(backoff_algorithm(), about, std::move(options))) {
    probes = mapping_probes(judged, 1);
  }
  template <class Rule>
  void settle(Rule delay_of) {
    std::vector<result> results;
    for (auto const& h : probes) {
      result r;
      r.answers = {{observed::word(0), observed::of(delay_of(h.steps.back().args[0].n))}};
      results.push_back(r);
    }
    judged.settle_mapping(probes, results);
  }
  [[nodiscard]] bool other_alone() const { return all_have(judged.readings().initial(), "draw-mapping", "other"); }
  [[nodiscard]] bool other_gone() const {
    auto const [reading, alternative] = named("draw-mapping", "other");
    auto const other = backoff_algorithm().readings().bit(reading, alternative);
    return std::ranges::none_of(judged.readings().initial(), [&](cube c) { return (c.bits & other) != 0; });
  }

  capabilities about;
  run judged;
  std::vector<history> probes;
};
constexpr auto by_modulo = [](std::int64_t draw) { return draw % 50'401; };
constexpr auto by_hash = [](std::int64_t draw) { return (draw * 7'919 + 13) % 50'021; };

TEST(draw_mapping, settles_on_the_listed_mappings_where_the_probes_follow_one) {
  probed p;
  p.settle(by_modulo);
  EXPECT_TRUE(p.other_gone());
  EXPECT_EQ(p.judged.readings().never_broken(), p.judged.readings().with_hazards());
  EXPECT_EQ(p.judged.grade(), grade::exact);
}

TEST(draw_mapping, settles_on_the_unlisted_mapping_where_the_probes_follow_none) {
  probed p;
  p.settle(by_hash);
  EXPECT_TRUE(p.other_alone());
  EXPECT_EQ(p.judged.readings().never_broken(), p.judged.readings().with_hazards());
  EXPECT_EQ(p.judged.mapping(), mapped::otherwise);
  EXPECT_EQ(p.judged.grade(), grade::distribution);
}

TEST(draw_mapping, keeps_the_mapping_that_is_pinned_whatever_the_probes_say) {
  probed p({.pinned = {named("draw-mapping", "modulo")}});
  p.settle(by_hash);
  EXPECT_TRUE(all_have(p.judged.readings().initial(), "draw-mapping", "modulo"));
  EXPECT_EQ(p.judged.grade(), grade::exact);
}

TEST(draw_mapping, takes_a_mapping_for_listed_where_no_probe_was_answered) {
  probed p;
  std::vector<result> results;
  for (auto const& h : p.probes) {
    answer const says{observed::word(0), observed::of(by_hash(h.steps.back().args[0].n))};
    results.push_back({result_kind::rejected, {says}, "no"});
  }
  results[0] = {};  // answered, but not to the end
  p.judged.settle_mapping(p.probes, results);
  EXPECT_TRUE(p.other_gone());
  for (auto const* system : judged_systems()) {
    capabilities about;
    about.takes = documented_domain(system->shape(), {});
    auto judged = begun(*system, about);
    auto const probes = mapping_probes(judged, 1);
    judged.settle_mapping(probes, std::vector<result>(probes.size(), {result_kind::skipped, {}, ""}));
    EXPECT_EQ(judged.grade(), grade::exact) << system->shape().stem;
  }
}

// What differs at single draws is a fault, and no mapping.
TEST(draw_mapping, takes_the_mapping_that_most_probes_follow) {
  probed p;
  ASSERT_GT(p.probes.size(), 1U);
  auto const first = p.probes.front().steps.back().args[0].n;
  p.settle([&](std::int64_t draw) { return draw == first ? by_hash(draw) : by_modulo(draw); });
  EXPECT_TRUE(p.other_gone());
  EXPECT_EQ(p.judged.grade(), grade::exact);
  probed half;
  half.settle([&](std::int64_t draw) { return draw % 2 == 0 ? by_hash(draw) : by_modulo(draw); });
  EXPECT_TRUE(half.other_alone());
}

// Half of the probes lie on either side of a border between two delays, where coarse arithmetic is off by one.
TEST(draw_mapping, settles_on_near_where_arithmetic_is_coarser) {
  auto const in_floats = [](std::int64_t draw) {
    float const u = static_cast<float>(draw) / static_cast<float>(u32_size);
    return std::min(static_cast<std::int64_t>(u * 50'401.0F), std::int64_t{50'400});
  };
  auto const of_24_bits = [](std::int64_t draw) { return (draw >> 8) * 50'401 >> 24; };
  for (bool const floats : {true, false}) {
    probed p;
    p.settle([&](std::int64_t draw) { return floats ? in_floats(draw) : of_24_bits(draw); });
    EXPECT_TRUE(all_have(p.judged.readings().initial(), "draw-mapping", "near")) << floats;
    EXPECT_EQ(p.judged.mapping(), mapped::nearly);
    EXPECT_EQ(p.judged.grade(), grade::distribution);
    EXPECT_TRUE(p.judged.draws().are_tested());
    probed but_for_one;
    auto const first = but_for_one.probes.front().steps.back().args[0].n;
    but_for_one.settle([&](std::int64_t draw) { return draw == first ? 25'000 : in_floats(draw); });
    EXPECT_EQ(but_for_one.judged.mapping(), mapped::nearly) << "and the first draw is a finding";
  }
}

// One unit more at a sixth of the draws is a fault of a port that scales exactly.
TEST(draw_mapping, settles_on_the_exact_mapping_where_a_draw_is_off_by_much) {
  probed p;
  p.settle([](std::int64_t draw) { return draw % 4 == 0 ? 7 : (draw * 50'401) >> 32; });
  EXPECT_TRUE(p.other_gone());
  EXPECT_EQ(p.judged.mapping(), mapped::exactly);
}

TEST(draw_mapping, settles_on_near_where_real_delays_are_rounded) {
  probed p;
  p.settle([](std::int64_t draw) { return backoff::spec::decimal{(draw * 50'400 * 1'000) >> 32, -3, false}; });
  EXPECT_EQ(p.judged.mapping(), mapped::nearly);
}

// The largest of 25201 draws divides 50400: r * w / (S - 1) is a line that the document has in no window.
TEST(draw_mapping, settles_on_near_where_draws_are_divided_by_the_largest) {
  constexpr std::int64_t largest = 25'200;
  draw_source const draws{spec::draw_kind::rand, largest + 1};
  auto const window = [](history const& h) { return h.params[0].n; };
  for (bool const mostly : {false, true}) {
    probed p({}, draws);
    std::vector<result> results;
    for (std::size_t i = 0; i < p.probes.size(); ++i) {
      auto const draw = p.probes[i].steps.back().args[0].n;
      bool const is_off = mostly && i % 4 == 0;
      auto const delay = is_off ? 7 : draw * window(p.probes[i]) / largest;
      results.push_back({result_kind::answered, {{observed::word(0), observed::of(delay)}}, ""});
    }
    p.judged.settle_mapping(p.probes, results);
    EXPECT_EQ(p.judged.mapping(), mostly ? mapped::otherwise : mapped::nearly);
  }
}

// A wrong window is a fault, and excuses no mapping: half of the right one, or one more.
TEST(draw_mapping, settles_on_the_exact_mapping_of_another_window) {
  for (std::int64_t const numbers : {25'201, 50'402}) {
    probed p;
    p.settle([&](std::int64_t draw) { return (draw * numbers) >> 32; });
    EXPECT_TRUE(p.other_gone()) << numbers;
    EXPECT_EQ(p.judged.mapping(), mapped::exactly) << numbers;
  }
}

// A call that fails has no delay, and says nothing of how the others were drawn.
TEST(draw_mapping, takes_a_mapping_by_the_probes_that_have_a_delay) {
  probed p;
  std::vector<result> results;
  for (auto const& h : p.probes) {
    answer const says{observed::word(0), observed::of(by_hash(h.steps.back().args[0].n))};
    results.push_back({result_kind::answered, {says}, ""});
  }
  results[0].answers = {{observed::word(p.judged.system().shape().error_word)}};
  p.judged.settle_mapping(p.probes, results);
  EXPECT_TRUE(p.other_alone());
}

TEST(draw_mapping, has_nothing_to_settle_without_probes_or_with_hidden_draws) {
  probed p;
  p.judged.settle_mapping({}, {});
  EXPECT_FALSE(p.other_gone() || p.other_alone());
  probed hidden({}, {spec::draw_kind::hidden, 1});
  EXPECT_TRUE(hidden.probes.empty());
  hidden.judged.settle_mapping(std::vector<history>(1), std::vector<result>(1));
  EXPECT_FALSE(hidden.other_gone() || hidden.other_alone());
  EXPECT_TRUE(mapping_probes(begun(countdown::system, countdown::about_countdown), 1).empty());
}

// Sleeps that are not mapped exactly do not show how the jitter was: all its readings stay.
TEST(draw_mapping, settles_the_mapping_of_a_jitter_by_itself) {
  struct row {
    std::string_view port;
    mapped sleeps;
    mapped jitter;
    bool may_be_other;
  };
  auto const& system = *find_judged_system("aws_retry_utils");
  auto const& table = system.readings();
  auto const jitter_mapping = present(table.find("jitter-mapping"));
  auto const other = table.bit(jitter_mapping, present(table.find(jitter_mapping, "other")));
  for (auto const& r : {row{"mixed-mappings", mapped::exactly, mapped::exactly, false},
                        row{"near-jitter", mapped::exactly, mapped::nearly, false},
                        row{"reversed-jitter", mapped::exactly, mapped::otherwise, true},
                        row{"square", mapped::exactly, mapped::exactly, false},
                        row{"scaled-in-floats", mapped::nearly, mapped::exactly, true},
                        row{"reversed", mapped::otherwise, mapped::exactly, true}}) {
    built_in_subject port(system.shape(), *find_built_in("aws_retry_utils", r.port));
    auto judged = std::get<run>(run::begin(system, port.describes(), {}));
    auto const probes = mapping_probes(judged, 1);
    judged.settle_mapping(probes, port.run(probes));
    EXPECT_EQ(mapping_of(judged.held_to(), judged.readings(), "draw-mapping"), r.sleeps) << r.port;
    EXPECT_EQ(mapping_of(judged.held_to(), judged.readings(), "jitter-mapping"), r.jitter) << r.port;
    EXPECT_EQ(judged.mapping(), std::max(r.sleeps, r.jitter)) << r.port;
    bool const may_be_other =
        std::ranges::any_of(judged.readings().initial(), [&](cube c) { return (c.bits & other) != 0; });
    EXPECT_EQ(may_be_other, r.may_be_other) << r.port;
  }
  // A second sleep that no jitter leads to.
  built_in_subject port(system.shape(), *find_built_in("aws_retry_utils", "mixed-mappings"));
  auto judged = std::get<run>(run::begin(system, port.describes(), {}));
  auto const probes = mapping_probes(judged, 1);
  auto results = port.run(probes);
  for (auto& r : results) {
    if (r.answers.size() == 3) r.answers.back()[1] = observed::of(1'000'000'000);
  }
  judged.settle_mapping(probes, results);
  EXPECT_EQ(mapping_of(judged.held_to(), judged.readings(), "jitter-mapping"), mapped::exactly);
}

}  // namespace
