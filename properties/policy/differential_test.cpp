// Documents written as policies judge the same ports as the hand-written systems do: a third model of each. The
// histories and the answers are the same; what a policy does not state (a hazard of the document) may still be told
// differently.
#include <gtest/gtest.h>

#include <algorithm>

#include "history/systems.hpp"
#include "judge/plan.hpp"
#include "policy/declare.hpp"
#include "ports/built_in.hpp"
#include "ports/hidden.hpp"

namespace backoff::declared {
namespace {

using namespace conformance;

constexpr char const* full_jitter = R"(
name: full_jitter_again
unit: ms
parameters:
  base_ms: {default: 100, range: [0, 4294967295]}
  max_ms: {default: 20000, range: [0, 4294967295]}
  max_attempts: {default: forever, range: [0, 4294967295]}
window:
  zero: min(max_ms, base_ms * 2^n)
  one: min(max_ms, base_ms * 2^(n + 1))
delay:
  integer: integer(0, window)
  real: uniform(0, window)
ends: [inclusive, exclusive]
attempts: max_attempts
)";

judged_system const& again(char const* text) {
  auto p = read_policy("again.yaml", text);
  auto const* known = find_judged_system(p.name);
  return known != nullptr ? *known : declare(std::move(p), "1");
}

verdict verdict_on(judged_system const& system, subject& port, std::uint64_t cases) {
  auto begun = run::begin(system, port.describes(), {});
  auto& judged = std::get<run>(begun);
  drive(judged, port, cases, 1);
  return judged.verdict();
}

// A limit of attempts and a reset are the interface's in some documents, and a policy's own words where it has them.
bool blames(verdict v) { return v == verdict::does_not_conform || v == verdict::breaks_the_interface; }

// A document's port that is asked the calls alone that the document knows.
class asked_known_calls final : public subject {
 public:
  asked_known_calls(shape const& s, built_in const& port) : port_(s, port), about_(port_.describes()) {
    about_.takes.operations = (1U << s.operations.size()) - 1;
  }
  [[nodiscard]] capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) noexcept override {
    return port_.run(histories);
  }

 private:
  built_in_subject port_;
  capabilities about_;
};

// A port of the document, asked as the policy's system asks: parameters, calls and answers are the same, word by word.
void demand_same_verdicts(std::string_view stem, char const* policy, std::span<built_in const> ports,
                          std::vector<std::string_view> const& beyond) {
  auto const& document = *find_judged_system(stem);
  auto const& declared = again(policy);
  for (auto const& port : ports) {
    if (std::ranges::find(beyond, port.name) != beyond.end()) continue;
    SCOPED_TRACE(port.name);
    built_in_subject as_documented(document.shape(), port);
    asked_known_calls as_declared(document.shape(), port);
    EXPECT_EQ(blames(verdict_on(document, as_documented, 300)), blames(verdict_on(declared, as_declared, 300)));
  }
}

TEST(differential, full_jitter_as_a_policy_judges_as_the_document_does) {
  std::string_view const stem = "aws_backoff_algorithm";
  demand_same_verdicts(stem, full_jitter, library_ports(stem), {});
  demand_same_verdicts(stem, full_jitter, right_ports(stem), {});
  demand_same_verdicts(stem, full_jitter, wrong_ports(stem), {});
}

TEST(differential, hidden_full_jitter_as_a_policy_judges_as_the_document_does) {
  auto const& document = *find_judged_system("aws_backoff_algorithm");
  auto const& declared = again(full_jitter);
  for (auto const& from : generators()) {
    SCOPED_TRACE(from.name);
    auto const& port = library_ports("aws_backoff_algorithm").front();
    hidden_subject one(document.shape(), port, from, 1);
    hidden_subject other(document.shape(), port, from, 1);
    EXPECT_EQ(blames(verdict_on(document, one, 1'000)), blames(verdict_on(declared, other, 1'000)));
  }
}

}  // namespace
}  // namespace backoff::declared
