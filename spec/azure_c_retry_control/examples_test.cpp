// The examples of retry control as tests of the model, with exact differences of times, and of
// the library behind its handles.
#include "tests/examples.hpp"

#include <memory>
#include <optional>
#include <string>

#include "azure_c_retry_control/calls_test.hpp"
#include "azure_c_retry_control/handle_test.hpp"
#include "azure_c_retry_control/model.hpp"
#include "catalogue_json.hpp"
#include "examples_yaml.hpp"
#include "histories/present.hpp"
#include "tests/model_answers.hpp"

namespace backoff::spec::azure_c_retry_control {
namespace {

using namespace backoff::examples;

draw draw_of(asked const& a) {
  auto const word = a.word("draw");
  if (word.find('/') != word.npos) return drawn(a.r, a.rand_max);
  if (word.find('.') == word.npos) return spec::draw_of(word);
  auto const part = number_of(word);
  return {draw_kind::unit, static_cast<std::uint64_t>(numerator(part)), static_cast<std::uint64_t>(denominator(part))};
}
surroundings surroundings_of(asked const& a) {
  auto const null = a.word("null"), fails = a.word("fails");
  return {.clock = a.clock,
          .from = draw_of(a),
          .null_handle = null == "handle",
          .null_out = null == "action" || null == "out",
          .null_name = null == "name",
          .null_value = null == "value",
          .malloc_fails = fails == "malloc",
          .option_create_fails = fails == "option_create",
          .option_add_fails = fails.ends_with("option_add"),
          .option_feed_fails = fails == "option_feed"};
}
option_value value_of(asked const& a) {
  if (a.is_saved) return {0, {a.options[0], a.options[1]}};
  return {histories::present(a.options[0]), {}};
}

expectation called(asked const& a, std::string const& name, state& s, chooser& choices) {
  auto const with = surroundings_of(a);
  if (name == "create") return create(policy{a.policy}, a.number<integer>("max_retry_time_s"), with, s).answer;
  if (name == "should_retry") return should_retry(with, s, choices).answer;
  if (name == "reset") return reset(with, s, choices).answer;
  if (name == "retrieve_options") return retrieve_options(with, s).answer;
  if (name == "destroy") return destroy(with, s).answer;
  if (name == "is_timeout_reached") {
    return is_timeout_reached(a.number<integer>("start"), a.number<integer>("timeout_s"), with, s, choices).answer;
  }
  auto const which =
      place_of(a.word("name"), {"initial_wait_time_in_secs", "max_jitter_percent", "retry_control_options"});
  return set_option(static_cast<option>(which), value_of(a), with, s).answer;
}

// The first answer that is admitted, but for what the row says: an action, fails, or both.
answer answer_of(expectation const& e, std::string const& port) {
  using enum admissible_kind;
  answer a;
  for (std::size_t k = 0; k < e.size(); ++k) {
    if (e[k].kind() == not_zero) a[k] = observed::of(1);
    if (e[k].kind() == lattice) a[k] = observed::of(e[k].first());
    if (e[k].kind() == keyword) a[k] = observed::word(e[k].word());
  }
  if (port.empty() || port == "first") return a;
  a[field_result] = observed::of(port.starts_with("fails") ? 1 : 0);
  if (port.ends_with("now")) a[field_action] = observed::word(0);
  if (port.ends_with("later")) a[field_action] = observed::word(1);
  for (std::size_t k = 0; k < e.size(); ++k) EXPECT_TRUE(e[k].admits(a[k])) << port << ", field " << k;
  return a;
}

instance of_model(examples::parameters const& given, cube assignment) {
  return [=, s = state()](call const& c) mutable {
    asked const a(given, c);
    auto e = under(readings(), assignment, [&](chooser& choices) { return called(a, c.name, s, choices); });
    observe(s, answer_of(e, c.port));
    if (e[field_status].kind() == admissible_kind::unjudged) return std::string("undefined");
    bool const fails = e[field_result].kind() == admissible_kind::not_zero;
    bool const is_allocated = e[field_live].first() > 0;  // nobody says how many allocations an instance is made of
    if (c.name == "destroy") {
      bool const is_ok = e[field_status] == admissible::word(static_cast<std::uint8_t>(status::ok));
      return std::string(!is_ok ? "neither" : is_allocated ? "held" : "none");
    }
    if (c.name == "retrieve_options" && e[field_initial_wait] == admissible::nothing())
      return std::string("no_options");
    if (c.name == "set_option" || fails) e[field_result] = admissible::word(c.name != "set_option" ? 2 : fails ? 1 : 0);
    if (e[field_result] == admissible::exactly(0)) e[field_result] = admissible::nothing();
    if (e[field_result].kind() == admissible_kind::unjudged) e[field_result] = admissible::words(1U << 2 | 1U << 3);
    if (fails) e[field_action] = e[field_timed_out] = admissible::nothing();
    if (fails || e[field_draws_used] == admissible::exactly(0)) e[field_draws_used] = admissible::nothing();
    e[field_live] = admissible::nothing();
    return text_of(e, {{"(answered)", "ok", "no_instance", "error"},
                       {"set", "refused", "fails", "succeeds"},
                       {"now", "later", "stop"},
                       {"false", "true"}});
  };
}

instance of_library(examples::parameters const& given) {
  return [given, handle = std::make_shared<scripted_handle>()](call const& c) -> std::string {
    asked const a(given, c);
    auto const with = surroundings_of(a);
    handle->environment().adds_before_failure = a.word("fails") == "second_option_add" ? 1 : 0;
    if (c.name == "create")
      return handle->create(policy{a.policy}, a.number<integer>("max_retry_time_s"), with) ? "ok" : "no_instance";
    if (c.name == "reset") return handle->reset(with), "ok";
    if (c.name == "destroy") return handle->destroy(with), memory_word(handle->live());
    if (c.name == "set_option")
      return handle->set_option(a.word("name").c_str(), value_of(a), a.is_saved, with) ? "set" : "refused";
    if (c.name == "retrieve_options") {
      auto const o = handle->retrieve_options(with);
      return o ? joined({std::to_string(o->initial_wait_time_in_secs), std::to_string(o->max_jitter_percent)})
               : "no_options";
    }
    if (c.name == "should_retry") {
      auto const [what, reads, draws] = handle->should_retry(with);
      return decided(what ? std::optional(action_word(static_cast<std::size_t>(*what))) : std::nullopt, reads,
                     static_cast<std::size_t>(draws));
    }
    auto const [what, reads, draws] =
        handle->is_timeout_reached(a.number<integer>("start"), a.number<std::uint32_t>("timeout_s"), with);
    return decided(what ? std::optional<std::string>(*what ? "true" : "false") : std::nullopt, reads,
                   static_cast<std::size_t>(draws));
  };
}

bool const registered =
    examples::answers("azure_c_retry_control",
                      {model_of(readings(), of_model, {{"difference-overflow", "exact"}}), {"library", of_library}}) &&
    are_tests("azure_c_retry_control", azure_c_retry_control_examples_yaml, azure_c_retry_control_catalogue_json);

}  // namespace
}  // namespace backoff::spec::azure_c_retry_control
