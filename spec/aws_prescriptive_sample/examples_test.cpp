// The examples of the sample loop as tests of the model and of the library.
#include "tests/examples.hpp"

#include <cstdint>
#include <string>

#include "aws_prescriptive_sample/model.hpp"
#include "backoff/aws_prescriptive_sample.hpp"
#include "catalogue_json.hpp"
#include "examples_yaml.hpp"
#include "tests/model_answers.hpp"

namespace backoff::spec::aws_prescriptive_sample {
namespace {

namespace core = backoff::aws_prescriptive_sample;
using namespace backoff::examples;

instance of_model(examples::parameters const& given, cube assignment) {
  return [=, p = parameters{as<integer>(given, "max_retries")}, s = state()](call const& c) mutable {
    auto const http_status = as<integer>(c.with, "http_status");
    auto const made =
        under(readings(), assignment, [&](chooser& choices) { return attempt(p, s, http_status, choices); });
    return text_of(made.answer, {{"(answered)", "error"}, {}, {"stop", "retry"}});
  };
}

instance of_library(examples::parameters const& given) {
  return [run = core::retry_loop(as<std::uint32_t>(given, "max_retries"))](call const& c) mutable -> std::string {
    auto const delay = run.delay_ms();
    bool const again = run.retry_after(as<int>(c.with, "http_status"));
    if (delay == core::no_delay) return again ? "error, and retries" : "error";
    return std::to_string(delay) + (again ? "/retry" : "/stop");
  };
}

bool const registered =
    examples::answers("aws_prescriptive_sample", {model_of(readings(), of_model), {"library", of_library}}) &&
    are_tests("aws_prescriptive_sample", aws_prescriptive_sample_examples_yaml, aws_prescriptive_sample_catalogue_json);

}  // namespace
}  // namespace backoff::spec::aws_prescriptive_sample
