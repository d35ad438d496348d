// What breaks a port is shown on its smallest history, and what is known to break it is asked for.
#include "oracle/shown_breakdowns.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/present.hpp"
#include "histories/text.hpp"
#include "oracle/played_port_test.hpp"

namespace {

using namespace backoff::oracle;
using namespace std::chrono_literals;

history read(std::string const& calls) {
  return parse_token("aws_backoff_algorithm/base_ms=17,max_ms=2000,max_attempts=9/" + calls).cases.front();
}
std::string const three = "next:7,next:8,next:9";

std::optional<result> breaks_on_two_calls(played_port const& /*port*/, history const& h) {
  return h.steps.size() < 2 ? std::nullopt : std::optional(broke("the port died"));
}

struct broken_session : played_session {
  explicit broken_session(std::vector<std::string> const& known_lines = {}) : played_session("plain", known_lines) {
    port.instead = breaks_on_two_calls;
    port.hold_back([](history const&) { return std::string_view("others like it broke the port"); });
  }
  [[nodiscard]] std::vector<broken_port> shown(std::vector<breakdown> const& breakdowns,
                                               std::chrono::milliseconds left = 1min) {
    breaking const where(full_jitter().shape(), port.describes().takes);
    return show_breakdowns(feed.judged(), breakdowns, where, again(left));
  }
  // Whether the port is as it was.
  [[nodiscard]] bool is_untouched() const {
    return !port.end && port.held_back && port.held_back(read(three)) == "others like it broke the port";
  }
};

TEST(shown_breakdowns, is_the_smallest_history_that_breaks_the_port_in_the_same_way) {
  broken_session session;
  auto const shown = session.shown({{"the port died", 4, read(three), false, ""}});
  ASSERT_EQ(shown.size(), 1U);
  ASSERT_TRUE(shown.front().smallest);
  EXPECT_EQ(present(shown.front().smallest).steps.size(), 2U);
  EXPECT_FALSE(shown.front().cut_short);
  EXPECT_TRUE(session.is_untouched());
}

TEST(shown_breakdowns, is_what_was_found_where_the_port_breaks_in_another_way) {
  broken_session session;
  auto const shown = session.shown({{"the port hung", 4, read(three), false, ""}});
  EXPECT_EQ(shown.front().smallest, read(three));
}

TEST(shown_breakdowns, tries_no_hang_again) {
  broken_session session;
  auto const shown = session.shown({{"the port died", 4, read(three), true, ""}});
  EXPECT_EQ(shown.front().smallest, read(three));
  EXPECT_EQ(session.port.asked, 0U);
}

TEST(breakdowns, are_alike_that_differ_in_numbers_alone) {
  EXPECT_TRUE(are_alike("at byte 1 of 'window 10000'", "at byte 17 of 'window 3.5e3'"));
  EXPECT_TRUE(are_alike("after 3 s.", "after 0.3 s."));
  EXPECT_TRUE(are_alike("history 5. It died", "history 15. It died"));
  EXPECT_FALSE(are_alike("killed by signal 6", "exited with status 6"));
  EXPECT_FALSE(are_alike("window", "window 3"));
  EXPECT_FALSE(are_alike("window 3", "window -3"));
  EXPECT_FALSE(are_alike("", "3"));
}

TEST(shown_breakdowns, names_each_way_once) {
  broken_session session;
  breakdown const one{"the port died", 4, read(three), false, ""};
  breakdown const other{"the port closed its output", 5, read(three), false, ""};
  auto const shown = session.shown({one, one, other});
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown.back().what.what, other.what);
  EXPECT_EQ(shown.back().smallest, read(three)) << "only the first is made smaller";
}

TEST(shown_breakdowns, ends_in_time) {
  broken_session session;
  auto const shown = session.shown({{"the port died", 4, read(three), false, ""}}, 0ms);
  EXPECT_EQ(shown.front().smallest, read(three));
  EXPECT_TRUE(shown.front().cut_short);
  EXPECT_TRUE(session.is_untouched());
}

TEST(shown_breakdowns, known_ones_are_asked_for) {
  broken_session session({"no_history_breaks_the_port calls>1 # it is known"});
  auto const found = known_breakdowns(session.feed.judged(), 1, session.again());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GE(present(found.front().smallest).steps.size(), 2U);
  EXPECT_TRUE(session.is_untouched());
  session.port.instead = {};
  EXPECT_TRUE(known_breakdowns(session.feed.judged(), 1, session.again()).empty());
}

TEST(shown_breakdowns, unknown_ones_are_those_that_no_line_is_about) {
  auto const known = known_failing::parse(full_jitter(), "known", {"no_history_breaks_the_port calls>2 # it is known"});
  auto const two = read("next:7,next:8");
  std::vector<breakdown> const all{
      {"died", 1, read(three), false, ""}, {"died", 2, two, false, ""}, {"died", {}, {}, false, ""}};
  EXPECT_EQ(unknown_breaks(all, known), std::vector{two});
}

}  // namespace
