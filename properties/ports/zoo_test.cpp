// The zoo of right ports: every document written as different people would, under every open reading. Each conforms, in
// one seed at every change and in as many as BACKOFF_PATIENCE says in the nightly run, with its draws given and hidden.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "judge/effort_test.hpp"
#include "judge/plan.hpp"
#include "ports/hidden.hpp"

namespace {

using namespace backoff::ports;
namespace spec = backoff::spec;

constexpr std::uint64_t first_seed = 2;  // 1 is tried by built_in_test.cpp and hidden_test.cpp
constexpr std::uint64_t cases = 1'000;
// A short run may say that it put too little at stake, or saw too little of what few values are drawn at an attempt.
constexpr std::uint64_t many_cases = 10'000;

class zoo : public testing::TestWithParam<judged_system const*> {
 protected:
  [[nodiscard]] static judged_system const& system() { return *GetParam(); }
  [[nodiscard]] static std::span<built_in const> ports() { return right_ports(system().shape().stem); }
};

using alternatives = std::set<std::pair<unsigned, unsigned>>;  // reading, alternative

std::string told(run const& judged) {
  std::string text;
  for (auto const& b : judged.breaches())
    text.append(" ").append(b.is_of_a_claim() ? judged.system().claims()[b.claim].name : "no answer");
  return text;
}

template <class Subject>
verdict verdict_on(judged_system const& system, Subject&& port, std::uint64_t histories, std::uint64_t seed,
                   std::string& why, alternatives* left = nullptr) {
  auto judged = std::get<run>(run::begin(system, port.describes(), {}));
  drive(judged, port, histories, seed);
  why = told(judged);
  auto const& table = system.readings();
  for (unsigned r = 0; left != nullptr && r < table.readings().size(); ++r) {
    for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
      bool const follows = std::ranges::any_of(judged.readings().admitted(),
                                               [&](spec::cube c) { return (c.bits & table.bit(r, a)) != 0; });
      if (follows) left->insert({r, a});
    }
  }
  // Of a mapping that no reading lists and whose draws answers do not show, there is nothing to test.
  bool const untested = judged.grade() == grade::membership && judged.breaches().empty();
  return untested && !system.shows_draws() ? verdict::conforms : judged.verdict();
}

TEST_P(zoo, has_twenty_different_right_ports) {
  using function = std::vector<answer> (*)(history const&);
  std::set<std::pair<function, std::uint64_t>> different;
  for (auto const& port : ports())
    different.insert({*port.run.target<function>(), port.draws.size + static_cast<std::uint64_t>(port.draws.kind)});
  EXPECT_GE(different.size(), 20U);
}

TEST_P(zoo, right_ports_conform_with_their_draws_given_and_follow_every_open_alternative) {
  int runs = 0;
  alternatives left;
  for (auto const& port : ports()) {
    for (std::uint64_t seed = first_seed; seed < first_seed + effort_multiplier(); ++seed, ++runs) {
      std::string why;
      built_in_subject subject(system().shape(), port);
      auto said = verdict_on(system(), subject, cases, seed, why, &left);
      if (said == verdict::inconclusive) said = verdict_on(system(), subject, many_cases, seed, why, &left);
      EXPECT_EQ(said, verdict::conforms) << port.name << ", seed " << seed << why;
    }
  }
  std::cout << runs << " runs\n";
  auto const& table = system().readings();
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
      auto const& alternative = table.readings()[r].alternatives[a];
      EXPECT_TRUE(alternative.standing == spec::standing::hazard || left.contains({r, a}))
          << "no right port follows " << table.readings()[r].name << "=" << alternative.name;
    }
  }
}

TEST_P(zoo, right_ports_conform_with_their_draws_hidden) {
  if (!system().shape().has_draws()) return;
  int runs = 0;
  for (auto const& port : ports()) {
    if (port.draws.size <= 32'768) continue;  // a generator of 15 bits cannot fill wide windows
    for (std::uint64_t seed = first_seed; seed < first_seed + effort_multiplier(); ++seed, ++runs) {
      std::string why;
      auto const ends = [&](std::uint64_t histories) {
        return verdict_on(system(), hidden_subject(system().shape(), port, generators().front(), seed), histories, seed,
                          why);
      };
      auto said = ends(cases);
      if (said == verdict::inconclusive) said = ends(many_cases);
      EXPECT_EQ(said, verdict::conforms) << port.name << ", seed " << seed << why;
    }
  }
  std::cout << runs << " runs\n";
}

INSTANTIATE_TEST_SUITE_P(systems, zoo, testing::ValuesIn(judged_systems().begin(), judged_systems().end()),
                         [](auto const& each) { return std::string(each.param->shape().stem); });

}  // namespace
