// The examples of spec/STEM/examples.yaml as tests of the sources in C99.
#include "tests/examples.hpp"

#include <cstdint>
#include <string>

#include "backoff_algorithm.h"
#include "catalogue_json.hpp"
#include "examples_yaml.hpp"

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

bool const registered = answers("aws_backoff_algorithm", {{"C99", of_algorithm}}) &&
                        are_tests("aws_backoff_algorithm", spec::aws_backoff_algorithm_examples_yaml,
                                  spec::aws_backoff_algorithm_catalogue_json);

}  // namespace
}  // namespace backoff::examples
