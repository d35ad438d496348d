// What a run makes of results, one rule a test: how it begins, what refutes, what is only noted, when it passes.
#include "judge/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/text.hpp"
#include "judge/countdown_test.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::ports;
using backoff::spec::cube;
using backoff::spec::standing;
using countdown::asked;
using countdown::begun;
using countdown::right_plus;
using countdown::said;
namespace spec = backoff::spec;

constexpr std::uint64_t u32_size = std::uint64_t{1} << 32;
auto const countdown_about = countdown::about_port();

std::string refusal(judged_system const& system, capabilities const& about, run_options options = {}) {
  auto const begins = run::begin(system, about, std::move(options));
  auto const* const why = std::get_if<std::string>(&begins);
  return why == nullptr ? "" : *why;
}

judged_system const& backoff_algorithm() { return *find_judged_system("aws_backoff_algorithm"); }

capabilities drawing(draw_source draws, std::optional<std::string> mapping = {}) {
  capabilities about;
  about.takes = documented_domain(backoff_algorithm().shape(), draws);
  about.mapping = std::move(mapping);
  return about;
}

std::pair<unsigned, unsigned> named(std::string_view reading, std::string_view alternative) {
  auto const& table = backoff_algorithm().readings();
  unsigned const r = *table.find(reading);
  return {r, *table.find(r, alternative)};
}

bool all_have(std::vector<cube> const& cubes, std::string_view reading, std::string_view alternative) {
  auto const& table = backoff_algorithm().readings();
  auto const [r, a] = named(reading, alternative);
  return std::ranges::all_of(cubes, [&](cube c) { return (c.bits & table.field(r)) == table.bit(r, a); });
}

bool any_has(std::vector<cube> const& cubes, std::string_view reading, std::string_view alternative) {
  auto const [r, a] = named(reading, alternative);
  return std::ranges::any_of(cubes, [&](cube c) { return (c.bits & backoff_algorithm().readings().bit(r, a)) != 0; });
}

run after(std::initializer_list<std::pair<history, result>> all, run_options options = {}) {
  auto judged = begun(countdown::system, countdown_about, std::move(options));
  for (auto const& [h, r] : all) judged.absorb(h, r);
  return judged;
}

// --- how it begins ---

// Calls of other instances do not count, nor do histories that were not answered.
TEST(run, counts_the_most_calls_that_an_instance_was_asked) {
  auto judged = begun(countdown::system, countdown_about);
  auto three = asked(9, 3);
  three.steps[1].on = 1;
  judged.absorb(three, right_plus(three, 0));
  EXPECT_EQ(judged.most_calls(), 2U);
  judged.absorb(asked(9, 1), right_plus(asked(9, 1), 0));
  judged.absorb(asked(9, 5), {result_kind::skipped, {}, ""});
  EXPECT_EQ(judged.most_calls(), 2U);
}

TEST(run, admits_open_readings_or_under_strict_canonical_ones) {
  auto const& table = countdown::table;
  EXPECT_EQ(begun(countdown::system, countdown_about).initial(), std::vector{table.admitting(standing::open)});
  auto const strict = begun(countdown::system, countdown_about, {.strict = true});
  EXPECT_EQ(strict.initial(), std::vector{table.admitting(standing::canonical)});
}

TEST(run, admits_a_hazard_that_is_pinned) {
  auto const judged =
      begun(countdown::system, countdown_about, {.pinned = {{countdown::first, countdown::from_plus_1}}});
  auto const& table = countdown::table;
  EXPECT_EQ(judged.initial(),
            std::vector{table.with(table.admitting(standing::canonical), countdown::first, countdown::from_plus_1)});
}

TEST(run, begins_only_where_an_admitted_reading_fits_the_draws) {
  auto const rand = countdown::about_port({spec::draw_kind::rand, 32'768});
  EXPECT_EQ(refusal(countdown::system, rand), "");
  EXPECT_EQ(refusal(countdown::system, rand, {.strict = true}), "no admitted reading fits the port's kind of draws");
  EXPECT_EQ(refusal(countdown::system, rand, {.pinned = {{countdown::first, countdown::from}}}),
            "no admitted reading fits the port's kind of draws");
  EXPECT_EQ(refusal(backoff_algorithm(), drawing({spec::draw_kind::unit, u32_size}, "modulo")),
            "no admitted reading fits the port's kind of draws, which it maps by modulo");
}

TEST(run, begins_only_with_a_mapping_that_the_system_lists) {
  EXPECT_EQ(refusal(backoff_algorithm(), drawing({}, "scaled")), "");
  EXPECT_EQ(refusal(backoff_algorithm(), drawing({}, "sideways")),
            "the port's mapping 'sideways' is not an alternative of draw-mapping");
  auto about = countdown_about;
  about.mapping = "modulo";
  EXPECT_EQ(refusal(countdown::system, about), "the port's mapping 'modulo' is not an alternative of draw-mapping");
}

TEST(run, pins_the_mapping_that_the_port_names) {
  for (bool const strict : {false, true}) {
    auto const judged = begun(backoff_algorithm(), drawing({}, "scaled"), {.strict = strict});
    EXPECT_TRUE(all_have(judged.initial(), "draw-mapping", "scaled"));
  }
}

TEST(run, under_strict_draws_may_be_mapped_in_any_way_and_the_rest_is_canonical) {
  for (auto const& draws : {draw_source{}, draw_source{spec::draw_kind::unit, u32_size}}) {
    auto const strict = begun(backoff_algorithm(), drawing(draws), {.strict = true});
    ASSERT_FALSE(strict.initial().empty());
    for (auto const* mapping : {"scaled", "real", "other"}) {
      EXPECT_FALSE(all_have(strict.initial(), "draw-mapping", mapping)) << "not it alone";
      EXPECT_TRUE(any_has(strict.initial(), "draw-mapping", mapping));
    }
    for (auto const* resolution : {"integer", "real"})
      EXPECT_TRUE(any_has(strict.initial(), "delay-resolution", resolution));
    EXPECT_TRUE(all_have(strict.initial(), "upper-bound", "inclusive"));
  }
}

TEST(run, a_convention_is_what_the_protocol_decides) {
  for (auto const* name : {"draw-mapping", "delay-resolution", "jitter-mapping", "jitter-resolution"})
    EXPECT_TRUE(is_convention(name));
  for (auto const* name : {"upper-bound", ""}) EXPECT_FALSE(is_convention(name));
}

// --- which grade ---

TEST(run, hidden_draws_lower_the_grade_only_where_the_system_has_draws) {
  draw_source const hidden{spec::draw_kind::hidden, 1};
  EXPECT_EQ(begun(backoff_algorithm(), drawing(hidden)).grade(), grade::distribution);
  EXPECT_EQ(begun(backoff_algorithm(), drawing({})).grade(), grade::exact);
  EXPECT_EQ(begun(countdown::system, countdown::about_port(hidden)).grade(), grade::exact);
}

// Of the Java policies, one alone draws.
TEST(run, a_port_that_never_draws_has_nothing_to_hide) {
  auto const& system = *find_judged_system("azure_java_retry_policy");
  capabilities about;
  about.takes = documented_domain(system.shape(), {spec::draw_kind::hidden, 1});
  for (std::uint64_t const policies : {1U, 2U, 3U}) {  // with jitter, no_retry, both
    about.takes.params[0].words = policies;
    auto const judged = begun(system, about);
    EXPECT_EQ(judged.grade(), policies == 2 ? grade::exact : grade::distribution);
    EXPECT_EQ(judged.mapping(), mapped::exactly);
  }
}

TEST(run, hidden_draws_that_no_answer_tells_of_are_not_tested) {
  for (auto const* system : judged_systems()) {
    if (!system->shape().has_draws()) continue;
    capabilities about;
    about.takes = documented_domain(system->shape(), {spec::draw_kind::hidden, 1});
    auto const judged = begun(*system, about);
    EXPECT_EQ(judged.wants_samples(), system->shows_draws());
    EXPECT_EQ(judged.grade(), system->shows_draws() ? grade::distribution : grade::membership);
  }
}

TEST(run, an_unlisted_mapping_counts_as_hidden_draws) {
  claim_mask about_draws = 0;
  auto const claims = backoff_algorithm().claims();
  for (unsigned i = 0; i < claims.size(); ++i) about_draws |= claims[i].draws ? claim_mask{1} << i : 0;
  for (auto const& draws : {draw_source{}, {spec::draw_kind::rand, 32'768}, {spec::draw_kind::unit, u32_size}}) {
    auto const about = drawing(draws, "other");
    auto const judged = begun(backoff_algorithm(), about);
    EXPECT_EQ(judged.mapping(), mapped::otherwise);
    EXPECT_EQ(judged.grade(), grade::distribution);
    EXPECT_EQ(begun(backoff_algorithm(), about, {.claims = ~about_draws}).grade(), grade::membership);
  }
  EXPECT_EQ(begun(backoff_algorithm(), drawing({spec::draw_kind::hidden, 1}, "other")).mapping(), mapped::exactly)
      << "what is hidden is mapped in no way that matters";
}

// Probes of the mapping, answered by delays that a rule makes of the draws.
struct probed {
  explicit probed(run_options options = {}, draw_source draws = {})
      : about(drawing(draws)), judged(begun(backoff_algorithm(), about, std::move(options))) {
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
  [[nodiscard]] bool other_alone() const { return all_have(judged.initial(), "draw-mapping", "other"); }
  [[nodiscard]] bool other_gone() const {
    auto const [reading, alternative] = named("draw-mapping", "other");
    auto const other = backoff_algorithm().readings().bit(reading, alternative);
    return std::ranges::none_of(judged.initial(), [&](cube c) { return (c.bits & other) != 0; });
  }

  capabilities about;
  run judged;
  std::vector<history> probes;
};
constexpr auto by_modulo = [](std::int64_t draw) { return draw % 50'401; };
constexpr auto by_hash = [](std::int64_t draw) { return (draw * 7'919 + 13) % 50'021; };

TEST(run, settles_on_the_listed_mappings_where_the_probes_follow_one) {
  probed p;
  p.settle(by_modulo);
  EXPECT_TRUE(p.other_gone());
  EXPECT_EQ(p.judged.unblemished(), p.judged.survivors_with_hazards());
  EXPECT_EQ(p.judged.grade(), grade::exact);
}

TEST(run, settles_on_the_unlisted_mapping_where_the_probes_follow_none) {
  probed p;
  p.settle(by_hash);
  EXPECT_TRUE(p.other_alone());
  EXPECT_EQ(p.judged.unblemished(), p.judged.survivors_with_hazards());
  EXPECT_EQ(p.judged.mapping(), mapped::otherwise);
  EXPECT_EQ(p.judged.grade(), grade::distribution);
}

TEST(run, keeps_the_mapping_that_is_pinned_whatever_the_probes_say) {
  probed p({.pinned = {named("draw-mapping", "modulo")}});
  p.settle(by_hash);
  EXPECT_TRUE(all_have(p.judged.initial(), "draw-mapping", "modulo"));
  EXPECT_EQ(p.judged.grade(), grade::exact);
}

TEST(run, takes_a_mapping_for_listed_where_no_probe_was_answered) {
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
TEST(run, takes_the_mapping_that_most_probes_follow) {
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
TEST(run, settles_on_near_where_arithmetic_is_coarser) {
  auto const in_floats = [](std::int64_t draw) {
    float const u = static_cast<float>(draw) / static_cast<float>(u32_size);
    return std::min(static_cast<std::int64_t>(u * 50'401.0F), std::int64_t{50'400});
  };
  auto const of_24_bits = [](std::int64_t draw) { return (draw >> 8) * 50'401 >> 24; };
  for (bool const floats : {true, false}) {
    probed p;
    p.settle([&](std::int64_t draw) { return floats ? in_floats(draw) : of_24_bits(draw); });
    EXPECT_TRUE(all_have(p.judged.initial(), "draw-mapping", "near")) << floats;
    EXPECT_EQ(p.judged.mapping(), mapped::nearly);
    EXPECT_EQ(p.judged.grade(), grade::distribution);
    EXPECT_TRUE(p.judged.wants_samples());
    probed but_for_one;
    auto const first = but_for_one.probes.front().steps.back().args[0].n;
    but_for_one.settle([&](std::int64_t draw) { return draw == first ? 25'000 : in_floats(draw); });
    EXPECT_EQ(but_for_one.judged.mapping(), mapped::nearly) << "and the first draw is a finding";
  }
}

// One unit more at a sixth of the draws is a fault of a port that scales exactly.
TEST(run, settles_on_the_exact_mapping_where_a_draw_is_off_by_much) {
  probed p;
  p.settle([](std::int64_t draw) { return draw % 4 == 0 ? 7 : (draw * 50'401) >> 32; });
  EXPECT_TRUE(p.other_gone());
  EXPECT_EQ(p.judged.mapping(), mapped::exactly);
}

TEST(run, settles_on_near_where_real_delays_are_rounded) {
  probed p;
  p.settle([](std::int64_t draw) { return backoff::spec::decimal{(draw * 50'400 * 1'000) >> 32, -3, false}; });
  EXPECT_EQ(p.judged.mapping(), mapped::nearly);
}

// The largest of 25201 draws divides 50400: r * w / (S - 1) is a line that the document has in no window.
TEST(run, settles_on_near_where_draws_are_divided_by_the_largest) {
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
TEST(run, settles_on_the_exact_mapping_of_another_window) {
  for (std::int64_t const numbers : {25'201, 50'402}) {
    probed p;
    p.settle([&](std::int64_t draw) { return (draw * numbers) >> 32; });
    EXPECT_TRUE(p.other_gone()) << numbers;
    EXPECT_EQ(p.judged.mapping(), mapped::exactly) << numbers;
  }
}

// A call that fails has no delay, and says nothing of how the others were drawn.
TEST(run, takes_a_mapping_by_the_probes_that_have_a_delay) {
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

TEST(run, has_nothing_to_settle_without_probes_or_with_hidden_draws) {
  probed p;
  p.judged.settle_mapping({}, {});
  EXPECT_FALSE(p.other_gone() || p.other_alone());
  probed hidden({}, {spec::draw_kind::hidden, 1});
  EXPECT_TRUE(hidden.probes.empty());
  hidden.judged.settle_mapping(std::vector<history>(1), std::vector<result>(1));
  EXPECT_FALSE(hidden.other_gone() || hidden.other_alone());
  EXPECT_TRUE(mapping_probes(begun(countdown::system, countdown_about), 1).empty());
}

// --- what it makes of results ---

TEST(run, counts_each_kind_of_result) {
  auto const judged = after({{asked(5, 1), said({5})},
                             {asked(5, 1), {result_kind::rejected, {}, ""}},
                             {asked(5, 1), {result_kind::skipped, {}, ""}},
                             {asked(5, 1), {result_kind::unsent, {}, ""}},
                             {asked(5, 1), {result_kind::broke, {}, ""}},
                             {asked(5, 1), {result_kind::broke, {}, ""}},
                             {asked(5, 1), {result_kind::broke, {}, ""}}});
  EXPECT_EQ(judged.counts().judged, 1U);
  EXPECT_EQ(judged.counts().rejected, 1U);
  EXPECT_EQ(judged.counts().skipped, 2U);
  EXPECT_EQ(judged.counts().broke, 3U);
  EXPECT_EQ(judged.counts().all(), 7U);
  EXPECT_TRUE(judged.breaches().empty());
  EXPECT_EQ(judged.failing_histories(), 0U);
}

TEST(run, what_a_port_declares_to_take_it_must_answer_unless_it_was_not_sent) {
  auto about = countdown_about;
  about.takes.params[0].declared = true;
  auto judged = begun(countdown::system, about);
  judged.absorb(asked(5, 1), {result_kind::unsent, {}, ""});
  EXPECT_TRUE(judged.breaches().empty());
  judged.absorb(asked(5, 1), {result_kind::rejected, {}, ""});
  judged.absorb(asked(6, 1), {result_kind::skipped, {}, ""});
  auto const breaches = judged.breaches();
  ASSERT_EQ(breaches.size(), 1U);
  EXPECT_EQ(breaches[0].claim, breach::no_answer);
  EXPECT_EQ(breaches[0].histories, 2U);
  EXPECT_EQ(breaches[0].first.index, 1U);
  EXPECT_EQ(judged.failing_histories(), 2U);
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
}

// What a rejection stands for where a reading admits it, is judged as an answer.
TEST(run, holds_a_rejection_that_may_be_admitted_against_the_document) {
  auto about = countdown_about;
  for (bool const declared : {false, true}) {
    about.takes.params[0].declared = declared;
    auto judged = begun(countdown::system, about);
    judged.absorb(asked(5, 1), {result_kind::rejected, {countdown::says(5)}, ""});
    EXPECT_EQ(judged.counts().rejected, 1U);
    EXPECT_EQ(judged.at_stake(countdown::counts_down), declared ? 1U : 0U);
    EXPECT_TRUE(judged.breaches().empty());
    judged.absorb(asked(5, 1), {result_kind::rejected, {countdown::fails}, ""});
    auto const breaches = judged.breaches();
    ASSERT_EQ(breaches.size(), declared ? 1U : 0U);
    if (declared) {
      EXPECT_EQ(breaches[0].claim, countdown::no_call_fails);
    }
    EXPECT_EQ(judged.counts_as_answered({result_kind::skipped, {countdown::says(5)}, ""}), false);
  }
}

TEST(run, fails_when_no_admitted_reading_is_left_and_is_explained_by_the_last_that_was) {
  auto judged = after({{asked(5, 2), said({5, 4})}});
  EXPECT_TRUE(judged.breaches().empty());  // only from-minus-1 was refuted
  EXPECT_EQ(judged.refuting().size(), 1U);
  EXPECT_EQ(judged.witnesses().back().seen.index, judged.counts().all() - 1);  // blame is settled on each
  EXPECT_EQ(judged.explained_by(), countdown::table.admitting(standing::canonical));

  judged.absorb(asked(7, 2), said({6, 5}));  // from-minus-1: the two together fit no reading
  EXPECT_TRUE(judged.survivors().empty());
  EXPECT_EQ(judged.refuting().size(), 2U);
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
  EXPECT_EQ(judged.explained_by(), countdown::table.admitting(standing::canonical));
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].claim, countdown::counts_down);
  EXPECT_EQ(judged.breaches()[0].first.index, 1U);
  EXPECT_EQ(judged.breaches()[0].first.tried, asked(7, 2));

  judged.absorb(asked(5, 2), said({5, 4}));  // right under what explains the run
  judged.absorb(asked(5, 2), said({5, 5}));
  EXPECT_EQ(judged.breaches()[0].histories, 2U);
  EXPECT_EQ(judged.failing_histories(), 2U);
  EXPECT_EQ(judged.refuting().size(), 2U);
}

TEST(run, is_explained_by_the_surviving_reading_with_the_fewest_deviations) {
  auto const judged = after({{asked(5, 2), said({4, 3})}});
  EXPECT_EQ(judged.explained_by(), countdown::table.with(countdown::table.admitting(standing::canonical),
                                                         countdown::first, countdown::from_minus_1));
}

TEST(run, what_breaks_a_claim_of_the_interface_fails_it_and_refutes_no_reading) {
  std::pair<history, result> const wrong{asked(0, 2), said({0, 3})};
  for (bool const strict : {false, true}) {
    for (bool const document_only : {false, true}) {
      run_options const how{.strict = strict, .document_only = document_only};
      auto const judged = after({wrong, wrong}, how);
      ASSERT_EQ(judged.breaches().size(), 1U);
      EXPECT_EQ(judged.breaches()[0].claim, countdown::stops_at_zero);
      EXPECT_EQ(judged.breaches()[0].fails, !document_only);
      EXPECT_FALSE(judged.refutes(judged.breaches()[0]));
      EXPECT_EQ(judged.breaches()[0].histories, 2U);
      EXPECT_EQ(judged.failing_histories(), document_only ? 0U : 2U);
      EXPECT_EQ(judged.verdict(), document_only ? verdict::inconclusive : verdict::breaks_the_interface);
      EXPECT_EQ(judged.verdict_by_the_document(), verdict::inconclusive) << "little was at stake";
      EXPECT_EQ(judged.survivors(), judged.initial());
    }
  }
}

TEST(run, a_broken_interface_does_not_hide_what_the_document_says) {
  history both = asked(5, 2);
  both.steps[1].on = 1;
  std::pair<history, result> const right{both, said({5, 5})};
  std::pair<history, result> const overrun{asked(0, 2), said({0, 3})};
  EXPECT_EQ(after({right}).verdict(), verdict::conforms);
  auto const follows = after({right, overrun});
  EXPECT_EQ(follows.verdict(), verdict::breaks_the_interface);
  EXPECT_EQ(follows.verdict_by_the_document(), verdict::conforms);
  auto const wrong = after({right, overrun, {asked(5, 1), said({9})}});
  EXPECT_EQ(wrong.verdict(), verdict::does_not_conform);
  EXPECT_EQ(wrong.verdict_by_the_document(), verdict::does_not_conform);
}

// One admitted reading breaks one claim, the other another: none is broken under both.
TEST(run, notes_no_advice_that_some_admitted_reading_follows) {
  explorer<countdown::advised> const system;
  history both = asked(5, 2);
  both.steps[1].on = 1;
  auto judged = begun(system, countdown_about);
  judged.absorb(both, said({4, 5}));
  EXPECT_TRUE(judged.breaches().empty());
  judged.absorb(asked(5, 1), said({9}));
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].claim, countdown::counts_down);
  judged.absorb(both, said({9, 9}));
  EXPECT_EQ(judged.breaches().size(), 2U) << "the second call is judged too";
  judged.absorb(asked(5, 1), {result_kind::answered, {countdown::fails}, ""});
  EXPECT_EQ(judged.breaches().size(), 3U);
}

// What fails the port without refuting a reading must not hide, at a later call, what does.
TEST(run, what_breaks_the_interface_hides_nothing_behind_it) {
  auto const judged =
      after({{asked(0, 3), {result_kind::answered, {countdown::says(0), countdown::says(7), countdown::fails}, ""}}});
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
}

TEST(run, shows_first_of_what_is_broken_as_often_the_claim_that_stands_first) {
  result const failed{result_kind::answered, {countdown::fails}, ""};
  auto const judged = after({{asked(5, 1), failed},  // no_call_fails, in two of four
                             {asked(5, 1), failed},
                             {asked(5, 1), said({9})},  // counts_down, in one of two
                             {asked(5, 1), said({5})}});
  auto const breaches = judged.breaches();
  ASSERT_EQ(breaches.size(), 2U);
  EXPECT_EQ(breaches[0].claim, countdown::no_call_fails);
  EXPECT_EQ(breaches[1].claim, countdown::counts_down);
}

TEST(run, shows_first_what_is_broken_in_the_largest_share_of_what_puts_it_at_stake) {
  auto about = countdown::about_port();
  about.takes.params[0].declared = true;
  for (int const rejected : {1, 3}) {
    run judged = countdown::begun(countdown::system, about);
    auto const h = countdown::asked(5, 2);
    judged.absorb(h, countdown::said({5, 9}));  // counts_down, in one of three
    judged.absorb(h, countdown::said({5, 4}));
    judged.absorb(h, {result_kind::answered, {countdown::fails}, "no"});  // no_call_fails, in one of four
    for (int i = 0; i < rejected; ++i)
      judged.absorb(h, {result_kind::rejected, {}, "no"});              // in one of five, or three of seven
    judged.absorb(countdown::asked(0, 3), countdown::said({0, 7, 0}));  // stops_at_zero, of the interface, in the one
    std::vector<unsigned> claims;
    for (auto const& b : judged.breaches()) claims.push_back(b.claim);
    auto const expected = rejected == 1 ? std::vector<unsigned>{countdown::counts_down, countdown::no_call_fails,
                                                                breach::no_answer, countdown::stops_at_zero}
                                        : std::vector<unsigned>{breach::no_answer, countdown::counts_down,
                                                                countdown::no_call_fails, countdown::stops_at_zero};
    EXPECT_EQ(claims, expected);
  }
}

TEST(run, an_interface_claim_broken_after_the_run_has_failed_comes_after_those_of_the_document) {
  for (bool const document_only : {false, true}) {
    auto const judged =
        after({{asked(5, 1), said({9})}, {asked(0, 2), said({0, 3})}}, {.document_only = document_only});
    EXPECT_EQ(judged.failing_histories(), document_only ? 1U : 2U);
    auto const breaches = judged.breaches();
    ASSERT_EQ(breaches.size(), 2U);
    EXPECT_EQ(breaches[0].claim, countdown::counts_down);
    EXPECT_EQ(breaches[1].claim, countdown::stops_at_zero);
    EXPECT_EQ(breaches[1].fails, !document_only);
    EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
  }
}

TEST(run, keeps_apart_the_readings_under_which_nothing_at_all_was_broken) {
  std::pair<history, result> const settles{asked(5, 1), said({5})};
  std::pair<history, result> const breaks{asked(0, 2), said({0, 3})};
  auto const& table = countdown::table;
  for (auto const& judged : {after({breaks}), after({settles, breaks})}) {
    ASSERT_FALSE(judged.unblemished().empty());
    for (auto const c : judged.unblemished())
      EXPECT_EQ(c.bits & table.field(countdown::end), table.bit(countdown::end, 1))
          << "silent: nothing is broken there";
    EXPECT_FALSE(judged.survivors().empty());
  }
}

// --- what follows from what ---

// The claims that are broken by these answers to a base of 2 ms, 9 ms at most and 3 attempts, and what each follows
// from; a delay of -1 stands for exhaustion, one of -2 for an error.
std::vector<std::pair<std::string_view, std::string_view>> consequences(
    std::initializer_list<std::vector<spec::integer>> all, run_options options = {}) {
  auto const about = drawing({});
  auto judged = begun(backoff_algorithm(), about, std::move(options));
  for (auto const& delays : all) {
    history h;
    h.params = {value::of(2), value::of(9), value::of(3)};
    result r;
    for (auto const delay : delays) {
      h.steps.push_back({});
      h.steps.back().args[0] = value::of(0);
      if (delay == -2) {
        r.answers.push_back({observed::word(backoff_algorithm().shape().error_word)});
        continue;
      }
      r.answers.push_back(delay < 0 ? answer{observed::word(1)} : answer{observed::word(0), observed::of(delay)});
    }
    judged.absorb(h, r);
  }
  std::vector<std::pair<std::string_view, std::string_view>> result;
  auto const claims = backoff_algorithm().claims();
  for (auto const& b : judged.breaches())
    result.emplace_back(claims[b.claim].name, b.follows_from ? claims[*b.follows_from].name : "");
  EXPECT_EQ(judged.attempts().drawn, 0U);
  return result;
}

using names = std::vector<std::pair<std::string_view, std::string_view>>;

TEST(run, of_claims_that_always_break_together_the_first_explains_the_others) {
  EXPECT_EQ(consequences({{100}}), (names{{"delay_never_exceeds_cap", ""},
                                          {"first_delay_is_drawn_from_the_base", "delay_never_exceeds_cap"}}));
}

TEST(run, what_breaks_more_often_explains_what_breaks_beside_it_and_after_it) {
  EXPECT_EQ(consequences({{100, -1}, {3}}),
            (names{{"first_delay_is_drawn_from_the_base", ""},
                   {"delay_never_exceeds_cap", "first_delay_is_drawn_from_the_base"},
                   {"retries_until_max_attempts", "first_delay_is_drawn_from_the_base"}}));
}

TEST(run, what_one_history_breaks_alone_follows_from_nothing) {
  EXPECT_EQ(consequences({{100, -1}, {-1}}), (names{{"delay_never_exceeds_cap", ""},
                                                    {"first_delay_is_drawn_from_the_base", "delay_never_exceeds_cap"},
                                                    {"retries_until_max_attempts", ""}}));
}

TEST(run, a_call_that_fails_follows_from_nothing_before_it) {
  EXPECT_EQ(consequences({{100, -2}}), (names{{"no_call_fails", ""},
                                              {"delay_never_exceeds_cap", ""},
                                              {"first_delay_is_drawn_from_the_base", "delay_never_exceeds_cap"}}));
}

// The claims broken by these answers to histories of the Java policy, in the order of findings; what each follows from,
// or is told with.
struct decided {
  std::string token;                    // of a history of one call
  std::optional<spec::integer> answer;  // the delay; none: no retry
};
names findings_of(std::initializer_list<decided> all) {
  auto const& java = *find_judged_system("azure_java_retry_policy");
  capabilities about;
  about.takes = documented_domain(java.shape(), {});
  auto judged = begun(java, about);
  for (auto const& [token, delay] : all) {
    auto const set = parse_token("azure_java_retry_policy/policy=exponential_backoff_with_jitter," + token);
    result r;
    r.answers.push_back({observed::word(0), observed::word(delay ? 1 : 0)});
    if (delay) r.answers.back()[2] = observed::of(*delay);
    judged.absorb(set.cases.front(), r);
  }
  names found;
  auto const claims = java.claims();
  for (auto const& b : judged.breaches()) {
    auto const named_by = b.follows_from ? b.follows_from : b.told_with;
    found.emplace_back(claims[b.claim].name, named_by ? claims[*named_by].name : "");
    EXPECT_EQ(b.is_a_finding(), !named_by);
  }
  return found;
}
// One call with x = 1, whose delay is cmin_ms = 100, after so many milliseconds of 1,000.
decided at(int elapsed_ms, std::optional<spec::integer> delay) {
  return {"total_time_ms=1000/decide:1::0:protocol:" + std::to_string(elapsed_ms), delay};
}
decided const wrong_delay{"total_time_ms=1000000/decide:1::0:protocol:0", 101};

TEST(run, parts_of_a_rule_that_break_apart_are_one_finding) {
  EXPECT_EQ(findings_of({wrong_delay, {"total_time_ms=1000000/decide:40::0:protocol:0", 101}}),
            (names{{"first_delay_is_cmin", ""}, {"delay_stays_at_cmax", "first_delay_is_cmin"}}));
}

// A first window that is wrong is doubled as it should be: each delay of one cycle is too long, whether it shows or
// not.
TEST(run, a_wrong_first_call_is_told_before_the_calls_that_start_from_it) {
  auto const& utilities = *find_judged_system("aws_retry_utils");
  capabilities about;
  about.takes = documented_domain(utilities.shape(), {});
  auto const told = [&](std::initializer_list<std::array<int, 3>> cycles) {  // the draw of each call, and its sleeps
    auto judged = begun(utilities, about);
    for (auto const& [draw, first, second] : cycles) {
      auto const number = std::to_string(draw);
      auto const set = parse_token(
          "aws_retry_utils/initial_backoff_s=4,max_backoff_s=100,max_jitter_s=0,max_attempts=0/reset:0,backoff:" +
          number + ",backoff:" + number);
      result r;
      r.answers.push_back({observed::word(2), {}});
      for (int const slept : {first, second}) r.answers.push_back({observed::word(0), observed::of(slept)});
      judged.absorb(set.cases.front(), r);
    }
    std::vector<std::string> found;
    for (auto const& b : judged.breaches()) {
      auto const claims = utilities.claims();
      found.emplace_back(claims[b.claim].name);
      if (b.told_with) found.back() += std::string(" with ") + std::string(claims[*b.told_with].name);
    }
    return found;
  };
  // Windows of 8 and 16 in place of 4 and 8: 3 mod 9 is right, and 3 mod 17 too; 12 mod 9 is not 12 mod 5.
  std::string const first = "first_sleep_is_drawn_from_the_base";
  std::string const later = "window_doubles_after_each_sleep";
  EXPECT_EQ(told({{3, 3, 3}, {12, 3, 12}, {45, 0, 11}, {90, 0, 5}}), (std::vector{first, later + " with " + first}));
  EXPECT_EQ(told({{3, 3, 3}, {12, 2, 12}, {45, 0, 11}}), std::vector{later});
  EXPECT_EQ(told({{12, 7, 3}}), std::vector{first});
}

TEST(run, what_leans_on_a_broken_claim_follows_from_it) {
  EXPECT_EQ(findings_of({wrong_delay, at(900, {})}),
            (names{{"first_delay_is_cmin", ""}, {"total_time_ends_retries", "first_delay_is_cmin"}}))
      << "with 101 ms it is right to stop";
  EXPECT_EQ(findings_of({wrong_delay, at(950, 50)}),
            (names{{"first_delay_is_cmin", ""}, {"total_time_ends_retries", "first_delay_is_cmin"}}))
      << "with 50 ms it is right to go on";
}

TEST(run, what_could_lean_stands_by_itself_where_nothing_else_is_broken_and_where_it_is_wrong_in_any_case) {
  EXPECT_EQ(findings_of({at(900, {})}), (names{{"total_time_ends_retries", ""}}));
  EXPECT_EQ(findings_of({wrong_delay, at(950, 100)}).size(), 2U);
  for (auto const& [claim, cause] : findings_of({wrong_delay, at(950, 100)})) EXPECT_EQ(cause, "") << claim;
}

// --- when it passes ---

TEST(run, passes_only_when_every_must_was_at_stake) {
  history both = asked(5, 2);
  both.steps[1].on = 1;
  std::pair<history, result> const one{asked(5, 1), said({5})};
  std::pair<history, result> const two{both, said({5, 5})};
  EXPECT_EQ(after({}).verdict(), verdict::inconclusive);
  EXPECT_EQ(after({}, {.whole = false}).verdict(), verdict::inconclusive);
  EXPECT_EQ(after({one}).verdict(), verdict::inconclusive);
  auto const judged = after({one, two});
  EXPECT_EQ(judged.verdict(), verdict::conforms);
  EXPECT_EQ(judged.at_stake(countdown::no_call_fails), 2U);
  EXPECT_EQ(judged.at_stake(countdown::independent), 1U);
  EXPECT_EQ(judged.at_stake(countdown::stops_at_zero), 0U);
  EXPECT_EQ(after({one}, {.whole = false}).verdict(), verdict::conforms);
  claim_mask const others = ~(claim_mask{1} << countdown::independent);
  EXPECT_EQ(after({one}, {.claims = others}).verdict(), verdict::conforms);
  claim_mask const but_the_first = ~(claim_mask{1} << countdown::no_call_fails);
  EXPECT_EQ(after({one}, {.claims = but_the_first}).at_stake(countdown::no_call_fails), 0U);
}

// What it turned away outside declared ranges is no failure, and no evidence either.
TEST(run, says_nothing_of_a_port_that_turns_most_histories_away) {
  for (bool const whole : {true, false}) {
    run_options const sticky{.claims = claim_mask{1} << countdown::no_call_fails, .whole = whole};
    for (auto const kind : {result_kind::rejected, result_kind::skipped}) {
      auto judged = begun(countdown::system, countdown_about, sticky);
      for (unsigned i = 0; i < 100; ++i) judged.absorb(asked(5, 1), said({5}));
      for (unsigned i = 0; i < 100; ++i) judged.absorb(asked(5, 1), {kind, {}, "not today"});
      EXPECT_EQ(judged.verdict(), verdict::conforms) << "as many answered as not";
      judged.absorb(asked(5, 1), {kind, {}, "not today"});
      EXPECT_EQ(judged.verdict(), whole ? verdict::inconclusive : verdict::conforms);
      EXPECT_EQ(judged.wanting(), 0U);
    }
  }
}

TEST(run, needs_no_claim_at_stake_whose_feature_the_port_lacks) {
  auto about = countdown_about;
  about.takes.features = 0;
  auto judged = begun(countdown::system, about);
  EXPECT_EQ(judged.wanting(), 0b0011U) << "those that need none";
  judged.absorb(asked(5, 1), said({5}));
  EXPECT_EQ(judged.verdict(), verdict::conforms);
}

TEST(run, needs_claims_about_draws_at_stake_only_where_draws_are_tested) {
  auto const claims = backoff_algorithm().claims();
  for (auto const& draws : {draw_source{}, draw_source{spec::draw_kind::hidden, 1}}) {
    auto const about = drawing(draws);
    auto const wanting = begun(backoff_algorithm(), about).wanting();
    for (unsigned i = 0; i < claims.size(); ++i) {
      if (!claims[i].draws) continue;
      bool const tested = draws.kind == spec::draw_kind::hidden && claims[i].strength == strength::must;
      EXPECT_EQ(includes(wanting, i), tested) << claims[i].name;
    }
  }
}

TEST(run, needs_no_claim_at_stake_that_what_the_port_takes_cannot_put_there) {
  for (std::int64_t const most : {0, 5}) {
    auto about = countdown_about;
    about.takes.params[0].high = most;
    auto judged = begun(countdown::system, about);
    judged.absorb(asked(0, 1), said({0}));
    EXPECT_EQ(judged.verdict(), most == 0 ? verdict::conforms : verdict::inconclusive);
  }
}

TEST(run, hidden_draws_never_pass) {
  auto const about = drawing({spec::draw_kind::hidden, 1});
  auto judged = begun(backoff_algorithm(), about, {.whole = false});
  history h;
  h.params = {value::of(5), value::of(5), value::word(0)};
  h.steps.resize(1);
  result r;
  r.answers = {{observed::word(0), observed::of(3)}};
  judged.absorb(h, r);
  EXPECT_EQ(judged.counts().judged, 1U);
  EXPECT_TRUE(judged.breaches().empty());
  EXPECT_EQ(judged.verdict(), verdict::inconclusive);
}

// What a run keeps does not grow with what it is told: at most one history a refuted assignment and one a claim.
TEST(run, keeps_no_more_after_many_histories_than_after_a_few) {
  for (spec::integer const added : {0, 1, 3}) {
    auto judged = begun(countdown::system, countdown_about);
    for (std::int64_t i = 0; i < 30'000; ++i) {
      auto const h = asked(i % 10, static_cast<std::size_t>(1 + i % 13));
      judged.absorb(h, right_plus(h, i % 7 == 0 ? added : 0));
    }
    EXPECT_LE(judged.refuting().size(), 6U);  // joint assignments of the system
    EXPECT_LE(judged.breaches().size(), countdown::claims.size());
    EXPECT_LE(judged.survivors_with_hazards().size(), 6U);
    EXPECT_LE(judged.unblemished().size(), 6U);
  }
}

// Sleeps that are not mapped exactly do not show how the jitter was: all its readings stay.
TEST(run, settles_the_mapping_of_a_jitter_by_itself) {
  struct row {
    std::string_view port;
    mapped sleeps;
    mapped jitter;
    bool may_be_other;
  };
  auto const& system = *find_judged_system("aws_retry_utils");
  auto const& table = system.readings();
  auto const jitter_mapping = *table.find("jitter-mapping");
  auto const other = table.bit(jitter_mapping, *table.find(jitter_mapping, "other"));
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
    EXPECT_EQ(judged.mapping_of("draw-mapping"), r.sleeps) << r.port;
    EXPECT_EQ(judged.mapping_of("jitter-mapping"), r.jitter) << r.port;
    EXPECT_EQ(judged.mapping(), std::max(r.sleeps, r.jitter)) << r.port;
    bool const may_be_other = std::ranges::any_of(judged.initial(), [&](cube c) { return (c.bits & other) != 0; });
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
  EXPECT_EQ(judged.mapping_of("jitter-mapping"), mapped::exactly);
}

}  // namespace
