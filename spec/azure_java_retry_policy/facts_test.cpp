// What the model of the Java SDK's retry policies says of a failure besides its answer, and where readings are asked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "azure_java_retry_policy/model.hpp"
#include "relation/rational.hpp"
#include "tests/checks.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::azure_java_retry_policy {
namespace {

constexpr std::uint64_t half = std::uint64_t{1} << 31;

failure retry(integer x, std::uint64_t draw = 0) {
  return {.retry_count = x, .from = {draw_kind::u32, draw, std::uint64_t{1} << 32}};
}
failure const refused{.retry_count = 3, .error = error::service};

outcome decided(parameters const& p, failure const& f, std::vector<pin> const& pins = {}) {
  return under(readings(), pinned(readings(), pins), [&](chooser& choices) { return decide(p, f, choices); });
}

facts facts_of(parameters const& p, failure const& f) { return decided(p, f).facts; }

TEST(facts, say_where_a_failure_stands) {
  checks("AZ-JR-001", "AZ-JR-010", "AZ-JR-015", "AZ-JR-022");
  auto const f = facts_of({}, retry(3));
  EXPECT_EQ(std::tuple(f.policy, f.error, f.passes, f.vetoed, f.limited, f.inverted),
            std::tuple(policy::exponential_backoff_with_jitter, error::retryable, true, false, false, false));
  EXPECT_EQ(std::tuple(f.retry_count, f.at_cap, f.least_ms, f.most_ms), std::tuple(3, false, 100, 10'000));
  auto const capped = facts_of({.cmin_ms = 300, .cmax_ms = 200, .total_time_ms = 9'000}, retry(9));
  EXPECT_EQ(std::tuple(capped.at_cap, capped.limited, capped.inverted, capped.least_ms, capped.most_ms),
            std::tuple(true, true, true, 200, 200));
  EXPECT_TRUE(facts_of({.jd_thousandths = 0}, retry(9)).inverted);
  auto const vetoed = facts_of({.policy = policy::custom, .cmin_ms = 300, .cmax_ms = 200}, {.error = error::terminal});
  EXPECT_EQ(std::tuple(vetoed.policy, vetoed.error, vetoed.passes, vetoed.vetoed, vetoed.inverted, vetoed.at_cap),
            std::tuple(policy::custom, error::terminal, false, true, false, false));
  EXPECT_FALSE(facts_of({}, refused).vetoed);
  auto const ended = decided({}, refused, {{"error-shapes-delay", "ends"}}).facts;
  EXPECT_TRUE(ended.passes && ended.vetoed) << "by the default policy";
  auto const willing = facts_of({.policy = policy::custom}, {.custom_retry = true, .custom_delay_ms = 10'000});
  EXPECT_EQ(std::tuple(willing.vetoed, willing.at_cap), std::tuple(false, false));
}

TEST(consulted, is_left_to_the_port_where_a_policy_is_built_in) {
  checks("AZ-JR-021");
  admissible const either = admissible::words(0b11);
  EXPECT_EQ(decided({}, {.error = error::unknown}).answer[field_consulted], either);
  EXPECT_EQ(decided({.policy = policy::no_retry}, {}).answer[field_consulted], either);
}

TEST(delay, that_cancels_out_is_not_exact) {
  checks("AZ-JR-012", "AZ-JR-014");
  parameters const p{.c_ms = 2'000, .jd_thousandths = 900, .ju_thousandths = 900};  // 100 - 0.5 · 200
  auto const [low, high] = decided(p, retry(0), {{"below-minimum", "as-computed"}}).answer[field_delay].ends();
  EXPECT_LT(low, 0);
  EXPECT_GT(high, 0);
  EXPECT_GT(low, rational(-1, 1'000'000'000));
}

// What leaves no trace is not told apart, and costs nothing.
TEST(readings_are_asked, only_where_they_matter) {
  checks("AZ-JR-012");
  auto const forks = [](parameters const& p, failure const& f) {
    std::vector<cube> elsewhere;
    chooser choices(readings(), readings().admitting(standing::hazard), elsewhere);
    static_cast<void>(decide(p, f, choices));
    return elsewhere.size();
  };
  EXPECT_EQ(forks({.policy = policy::no_retry}, retry(3)), 0U);
  EXPECT_EQ(forks({.policy = policy::custom}, {.custom_retry = true}), 0U);
  EXPECT_EQ(forks({}, {.error = error::terminal}), 0U);
  EXPECT_EQ(forks({}, {.retry_count = 1, .error = error::service, .from = retry(1).from}), 3U)
      << "whether it passes, what the default policy makes of it, and the exponent";
  EXPECT_EQ(forks({.policy = policy::custom}, {.error = error::service, .custom_retry = true}), 1U) << "if it passes";
  EXPECT_EQ(forks({.cmin_ms = 10'000}, retry(3)), 0U) << "the maximum is the minimum";
  EXPECT_EQ(forks({.cmin_ms = 10'000}, retry(1)), 0U);
  EXPECT_EQ(forks({.cmin_ms = 10'001}, retry(3)), 1U) << "whether that is rejected";
  EXPECT_EQ(forks({.c_ms = 101, .cmax_ms = 150}, retry(2)), 1U) << "the least of whole numbers leads to the maximum";
  EXPECT_EQ(forks({}, retry(50)), 1U) << "which power of two, and nothing else";
  EXPECT_EQ(forks({}, retry(1)), 1U);
  EXPECT_EQ(forks({}, retry(2, 0)), 3U) << "the kind and the mapping too, but 150 needs no rounding";
  EXPECT_EQ(forks({}, retry(2, half)), 4U);
  EXPECT_EQ(forks({.total_time_ms = 100}, retry(1)), 1U) << "time enough";
  EXPECT_EQ(forks({.total_time_ms = 99}, retry(1)), 2U);
}

TEST(assignments, join_kinds_and_mappings_that_belong_together) {
  checks("AZ-JR-008", "AZ-JR-012");
  auto const holds = [](draw_kind draws, std::vector<pin> const& pins) {
    auto const all = assignments(draws);
    return std::ranges::any_of(all, [&](cube c) { return readings().common(c, pinned(readings(), pins)).has_value(); });
  };
  pin const whole_kind{"rand-kind", "integer-inclusive"};
  pin const exclusive_kind{"rand-kind", "integer-exclusive"};
  pin const scaled{"draw-mapping", "scaled"};
  pin const modulo{"draw-mapping", "modulo"};
  pin const other{"draw-mapping", "other"};
  for (auto const draws : {draw_kind::u32, draw_kind::rand, draw_kind::unit}) {
    EXPECT_TRUE(holds(draws, {}));
    EXPECT_TRUE(holds(draws, {other}));
    EXPECT_TRUE(holds(draws, {whole_kind, other}));
    EXPECT_TRUE(holds(draws, {whole_kind, scaled}));
    EXPECT_TRUE(holds(draws, {exclusive_kind, scaled, {"delay-rounding", "nearest"}}));
    EXPECT_EQ(holds(draws, {whole_kind, modulo}), draws != draw_kind::unit);
    EXPECT_EQ(holds(draws, {whole_kind, {"draw-mapping", "divided"}}), draws != draw_kind::unit);
    EXPECT_TRUE(holds(draws, {{"draw-mapping", "near"}}));
    EXPECT_TRUE(holds(draws, {exclusive_kind, {"draw-mapping", "near"}}));
    EXPECT_FALSE(holds(draws, {whole_kind}));
    EXPECT_FALSE(holds(draws, {scaled}));
    EXPECT_FALSE(holds(draws, {modulo}));
  }
  EXPECT_EQ(assignments(draw_kind::hidden).size(), 1U);
  EXPECT_TRUE(holds(draw_kind::hidden, {whole_kind, {"delay-rounding", "truncate"}}));
  EXPECT_TRUE(holds(draw_kind::hidden, {{"exponent", "whole"}})) << "hazards too";
}

}  // namespace
}  // namespace backoff::spec::azure_java_retry_policy
