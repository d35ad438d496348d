// What is asked again ends in time, leaves the port as it was, and throws nothing at the judge.
#include "oracle/asked_again.hpp"

#include <gtest/gtest.h>

#include "histories/text.hpp"
#include "oracle/played_port_test.hpp"

namespace {

using namespace backoff::oracle;
using namespace std::chrono_literals;

std::vector<history> histories() {
  return parse_token("aws_backoff_algorithm/base_ms=1,max_ms=2,max_attempts=3/next:7").cases;
}

TEST(patience, leaves_limits_as_they_were) {
  played_session session("plain");
  auto& port = session.port;
  auto const outer = std::chrono::steady_clock::now() + 1h;
  port.until(outer);
  port.hold_back([](history const&) { return std::string_view("usual"); });
  {
    patience const unlimited(port, {}, {});
    EXPECT_FALSE(port.end);
    EXPECT_FALSE(port.held_back);
    {
      patience const limited(port, outer - 1min);
      EXPECT_EQ(port.end, outer - 1min);
      EXPECT_FALSE(port.held_back);
    }
    EXPECT_FALSE(port.end);
  }
  EXPECT_EQ(port.end, outer);
  ASSERT_TRUE(port.held_back);
  EXPECT_EQ(port.held_back(histories().front()), "usual");
}

TEST(patience, ends_where_the_port_fails) {
  played_session session("plain");
  session.port.starts_left = 0;
  EXPECT_THROW(
      {
        patience const limited(session.port, std::chrono::steady_clock::now() + 1h);
        session.port.restart(1);
      },
      session_failure);
  EXPECT_FALSE(session.port.end);
}

TEST(fresh_process, is_started_before_it_is_asked) {
  played_session session("plain");
  static_cast<void>(session.port.run(histories()));
  auto fresh = session.again().fresh(0);
  EXPECT_EQ(session.port.restarts, 1U);
  EXPECT_EQ(session.port.allowed, fresh_process::restarts_max);
  EXPECT_TRUE(session.port.before.empty());
  EXPECT_EQ(fresh.run(histories()).front().kind, result_kind::answered);
  session.port.starts_left = 0;
  EXPECT_THROW(static_cast<void>(session.again().fresh(0)), session_failure);
}

TEST(fresh_process, breaks_on_every_history_once_it_fails) {
  played_session session("plain");
  auto fresh = session.again().fresh(0);
  session.port.instead = [](auto const&, auto const&) -> std::optional<result> {
    throw session_failure("it broke too often", "");
  };
  EXPECT_EQ(fresh.run(histories()).front().why, "it broke too often");
  session.port.instead = {};
  EXPECT_EQ(fresh.run(histories()).front().kind, result_kind::broke);
  EXPECT_THROW(fresh.demand_unbroken(), session_failure);
}

TEST(fresh_process, does_not_fail_because_its_time_is_over) {
  played_session session("plain");
  auto fresh = session.again().fresh(0);
  {
    patience const over(session.port, std::chrono::steady_clock::now());
    EXPECT_EQ(fresh.run(histories()).front().why, "out of time");
  }
  EXPECT_NO_THROW(fresh.demand_unbroken());
  EXPECT_EQ(fresh.run(histories()).front().kind, result_kind::answered);
}

TEST(fresh_process, shows_nothing_where_one_of_the_claims_is_known_to_fail) {
  std::string const name(full_jitter().claims()[1].name);
  played_session session("plain", {name + " max_ms>1 # it is known"});
  EXPECT_EQ(session.again().fresh(claim_mask{1} << 1).run(histories()).front().why, "known to fail");
  EXPECT_EQ(session.again().fresh(claim_mask{1}).run(histories()).front().kind, result_kind::answered);
}

TEST(asked_again, is_over_when_its_time_is) {
  played_session session("plain");
  EXPECT_FALSE(session.again().is_over());
  EXPECT_TRUE(session.again(0ms).is_over());
}

}  // namespace
