// The examples of the Java SDK's retry policies as tests of the model and of the library.
#include "tests/examples.hpp"

#include <cstdint>
#include <string>

#include "azure_java_retry_policy/model.hpp"
#include "backoff/azure_java_retry_policy.hpp"
#include "catalogue_json.hpp"
#include "examples_yaml.hpp"
#include "tests/model_answers.hpp"

namespace backoff::spec::azure_java_retry_policy {
namespace {

namespace core = backoff::azure_java_retry_policy;
using namespace backoff::examples;

constexpr std::uint64_t ns_per_ms = 1'000'000;
std::map<std::string, error> const errors{{"protocol", error::protocol},   {"service", error::service},
                                          {"terminal", error::terminal},   {"unknown", error::unknown},
                                          {"retryable", error::retryable}, {"not_retryable", error::not_retryable},
                                          {"true", error::retryable},      {"false", error::not_retryable}};

failure failure_of(examples::parameters const& p, examples::parameters const& c) {
  auto const custom = number(p.at("custom_ms"));
  auto const given = [&](std::string const& name, std::string const& otherwise) {
    return c.contains(name) ? c.at(name) : otherwise;
  };
  return {.retry_count = as<integer>(c, "retry_count"),
          .error = errors.at(given("error", given("retryable", "true"))),
          .from = draw_of(c.at("draw")),
          .elapsed_ms = as<integer>(demanded_number(given("elapsed_ms", "0"))),
          .custom_retry = custom.has_value(),
          .custom_delay_ms = custom.value_or(0)};
}

// What a row leaves out is the default.
parameters parameters_of(examples::parameters const& given) {
  parameters p;
  if (given.at("policy") == "no_retry") p.policy = policy::no_retry;
  if (given.at("policy") == "custom") p.policy = policy::custom;
  set(p.c_ms, given, "c_ms");
  set(p.cmin_ms, given, "cmin_ms");
  set(p.cmax_ms, given, "cmax_ms");
  set(p.jd_thousandths, given, "jd", 1'000);
  set(p.ju_thousandths, given, "ju", 1'000);
  p.total_time_ms = number(given.at("total_time_ms"));
  return p;
}

instance of_model(examples::parameters const& given, cube assignment) {
  return [=, p = parameters_of(given)](call const& c) {
    auto const f = failure_of(given, c.with);
    auto decided = under(readings(), assignment, [&](chooser& choices) { return decide(p, f, choices); });
    if (p.policy != policy::custom) decided.answer[field_consulted] = admissible::nothing();
    return text_of(decided.answer,
                   {{"(answered)", "error", "rejected"}, {"stop", "(retry)"}, {}, {"unasked", "(asked)"}});
  };
}

instance of_library(examples::parameters const& given) {
  core::parameters q;
  set(q.c_ms, given, "c_ms");
  set(q.cmin_ms, given, "cmin_ms");
  set(q.cmax_ms, given, "cmax_ms");
  set(q.jd_millionths, given, "jd", 1'000'000);
  set(q.ju_millionths, given, "ju", 1'000'000);
  auto const checked = core::exponential_backoff_with_jitter::with(q);
  EXPECT_EQ(checked.error, core::parameter_error::none);
  return [=, p = parameters_of(given)](call const& c) -> std::string {
    auto const f = failure_of(given, c.with);
    auto const policy = [&](std::uint32_t count, core::error last) -> core::decision {
      if (p.policy == policy::no_retry) return core::no_retry()(count, last);
      if (p.policy != policy::custom) return checked.value.decide(count, static_cast<std::uint32_t>(f.from.value));
      return {f.custom_retry, {static_cast<std::uint64_t>(f.custom_delay_ms) * ns_per_ms, 0U}};
    };
    constexpr core::error of[]{core::error::protocol, core::error::service,  core::error::terminal,
                               core::error::unknown,  core::error::protocol, core::error::terminal};
    auto const time = p.total_time_ms ? core::time_budget(static_cast<std::uint64_t>(*p.total_time_ms) * ns_per_ms,
                                                          static_cast<std::uint64_t>(f.elapsed_ms) * ns_per_ms)
                                      : core::time_budget();
    auto const [retry, consulted, delay] =
        core::after_failure(policy, static_cast<std::uint32_t>(f.retry_count), of[static_cast<int>(f.error)], time);
    if (retry) return text_of((rational(delay.ns) + rational(delay.part, std::uint64_t{1} << 32)) / ns_per_ms);
    if ((delay.ns | delay.part) != 0) return "stop after a delay";
    return p.policy == policy::custom && !consulted ? "stop/unasked" : "stop";
  };
}

bool const registered =
    examples::answers("azure_java_retry_policy", {model_of(readings(), of_model), {"library", of_library}}) &&
    are_tests("azure_java_retry_policy", azure_java_retry_policy_examples_yaml, azure_java_retry_policy_catalogue_json);

}  // namespace
}  // namespace backoff::spec::azure_java_retry_policy
