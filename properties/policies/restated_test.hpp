// The policies that pages of documents contain. Each can translate the histories and answers of its document into its
// own words. Used by: properties/policies/differential_test.cpp, properties/bench/judge_bench.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "histories/systems.hpp"
#include "judge/plan.hpp"
#include "policies/declare.hpp"
#include "policy_yaml.hpp"
#include "ports/built_in.hpp"

namespace backoff::policies {

using namespace ports;

inline judged_system const& again(std::string_view text) {
  auto p = read_policy("system.yaml", std::string(text));
  auto const* known = find_judged_system(p.name);
  return known != nullptr ? *known : declare(std::move(p), "1");
}

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

inline std::vector<result> answers_in_words_of(restated const& r, std::vector<result> results) {
  for (auto& each : results) std::ranges::transform(each.answers, each.answers.begin(), r.answered);
  return results;
}

inline std::vector<history> histories_in_words_of(restated const& r, std::span<history const> stated) {
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
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    return answers_in_words_of(*restated_, port_->run(histories_in_words_of(*restated_, histories)));
  }

 private:
  restated const* restated_;
  subject* port_;
  capabilities about_;
};

// What can be stated of these histories of the document.
inline std::vector<history> stated(restated const& r, std::span<history const> all) {
  std::vector<history> result;
  for (auto const& h : all) {
    for (auto& each : r.stated(h)) {
      if (!each.steps.empty()) result.push_back(std::move(each));
    }
  }
  return result;
}

// A port, judged by the document and by the policy. Both runs have settled how it maps draws.
struct judged_both_ways {
  built_in as_far_as_stated;  // the port, without the features that no policy has
  judged_system const& document;
  judged_system const& declared;
  built_in_subject as_documented;
  restated_subject as_declared;
  run by_document = std::get<run>(run::begin(document, as_documented.describes(), {}));
  run by_policy = std::get<run>(run::begin(declared, as_declared.describes(), {}));
  std::vector<history> stated_histories;
  std::vector<history> documented_histories;  // the same, in words of the document

  judged_both_ways(restated const& r, built_in const& port, std::uint64_t cases)
      : as_far_as_stated(without(r.without, port)),
        document(*find_judged_system(r.stem)),
        declared(again(r.policy)),
        as_documented(document.shape(), as_far_as_stated),
        as_declared(r, as_documented, document.shape(), declared.shape()) {
    plan histories(document.shape(), as_documented.describes().takes, cases, 1);
    stated_histories = stated(r, histories.next(cases));
    documented_histories = histories_in_words_of(r, stated_histories);
    auto const probes = stated(r, mapping_probes(by_document, 1));
    auto const documented_probes = histories_in_words_of(r, probes);
    by_document.settle_mapping(documented_probes, as_documented.run(documented_probes));
    by_policy.settle_mapping(probes, as_declared.run(probes));
  }
  judged_both_ways(judged_both_ways const&) = delete;
  judged_both_ways& operator=(judged_both_ways const&) = delete;

 private:
  [[nodiscard]] static built_in without(feature_mask features, built_in port) {
    port.lacks |= features;
    return port;
  }
};

inline constexpr restated full_jitter_again{.stem = "aws_backoff_algorithm",
                                            .policy = spec::aws_backoff_algorithm_policy_yaml};

// Delays that every timer holds: beyond, the document leaves open where a port stops growing.
inline std::vector<history> of_held_delays(history const& h) {
  constexpr double held_s = 2'000'000;
  constexpr std::size_t calls_max = 64;
  auto cut = h;
  auto delay = static_cast<double>(h.params[0].n);
  std::size_t calls = 0;
  for (; calls < std::min(h.steps.size(), calls_max) && delay <= held_s; ++calls)
    delay *= static_cast<double>(h.params[1].n) / 1'000;
  cut.steps.resize(calls);
  return {cut};
}

inline answer with_the_policys_error(answer const& a) {
  constexpr std::uint8_t error = 2;
  auto result = a;
  if (a[0] == observed::word(error)) result[0] = observed::word(3);
  return result;
}

inline constexpr restated step_functions_again{.stem = "aws_step_functions",
                                               .policy = spec::aws_step_functions_policy_yaml,
                                               .stated = of_held_delays,
                                               .answered = with_the_policys_error};

// Retryable decisions of the policy that backs off, one by one, with x as a parameter; nothing that came before
// matters.
inline std::vector<history> of_f(history const& h) {
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

inline history decided(history const& f) {
  auto const& [x, c, cmin, cmax, jd, ju, none, nothing] = f.params;
  history h;
  h.params = {value::word(0), c, cmin, cmax, jd, ju};
  for (auto const& call : f.steps) h.steps.push_back({0, call.on, {x, value::word(1), call.args[0]}});
  return h;
}

inline answer of_a_decision(answer const& a) {
  enum : std::uint8_t { answered, error };
  auto const& [status, retry, delay, consulted] = std::tie(a[0], a[1], a[2], a[3]);
  if (status == observed::word(error)) return {observed::word(3)};
  if (status != observed::word(answered) || retry != observed::word(1)) return {observed::word(1)};
  return {observed::word(0), delay};
}

inline constexpr restated retry_policy_again{
    .stem = "azure_java_retry_policy",
    .policy = spec::azure_java_retry_policy_policy_yaml,
    .stated = of_f,
    .documented = decided,
    .answered = of_a_decision,
    .without = bit(feature::total_time) | bit(feature::errors) | bit(feature::custom_policy)};

// Without jitter of the base. What a call does that follows exhaustion is another cycle in one reading, and no
// policy's.
inline std::vector<history> of_plain_bases(history const& h) {
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

inline history with_no_jitter(history const& plain) {
  auto const& [initial, most, limit, a, b, c, d, e] = plain.params;
  history h;
  h.params = {initial, most, value::of(0), limit.kind == value_kind::keyword ? value::of(0) : limit};
  for (auto const& call : plain.steps)
    h.steps.push_back({call.op, call.on, {call.op == 1 ? value::of(0) : call.args[0]}});
  return h;
}

inline answer of_a_sleep(answer const& a) { return {a[0], a[1]}; }

inline constexpr restated retry_utils_again{.stem = "aws_retry_utils",
                                            .policy = spec::aws_retry_utils_policy_yaml,
                                            .stated = of_plain_bases,
                                            .documented = with_no_jitter,
                                            .answered = of_a_sleep,
                                            .without = bit(feature::state)};

// Runs that go on, as far as 31 bits hold the waits: beyond, each reading has another one.
inline std::vector<history> of_runs_that_go_on(history const& h) {
  constexpr std::int64_t throttled = 429;
  constexpr std::ptrdiff_t held = 24;
  history run;
  std::array<std::ptrdiff_t, instances_max> calls{};
  for (auto const& call : h.steps) {
    if (call.args[0].n == throttled && ++calls[call.on] <= held) run.steps.push_back({0, call.on, {}});
  }
  return {run};
}

inline history of_throttled_requests(history const& run) {
  constexpr std::int64_t without_end = 0x7fff'ffff;
  history h;
  h.params = {value::of(without_end)};
  for (auto const& call : run.steps) h.steps.push_back({0, call.on, {value::of(429)}});
  return h;
}

inline answer of_a_request(answer const& a) {
  enum : std::uint8_t { answered, error };
  return a[0] == observed::word(error) ? answer{observed::word(3)} : answer{observed::word(0), a[1]};
}

inline constexpr restated sample_again{.stem = "aws_prescriptive_sample",
                                       .policy = spec::aws_prescriptive_sample_policy_yaml,
                                       .stated = of_runs_that_go_on,
                                       .documented = of_throttled_requests,
                                       .answered = of_a_request};

}  // namespace backoff::policies
