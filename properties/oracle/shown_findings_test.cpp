// A finding is shown on its smallest history where a fresh process does it again; else it says why not.
#include "oracle/shown_findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "oracle/played_port_test.hpp"

namespace {

using namespace backoff::oracle;
using namespace std::chrono_literals;

std::vector<counterexample> shown(played_session& session, std::chrono::milliseconds left = 1min) {
  auto const again = session.again(left);
  auto const settled = settle_blame(session.feed, again);
  auto all = show_findings(settled, again, session.asked);
  EXPECT_FALSE(session.port.end) << "what is asked afterwards has no limit";
  return all;
}

// A port that answers wrongly, as another one does, while `breaks` says so.
void answer_as(played_session& session, std::string_view wrong,
               std::function<bool(played_port const&, history const&)> breaks) {
  auto const& s = full_jitter().shape();
  auto other = std::make_shared<backoff::ports::built_in_subject>(s, *backoff::ports::find_built_in(s.stem, wrong));
  session.port.instead = [other, breaks = std::move(breaks)](played_port const& port,
                                                             history const& h) -> std::optional<result> {
    if (!breaks(port, h)) return {};
    return other->run(std::span(&h, 1)).front();
  };
}

TEST(shown_findings, are_small_histories_that_break_the_claim_in_a_fresh_process) {
  played_session session("cap-ignored");
  session.judge(300);
  auto const all = shown(session);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().how, how_shown::together);
  EXPECT_LE(all.front().histories.front().tried.steps.size(), 3U);
  EXPECT_FALSE(all.front().cut_short);
  EXPECT_NE(session.port.restarts, 0U);
}

TEST(shown_findings, are_none_of_a_right_port) {
  played_session session("plain");
  session.judge(300);
  EXPECT_TRUE(shown(session).empty());
}

TEST(shown_findings, of_a_port_that_remembers_are_sequences) {
  played_session session("plain");
  answer_as(session, "cap-ignored", [](played_port const& port, history const&) { return !port.before.empty(); });
  session.judge(300);
  auto const all = shown(session);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().how, how_shown::sequence);
  EXPECT_EQ(all.front().histories.size(), 2U);
}

TEST(shown_findings, that_never_come_again_are_lost) {
  played_session session("plain");
  answer_as(session, "cap-ignored", [](auto const& port, auto const&) { return port.restarts == 1; });
  session.judge(300);
  auto const all = shown(session);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().how, how_shown::lost);
}

TEST(shown_findings, are_as_they_were_seen_where_the_port_starts_no_more) {
  played_session session("cap-ignored");
  session.judge(300);
  session.port.starts_left = 0;
  auto const all = shown(session);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().how, how_shown::seen);
}

TEST(shown_findings, are_asked_for_no_more_when_the_time_is_over) {
  played_session session("cap-ignored");
  session.judge(300);
  auto const again = session.again(0ms);
  auto const settled = settle_blame(session.feed, again);
  auto const before = session.port.asked;
  auto const all = show_findings(settled, again, session.asked);
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(all.front().cut_short);
  EXPECT_EQ(session.port.asked, before);
}

TEST(shown_findings, compare_the_port_with_itself_first) {
  played_session session("shared-state");
  session.judge(300);
  auto const settled = settle_blame(session.feed, session.again());
  EXPECT_FALSE(settled.compared().empty());
  EXPECT_EQ(session.port.restarts, 2U) << "in a fresh process";
}

TEST(shown_findings, compare_nothing_where_nothing_is_broken) {
  played_session session("plain");
  session.judge(300);
  EXPECT_TRUE(settle_blame(session.feed, session.again()).compared().empty());
  EXPECT_EQ(session.port.restarts, 1U);
}

}  // namespace
