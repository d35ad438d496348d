// What the model of iothub_client_retry_control says of a call besides its answer, what examples leave out of an
// answer, and where it asks for readings.
#include <gtest/gtest.h>

#include <functional>
#include <string_view>
#include <vector>

#include "azure_c_retry_control/model.hpp"
#include "tests/checks.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::azure_c_retry_control {
namespace {

constexpr integer top = 4'294'967'295;
draw drawn(std::uint64_t r, std::uint64_t rand_max) { return {draw_kind::rand, r, rand_max + 1}; }
draw const undrawn = drawn(0, 1);

using call = std::function<outcome(state&, chooser&)>;

call make(policy p, integer max_retry_time) {
  return [=](state& s, chooser&) { return create(p, max_retry_time, {}, s); };
}
call retry(std::vector<integer> const& clock, draw const& from = undrawn) {
  return [=](state& s, chooser& choices) { return should_retry({.clock = clock, .from = from}, s, choices); };
}
call set_wait(integer secs) {
  return [=](state& s, chooser&) { return set_option(option::initial_wait_time_in_secs, {secs, {}}, {}, s); };
}
call start_again() {
  return [](state& s, chooser& choices) { return reset({}, s, choices); };
}
call timeout(integer start, integer secs, integer now) {
  return [=](state& s, chooser& choices) { return is_timeout_reached(start, secs, {.clock = {&now, 1}}, s, choices); };
}

TEST(azure_failed_feed, leaves_sets_that_differ_where_their_steps_do) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_042");
  EXPECT_EQ((values{3, 7, 2}), (values{3, 7, 2}));
  EXPECT_NE((values{3, 7, 2}), (values{3, 7, 4})) << "3, 5, 7 and 3, 7";
}

TEST(azure_live, is_whatever_an_instance_takes_and_stays_so) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_002", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_056");
  auto const live = [](outcome const& o) { return o.answer[field_live]; };
  state s;
  auto const made = create(policy::none, 0, {}, s);
  EXPECT_EQ(live(made), admissible::integers(1, 1, top));
  answer port;
  port[field_live] = observed::of(3);
  observe(s, port);
  EXPECT_EQ(live(retrieve_options({.clock = {}, .option_add_fails = true}, s)), admissible::exactly(3));
  EXPECT_EQ(live(destroy({.clock = {}, .null_handle = true}, s)), admissible::exactly(3));
  EXPECT_EQ(live(destroy({}, s)), admissible::exactly(0));
  EXPECT_EQ(live(destroy({}, s)), admissible::exactly(0)) << "there is only a NULL handle left";
}

// ---- What claims speak about ----

// Of the last call. What comes before it admits one answer each, so that there is nothing to observe.
outcome last_of(std::vector<call> const& history, std::vector<pin> const& pins = {}) {
  return under(readings(), pinned(readings(), pins), [&](chooser& choices) {
    state s;
    outcome last;
    for (auto const& c : history) last = c(s, choices);
    return last;
  });
}
facts facts_of(std::vector<call> const& history, std::vector<pin> const& pins = {}) {
  return last_of(history, pins).facts;
}

TEST(azure_facts, say_where_a_call_stands) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_023", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_024",
         "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_025");
  std::vector<call> const start{make(policy::interval, 10), retry({100})};
  auto const first = facts_of(start);
  EXPECT_TRUE(first.first && first.may_grant);
  EXPECT_FALSE(first.may_wait || first.past_limit || first.backwards || first.fails || first.null_argument ||
               first.after_reset);
  EXPECT_EQ(first.policy, policy::interval);
  auto const then = [&](call const& next) {
    auto history = start;
    history.push_back(next);
    return facts_of(history);
  };
  auto const waiting = then(retry({102}));
  EXPECT_TRUE(waiting.may_wait);
  EXPECT_FALSE(waiting.may_grant || waiting.first);
  EXPECT_EQ(waiting.retry_count, 1);
  EXPECT_EQ(waiting.wait, (values{5, 5}));
  EXPECT_EQ(waiting.elapsed_secs, 2);
  EXPECT_EQ(
      facts_of({make(policy::interval, 10), retry({100, -1}), retry({101})}, {{"failed-016", "returns-zero"}}).wait,
      (values{5, 5}))
      << "calculated all the same";
  EXPECT_TRUE(then(retry({99})).backwards);
  EXPECT_TRUE(then(retry({110})).past_limit);
  EXPECT_TRUE(then(retry({-1})).fails);
  EXPECT_TRUE(then(retry({105, -1})).fails);
  EXPECT_FALSE(facts_of({make(policy::random, 0), retry({0}, draw{}), retry({2, -1}, draw{})}).fails)
      << "it may wait instead";
  EXPECT_TRUE(then(timeout(50, 10, 49)).backwards);
  EXPECT_TRUE(then(timeout(-1, 10, 49)).fails);
  EXPECT_TRUE(then(set_wait(0)).fails);
  EXPECT_TRUE(facts_of({make(policy::none, 0), start_again(), retry({100})}).after_reset);
  state none;
  EXPECT_TRUE(retrieve_options({}, none).facts.null_argument);
  auto const asked = under(readings(), pinned(readings(), {}), [&](chooser& choices) {
    return should_retry({.clock = {}, .from = drawn(1, 1)}, none, choices).answer;
  });
  EXPECT_EQ(asked[field_clock_reads], admissible::exactly(0));
  EXPECT_EQ(asked[field_draws_used], admissible::exactly(0));
  EXPECT_FALSE(facts_of({timeout(50, 10, 49)}).null_argument) << "it takes no handle";
  state some;
  auto const made = create(policy::interval, 10, {}, some).facts;
  EXPECT_FALSE(made.null_argument || made.fails);
  EXPECT_FALSE(set_option(option::initial_wait_time_in_secs, {7, {}}, {.clock = {}, .option_feed_fails = true}, some)
                   .facts.fails)
      << "nothing is fed";
  static_cast<void>(destroy({}, some));
  EXPECT_TRUE(retrieve_options({}, some).facts.null_argument) << "destroyed";
  auto const unmade = create(policy::interval, 10, {.clock = {}, .malloc_fails = true}, some).facts;
  EXPECT_TRUE(unmade.fails && !unmade.null_argument);
}

TEST(azure_timeout, answers_in_its_own_field_alone) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_054");
  for (integer const now : {-1, 60}) {
    auto const answer = under(readings(), pinned(readings(), {}), [&](chooser& choices) {
      state s;
      static_cast<void>(create(policy::interval, 10, {}, s));
      return is_timeout_reached(50, 10, {.clock = {&now, 1}}, s, choices).answer;
    });
    EXPECT_EQ(answer[field_timed_out], now == -1 ? admissible::unjudged() : admissible::word(1)) << now;
    for (field const other : {field_action, field_initial_wait, field_max_jitter, field_draws_used}) {
      EXPECT_EQ(answer[other], admissible::nothing()) << now << ", field " << other;
    }
    EXPECT_EQ(answer[field_live].kind(), admissible_kind::lattice);
  }
}

// In examples the library says the same, and draws nothing.
TEST(azure_failed_016, may_have_drawn_the_next_wait) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_016");
  auto const drawn_at = [](policy p, std::vector<integer> const& clock, std::string_view how) {
    return last_of({make(p, 0), retry(clock)}, {{"failed-016", how}}).answer[field_draws_used];
  };
  EXPECT_EQ(drawn_at(policy::random, {100, -1}, "uncounted"), admissible::integers(0, 1, 2)) << "017 names no order";
  EXPECT_EQ(drawn_at(policy::random, {100, -1}, "fails"), admissible::integers(0, 1, 2));
  EXPECT_EQ(drawn_at(policy::interval, {100, -1}, "fails"), admissible::exactly(0)) << "nothing is drawn for it";
  EXPECT_EQ(drawn_at(policy::random, {-1}, "fails"), admissible::exactly(0)) << "no retry was granted";
}

// ---- Forks ----

// How many alternatives a history leaves to be explored, with every reading open.
std::size_t forks(std::vector<call> const& history) {
  std::vector<cube> elsewhere;
  chooser choices(readings(), assignments(draw_kind::u32).front(), elsewhere);
  state s;
  for (auto const& c : history) static_cast<void>(c(s, choices));
  return elsewhere.size();
}

TEST(azure_readings, are_consulted_only_where_they_matter) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_013");
  EXPECT_EQ(assignments(draw_kind::hidden), (std::vector{readings().admitting(standing::hazard)}));
  EXPECT_EQ(forks({make(policy::none, 10), retry({0}), retry({20})}), 0U);
  EXPECT_EQ(forks({make(policy::interval, 10), set_wait(5), start_again(), retry({0})}), 1U) << "first-call";
  EXPECT_EQ(forks({make(policy::interval, 10), retry({0}), retry({5}), retry({15})}), 1U);
  EXPECT_EQ(forks({make(policy::interval, 10), retry({0}), retry({5}), retry({15}), retry({15})}), 2U) << "stop-sticky";
  EXPECT_EQ(forks({make(policy::linear_backoff, 0), retry({0})}), 2U) << "and count-origin";
  EXPECT_EQ(forks({make(policy::random, 0), retry({0}, drawn(1, 1))}), 2U) << "and quotients";
  EXPECT_EQ(forks({make(policy::random, 0), retry({0}, drawn(1, 3))}), 3U) << "and wait-rounding";
  EXPECT_EQ(forks({make(policy::immediate, 10), retry({0}), retry({9})}), 1U);
  EXPECT_EQ(forks({make(policy::immediate, 10), retry({0}), retry({10})}), 2U) << "and immediate-limit";
  EXPECT_EQ(forks({make(policy::interval, 0), set_wait(7), start_again()}), 1U) << "reset-options";
}

}  // namespace
}  // namespace backoff::spec::azure_c_retry_control
