// How bindings turn the calls of a history into calls of a model, by hand: for systems whose calls have many arguments.
#include <gtest/gtest.h>

#include <algorithm>

#include "judge/hidden_draws.hpp"
#include "judge/judged_system.hpp"

namespace {

using namespace backoff::judge;
namespace spec = backoff::spec;
using spec::admissible;

spec::cube canonical(judged_system const& system) { return system.readings().admitting(spec::standing::canonical); }

bool at_stake(judged_system const& system, history const& h, answer const& port, std::string_view claim) {
  auto const report = system.broken_claims(h, std::vector{port}, {}, canonical(system));
  auto const claims = system.claims();
  auto const at = std::ranges::find(claims, claim, &claim_text::name);
  return includes(report.at_stake, static_cast<unsigned>(at - claims.begin()));
}

// --- azure_java_retry_policy ---

judged_system const& java() { return *find_judged_system("azure_java_retry_policy"); }
enum java_policy : std::int64_t { backs_off, no_retry, custom };
enum java_error : std::int64_t { protocol, service, terminal, unknown };

history decided(java_policy policy, std::vector<value> const& args) {
  history h;
  h.params[0] = value::word(policy);
  step call{};
  std::ranges::copy(args, call.args.begin());
  h.steps = {call};
  return h;
}
admissible retry_of(history const& h) { return java().admitted(h, {}, {}, canonical(java())).front()[1]; }

// The kind of an error, where it is named, decides, and not what is said of errors without a name.
TEST(bindings, java_reads_what_failed) {
  struct row {
    bool retryable;
    std::optional<java_error> error;
    bool retried;
  };
  for (auto const& [retryable, error, retried] : {row{true, {}, true},
                                                  {false, {}, false},
                                                  {false, protocol, true},
                                                  {false, service, true},
                                                  {true, terminal, false},
                                                  {true, unknown, false}}) {
    auto const kind = error ? value::word(*error) : value{};
    auto const h = decided(backs_off, {value::of(1), value::word(retryable ? 1 : 0), value::of(0), kind});
    EXPECT_EQ(retry_of(h), admissible::word(retried ? 1 : 0));
    answer const stops{observed::word(0), observed::word(0)};
    EXPECT_EQ(at_stake(java(), h, stops, "unknown_errors_are_not_retried"), error == unknown);
    EXPECT_EQ(at_stake(java(), h, stops, "terminal_errors_are_not_retried"), error == terminal);
  }
}

TEST(bindings, java_reads_what_a_custom_policy_decides) {
  for (bool const retries : {false, true}) {
    auto const h = decided(
        custom, {value::of(1), value::word(1), value::of(0), {}, {}, value::word(retries ? 1 : 0), value::of(160)});
    EXPECT_EQ(retry_of(h), admissible::word(retries ? 1 : 0));
    auto const delay = java().admitted(h, {}, {}, canonical(java())).front()[2];
    EXPECT_EQ(delay.admits(observed::of(160)), retries);
    EXPECT_FALSE(delay.admits(observed::of(161)));
  }
}

TEST(bindings, java_tells_of_no_draw_where_nothing_is_retried) {
  constexpr draw_tests_mask all_tests = (draw_tests_mask{1} << draw_tests) - 1;
  auto const h = decided(backs_off, {value::of(2), value::word(0)});
  std::vector const stopped{answer{observed::word(0), observed::word(0)}};
  auto const under = canonical(java());
  EXPECT_TRUE(hidden_draws(java(), 1e-9, all_tests, {under}).seen_by(under, h, stopped).empty());
}

// A policy of its own may decide about it.
TEST(bindings, java_tells_of_no_draw_after_an_error_of_the_service) {
  constexpr draw_tests_mask all_tests = (draw_tests_mask{1} << draw_tests) - 1;
  std::vector const retried{answer{observed::word(0), observed::word(1), observed::of(160)}};
  auto const under = canonical(java());
  for (auto const error : {protocol, service}) {
    auto const h = decided(backs_off, {value::of(2), {}, {}, value::word(error)});
    EXPECT_EQ(hidden_draws(java(), 1e-9, all_tests, {under}).seen_by(under, h, retried).empty(), error == service);
  }
}

TEST(bindings, java_tells_of_no_draw_behind_an_answer_that_no_draw_gives) {
  constexpr draw_tests_mask all_tests = (draw_tests_mask{1} << draw_tests) - 1;
  auto const under = canonical(java());
  auto const h = decided(backs_off, {value::of(2), {}, {}, value::word(protocol)});
  for (bool const possible : {true, false}) {
    std::vector const retried{answer{observed::word(0), observed::word(1), observed::of(possible ? 160 : 1'000'000)}};
    EXPECT_EQ(hidden_draws(java(), 1e-9, all_tests, {under}).seen_by(under, h, retried).empty(), !possible);
  }
}

}  // namespace
