// Claims and relation are two formulations of one thing: an answer that the document does not admit breaks a claim, and
// an admitted one breaks none; under every joint assignment, for right and for disturbed answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <variant>

#include "histories/generate.hpp"
#include "histories/text.hpp"
#include "judge/any_answer_test.hpp"
#include "judge/catalogue.hpp"
#include "judge/judged_system.hpp"
#include "judge/plan.hpp"
#include "judge/run.hpp"

namespace {

using namespace backoff::judge;
namespace spec = backoff::spec;

bool admits(shape const& s, spec::expectation const& admitted, answer const& a) {
  auto const is_absent = [&](std::size_t i) { return a[i].kind == observed_kind::absent; };
  for (std::size_t i = 0; i < s.answers.size(); ++i) {
    auto const& f = s.answers[i];
    bool const unused =
        (f.only && a[f.only->field] != observed::word(f.only->word)) || (f.needs && is_absent(i)) || f.idle(a);
    if (!unused && !admitted[i].admits(a[i])) return false;
  }
  return true;
}

TEST(claims, are_broken_exactly_by_what_the_document_does_not_admit) {
  constexpr std::uint64_t u32_size = std::uint64_t{1} << 32;
  std::uint64_t admitted_answers = 0;
  std::uint64_t refused_answers = 0;
  for (auto const* system : judged_systems()) {
    auto const& s = system->shape();
    for (auto const kind : {spec::draw_kind::u32, spec::draw_kind::unit, spec::draw_kind::hidden}) {
      draw_source const draws{kind, kind == spec::draw_kind::hidden ? 1 : u32_size};
      auto takes = documented_domain(s, draws);
      takes.features = s.features;
      if (takes.offers(feature::live))
        takes.features &= ~bit(feature::instances);  // which of them holds it is left open
      auto const all = system->assignments(kind);
      for (std::uint64_t i = 0; i < 3'000; ++i) {
        random_bits random(3, i);
        auto h = generate(s, takes, random);
        h.steps.resize(std::min<std::size_t>(h.steps.size(), s.has_draws() ? 6 : 40));  // rationals take their time
        auto dropped = random();
        for (int more = 0; more < 2; ++more) dropped &= random();
        auto const assignment = system->readings().simplest({all[random() % all.size()].bits & ~dropped});
        if (!system->readings().common(assignment, assignment)) continue;  // a reading without an alternative
        auto answers = system->play(h, draws, assignment, random).answers;
        if (answers.empty()) continue;
        if (random.one_in(2)) {
          auto const at = random() % answers.size();
          answers[at] = any_answer(s, h.steps[at].op, random);
        }
        auto const expected = system->admitted(h, answers, draws, assignment);
        auto const report = system->broken_claims(h, answers, draws, assignment);
        for (std::size_t k = 0; k < std::min(answers.size(), expected.size()); ++k) {
          bool const right = admits(s, expected[k], answers[k]);
          ASSERT_EQ(report.broken_at[k] == 0, right) << "step " << k + 1 << " of " << to_token({&s, {h}});
          ++(right ? admitted_answers : refused_answers);
        }
      }
    }
  }
  EXPECT_GT(admitted_answers, 5'000U);
  EXPECT_GT(refused_answers, 500U);
}

// initial_backoff_s, max_backoff_s, jitter and max_attempts of a library, and what it cannot be put to.
struct compiled_in {
  std::array<std::int64_t, 4> values;
  std::set<std::string_view> impossible;
};

TEST(claims, that_what_is_compiled_in_cannot_put_at_stake_say_so) {
  std::set<std::string_view> const limit{"retries_until_max_attempts", "exhausted_after_max_attempts",
                                         "exhaustion_lasts_until_reset"};
  std::string_view const cap = "jitter_survives_the_cap";
  std::string_view const first = "first_sleep_is_drawn_from_the_base";
  std::string_view const doubles = "window_doubles_after_each_sleep";
  std::string_view const unlimited = "zero_attempts_are_unlimited";
  auto const unlimited_and = [&](std::set<std::string_view> more) {
    more.insert(limit.begin(), limit.end());
    return more;
  };
  std::vector<compiled_in> const table{
      {{1, 128, 5, 4}, {unlimited, cap}},  // windows of 6, 12, 24 and 48 at most
      {{1, 48, 5, 4}, {unlimited}},        // the fourth window may be the cap
      {{1, 49, 5, 4}, {unlimited, cap}},   //
      {{5, 99, 0, 1}, {unlimited, cap, doubles}},
      {{3, 6, 0, 2}, {unlimited, doubles}},  // 3, then the cap
      {{3, 99, 0, 2}, {unlimited, cap}},     // 3 and 6
      {{3, 7, 0, 3}, {unlimited}},           // 3, 6, then the cap
      {{5, 5, 0, 0}, unlimited_and({first, doubles})},
      {{0, 5, 0, 0}, unlimited_and({cap})},  // nothing grows to nothing
      {{1, 4'294'967'295, 0, 0}, limit},
  };
  auto const& system = *find_judged_system("aws_retry_utils");
  auto const& s = system.shape();
  auto const canonical = system.readings().admitting(spec::standing::canonical);
  for (auto const& row : table) {
    capabilities about;
    about.takes = documented_domain(s, {});
    for (std::size_t i = 0; i < row.values.size(); ++i)
      about.takes.params[i] = {row.values[i], row.values[i], 0, true, true};
    about.takes.features = bit(feature::instances) | bit(feature::state);
    auto judged = std::get<run>(run::begin(system, about, {}));
    plan histories(s, about.takes, 600, 1);
    random_bits random(1);
    for (auto const& h : histories.next(600)) {
      auto const answers = system.play(h, about.takes.draws, canonical, random).answers;
      judged.judge(h, {result_kind::answered, answers, {}});
    }
    for (unsigned i = 0; i < system.claims().size(); ++i) {
      auto const& claim = system.claims()[i];
      if (claim.draws) continue;
      EXPECT_EQ(judged.counts().at_stake[i] == 0, row.impossible.contains(claim.name)) << claim.name << row.values[0];
      EXPECT_EQ(claim.possible != nullptr && !claim.possible(about.takes), row.impossible.contains(claim.name))
          << claim.name << ", " << row.values[0] << " up to " << row.values[1];
    }
    EXPECT_EQ(judged.verdict(), verdict::conforms);
  }
}

// The first requirement is the one that a verdict quotes. A weaker one may stand beside it: what a document demands in
// one place it may advise in another.
TEST(claims, rest_on_requirements_that_the_catalogue_has_and_take_the_strength_of_the_first) {
  for (auto const* system : judged_systems()) {
    auto const& catalogue = catalogue_of(system->shape().stem);
    std::set<std::string_view> names;
    for (auto const& claim : system->claims()) {
      EXPECT_TRUE(names.insert(claim.name).second) << claim.name << " is there twice";
      ASSERT_FALSE(claim.requirements.empty()) << claim.name;
      for (auto const id : claim.requirements) {
        auto const* requirement = catalogue.find_requirement(id);
        ASSERT_NE(requirement, nullptr) << claim.name << " names " << id;
        bool const must = requirement->strength == "must";
        if (id == claim.requirements.front() || must) {
          EXPECT_EQ(must, claim.strength == strength::must) << claim.name << " and " << id;
        }
      }
    }
  }
}

}  // namespace
