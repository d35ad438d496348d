// What the page of a document says in the language of policies judges the same ports as the hand-written model does.
// Both are given the same answers to the same histories. Where a policy cannot state what a document says, the history
// is left out, or the port is listed with its reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include "histories/systems.hpp"
#include "judge/dependence.hpp"
#include "judge/plan.hpp"
#include "policies/declare.hpp"
#include "policy_yaml.hpp"
#include "ports/built_in.hpp"
#include "ports/hidden.hpp"

namespace backoff::policies {
namespace {

using namespace ports;

judged_system const& again(std::string_view text) {
  auto p = read_policy("system.yaml", std::string(text));
  auto const* known = find_judged_system(p.name);
  return known != nullptr ? *known : declare(std::move(p), "1");
}

// A limit of attempts and a reset are the interface's in some documents, and a policy's own words where it has them.
bool blames(verdict v) { return v == verdict::does_not_conform || v == verdict::breaks_the_interface; }

// How a policy's histories and answers follow from those of the document that it states.
struct restated {
  std::string_view stem;
  std::string_view policy;
  // What the policy can state of a history.
  std::vector<history> (*stated)(history const&) = [](history const& h) { return std::vector{h}; };
  history (*documented)(history const&) = [](history const& h) { return h; };
  answer (*answered)(answer const&) = [](answer const& a) { return a; };
  feature_mask without = 0;  // features that no policy has
};

std::vector<result> answers_in_words_of(restated const& r, std::vector<result> results) {
  for (auto& each : results) std::ranges::transform(each.answers, each.answers.begin(), r.answered);
  return results;
}

std::vector<history> histories_in_words_of(restated const& r, std::span<history const> stated) {
  std::vector<history> all;
  std::ranges::transform(stated, std::back_inserter(all), r.documented);
  return all;
}

// A document's port as one of the policy, which is asked the calls alone that the document knows.
class restated_subject final : public subject {
 public:
  restated_subject(restated const& r, subject& port, shape const& document, shape const& declared)
      : restated_(&r), port_(&port), about_(port.describes()) {
    about_.takes = documented_domain(declared, about_.takes.draws);
    about_.takes.features = declared.features & port.describes().takes.features;
    if (document.find_operation("reset") == std::nullopt) about_.takes.operations = 1;
  }
  [[nodiscard]] capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) noexcept override {
    return answers_in_words_of(*restated_, port_->run(histories_in_words_of(*restated_, histories)));
  }

 private:
  restated const* restated_;
  subject* port_;
  capabilities about_;
};

verdict verdict_on(run& judged, subject& port, std::span<history const> all) {
  auto const results = port.run(all);
  for (std::size_t i = 0; i < all.size(); ++i) judged.judge(all[i], results[i]);
  judged.settle_blame();
  judged.settle_dependence(compare_with_itself(judged, port));
  return judged.verdict();
}

// What can be stated of these histories of the document.
std::vector<history> stated(restated const& r, std::span<history const> all) {
  std::vector<history> result;
  for (auto const& h : all) {
    for (auto& each : r.stated(h)) {
      if (!each.steps.empty()) result.push_back(std::move(each));
    }
  }
  return result;
}

// differing: ports of which the policy says otherwise, for the reason that stands beside each.
void demand_same_verdicts(restated const& r, std::span<built_in const> ports,
                          std::vector<std::string_view> const& differing = {}) {
  constexpr std::uint64_t cases = 100;
  auto const& document = *find_judged_system(r.stem);
  auto const& declared = again(r.policy);
  for (auto port : ports) {
    SCOPED_TRACE(port.name);
    port.lacks |= r.without;
    built_in_subject as_documented(document.shape(), port);
    restated_subject as_declared(r, as_documented, document.shape(), declared.shape());
    auto begun = std::array{run::begin(document, as_documented.describes(), {}),
                            run::begin(declared, as_declared.describes(), {})};
    auto& [by_document, by_policy] = begun;
    auto& one = std::get<run>(by_document);
    auto& other = std::get<run>(by_policy);
    plan histories(document.shape(), as_documented.describes().takes, cases, 1);
    auto const same = stated(r, histories.next(cases));
    ASSERT_GT(same.size(), cases / 10);
    auto const probes = stated(r, mapping_probes(one, 1));
    auto const documented_probes = histories_in_words_of(r, probes);
    one.settle_mapping(documented_probes, as_documented.run(documented_probes));
    other.settle_mapping(probes, as_declared.run(probes));
    bool const document_blames = blames(verdict_on(one, as_documented, histories_in_words_of(r, same)));
    bool const policy_blames = blames(verdict_on(other, as_declared, same));
    bool const differs = std::ranges::find(differing, port.name) != differing.end();
    EXPECT_EQ(document_blames != policy_blames, differs) << document_blames << policy_blames;
  }
}

constexpr restated full_jitter_again{.stem = "aws_backoff_algorithm",
                                     .policy = spec::aws_backoff_algorithm_policy_yaml};

TEST(differential, full_jitter_as_a_policy_judges_as_the_document_does) {
  for (auto const ports : {library_ports, right_ports, wrong_ports})
    demand_same_verdicts(full_jitter_again, ports(full_jitter_again.stem));
}

// Delays that every timer holds: beyond, the document leaves open where a port stops growing.
std::vector<history> of_held_delays(history const& h) {
  constexpr double held_s = 2'000'000;
  constexpr std::size_t calls_max = 64;
  auto cut = h;
  double delay = static_cast<double>(h.params[0].n);
  std::size_t calls = 0;
  for (; calls < std::min(h.steps.size(), calls_max) && delay <= held_s; ++calls)
    delay *= static_cast<double>(h.params[1].n) / 1'000;
  cut.steps.resize(calls);
  return {cut};
}

answer with_the_policys_error(answer const& a) {
  constexpr std::uint8_t error = 2;
  auto result = a;
  if (a[0] == observed::word(error)) result[0] = observed::word(3);
  return result;
}

constexpr restated step_functions_again{.stem = "aws_step_functions",
                                        .policy = spec::aws_step_functions_policy_yaml,
                                        .stated = of_held_delays,
                                        .answered = with_the_policys_error};

TEST(differential, step_functions_as_a_policy_judge_as_the_document_does) {
  auto const& stem = step_functions_again.stem;
  demand_same_verdicts(step_functions_again, library_ports(stem));
  // Halves to the even one cannot be stated.
  demand_same_verdicts(step_functions_again, right_ports(stem), {"nearest-even", "nearest-even-microseconds"});
  demand_same_verdicts(step_functions_again, wrong_ports(stem));
}

// Retryable decisions of the policy that backs off, one by one, with x as a parameter; nothing that came before
// matters.
std::vector<history> of_f(history const& h) {
  auto const& [policy, c, cmin, cmax, jd, ju, total, none] = h.params;
  std::vector<history> all;
  if (policy != value::word(0)) return all;
  auto const or_default = [](value const& v, std::int64_t by_default, std::uint8_t scale = 0) {
    auto const kind = scale == 0 ? value_kind::integer : value_kind::decimal;
    return v.kind == value_kind::absent ? value{kind, scale, by_default} : v;
  };
  for (auto const& [count, retryable, from, a, b, d, e] : std::views::transform(h.steps, &step::args)) {
    if (count.n < 1 || retryable != value::word(1)) continue;
    history& f = all.emplace_back();
    f.params = {count,
                or_default(c, 100),
                or_default(cmin, 100),
                or_default(cmax, 10'000),
                or_default(jd, 500, 3),
                or_default(ju, 250, 3)};
    f.steps.push_back({0, 0, {from}});
  }
  return all;
}

history decided(history const& f) {
  auto const& [x, c, cmin, cmax, jd, ju, none, nothing] = f.params;
  history h;
  h.params = {value::word(0), c, cmin, cmax, jd, ju};
  for (auto const& call : f.steps) h.steps.push_back({0, call.on, {x, value::word(1), call.args[0]}});
  return h;
}

answer of_a_decision(answer const& a) {
  enum : std::uint8_t { answered, error };
  auto const& [status, retry, delay, consulted] = std::tie(a[0], a[1], a[2], a[3]);
  if (status == observed::word(error)) return {observed::word(3)};
  if (status != observed::word(answered) || retry != observed::word(1)) return {observed::word(1)};
  return {observed::word(0), delay};
}

constexpr restated retry_policy_again{
    .stem = "azure_java_retry_policy",
    .policy = spec::azure_java_retry_policy_policy_yaml,
    .stated = of_f,
    .documented = decided,
    .answered = of_a_decision,
    .without = bit(feature::total_time) | bit(feature::errors) | bit(feature::custom_policy)};

TEST(differential, the_delays_of_a_retry_policy_are_judged_as_the_document_does) {
  auto const& stem = retry_policy_again.stem;
  demand_same_verdicts(retry_policy_again, library_ports(stem));
  demand_same_verdicts(retry_policy_again, right_ports(stem));
  // A policy has no word for parameters refused: what a port rejects is not held against it.
  demand_same_verdicts(retry_policy_again, wrong_ports(stem), {"rejects-some-inverted", "rejects-whole-factors"});
}

// Without jitter of the base. What a call does that follows exhaustion is another cycle in one reading, and no
// policy's.
std::vector<history> of_plain_bases(history const& h) {
  auto const& [initial, most, jitter, limit, a, b, c, d] = h.params;
  history plain;
  plain.params = {initial, most, limit.n == 0 ? value::word(0) : limit};
  std::array<std::int64_t, instances_max> calls{};
  for (auto const& call : h.steps) {
    bool const resets = call.op == 1;
    auto& before = calls[call.on];
    if (!resets && limit.n > 0 && before > limit.n) break;
    before = resets ? 0 : before + 1;
    plain.steps.push_back({call.op, call.on, {resets ? value{} : call.args[0]}});
  }
  return {plain};
}

history with_no_jitter(history const& plain) {
  auto const& [initial, most, limit, a, b, c, d, e] = plain.params;
  history h;
  h.params = {initial, most, value::of(0), limit.kind == value_kind::keyword ? value::of(0) : limit};
  for (auto const& call : plain.steps)
    h.steps.push_back({call.op, call.on, {call.op == 1 ? value::of(0) : call.args[0]}});
  return h;
}

answer of_a_sleep(answer const& a) { return {a[0], a[1]}; }

constexpr restated retry_utils_again{.stem = "aws_retry_utils",
                                     .policy = spec::aws_retry_utils_policy_yaml,
                                     .stated = of_plain_bases,
                                     .documented = with_no_jitter,
                                     .answered = of_a_sleep,
                                     .without = bit(feature::state)};

TEST(differential, retry_utilities_without_base_jitter_are_judged_as_the_document_does) {
  for (auto const ports : {library_ports, right_ports, wrong_ports})
    demand_same_verdicts(retry_utils_again, ports(retry_utils_again.stem));
}

// Runs that go on, as far as 31 bits hold the waits: beyond, each reading has another one.
std::vector<history> of_runs_that_go_on(history const& h) {
  constexpr std::int64_t throttled = 429;
  constexpr std::ptrdiff_t held = 24;
  history run;
  std::array<std::ptrdiff_t, instances_max> calls{};
  for (auto const& call : h.steps) {
    if (call.args[0].n == throttled && ++calls[call.on] <= held) run.steps.push_back({0, call.on, {}});
  }
  return {run};
}

history of_throttled_requests(history const& run) {
  constexpr std::int64_t without_end = 0x7fff'ffff;
  history h;
  h.params = {value::of(without_end)};
  for (auto const& call : run.steps) h.steps.push_back({0, call.on, {value::of(429)}});
  return h;
}

answer of_a_request(answer const& a) {
  enum : std::uint8_t { answered, error };
  return a[0] == observed::word(error) ? answer{observed::word(3)} : answer{observed::word(0), a[1]};
}

constexpr restated sample_again{.stem = "aws_prescriptive_sample",
                                .policy = spec::aws_prescriptive_sample_policy_yaml,
                                .stated = of_runs_that_go_on,
                                .documented = of_throttled_requests,
                                .answered = of_a_request};

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
