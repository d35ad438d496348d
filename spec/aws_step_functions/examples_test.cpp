// The examples of Step Functions as tests of the model and of the library in three units.
#include "tests/examples.hpp"

#include <cstdint>
#include <string>

#include "aws_step_functions/model.hpp"
#include "backoff/aws_step_functions.hpp"
#include "catalogue_json.hpp"
#include "examples_yaml.hpp"
#include "tests/model_answers.hpp"

namespace backoff::spec::aws_step_functions {
namespace {

namespace core = backoff::aws_step_functions;
using namespace backoff::examples;

instance of_model(examples::parameters const& given, cube assignment) {
  parameters const p{as<integer>(given, "interval_s"), in_parts<integer>(given, "backoff_rate", 1'000),
                     as<integer>(given, "max_attempts")};
  return [=, s = state()](call const& c) mutable {
    auto const granted = under(readings(), assignment, [&](chooser& choices) { return next(p, s, choices); });
    answer port;
    port[field_delay] = observed_of(c.port);
    observe(s, port);
    return text_of(granted.answer, {{"(retry)", "exhausted"}, {}});
  };
}

template <word W, std::uint64_t ticks, unsigned bits>
subject of_library(std::string const& name) {
  auto const fresh = [](examples::parameters const& p) -> instance {
    auto const checked = core::retry_run<W, ticks, bits>::with(
        as<std::int64_t>(p, "interval_s"), {in_parts<std::uint32_t>(p, "backoff_rate", 1'000), 1'000},
        as<std::uint32_t>(p, "max_attempts"));
    if (checked.error == core::parameter_error::product_too_wide) throw unfit();
    EXPECT_EQ(checked.error, core::parameter_error::none);
    return [run = checked.value](call const&) mutable -> std::string {
      auto const decided = run.next();
      if (decided.status == core::status::retry) return text_of(rational(decided.delay, ticks));
      return decided.delay == 0 ? "exhausted" : "exhausted after a delay";
    };
  };
  return {name, fresh, to_nearest(ticks, static_cast<W>(~std::uint64_t{0}))};
}

bool const registered =
    examples::answers(
        "aws_step_functions",
        {model_of(readings(), of_model), of_library<std::uint64_t, 1'000'000'000'000, 512>("library, ps"),
         of_library<std::uint32_t, 1'000, 1'024>("library, ms"), of_library<std::uint16_t, 1, 128>("library, s")}) &&
    are_tests("aws_step_functions", aws_step_functions_examples_yaml, aws_step_functions_catalogue_json);

}  // namespace
}  // namespace backoff::spec::aws_step_functions
