// Library against model under every claim, by RapidCheck; and every wrong port that breaks a must, falsified by the
// claim that names its fault, so that the engine is seen to find something.
#include "engines/rapidcheck/engine.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include "histories/present.hpp"
#include "histories/shrink.hpp"
#include "histories/text.hpp"
#include "judge/effort_test.hpp"
#include "ports/built_in.hpp"

namespace rc {
// RapidCheck's own rendering of a value, used only in its internal report.
void showValue(backoff::histories::history const& h, std::ostream& out) { out << h.steps.size() << " steps"; }
}  // namespace rc

namespace {

using namespace backoff::engines::rapidcheck;
using namespace backoff::ports;
namespace spec = backoff::spec;

constexpr search patient{20'261'120, 60'000};  // ends with the first history that breaks the claim

struct library : testing::TestWithParam<judged_system const*> {};

TEST_P(library, satisfies_every_claim_in_the_canonical_readings) {
  search const thorough{20'261'120, 5'000 * effort_multiplier()};
  std::cout << "seed " << thorough.seed << ", " << thorough.histories << " histories a claim\n";
  auto const& system = *GetParam();
  auto const canonical = system.readings().admitting(spec::standing::canonical);
  for (auto const& port : library_ports(system.shape().stem)) {
    built_in_subject subject(system.shape(), port);
    for (unsigned claim = 0; claim < system.claims().size(); ++claim) {
      auto const found = falsify(system, subject, claim, canonical, thorough);
      EXPECT_FALSE(found.has_value()) << port.name << " breaks " << present(found).text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(rapidcheck, library, testing::ValuesIn(judged_systems().begin(), judged_systems().end()),
                         [](auto const& tested) { return std::string(tested.param->shape().stem); });

// Whether nothing smaller breaks the claim, which is what shrinking promises.
bool is_smallest(judged_system const& system, subject& port, unsigned claim, spec::cube assignment, history const& h) {
  auto const& takes = port.describes().takes;
  for (auto const& smaller : smaller_steps(h)) {
    if (!allowed(system.shape(), smaller)) continue;
    auto const results = port.run(std::span(&smaller, 1));
    auto const report = system.broken_claims(smaller, results.front().answers, takes.draws, assignment);
    if (((report.broken >> claim) & 1U) != 0) return false;
  }
  return true;
}

TEST(rapidcheck, wrong_ports_are_falsified_and_shrunk) {
  for (auto const* system : judged_systems()) {
    auto const canonical = system->readings().admitting(spec::standing::canonical);
    auto const claims = system->claims();
    for (auto const& port : wrong_ports(system->shape().stem)) {
      if (port.steps > 100) continue;  // needs histories that are rare by design: left to the program's ten thousand
      unsigned claim = 0;
      while (claims[claim].name != port.claim) ++claim;
      built_in_subject subject(system->shape(), port);
      auto const found = falsify(*system, subject, claim, canonical, patient);
      ASSERT_TRUE(found.has_value()) << port.name << " is not falsified by " << port.claim;
      EXPECT_TRUE(is_smallest(*system, subject, claim, canonical, present(found).smallest)) << port.name << "\n"
                                                                                            << present(found).text;
      EXPECT_NE(present(found).text.find("backoff-oracle replay " + std::string(system->shape().stem) + "/"),
                std::string::npos);
    }
  }
}

}  // namespace
