// Claims and relation are two formulations of one thing: an answer that the document does not admit breaks a claim, and
// an admitted one breaks none; under every joint assignment, for right and for disturbed answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "history/generate.hpp"
#include "history/text.hpp"
#include "judge/any_answer_test.hpp"
#include "judge/catalogue.hpp"
#include "judge/judged_system.hpp"

namespace {

using namespace backoff::conformance;
namespace spec = backoff::spec;

bool admits(shape const& s, spec::expectation const& admitted, answer const& a) {
  auto const is_absent = [&](std::size_t i) { return a[i].is == observed::kind::absent; };
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
    for (auto const kind : {spec::draw::kind::u32, spec::draw::kind::unit, spec::draw::kind::hidden}) {
      draw_source const draws{kind, kind == spec::draw::kind::hidden ? 1 : u32_size};
      auto takes = documented_domain(s, draws);
      takes.features = s.features;
      if (takes.offers(feature::live))
        takes.features &= ~bit(feature::instances);  // which of them holds it is left open
      auto const all = system->assignments(kind);
      for (std::uint64_t i = 0; i < 3'000; ++i) {
        random_bits random(3, i);
        auto h = generate(s, takes, random);
        h.steps.resize(std::min<std::size_t>(h.steps.size(), s.has_draws() ? 6 : 40));  // rationals take their time
        auto const assignment =
            system->readings().simplest({all[random() % all.size()].bits & ~(random() & random() & random())});
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

TEST(claims, rest_on_requirements_that_the_catalogue_has_and_take_their_strength) {
  for (auto const* system : judged_systems()) {
    auto const& catalogue = catalogue_of(system->shape().stem);
    std::set<std::string_view> names;
    for (auto const& claim : system->claims()) {
      EXPECT_TRUE(names.insert(claim.name).second) << claim.name << " is there twice";
      ASSERT_FALSE(claim.requirements.empty()) << claim.name;
      for (auto const id : claim.requirements) {
        auto const* requirement = catalogue.find_requirement(id);
        ASSERT_NE(requirement, nullptr) << claim.name << " names " << id;
        EXPECT_EQ(requirement->strength == "must", claim.is == strength::must) << claim.name << " and " << id;
      }
    }
  }
}

}  // namespace
