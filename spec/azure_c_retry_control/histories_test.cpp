// Every history of iothub_client_retry_control up to a small length, over a small alphabet of calls, under each policy
// with a limit and without: the value type of the library answers as the model does. And what no short history reaches.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "azure_c_retry_control/model.hpp"
#include "backoff/azure_c_retry_control.hpp"
#include "tests/checks.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::azure_c_retry_control {
namespace {

namespace core = backoff::azure_c_retry_control;

// Seconds at full speed; the instrumented builds, which are many times slower, reach every branch with shorter ones.
#ifdef NDEBUG
constexpr int longest = 5;
#else
constexpr int longest = 3;
#endif

constexpr std::uint32_t top = 4'294'967'295;
constexpr std::uint64_t rand_max = 3;

struct script {
  std::array<integer, 2> readings;
  std::uint64_t r;
  integer reads = 0;
  integer draws = 0;
};
class scripted_clock {
 public:
  explicit scripted_clock(script& from) noexcept : from_(&from) {}
  std::int64_t operator()() noexcept { return from_->readings.at(static_cast<std::size_t>(from_->reads++ > 0)); }

 private:
  script* from_;
};
class scripted_draws {
 public:
  explicit scripted_draws(script& from) noexcept : from_(&from) {}
  core::draw operator()() noexcept {
    ++from_->draws;
    return {static_cast<std::uint32_t>(from_->r), static_cast<std::uint32_t>(rand_max)};
  }

 private:
  script* from_;
};

static_assert(core::clock_source<scripted_clock> && core::draw_source<scripted_draws>);
static_assert(!core::clock_source<scripted_draws> && !core::draw_source<scripted_clock>);

// A call: seconds to the first reading and from it to the second (or a failing clock), and a draw; or no retry at all.
enum class letter_kind { retry, fail_first, fail_second, reset, set_wait, set_jitter };
struct letter {
  letter_kind kind;
  integer step = 0;
  integer between = 0;
  std::uint64_t r = 0;
};
using enum letter_kind;
constexpr std::array alphabet{
    letter{retry, 0, 0, 3}, letter{retry, 1, 0, 2}, letter{retry, 5, 1, 1},       letter{retry, -2, 0, 0},
    letter{retry, 10, 0},   letter{fail_first},     letter{fail_second, 3, 0, 1}, letter{reset},
    letter{set_wait},       letter{set_jitter},
};

struct pair {
  core::retry_control library;
  state model;
  integer time = 100;
};

std::string describe(expectation const& e) {
  return std::to_string(e[field_action].words()) + ", " + std::to_string(e[field_clock_reads].first()) + " readings";
}

// Calls both; whether they agree.
void expect_agreement(pair& both, letter const& call, chooser& choices, std::string const& path) {
  if (call.kind == reset) {
    core::reset(both.library);
    static_cast<void>(azure_c_retry_control::reset({}, both.model, choices));
    return;
  }
  if (call.kind == set_wait || call.kind == set_jitter) {
    bool const wait = call.kind == set_wait;
    EXPECT_TRUE(wait ? core::set_initial_wait_time_in_secs(both.library, 3)
                     : core::set_max_jitter_percent(both.library, 70));
    auto const name = wait ? option::initial_wait_time_in_secs : option::max_jitter_percent;
    static_cast<void>(set_option(name, {wait ? 3 : 70, {}}, {}, both.model));
    return;
  }
  both.time += call.step;
  script s{{both.time, both.time + call.between}, call.r};
  if (call.kind == fail_first) s.readings = {-1, -1};
  if (call.kind == fail_second) s.readings[1] = -1;
  auto const decided = core::should_retry(both.library, scripted_clock(s), scripted_draws(s));
  draw const from{draw_kind::rand, call.r, rand_max + 1};
  auto const e = should_retry({.clock = s.readings, .from = from}, both.model, choices).answer;
  answer port;
  port[field_status] = observed::word(0);
  port[field_result] = observed::of(decided.decided ? 0 : 1);
  port[field_action] = observed::word(static_cast<std::uint8_t>(decided.action));
  port[field_clock_reads] = observed::of(s.reads);
  port[field_draws_used] = observed::of(s.draws);
  port[field_live] = observed::of(1);
  for (std::size_t k = 0; k < port.size(); ++k) {
    ASSERT_TRUE(e[k].admits(port[k])) << "field " << k << " after" << path << ": the model admits " << describe(e);
  }
  EXPECT_EQ(e[field_action].words() & (e[field_action].words() - 1), 0U) << "several actions" << path;
  observe(both.model, port);
  EXPECT_FALSE(both.model.if_granted);
  auto const& wait = both.model.at.wait;
  if (decided.decided) {
    EXPECT_EQ(wait.low, both.library.current_wait_time_in_secs) << path;
  } else {
    EXPECT_EQ(decided.action, core::action::stop_retrying) << "for callers that look no further" << path;
  }
  EXPECT_EQ(wait.low, wait.high) << path;
}

std::size_t each_history(pair const& from, int calls, chooser& choices, std::string const& path) {
  std::size_t tried = 1;
  if (calls == 0 || testing::Test::HasFailure()) return tried;
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    pair next = from;
    std::string const here = path + ' ' + std::to_string(i);
    expect_agreement(next, alphabet.at(i), choices, here);
    tried += each_history(next, calls - 1, choices, here);
  }
  return tried;
}

TEST(azure_histories, up_to_a_small_length_are_answered_alike_by_library_and_model) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_013", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_017");
  std::vector<cube> none;
  chooser choices(readings(), readings().admitting(standing::canonical), none);
  std::size_t tried = 0;
  for (int p = 0; p < 7; ++p) {
    for (std::uint32_t const limit : {0U, 12U}) {
      pair fresh{core::create(static_cast<core::policy>(p), limit), {}};
      static_cast<void>(create(static_cast<policy>(p), limit, {}, fresh.model));
      tried += each_history(fresh, longest, choices,
                            " policy " + std::to_string(p) + ", limit " + std::to_string(limit) + ':');
    }
  }
  std::size_t each = 0;
  for (int n = 0; n <= longest; ++n) each = each * alphabet.size() + 1;
  EXPECT_EQ(tried, 14 * each) << "1 + 10 + 10^2 + … under each policy, with a limit and without";
}

TEST(azure_value, is_as_created_after_a_reset_but_for_its_options) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_008", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_035");
  auto control = core::create(core::policy::linear_backoff, 60);
  auto const expect_fresh = [&control] {
    EXPECT_EQ(control.retry_count, 0U);
    EXPECT_EQ(control.current_wait_time_in_secs, 0U);
    EXPECT_EQ(control.first_retry_time, core::indefinite_time);
    EXPECT_EQ(control.last_retry_time, core::indefinite_time);
  };
  expect_fresh();
  EXPECT_TRUE(core::set_initial_wait_time_in_secs(control, 7));
  EXPECT_TRUE(core::set_max_jitter_percent(control, 8));
  script s{{100, 101}, 0};
  EXPECT_TRUE(core::should_retry(control, scripted_clock(s), scripted_draws(s)).decided);
  EXPECT_EQ(control.retry_count, 1U);
  EXPECT_EQ(control.current_wait_time_in_secs, 7U);
  EXPECT_EQ(control.first_retry_time, 100);
  EXPECT_EQ(control.last_retry_time, 101);
  core::reset(control);
  expect_fresh();
  EXPECT_EQ(control.policy, core::policy::linear_backoff);
  EXPECT_EQ(control.max_retry_time_in_secs, 60U);
  EXPECT_EQ(control.initial_wait_time_in_secs, 7U);
  EXPECT_EQ(control.max_jitter_percent, 8U);
}

TEST(azure_retry_count, stays_at_its_top) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_015");
  for (auto const p : {core::policy::linear_backoff, core::policy::exponential_backoff,
                       core::policy::exponential_backoff_with_jitter, core::policy::immediate}) {
    auto control = core::create(p, 0);
    script s{{100, 100}, 0};
    EXPECT_TRUE(core::should_retry(control, scripted_clock(s), scripted_draws(s)).decided);
    for (std::uint32_t const count : {top - 1, top}) {
      control.retry_count = count;
      control.current_wait_time_in_secs = 0;
      auto const decided = core::should_retry(control, scripted_clock(s), scripted_draws(s));
      EXPECT_EQ(decided.action, core::action::retry_now);
      EXPECT_EQ(control.retry_count, top) << "a wrapped counter would be a first call again";
      EXPECT_EQ(control.current_wait_time_in_secs, p == core::policy::immediate ? 0 : top);
    }
  }
}

TEST(azure_timeout, is_not_reached_where_it_is_not_decided) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_057", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_060");
  script s{{100, 100}, 0};
  EXPECT_TRUE(core::is_timeout_reached(90, 10, scripted_clock(s)).timed_out);
  auto const without_start = core::is_timeout_reached(core::indefinite_time, 0, scripted_clock(s));
  EXPECT_FALSE(without_start.decided);
  EXPECT_FALSE(without_start.timed_out);
  script failing{{-1, -1}, 0};
  auto const without_clock = core::is_timeout_reached(-100, 1, scripted_clock(failing));
  EXPECT_FALSE(without_clock.decided);
  EXPECT_FALSE(without_clock.timed_out);
}

}  // namespace
}  // namespace backoff::spec::azure_c_retry_control
