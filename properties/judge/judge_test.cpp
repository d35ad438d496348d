// The judge is judged, over every system. The model played as a port under admitted readings conforms, and its
// assignment survives; with a hazard it fails.
#include <gtest/gtest.h>

#include <algorithm>

#include "histories/generate.hpp"
#include "histories/present.hpp"
#include "histories/text.hpp"
#include "judge/any_answer_test.hpp"
#include "judge/blame.hpp"
#include "judge/catalogue.hpp"
#include "judge/counterexample.hpp"
#include "judge/effort_test.hpp"
#include "judge/model_subject.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::ports;
using backoff::spec::cube;
using backoff::spec::standing;
namespace spec = backoff::spec;

constexpr std::uint64_t u32_size = std::uint64_t{1} << 32;
constexpr std::size_t singles_tried = 1'500;  // of the joint assignments, for each history
constexpr draw_source sources[] = {{spec::draw_kind::u32, u32_size},
                                   {spec::draw_kind::unit, u32_size},
                                   {spec::draw_kind::rand, 32'768},
                                   {spec::draw_kind::hidden, 1}};

run begun(judged_system const& system, capabilities const& about, run_options options) {
  return std::get<run>(run::begin(system, about, std::move(options)));
}

// Where nothing is drawn, one source says as much as all.
std::span<draw_source const> sources_of(judged_system const& system) {
  return std::span(sources).first(system.shape().has_draws() ? std::size(sources) : 1);
}

// One random assignment of the cube.
cube pick(spec::reading_table const& table, cube from, random_bits& random) {
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    std::vector<unsigned> left;
    for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
      if ((from.bits & table.bit(r, a)) != 0) left.push_back(a);
    }
    from = table.with(from, r, left[random() % left.size()]);
  }
  return from;
}

bool contains(spec::reading_table const& table, std::vector<cube> const& cubes, cube single) {
  return std::ranges::any_of(cubes, [&](cube c) { return table.common(c, single).has_value(); });
}

std::string name_of(spec::reading_table const& table, cube assignment) {
  std::string text = "canonical";
  for (auto const& d : deviations(table, assignment)) text += " " + d;
  return text;
}

// The same answers, one of them changed: a number a little, or the whole answer.
void disturb(shape const& s, history const& h, std::vector<answer>& answers, random_bits& random) {
  auto const at = random() % answers.size();
  auto& a = answers[at];
  auto const number = std::ranges::find(a, observed_kind::number, &observed::kind);
  if (number != a.end() && !random.one_in(4)) {
    number->value.mantissa += random.between(-2, 2);
  } else {
    a = any_answer(s, h.steps[at].op, random);
  }
}

TEST(soundness, joint_survivors_are_those_that_survive_one_by_one) {
  for (auto const* system : judged_systems()) {
    auto const& table = system->readings();
    auto const all_claims = (claim_mask{1} << system->claims().size()) - 1;
    for (auto const& draws : sources_of(*system)) {
      auto const all = system->assignments(draws.kind);
      auto const each = one_by_one(table, all);
      auto takes = documented_domain(system->shape(), draws);
      takes.features = system->shape().features;
      for (std::uint64_t i = 0; i < 60; ++i) {
        random_bits random(7, i);
        auto h = generate(system->shape(), takes, random);
        h.steps.resize(std::min<std::size_t>(h.steps.size(), system->shape().has_draws() ? 8 : 40));
        auto const played = pick(table, all[random() % all.size()], random);
        auto answers = system->play(h, draws, played, random).answers;
        bool const failed = !answers.empty() && answers.back()[0] == observed::word(system->shape().error_word);
        if (answers.size() < h.steps.size() && !failed) continue;  // an assignment under which the document is silent
        if (random.one_in(2)) disturb(system->shape(), h, answers, random);
        auto const outcomes = system->judge(h, answers, draws, all, all_claims, all_claims);
        std::vector<cube> together;
        for (auto const& f : outcomes) {
          if (f.alive) together.push_back(f.where);
        }
        std::size_t const stride = 1 + each.size() / singles_tried;  // another part of many each time
        for (std::size_t k = i % stride; k < each.size(); k += stride) {
          auto const single = each[k];
          bool const alone = system->broken_claims(h, answers, draws, single).broken == 0;
          ASSERT_EQ(contains(table, together, single), alone)
              << name_of(table, single) << " on " << to_token({&system->shape(), {h}});
        }
      }
    }
  }
}

// The model picks evenly among the answers that are admitted. That is how the documents draw, but for retry_control,
// whose answers show a wait only as over or not, and for the Java policy, whose maximum holds all draws beyond it:
// there it says nothing of draws. Nor does any answer that is near its draw.
claim_mask judged_of_the_model(judged_system const& system) {
  claim_mask mask = ~claim_mask{0};
  for (unsigned i = 0; i < system.claims().size(); ++i) {
    bool const evenly = system.shape().stem == "aws_backoff_algorithm";
    if (!evenly && system.claims()[i].draws) mask &= ~(claim_mask{1} << i);
  }
  return mask;
}

TEST(soundness, model_under_open_readings_conforms_and_its_assignment_survives) {
  for (auto const* system : judged_systems()) {
    auto const& table = system->readings();
    cube open = table.admitting(standing::open);
    if (auto const mapping = table.find("draw-mapping"))
      open.bits &= ~table.bit(*mapping, present(table.find(*mapping, "near")));
    // A jitter that is made anew for each sleep is none that a reset draws.
    if (auto const jitter = table.find("jitter-mapping"))
      open.bits &= ~table.field(*jitter) | spec::exactly_mapped(table).bits;
    for (auto const& draws : sources_of(*system)) {
      for (std::uint64_t i = 0; i < 10U * effort_multiplier(); ++i) {
        random_bits random(11, i);
        auto const all = system->assignments(draws.kind);
        auto const admitted = table.common(all[random() % all.size()], open);
        if (!admitted) continue;
        cube const assignment = pick(table, *admitted, random);
        model_subject port(*system, assignment, draws, i);
        run judged = begun(*system, port.describes(), {judged_of_the_model(*system)});
        drive(judged, port, 400, i);  // so many put every claim at stake
        EXPECT_TRUE(judged.breaches().empty()) << system->shape().stem << " " << name_of(table, assignment);
        EXPECT_TRUE(contains(table, judged.readings().admitted(), assignment)) << name_of(table, assignment);
        bool const hidden = system->shape().has_draws() && draws.kind == spec::draw_kind::hidden;
        EXPECT_EQ(judged.grade() == grade::exact, !hidden && judged.mapping() == mapped::exactly);
        if (judged.grade() == grade::exact) {
          EXPECT_EQ(judged.verdict(), verdict::conforms) << name_of(table, assignment);
        } else {  // few draws, evenly made: they may suffice for a pass
          EXPECT_NE(judged.verdict(), verdict::does_not_conform) << name_of(table, assignment);
        }
      }
    }
  }
}

// The hazards that a deterministic judgement can see, each alone on top of random open readings.
TEST(soundness, model_with_a_hazard_is_caught_and_named_and_passes_when_it_is_pinned) {
  for (auto const* system : judged_systems()) {
    auto const& table = system->readings();
    for (unsigned r = 0; r < table.readings().size(); ++r) {
      for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
        auto const& alternative = table.readings()[r].alternatives[a];
        bool const by_statistics = catalogue_of(system->shape().stem).readings[r].told_apart_by.empty();
        if (alternative.standing != standing::hazard || alternative.name == "undefined" || by_statistics) continue;
        std::string const hazard = std::string(table.readings()[r].name) + "=" + std::string(alternative.name);
        for (std::uint64_t i = 0; i < 2U * effort_multiplier(); ++i) {
          random_bits random(13, i);
          auto const all = system->assignments(spec::draw_kind::u32);
          auto const with_it = *std::ranges::find_if(all, [&](cube c) { return (c.bits & table.bit(r, a)) != 0; });
          cube const open{table.admitting(standing::open).bits | table.bit(r, a)};
          cube assignment = pick(table, present(table.common(table.with(with_it, r, a), open)), random);
          // Counted from one, no delay has the first window of the formula, whatever becomes of it.
          if (auto const origin = table.find("attempt-origin"); origin && hazard == "first-window=uncapped")
            assignment = table.with(assignment, *origin, 0);
          model_subject port(*system, assignment, sources[0], i);
          run judged = begun(*system, port.describes(), {});
          drive(judged, port, 1'500, i);
          auto const breaches = judged.breaches();
          ASSERT_FALSE(breaches.empty()) << hazard;
          EXPECT_TRUE(contains(table, judged.readings().with_hazards(), assignment)) << hazard;
          if (i == 0) {  // the rest of the way to a verdict is slow for faults of a thousand calls
            auto const shown = minimise(judged, port, breaches.front());
            EXPECT_TRUE(std::ranges::count(shown.excuses, hazard))
                << hazard << ": " << testing::PrintToString(shown.excuses);
          }

          run pinned = begun(*system, port.describes(), {~claim_mask{0}, false, {{r, a}}, true});
          drive(pinned, port, 400, i);
          EXPECT_TRUE(pinned.breaches().empty()) << hazard;
          EXPECT_EQ(pinned.verdict(), verdict::conforms) << hazard;
        }
      }
    }
  }
}

TEST(judge, a_run_that_judged_nothing_is_inconclusive) {
  for (auto const* system : judged_systems()) {
    model_subject port(*system, system->readings().admitting(standing::canonical), sources[0], 1);
    run judged = begun(*system, port.describes(), {});
    EXPECT_EQ(judged.verdict(), verdict::inconclusive);
    judged.judge({}, {result_kind::rejected, {}, "no"});
    judged.judge({}, {result_kind::skipped, {}, "no"});
    EXPECT_EQ(judged.verdict(), verdict::inconclusive);
    EXPECT_EQ(judged.counts().rejected, 1U);
    EXPECT_EQ(judged.counts().skipped, 1U);
  }
}

TEST(judge, rejecting_what_it_declares_to_take_fails_a_port) {
  for (auto const* system : judged_systems()) {
    if (system->shape().params.empty()) continue;  // there is nothing to declare
    model_subject port(*system, system->readings().admitting(standing::canonical), sources[0], 1);
    auto about = port.describes();
    for (auto& r : about.takes.params) r.declared = true;
    run judged = begun(*system, about, {});
    judged.judge({}, {result_kind::rejected, {}, "no"});
    EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
    ASSERT_EQ(judged.breaches().size(), 1U);
    EXPECT_EQ(judged.breaches()[0].claim, breach::no_answer);
  }
}

// --- what a port need not say ---

// The library, whose answers leave out how many numbers were drawn.
class reticent final : public subject {
 public:
  reticent(judged_system const& system, std::size_t field)
      : port_(system.shape(), library_ports(system.shape().stem).front()), field_(field) {}
  [[nodiscard]] capabilities const& describes() const noexcept override { return port_.describes(); }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    auto all = port_.run(histories);
    for (auto& r : all) {
      for (auto& a : r.answers) a.at(field_) = {};
    }
    return all;
  }

 private:
  built_in_subject port_;
  std::size_t field_;
};

TEST(run, wants_no_claim_that_only_a_field_tells_which_no_answer_has) {
  auto const& system = *find_judged_system("azure_c_retry_control");
  auto const of_draws = std::ranges::find(system.claims(), "a_wait_draws_once", &claim_text::name);
  ASSERT_TRUE(of_draws->told_by);
  reticent port(system, present(of_draws->told_by));
  auto judged = std::get<run>(run::begin(system, port.describes(), {}));
  drive(judged, port, 3'000, 1);
  EXPECT_FALSE(judged.counts().tells(*of_draws));
  EXPECT_EQ(judged.verdict(), verdict::conforms);
}

}  // namespace
