// What the page of a document says in the language of policies judges the same ports as the hand-written model does.
// Both are given the same answers to the same histories. Where a policy cannot state what a document says, the history
// is left out, or the port is listed with its reason.
#include <gtest/gtest.h>

#include <algorithm>

#include "judge/dependence.hpp"
#include "policies/restated_test.hpp"
#include "ports/hidden.hpp"

namespace backoff::policies {
namespace {

// A limit of attempts and a reset are the interface's in some documents, and a policy's own words where it has them.
bool blames(verdict v) { return v == verdict::does_not_conform || v == verdict::breaks_the_interface; }

verdict verdict_on(run& judged, subject& port, std::span<history const> all) {
  auto const results = port.run(all);
  for (std::size_t i = 0; i < all.size(); ++i) judged.judge(all[i], results[i]);
  judged.settle_blame();
  judged.settle_dependence(compare_with_itself(judged, port));
  return judged.verdict();
}

// differing: ports of which the policy says otherwise, for the reason that stands beside each.
void demand_same_verdicts(restated const& r, std::span<built_in const> ports,
                          std::vector<std::string_view> const& differing = {}) {
  constexpr std::uint64_t cases = 100;
  for (auto const& port : ports) {
    SCOPED_TRACE(port.name);
    judged_both_ways both(r, port, cases);
    ASSERT_GT(both.stated_histories.size(), cases / 10);
    bool const document_blames = blames(verdict_on(both.by_document, both.as_documented, both.documented_histories));
    bool const policy_blames = blames(verdict_on(both.by_policy, both.as_declared, both.stated_histories));
    bool const differs = std::ranges::find(differing, port.name) != differing.end();
    EXPECT_EQ(document_blames != policy_blames, differs) << document_blames << policy_blames;
  }
}

TEST(differential, full_jitter_as_a_policy_judges_as_the_document_does) {
  for (auto const ports : {library_ports, right_ports, wrong_ports})
    demand_same_verdicts(full_jitter_again, ports(full_jitter_again.stem));
}

TEST(differential, step_functions_as_a_policy_judge_as_the_document_does) {
  auto const& stem = step_functions_again.stem;
  demand_same_verdicts(step_functions_again, library_ports(stem));
  // Halves to the even one cannot be stated.
  demand_same_verdicts(step_functions_again, right_ports(stem), {"nearest-even", "nearest-even-microseconds"});
  demand_same_verdicts(step_functions_again, wrong_ports(stem));
}

TEST(differential, the_delays_of_a_retry_policy_are_judged_as_the_document_does) {
  auto const& stem = retry_policy_again.stem;
  demand_same_verdicts(retry_policy_again, library_ports(stem));
  demand_same_verdicts(retry_policy_again, right_ports(stem));
  // A policy has no word for parameters refused: what a port rejects is not held against it.
  demand_same_verdicts(retry_policy_again, wrong_ports(stem), {"rejects-some-inverted", "rejects-whole-factors"});
}

TEST(differential, retry_utilities_without_base_jitter_are_judged_as_the_document_does) {
  for (auto const ports : {library_ports, right_ports, wrong_ports})
    demand_same_verdicts(retry_utils_again, ports(retry_utils_again.stem));
}

TEST(differential, waits_of_the_sample_are_judged_as_the_document_does) {
  for (auto const ports : {library_ports, right_ports}) demand_same_verdicts(sample_again, ports(sample_again.stem));
  // Their waits are right: that a run goes on is no policy's word.
  demand_same_verdicts(sample_again, wrong_ports(sample_again.stem), {"time-outs-only", "gives-up-after-ten"});
}

verdict verdict_on(judged_system const& system, subject& port, std::uint64_t cases) {
  auto begun = run::begin(system, port.describes(), {});
  auto& judged = std::get<run>(begun);
  drive(judged, port, cases, 1);
  return judged.verdict();
}

TEST(differential, hidden_full_jitter_as_a_policy_judges_as_the_document_does) {
  auto const& document = *find_judged_system("aws_backoff_algorithm");
  auto const& declared = again(spec::aws_backoff_algorithm_policy_yaml);
  for (auto const& from : generators()) {
    SCOPED_TRACE(from.name);
    auto const& port = library_ports("aws_backoff_algorithm").front();
    hidden_subject one(document.shape(), port, from, 1);
    hidden_subject other(document.shape(), port, from, 1);
    EXPECT_EQ(blames(verdict_on(document, one, 1'000)), blames(verdict_on(declared, other, 1'000)));
  }
}

}  // namespace
}  // namespace backoff::policies
