// Every built-in port gets the verdict it must get: the library and the right ports pass with the reading that they
// follow, the wrong ones are caught by the claim that names their fault, on a small history.
#include "ports/built_in.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "histories/present.hpp"
#include "histories/text.hpp"
#include "judge/counterexample.hpp"
#include "judge/effort_test.hpp"
#include "judge/plan.hpp"
#include "ports/hidden.hpp"
#include "systems/aws_backoff_algorithm/ports/documented.hpp"

namespace {

using namespace backoff::systems;
namespace spec = backoff::spec;

constexpr std::uint64_t cases = 4'000;
constexpr std::uint64_t seed = 1;

std::vector<std::string> followed(run const& judged) {
  auto const& table = judged.system().readings();
  std::vector<std::string> names;
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    std::uint64_t left = 0;
    for (auto const c : judged.readings().admitted()) left |= c.bits & table.field(r);
    for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
      if (left == table.bit(r, a)) {
        names.push_back(std::string(table.readings()[r].name) + "=" +
                        std::string(table.readings()[r].alternatives[a].name));
      }
    }
  }
  return names;
}

run_options pinning(judged_system const& system, std::string_view text) {
  auto const equals = text.find('=');
  unsigned const r = present(system.readings().find(text.substr(0, equals)));
  return {~claim_mask{0}, false, {{r, present(system.readings().find(r, text.substr(equals + 1)))}}, true};
}

struct judged_port {
  explicit judged_port(judged_system const& system, built_in const& port, run_options options = {},
                       std::uint64_t histories = cases, std::uint64_t from = seed)
      : subject(system.shape(), port),
        judged(std::get<run>(run::begin(system, subject.describes(), std::move(options)))) {
    drive(judged, subject, histories, from);
  }
  built_in_subject subject;
  run judged;
};

TEST(built_in, library_conforms_in_the_canonical_readings) {
  for (auto const* system : judged_systems()) {
    for (auto const& port : library_ports(system->shape().stem)) {
      for (bool const strict : {false, true}) {
        judged_port const p(*system, port, {~claim_mask{0}, strict, {}, true});
        EXPECT_EQ(p.judged.verdict(), verdict::conforms) << port.name;
        EXPECT_TRUE(p.judged.breaches().empty()) << port.name;
      }
    }
  }
}

// Canonical but for what its units make of it, which must be reported.
TEST(built_in, c_interface_conforms_exactly) {
  for (auto const* system : judged_systems()) {
    auto const ports = c_ports(system->shape().stem);
    EXPECT_FALSE(ports.empty()) << system->shape().stem;
    for (auto const& port : ports) {
      judged_port const p(*system, port, {~claim_mask{0}, port.follows.empty(), {}, true});
      EXPECT_EQ(p.judged.verdict(), verdict::conforms) << system->shape().stem << " " << port.name;
      EXPECT_EQ(p.judged.grade(), grade::exact) << system->shape().stem << " " << port.name;
      EXPECT_TRUE(p.judged.breaches().empty()) << system->shape().stem << " " << port.name;
      auto const names = followed(p.judged);
      for (auto const wanted : port.follows) EXPECT_TRUE(std::ranges::count(names, wanted)) << wanted;
    }
  }
}

// Of each system at least twenty, written as different people would. One follows each alternative that is no hazard.
// With more patience, they are judged under more seeds.
TEST(built_in, right_ports_pass_and_their_reading_is_reported) {
  using function = std::vector<answer> (*)(history const&);
  for (auto const* system : judged_systems()) {
    std::set<std::pair<function, std::uint64_t>> different;
    for (auto const& port : right_ports(system->shape().stem))
      different.insert({*port.run.target<function>(), port.draws.size + static_cast<std::uint64_t>(port.draws.kind)});
    EXPECT_GE(different.size(), 20U) << system->shape().stem;
    std::uint64_t left = 0;  // alternatives that a port follows
    for (auto const& port : right_ports(system->shape().stem)) {
      for (std::uint64_t more = 1; more < effort_multiplier(); ++more) {
        judged_port const p(*system, port, {}, cases, seed + more);
        EXPECT_TRUE(p.judged.breaches().empty()) << port.name << ", seed " << seed + more;
      }
      constexpr std::uint64_t usual = 10'000;  // by default, as the power against faults of distribution needs
      bool const draws = judged_port(*system, port, {}, 0).judged.mapping() != mapped::exactly;
      judged_port const p(*system, port, {}, draws ? usual : cases);
      EXPECT_TRUE(p.judged.breaches().empty()) << port.name;
      auto const otherwise = system->shows_draws() ? grade::distribution : grade::membership;
      EXPECT_EQ(p.judged.grade(), p.judged.mapping() == mapped::exactly ? grade::exact : otherwise) << port.name;
      bool const untested = p.judged.grade() == grade::membership;
      EXPECT_EQ(p.judged.verdict(), untested ? verdict::inconclusive : verdict::conforms) << port.name;
      auto const names = followed(p.judged);
      for (auto const wanted : port.follows) {
        EXPECT_TRUE(std::ranges::count(names, wanted)) << port.name << " follows " << testing::PrintToString(names);
      }
      for (auto const c : p.judged.readings().admitted()) left |= c.bits;
    }
    auto const& table = system->readings();
    for (unsigned r = 0; r < table.readings().size(); ++r) {
      for (unsigned a = 0; a < table.readings()[r].alternatives.size(); ++a) {
        auto const& alternative = table.readings()[r].alternatives[a];
        EXPECT_TRUE(alternative.standing == spec::standing::hazard || (left & table.bit(r, a)) != 0)
            << "no right port follows " << table.readings()[r].name << "=" << alternative.name;
      }
    }
  }
}

class every_system : public testing::TestWithParam<judged_system const*> {};
std::string named(testing::TestParamInfo<judged_system const*> const& each) {
  return std::string(each.param->shape().stem);
}

TEST_P(every_system, wrong_ports_are_caught_by_the_claim_that_names_the_fault) {
  auto const& system = *GetParam();
  auto const claims = system.claims();
  for (auto const& port : wrong_ports(system.shape().stem)) {
    judged_port p(system, port);
    auto const breaches = p.judged.breaches();
    auto const at = std::ranges::find_if(breaches, [&](breach const& b) { return claims[b.claim].name == port.claim; });
    ASSERT_NE(at, breaches.end()) << port.name << " is not caught by " << port.claim;
    bool const must = claims[at->claim].strength == strength::must;
    auto const failed = must ? verdict::does_not_conform : verdict::breaks_the_interface;
    EXPECT_EQ(p.judged.verdict(), failed) << port.name;

    auto const shown = minimise(p.judged, p.subject, *at);
    std::string const token = [&] {
      history_set set{&system.shape(), {}};
      for (auto const& e : shown.histories) set.cases.push_back(e.tried);
      return to_token(set);
    }();
    EXPECT_LE(shown.histories.back().tried.steps.size(), port.steps) << port.name << " " << token;
    if (must) {
      EXPECT_TRUE(left_by(p.judged, shown.histories, p.judged.readings().initial()).empty())
          << port.name << " " << token;
    }
    for (auto const hazard : port.follows) {
      EXPECT_TRUE(std::ranges::count(shown.excuses, hazard))
          << port.name << " " << testing::PrintToString(shown.excuses);
    }
    EXPECT_EQ(shown.excuses.empty(), port.follows.empty()) << port.name << " " << testing::PrintToString(shown.excuses);

    // What breaks a must under some reading breaks it under fewer: only the patient look.
    if (must && effort_multiplier() == 1) continue;
    judged_port const strict(system, port, {~claim_mask{0}, true, {}, true});
    EXPECT_EQ(strict.judged.verdict(), failed) << port.name;
  }
}
INSTANTIATE_TEST_SUITE_P(built_in, every_system, testing::ValuesIn(judged_systems().begin(), judged_systems().end()),
                         named);

// Whether each finding that is shown by answers is broken by the history that it would be shown by, as a port that
// answers that history alike each time shows it again.
void expect_shown_again(run const& judged, subject& port, std::string_view name) {
  for (auto const& b : judged.breaches()) {
    if (!b.is_a_finding() || (b.is_of_a_claim() && judged.system().claims()[b.claim].draws)) continue;
    auto const again = port.run(std::span(&b.first.tried, 1)).front();
    EXPECT_TRUE(breaks_claim(judged, b, b.first.tried, again))
        << name << " " << (b.is_of_a_claim() ? judged.system().claims()[b.claim].name : "no answer") << " "
        << to_token({&judged.system().shape(), {b.first.tried}});
  }
}

// Cheap enough to be tried on every mutant of the judge: one by which a wrong port passes is noticed here.
class few_histories : public every_system {};
TEST_P(few_histories, catch_every_wrong_port_whose_draws_are_given) {
  auto const& system = *GetParam();
  auto const claims = system.claims();
  for (auto const& port : wrong_ports(system.shape().stem)) {
    built_in_subject subject(system.shape(), port);
    auto judged = std::get<run>(run::begin(system, subject.describes(), {}));
    if (judged.grade() != grade::exact) continue;
    drive(judged, subject, 400, seed);
    bool const must = std::ranges::find(claims, port.claim, &claim_text::name)->strength == strength::must;
    EXPECT_EQ(judged.verdict(), must ? verdict::does_not_conform : verdict::breaks_the_interface) << port.name;
    EXPECT_FALSE(judged.breaches().empty()) << port.name;
    expect_shown_again(judged, subject, port.name);
  }
}
INSTANTIATE_TEST_SUITE_P(systems, few_histories, testing::ValuesIn(judged_systems().begin(), judged_systems().end()),
                         named);

// A limit of 0 that means none. Call 1 is wrong already, and so is each one after it.
struct limit_of_zero_is_none : reference_port::as_documented {
  static bool ended(reference_port::cycle& c) { return c.limit != 0 && reference_port::as_documented::ended(c); }
};

TEST(built_in, a_limit_of_zero_that_is_none_is_told_at_the_call_that_should_have_ended) {
  auto const& system = *find_judged_system("aws_backoff_algorithm");
  built_in const port{"limit-of-zero-is-none", "",
                      reference_port::run<limit_of_zero_is_none>};  // which p.subject keeps
  judged_port p(system, port);
  auto found = p.judged.breaches();
  std::erase_if(found, [](breach const& b) { return !b.is_a_finding(); });
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(system.claims()[found[0].claim].name, "exhausted_after_max_attempts");
  expect_shown_again(p.judged, p.subject, "limit-of-zero-is-none");
  auto const shown = minimise(p.judged, p.subject, found[0]);
  ASSERT_EQ(shown.histories.size(), 1U);
  EXPECT_EQ(shown.histories[0].tried.steps.size(), 1U);
}

// Recorded for coverage/trace_gate, which asks of each claim for a wrong port that breaks it.
class broken_claims {
 public:
  // Whether any claim broke.
  bool note(run const& judged) {
    bool any = false;
    for (auto const& b : judged.breaches()) {
      if (!b.is_of_a_claim()) continue;
      all_.insert(std::string(judged.system().shape().stem) + "." +
                  std::string(judged.system().claims()[b.claim].name));
      any = true;
    }
    return any;
  }
  void record() const {
    std::string names;
    for (auto const& name : all_) names.append(names.empty() ? "" : " ").append(name);
    testing::Test::RecordProperty("breaks", names);
  }

 private:
  std::set<std::string> all_;
};
constexpr std::uint64_t few = 1'000;

TEST(built_in, each_fault_breaks_claims) {
  broken_claims broken;
  for (auto const* system : judged_systems()) {
    for (auto const& port : wrong_ports(system->shape().stem)) {
      built_in_subject subject(system->shape(), port);
      auto judged = std::get<run>(run::begin(*system, subject.describes(), {}));
      drive(judged, subject, few, seed);
      EXPECT_TRUE(broken.note(judged)) << port.name;
    }
  }
  broken.record();
}

// Of the claims about draws a run blames one; which would be broken without it, a second run says.
TEST(built_in, each_generator_breaks_claims) {
  broken_claims broken;
  for (auto const* system : judged_systems()) {
    if (!system->shows_draws()) continue;
    auto const& library = *find_built_in(system->shape().stem, "library");
    for (auto const* from : {"seeded-alike", "sticky", "drawn-once", "15-bits"}) {
      claim_mask asked = ~claim_mask{0};
      for (int round = 0; round < 2; ++round) {
        hidden_subject subject(system->shape(), library, *find_generator(from), seed);
        auto judged = std::get<run>(run::begin(*system, subject.describes(), {asked}));
        drive(judged, subject, cases, seed);
        bool const breaks = broken.note(judged);
        EXPECT_TRUE(breaks || round > 0) << from;
        if (!breaks) break;
        for (auto const& b : judged.breaches()) asked &= ~(claim_mask{1} << b.claim);
      }
    }
    std::array processes{hidden_subject(system->shape(), library, generators().front(), seed),
                         hidden_subject(system->shape(), library, generators().front(), seed)};
    auto judged = std::get<run>(run::begin(*system, processes[0].describes(), {}));
    auto const histories = plan(system->shape(), judged.about().takes, few, seed, true).for_two_processes();
    auto const one = processes[0].run(histories);
    auto const other = processes[1].run(histories);
    for (std::size_t i = 0; i < histories.size(); ++i) judged.judge_twice(histories[i], one[i], other[i]);
    EXPECT_TRUE(broken.note(judged)) << "processes alike";
  }
  broken.record();
}

TEST(built_in, hazards_pass_when_they_are_pinned) {
  for (auto const* system : judged_systems()) {
    for (auto const& port : wrong_ports(system->shape().stem)) {
      for (auto const hazard : port.follows) {
        judged_port const p(*system, port, pinning(*system, hazard));
        EXPECT_TRUE(p.judged.breaches().empty()) << port.name;
        EXPECT_EQ(p.judged.verdict(), verdict::conforms) << port.name;
      }
    }
  }
}

TEST(built_in, a_port_that_mixes_readings_fails_with_a_history_of_each) {
  auto const* system = find_judged_system("aws_backoff_algorithm");
  auto const* port = find_built_in("aws_backoff_algorithm", "mixed-growth");
  judged_port p(*system, *port);
  auto const shown = minimise(p.judged, p.subject, p.judged.breaches().front());
  ASSERT_EQ(shown.histories.size(), 2U);
  auto const [small, large] = std::minmax(shown.histories[0].tried.params[1].n, shown.histories[1].tried.params[1].n);
  EXPECT_LT(small, 100);
  EXPECT_GE(large, 100);
  for (auto const& e : shown.histories) {
    EXPECT_FALSE(left_by(p.judged, std::span(&e, 1), p.judged.readings().initial()).empty())
        << "one alone refutes the port";
  }
}

}  // namespace
