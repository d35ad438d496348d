// The examples of Retry Utilities as tests of the model and of the library at both widths.
#include "tests/examples.hpp"

#include <cstdint>
#include <string>

#include "aws_retry_utils/model.hpp"
#include "backoff/aws_retry_utils.hpp"
#include "catalogue_json.hpp"
#include "examples_yaml.hpp"
#include "tests/model_answers.hpp"

namespace backoff::spec::aws_retry_utils {
namespace {

namespace core = backoff::aws_retry_utils;
using namespace backoff::examples;

instance of_model(examples::parameters const& given, cube assignment) {
  parameters const p{as<integer>(given, "initial_backoff_s"), as<integer>(given, "max_backoff_s"),
                     as<integer>(given, "max_jitter_s"), as<integer>(given, "max_attempts"), true};
  return [=, s = state(), is_undefined = false](call const& c) mutable -> std::string {
    if (is_undefined) return "undefined";  // nothing is judged any more
    auto const from = draw_of(c.with.at("draw"));
    auto called = under(readings(), assignment, [&](chooser& choices) {
      return c.name == "reset" ? reset(p, s, from, choices) : back_off(p, s, from, choices);
    });
    // Before the first back-off the maximum need not limit the window that is shown.
    auto& window = called.answer[field_next_jitter_max];
    if (s.retries == 0 && window.first() == p.max_backoff_s) window = admissible::exactly(window.first());
    is_undefined = called.answer[field_status] == admissible::unjudged();
    return text_of(called.answer, {{"(retry)", "exhausted", "ok"}, {}, {}, {}});
  };
}

template <word W>
instance of_library(examples::parameters const& given) {
  core::retry_cycle<W> const fresh({as<W>(given, "initial_backoff_s"), as<W>(given, "max_backoff_s"),
                                    as<W>(given, "max_jitter_s"), as<std::uint32_t>(given, "max_attempts")},
                                   std::uint32_t{0});
  return [cycle = fresh](call const& c) mutable {
    auto const draw = as<std::uint32_t>(c.with, "draw");
    std::string said = "ok";
    if (c.name == "backoff") {
      auto const decided = cycle.back_off(draw);
      bool const is_exhausted = decided.status == core::status::exhausted;
      said = !is_exhausted ? std::to_string(decided.sleep_s) : decided.sleep_s == 0 ? "exhausted" : "neither";
    } else {
      cycle.reset(draw);
    }
    return joined({said, std::to_string(cycle.attempts_done()), std::to_string(cycle.next_jitter_max())});
  };
}

bool const registered = examples::answers("aws_retry_utils", {model_of(readings(), of_model),
                                                              {"library, u16", of_library<std::uint16_t>},
                                                              {"library, u32", of_library<std::uint32_t>}}) &&
                        are_tests("aws_retry_utils", aws_retry_utils_examples_yaml, aws_retry_utils_catalogue_json);

}  // namespace
}  // namespace backoff::spec::aws_retry_utils
