// What no row of examples.yaml can pass to the handle interface: values of the wrong type or behind a name that is
// none, an option handler of one's own; and constants that callers rely on.
#include "azure_c_retry_control/handle_test.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "tests/checks.hpp"

namespace backoff::spec::azure_c_retry_control {
namespace {

static_assert(core::failure == 1);
static_assert(core::indefinite_time == -1);
static_assert(core::environment<scripted_environment>);

struct throwing_clock : scripted_environment {
  std::int64_t get_time();
};
static_assert(!core::environment<throwing_clock> && !core::environment<int>);

TEST(azure_handle, refuses_values_of_the_wrong_type) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_043", "AZ-RC-U05");
  scripted_environment environment;
  core::handle_api api(environment);
  auto* const made = api.create(core::policy::interval, 0);
  std::uint32_t const number = 7;
  scripted_environment::options const saved{{{"initial_wait_time_in_secs", 7}}};
  EXPECT_EQ(api.set_option(made, "retry_control_options", &number), core::failure);
  EXPECT_EQ(api.set_option(made, "initial_wait_time_in_secs", &saved), core::failure);
  EXPECT_EQ(api.set_option(made, "max_jitter_percent", &saved), core::failure);
  auto* const all = api.retrieve_options(made);
  EXPECT_EQ(all->all[0].second, 5U);
  EXPECT_EQ(all->all[1].second, 5U);
  environment.option_destroy(all);
  api.destroy(made);
}

// Behind a name that is none there may be anything; reading it would end this program.
TEST(azure_handle, looks_at_the_name_before_the_value) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_043");
  scripted_environment environment;
  core::handle_api api(environment);
  auto* const made = api.create(core::policy::interval, 0);
  constexpr std::size_t bytes = 4'096;
  void* const unreadable = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(unreadable, MAP_FAILED);
  for (char const* const name : {"logging", "retry_control_options", ""}) {
    EXPECT_EQ(api.set_option(made, name, static_cast<std::uint32_t const*>(unreadable)), core::failure) << name;
  }
  munmap(unreadable, bytes);
  api.destroy(made);
}

TEST(azure_handle, feeds_options_one_by_one) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_041", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_042");
  scripted_environment environment;
  core::handle_api api(environment);
  auto* const made = api.create(core::policy::interval, 0);
  scripted_environment::options const saved{
      {{"max_jitter_percent", 9}, {"initial_wait", 7}, {"initial_wait_time_in_secs", 8}}};
  EXPECT_EQ(api.set_option(made, "retry_control_options", &saved), core::failure);
  auto* const all = api.retrieve_options(made);
  EXPECT_EQ(all->all[1].second, 9U) << "set before the feed failed";
  EXPECT_EQ(all->all[0].second, 5U) << "never reached";
  environment.option_destroy(all);
  api.destroy(made);
}

TEST(azure_handle, feeds_options_by_its_own_function) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_041");
  scripted_environment environment;
  environment.hands_options_over = true;
  core::handle_api api(environment);
  auto* const made = api.create(core::policy::interval, 0);
  scripted_environment::options const saved{{{"max_jitter_percent", 9}, {"initial_wait_time_in_secs", 8}}};
  EXPECT_EQ(api.set_option(made, "retry_control_options", &saved), 0);
  auto* const all = api.retrieve_options(made);
  EXPECT_EQ(all->all[0].second, 8U);
  EXPECT_EQ(all->all[1].second, 9U);
  environment.option_destroy(all);
  api.destroy(made);
}

}  // namespace
}  // namespace backoff::spec::azure_c_retry_control
