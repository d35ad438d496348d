// Checks how a program is told where its server is.
#include "watch/client_command.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace backoff::watch {
namespace {

using texts = std::vector<std::string>;

texts values_of(texts const& environment, std::string const& name) {
  texts found;
  for (auto const& each : environment) {
    if (each.starts_with(name + "=")) found.push_back(each.substr(name.size() + 1));
  }
  return found;
}

TEST(client_command, each_placeholder_is_replaced_wherever_it_occurs) {
  EXPECT_EQ(with_server("{url}/a", 81), "http://127.0.0.1:81/a");
  EXPECT_EQ(with_server("{host} {port}{port} {target}", 81), "127.0.0.1 8181 127.0.0.1:81");
}

TEST(client_command, other_braces_stay) {
  for (auto const* const text : {"", "{}", "{url", "{{}}", "{\"a\": 1}", "{URL}"})
    EXPECT_EQ(with_server(text, 81), text);
  EXPECT_EQ(with_server("{{port}}", 81), "{81}");
}

TEST(client_command, a_program_that_is_not_told_is_seen) {
  EXPECT_FALSE(names_the_server(texts{"curl", "{uri}"}, texts{"A=b"}));
  EXPECT_TRUE(names_the_server(texts{"curl", "x{url}"}, {}));
  EXPECT_TRUE(names_the_server({}, texts{"A={target}"}));
}

TEST(client_command, variables_are_added_or_replace_those_of_this_process) {
  ::setenv("BACKOFF_WATCH_KEPT", "kept", 1);
  ::setenv("BACKOFF_WATCH_GIVEN", "ours", 1);
  ::setenv("no_proxy", "example.org", 1);
  ::unsetenv("NO_PROXY");
  auto const environment = client_environment(texts{"BACKOFF_WATCH_GIVEN={target}", "ADDED=1", "ADDED=2"}, 7, 81);
  EXPECT_EQ(values_of(environment, "BACKOFF_WATCH_KEPT"), texts{"kept"});
  EXPECT_EQ(values_of(environment, "BACKOFF_WATCH_GIVEN"), texts{"127.0.0.1:81"});
  EXPECT_EQ(values_of(environment, "ADDED"), texts{"2"});
  EXPECT_EQ(values_of(environment, "BACKOFF_RUN"), texts{"7"});
  EXPECT_EQ(values_of(environment, "no_proxy"), texts{"example.org,127.0.0.1"});
  EXPECT_EQ(values_of(environment, "NO_PROXY"), texts{"127.0.0.1"});
}

}  // namespace
}  // namespace backoff::watch
