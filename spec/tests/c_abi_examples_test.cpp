// The examples of spec/STEM/examples.yaml as tests of the functions for C.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "azure_c_retry_control/calls_test.hpp"
#include "backoff.h"
#include "histories/present.hpp"
#include "tests/examples.hpp"
#include "tests/model_answers.hpp"

namespace backoff::examples {
namespace {

// In memory that holds no known values before, as that of a stack.
template <class State>
State dirty() {
  State state;
  std::memset(&state, 0xa5, sizeof state);
  return state;
}

// ---- aws_backoff_algorithm ----

template <class State, class Word, auto init, auto init_forever, auto next, auto reset>
instance of_algorithm(parameters const& p) {
  auto state = dirty<State>();
  auto const base = as<Word>(p, "base_ms"), max = as<Word>(p, "max_ms");
  auto const limit = number(p.at("max_attempts"));
  limit ? init(&state, base, max, as<std::uint32_t>(*limit)) : init_forever(&state, base, max);
  return [state](call const& c) mutable -> std::string {
    if (c.name == "reset") return reset(&state), "ok";
    Word delay = 99;
    auto const status = next(&state, as<std::uint32_t>(c.with, "draw"), &delay);
    if (status == BACKOFF_OK) return std::to_string(delay);
    return status == BACKOFF_EXHAUSTED && delay == 0 ? "exhausted" : "neither";
  };
}

bool const algorithm = answers(
    "aws_backoff_algorithm",
    {{"C, u16", of_algorithm<backoff_aws_backoff_algorithm_u16, std::uint16_t, backoff_aws_backoff_algorithm_u16_init,
                             backoff_aws_backoff_algorithm_u16_init_forever, backoff_aws_backoff_algorithm_u16_next,
                             backoff_aws_backoff_algorithm_u16_reset>},
     {"C, u32", of_algorithm<backoff_aws_backoff_algorithm, std::uint32_t, backoff_aws_backoff_algorithm_init,
                             backoff_aws_backoff_algorithm_init_forever, backoff_aws_backoff_algorithm_next,
                             backoff_aws_backoff_algorithm_reset>}});

// ---- aws_step_functions, in nanoseconds ----

constexpr std::uint64_t ns_per_s = 1'000'000'000;

instance of_step_functions(parameters const& p) {
  auto state = dirty<backoff_aws_step_functions>();
  auto const rate = spec::in_parts<std::uint32_t>(p, "backoff_rate", 1'000);
  auto const error = backoff_aws_step_functions_init(&state, as<std::int64_t>(p, "interval_s"), rate, 1'000,
                                                     as<std::uint32_t>(p, "max_attempts"));
  if (error == BACKOFF_PRODUCT_TOO_WIDE) throw unfit();
  EXPECT_EQ(error, BACKOFF_OK);
  return [state](call const&) mutable -> std::string {
    std::uint64_t delay = 99;
    auto const status = backoff_aws_step_functions_next(&state, &delay);
    if (status == BACKOFF_OK) return spec::text_of(spec::rational(delay, ns_per_s));
    return status == BACKOFF_EXHAUSTED && delay == 0 ? "exhausted" : "neither";
  };
}

bool const step_functions =
    answers("aws_step_functions", {{"C, ns", of_step_functions, spec::to_nearest(ns_per_s, ~std::uint64_t{0})}});

// ---- aws_prescriptive_sample ----

instance of_sample(parameters const& p) {
  auto state = dirty<backoff_aws_prescriptive_sample>();
  backoff_aws_prescriptive_sample_init(&state, as<std::uint32_t>(p, "max_retries"));
  return [state](call const& c) mutable -> std::string {
    auto const delay = backoff_aws_prescriptive_sample_delay_ms(&state);
    bool const again =
        backoff_aws_prescriptive_sample_retry_after(&state, as<std::int32_t>(c.with, "http_status")) == 1;
    if (delay == BACKOFF_AWS_PRESCRIPTIVE_SAMPLE_NO_DELAY) return again ? "error, and retries" : "error";
    return std::to_string(delay) + (again ? "/retry" : "/stop");
  };
}

bool const sample = answers("aws_prescriptive_sample", {{"C", of_sample}});

// ---- azure_java_retry_policy ----

constexpr std::uint64_t ns_per_ms = 1'000'000;
using wait = backoff_azure_java_retry_policy_wait;

// The policy that a row sets, and the draw of the call.
struct policy {
  std::string name;
  std::optional<std::int64_t> custom_ms;
  backoff_azure_java_retry_policy by_default = dirty<backoff_azure_java_retry_policy>();
  std::uint32_t draw = 0;
  bool asked = false;
};
std::uint8_t decide(void* context, std::uint32_t count, std::int32_t error, wait* delay) {
  auto& p = *static_cast<policy*>(context);
  p.asked = true;
  if (p.name == "no_retry") return backoff_azure_java_retry_policy_no_retry(nullptr, count, error, delay);
  if (p.name != "custom") return backoff_azure_java_retry_policy_delay(&p.by_default, count, p.draw, delay), 1;
  if (p.custom_ms) *delay = {static_cast<std::uint64_t>(*p.custom_ms) * ns_per_ms, 0};
  return p.custom_ms ? 1 : 0;
}

instance of_policy(parameters const& given) {
  policy p{given.at("policy"), number(given.at("custom_ms"))};
  backoff_azure_java_retry_policy_parameters constants{};
  backoff_azure_java_retry_policy_defaults(&constants);
  spec::set(constants.c_ms, given, "c_ms");
  spec::set(constants.cmin_ms, given, "cmin_ms");
  spec::set(constants.cmax_ms, given, "cmax_ms");
  spec::set(constants.jd_millionths, given, "jd", 1'000'000);
  spec::set(constants.ju_millionths, given, "ju", 1'000'000);
  EXPECT_EQ(backoff_azure_java_retry_policy_init(&p.by_default, &constants), BACKOFF_OK);
  return [p, total = number(given.at("total_time_ms"))](call const& c) mutable -> std::string {
    std::map<std::string, std::int32_t> const errors{{"protocol", 0}, {"service", 1},   {"terminal", 2},
                                                     {"unknown", 3},  {"retryable", 0}, {"not_retryable", 2}};
    auto const error = errors.at(c.with.contains("error") ? c.with.at("error") : "retryable");
    auto const elapsed = c.with.contains("elapsed_ms") ? as<std::uint64_t>(c.with, "elapsed_ms") : 0;
    backoff_azure_java_retry_policy_time const time{static_cast<std::uint64_t>(total.value_or(0)) * ns_per_ms,
                                                    elapsed * ns_per_ms};
    p.draw = as<std::uint32_t>(c.with, "draw");
    p.asked = false;
    wait delay{9, 9};
    auto const status = backoff_azure_java_retry_policy_after_failure(
        decide, &p, as<std::uint32_t>(c.with, "retry_count"), error, total ? &time : nullptr, &delay);
    if (status == BACKOFF_OK) {
      return spec::text_of((spec::rational(delay.ns) + spec::rational(delay.part, std::uint64_t{1} << 32)) / ns_per_ms);
    }
    if (status != BACKOFF_EXHAUSTED || (delay.ns | delay.part) != 0) return "neither";
    return p.name == "custom" && !p.asked ? "stop/unasked" : "stop";
  };
}

bool const java = answers("azure_java_retry_policy", {{"C", of_policy}});

// ---- aws_retry_utils ----

instance of_utils(parameters const& given) {
  backoff_aws_retry_utils_parameters const p{
      as<std::uint32_t>(given, "initial_backoff_s"), as<std::uint32_t>(given, "max_backoff_s"),
      as<std::uint32_t>(given, "max_jitter_s"), as<std::uint32_t>(given, "max_attempts")};
  return [p, state = dirty<backoff_aws_retry_utils>(), is_begun = false](call const& c) mutable {
    auto const draw = as<std::uint32_t>(c.with, "draw");
    std::string said = "ok";
    if (c.name == "backoff") {
      std::uint32_t slept = 99;
      auto const status = backoff_aws_retry_utils_back_off(&state, draw, &slept);
      said = status == BACKOFF_OK                        ? std::to_string(slept)
             : status == BACKOFF_EXHAUSTED && slept == 0 ? "exhausted"
                                                         : "neither";
    } else if (std::exchange(is_begun, true)) {
      backoff_aws_retry_utils_reset(&state, draw);
    } else {
      backoff_aws_retry_utils_init(&state, &p, draw);
    }
    return joined({said, std::to_string(backoff_aws_retry_utils_attempts_done(&state)),
                   std::to_string(backoff_aws_retry_utils_next_jitter_max(&state))});
  };
}

bool const utils = answers("aws_retry_utils", {{"C", of_utils}});

// ---- azure_c_retry_control: no handles, no memory, no saved options ----

using spec::azure_c_retry_control::asked;

struct world {
  asked const* a;
  std::size_t reads = 0, draws = 0;
};
std::int64_t get_time(void* context) {
  auto& w = *static_cast<world*>(context);
  return w.a->clock[std::min(w.reads++, w.a->clock.size() - 1)];
}
std::uint32_t draw(void* context) {
  auto& w = *static_cast<world*>(context);
  return ++w.draws, w.a->r;
}

std::string set(backoff_azure_c_retry_control& state, asked const& a) {
  bool const is_wait = a.word("name") == "initial_wait_time_in_secs";
  if (a.is_saved || (!is_wait && a.word("name") != "max_jitter_percent")) throw unfit();
  auto const value = as<std::uint32_t>(histories::present(a.options[0]));
  auto const status = is_wait ? backoff_azure_c_retry_control_set_initial_wait_time_in_secs(&state, value)
                              : backoff_azure_c_retry_control_set_max_jitter_percent(&state, value);
  if (status == BACKOFF_OK) return "set";
  return status == (is_wait ? BACKOFF_INITIAL_WAIT_ZERO : BACKOFF_JITTER_ABOVE_HUNDRED) ? "refused" : "neither";
}

instance of_control(parameters const& given) {
  return [given, is_created = false, state = dirty<backoff_azure_c_retry_control>()](call const& c) mutable {
    asked const a(given, c);
    bool const needs_none = c.name == "create" || c.name == "is_timeout_reached";
    if (!a.word("null").empty() || !a.word("fails").empty() || c.name == "destroy" || (!needs_none && !is_created))
      throw unfit();
    world w{&a};
    backoff_azure_c_retry_control_surroundings const around{get_time, draw, &w, a.rand_max};
    using namespace spec::azure_c_retry_control;
    if (c.name == "create") {
      is_created = true;
      auto const status =
          backoff_azure_c_retry_control_init(&state, a.policy, a.number<std::uint32_t>("max_retry_time_s"));
      return std::string(status == BACKOFF_OK ? "ok" : "neither");
    }
    if (c.name == "reset") return backoff_azure_c_retry_control_reset(&state), std::string("ok");
    if (c.name == "set_option") return set(state, a);
    if (c.name == "retrieve_options") {
      return joined({std::to_string(backoff_azure_c_retry_control_initial_wait_time_in_secs(&state)),
                     std::to_string(backoff_azure_c_retry_control_max_jitter_percent(&state))});
    }
    std::int32_t action = 99;
    std::uint8_t over = 99;
    bool const is_retry = c.name == "should_retry";
    auto const status =
        is_retry ? backoff_azure_c_retry_control_should_retry(&state, &around, &action)
                 : backoff_azure_c_retry_control_is_timeout_reached(
                       a.number<std::int64_t>("start"), a.number<std::uint32_t>("timeout_s"), &around, &over);
    if (status == BACKOFF_OK) {
      auto const said = is_retry    ? action_word(static_cast<std::size_t>(action))
                        : over == 1 ? "true"
                        : over == 0 ? "false"
                                    : "neither";
      return decided(said, w.reads, w.draws);
    }
    bool const is_safe = is_retry ? action == BACKOFF_AZURE_C_RETRY_CONTROL_STOP_RETRYING : over == 0;
    return decided(status == BACKOFF_CLOCK_FAILED && is_safe ? std::nullopt : std::optional<std::string>("neither"),
                   w.reads, w.draws);
  };
}

bool const control = answers("azure_c_retry_control", {{"C", of_control}});

}  // namespace
}  // namespace backoff::examples
