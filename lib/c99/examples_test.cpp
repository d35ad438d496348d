// The examples of spec/STEM/examples.yaml as tests of the sources in C99.
#include "tests/examples.hpp"

#include <cstdint>
#include <string>

#include "backoff_algorithm.h"
#include "catalogue_json.hpp"
#include "examples_yaml.hpp"

// The constants of Retry Utilities, which are compiled in; here variables.
static std::uint32_t initial_s, max_s, max_jitter_s, max_attempts, next_random, slept;
#define INITIAL_RETRY_BACKOFF_SECONDS initial_s
#define MAX_RETRY_BACKOFF_SECONDS max_s
#define MAX_JITTER_VALUE_SECONDS max_jitter_s
#define MAX_RETRY_ATTEMPTS max_attempts
#define RetryUtils_ParamsReset example_ParamsReset
#define RetryUtils_BackoffAndSleep example_BackoffAndSleep
#define backoff_retry_utils_random example_random
#define backoff_retry_utils_sleep example_sleep
#include "aws_retry_utils.c"
extern "C" uint32_t example_random() { return next_random; }
extern "C" void example_sleep(uint32_t seconds) { slept = seconds; }

namespace backoff::examples {
namespace {

instance of_algorithm(parameters const& p) {
  BackoffAlgorithmContext_t fresh;
  BackoffAlgorithm_InitializeParams(
      &fresh, as<std::uint16_t>(p, "base_ms"), as<std::uint16_t>(p, "max_ms"),
      as<std::uint32_t>(number(p.at("max_attempts")).value_or(BACKOFF_ALGORITHM_RETRY_FOREVER)));
  return [context = fresh, fresh](call const& c) mutable -> std::string {
    if (c.name == "reset") return context = fresh, "ok";
    std::uint16_t delay = 99;
    bool const is_granted =
        BackoffAlgorithm_GetNextBackoff(&context, as<std::uint32_t>(c.with, "draw"), &delay) == BackoffAlgorithmSuccess;
    return is_granted ? std::to_string(delay) : delay == 99 ? "exhausted" : "neither";
  };
}

bool const algorithm = answers("aws_backoff_algorithm", {{"C99", of_algorithm}}) &&
                       are_tests("aws_backoff_algorithm", spec::aws_backoff_algorithm_examples_yaml,
                                 spec::aws_backoff_algorithm_catalogue_json);

instance of_utils(parameters const& p) {
  return [p, context = RetryUtilsParams_t()](call const& c) mutable {
    initial_s = as<std::uint32_t>(p, "initial_backoff_s"), max_s = as<std::uint32_t>(p, "max_backoff_s");
    max_jitter_s = as<std::uint32_t>(p, "max_jitter_s"), max_attempts = as<std::uint32_t>(p, "max_attempts");
    next_random = as<std::uint32_t>(c.with, "draw"), slept = 99;
    std::string said = "ok";
    if (c.name == "reset") {
      RetryUtils_ParamsReset(&context);
    } else if (RetryUtils_BackoffAndSleep(&context) == RetryUtilsSuccess) {
      said = std::to_string(slept);
    } else {
      said = slept == 99 ? "exhausted" : "neither";
    }
    return joined({said, std::to_string(context.attemptsDone), std::to_string(context.nextJitterMax)});
  };
}

bool const utils =
    answers("aws_retry_utils", {{"C99", of_utils}}) &&
    are_tests("aws_retry_utils", spec::aws_retry_utils_examples_yaml, spec::aws_retry_utils_catalogue_json);

}  // namespace
}  // namespace backoff::examples
