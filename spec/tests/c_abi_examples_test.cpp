// The examples of spec/STEM/examples.yaml as tests of the functions for C.
#include <cstdint>
#include <cstring>
#include <string>

#include "backoff.h"
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

}  // namespace
}  // namespace backoff::examples
