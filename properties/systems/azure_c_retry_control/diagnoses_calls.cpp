// Faults of one kind of call: it breaks, leaks, or answers otherwise where it fails or comes first.
#include <fmt/format.h>

#include "histories/systems.hpp"
#include "systems/azure_c_retry_control/diagnoses_change.hpp"

namespace backoff::systems::azure_c_diagnoses {
namespace {

// Some of the calls, in words.
struct some_calls {
  std::string words;
  std::function<bool(made const&)> are;
};

std::vector<some_calls> kinds_of_calls() {
  std::vector<some_calls> all;
  auto const operations = azure_c_retry_control_shape.operations;
  for (std::size_t op = 0; op < operations.size(); ++op) {
    std::string const name(operations[op].name);
    auto const add = [&](std::string const& words, bool (*are)(made const&)) {
      all.push_back({name + words, [=](made const& m) { return m.call.op == op && are(m); }});
    };
    add("", [](made const&) { return true; });
    add(" where it succeeds", [](made const& m) { return m.succeeds(); });
    add(" where it fails", [](made const& m) { return m.fails(); });
    add(" of NULL", [](made const& m) { return (calls::nulls_of(m.call) & calls::null_handle) != 0; });
    add(" of an instance", [](made const& m) { return (calls::nulls_of(m.call) & calls::null_handle) == 0; });
    add(" where OptionHandler_AddOption fails",
        [](made const& m) { return m.fails() && calls::fails_of(m.call) == calls::fail_option_add; });
    add(" where OptionHandler_Create fails", [](made const& m) {
      return m.outcome.facts.fails && (calls::fails_of(m.call) & calls::fail_option_create) != 0;
    });
    add(" before the first retry",
        [](made const& m) { return m.before.exists && !m.is_of_null() && !m.before.at.first_retry_time; });
  }
  return all;
}

void add_memory(changes& all) {
  all.told_by({});
  for (auto const& some : kinds_of_calls()) {
    all.add("breaks", "breaks at " + some.words, {.makes = [are = some.are](made const& m) {
              if (!are(m)) return;
              m.outcome.answer = {};
              m.answer(model::field_status) = word_of(model::status::error);
            }});
    all.add("leaks", "does not free memory at " + some.words, {.makes = [are = some.are](made const& m) {
              if (!are(m)) return;
              constexpr spec::integer most = 1'000'000;
              auto const least = m.after.live.low + 1;
              m.answer(model::field_live) = admissible::integers(least, 1, most);
              m.after.live = {least, least + most - 1};
            }});
  }
  all.add("not-allocated", "allocates nothing", {.makes = [](made const& m) {
            m.answer(model::field_live) = admissible::exactly(0);
            m.after.live = {0, 0};
          }});
  all.add("create-ignores-malloc", "returns an instance where malloc fails", {.makes = [](made const& m) {
            if (m.call.op != calls::create || !m.outcome.facts.fails) return;
            m.after.exists = true;
            m.after.live = {1, static_cast<spec::integer>(seconds_max)};
            m.answer(model::field_status) = word_of(model::status::ok);
            m.answer(model::field_live) = admissible::unjudged();
          }});
  auto const policies = azure_c_retry_control_shape.operations[calls::create].args[calls::policy_at].words;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    all.add("no-instance", fmt::format("creates nothing for {}", policies[i]), {.makes = [i](made const& m) {
              if (m.call.op != calls::create || m.after.policy != static_cast<policy>(i)) return;
              m.after.exists = false;
              m.after.live = {0, 0};
              m.answer(model::field_status) = word_of(model::status::null);
              m.answer(model::field_live) = admissible::exactly(0);
            }});
  }
  all.add("null-has-options", "returns options for NULL",
          {.makes =
               [](made const& m) {
                 if (m.call.op != calls::retrieve_options || !m.is_of_null()) return;
                 for (auto const field : {model::field_initial_wait, model::field_max_jitter})
                   m.answer(field) = admissible::unjudged();
               },
           .learns = false});
}

bool asks_under_none(made const& m) {
  return m.call.op == calls::should_retry && m.after.policy == policy::none && !m.is_of_null();
}

void add_should_retry(changes& all) {
  all.add("none-retries-once", "retries once under NONE", {.makes = [](made const& m) {
            if (!asks_under_none(m) || m.after.at.retry_count != 0) return;
            m.after.at.retry_count = 1;
            m.answer(model::field_action) = word_of(model::action::retry_now);
          }});
  all.add("reads-for-none", "reads the clock under NONE", {.makes = [](made const& m) {
            if (asks_under_none(m)) m.answer(model::field_clock_reads) = admissible::integers(1, 1, 3);
          }});
  all.told_by("clock_is_read_where_documented");
  all.add("another-clock", "reads another clock than get_time()", {.makes = [](made const& m) {
            auto& reads = m.answer(model::field_clock_reads);
            if (reads.kind() == admissible_kind::lattice) reads = admissible::exactly(0);
          }});
  auto const words = azure_c_retry_control_shape.answers[model::field_action].words;
  for (auto const what : {model::action::retry_now, model::action::retry_later, model::action::stop_retrying}) {
    auto const word = words[static_cast<std::size_t>(what)];
    all.told_by("failed_clock_fails_the_call");
    all.add("failed-clock", fmt::format("answers {} where the clock fails", word), {.makes = [what](made const& m) {
              bool const failed = m.call.op == calls::should_retry && m.fails();
              if (!failed || m.outcome.facts.may_grant) return;
              m.answer(model::field_result) = admissible::exactly(0);
              m.answer(model::field_action) = word_of(what);
            }});
    all.told_by("first_retry_is_granted_at_once");
    all.add("first-retry", fmt::format("answers {} at the first call", word), {.makes = [what](made const& m) {
              auto const& facts = m.outcome.facts;
              bool const first = m.call.op == calls::should_retry && facts.first && facts.may_grant;
              if (first) m.answer(model::field_action) = word_of(what);
            }});
  }
}

void add_is_timeout_reached(changes& all) {
  all.told_by("timeout_needs_a_start_and_a_clock");
  for (bool const reached : {false, true}) {
    for (bool const has_start : {true, false}) {
      all.add(has_start ? "timeout-without-a-clock" : "timeout-without-a-start",
              fmt::format("answers {} for a timeout {}", reached ? "reached" : "not reached",
                          has_start ? "where the clock fails" : "without a start"),
              {.makes = [=](made const& m) {
                bool const failed = m.call.op == calls::is_timeout_reached && m.fails();
                if (!failed || (m.call.args[calls::start_at].n != -1) != has_start) return;
                m.answer(model::field_result) = admissible::exactly(0);
                m.answer(model::field_timed_out) = word_of(reached);
              }});
    }
  }
}

}  // namespace

void add_calls(changes& all) {
  add_memory(all);
  add_should_retry(all);
  add_is_timeout_reached(all);
}

}  // namespace backoff::systems::azure_c_diagnoses
