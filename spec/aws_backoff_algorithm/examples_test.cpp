// The examples of backoffAlgorithm as tests of the model and of the library at both
// widths.
#include "tests/examples.hpp"

#include <cstdint>
#include <string>

#include "aws_backoff_algorithm/model.hpp"
#include "backoff/aws_backoff_algorithm.hpp"
#include "catalogue_json.hpp"
#include "examples_yaml.hpp"
#include "tests/model_answers.hpp"

namespace backoff::spec::aws_backoff_algorithm {
namespace {

namespace core = backoff::aws_backoff_algorithm;
using namespace backoff::examples;

instance of_model(examples::parameters const& given, cube assignment) {
  parameters const p{as<integer>(given, "base_ms"), as<integer>(given, "max_ms"), number(given.at("max_attempts"))};
  return [=, s = state()](call const& c) mutable {
    auto const called = under(readings(), assignment, [&](chooser& choices) {
      return c.name == "reset" ? reset(s) : next(p, s, draw_of(c.with.at("draw")), choices);
    });
    return text_of(called.answer, {{"(retry)", "exhausted", "ok"}, {}});
  };
}

template <word W>
instance of_library(examples::parameters const& given) {
  auto const most = number(given.at("max_attempts"));
  auto const limit = most ? core::attempt_limit::of(as<std::uint32_t>(*most)) : core::attempt_limit::forever();
  core::full_jitter<W> const fresh({as<W>(given, "base_ms"), as<W>(given, "max_ms"), limit});
  return [cycle = fresh](call const& c) mutable -> std::string {
    if (c.name == "reset") return cycle.reset(), "ok";
    auto const decided = cycle.next(as<std::uint32_t>(c.with, "draw"));
    if (decided.status == core::status::retry) return std::to_string(decided.delay_ms);
    return decided.delay_ms == 0 ? "exhausted" : "exhausted after a delay";
  };
}

bool const registered =
    examples::answers("aws_backoff_algorithm", {model_of(readings(), of_model),
                                                {"library, u16", of_library<std::uint16_t>},
                                                {"library, u32", of_library<std::uint32_t>}}) &&
    are_tests("aws_backoff_algorithm", aws_backoff_algorithm_examples_yaml, aws_backoff_algorithm_catalogue_json);

}  // namespace
}  // namespace backoff::spec::aws_backoff_algorithm
