// What explains findings: a known fault, a region each, or nothing where the answers are not kept.
#include "oracle/explained_findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "explain/constraint.hpp"
#include "oracle/played_port_test.hpp"
#include "oracle/shown_findings.hpp"

namespace {

using namespace backoff::oracle;

explained_findings explained(played_session& session) {
  auto const again = session.again();
  auto const settled = settle_blame(session.feed, again);
  auto shown = show_findings(settled, again, session.asked);
  return explain_findings(settled, std::move(shown), again, {session.asked.planned(), 1, false});
}

// Breaks in two places that have nothing to do with each other.
void reject_in_two_regions(played_session& session) {
  auto const& s = full_jitter().shape();
  session.port.instead = [&s, one = parse_constraint(s, "max_ms<100"), other = parse_constraint(s, "calls.reset>0")](
                             auto const&, history const& h) -> std::optional<result> {
    if (!matches(s, one, h) && !matches(s, other, h)) return {};
    return result{result_kind::rejected, {}, "refused"};
  };
}

TEST(explained_findings, have_a_diagnosis_where_one_fault_explains_all) {
  played_session session("cap-ignored");
  session.judge(1'000);
  auto const all = explained(session);
  EXPECT_TRUE(all.why.diagnosis);
  EXPECT_EQ(all.shown.size(), 1U) << "one fault is one finding";
}

TEST(explained_findings, have_a_region_each) {
  played_session session("plain");
  reject_in_two_regions(session);
  session.judge(2'000);
  auto const all = explained(session);
  ASSERT_EQ(all.shown.size(), 2U);
  auto const* one = all.why.region_of(full_jitter().shape(), all.shown.front());
  auto const* other = all.why.region_of(full_jitter().shape(), all.shown.back());
  ASSERT_NE(one, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_NE(one->where, other->where);
}

TEST(explained_findings, leave_out_regions_in_which_no_smaller_history_is_shown) {
  played_session session("plain");
  reject_in_two_regions(session);
  session.judge(2'000);
  auto const again = session.again();
  auto const settled = settle_blame(session.feed, again);
  auto shown = show_findings(settled, again, session.asked);
  session.port.starts_left = 1;  // to find the regions
  auto const all = explain_findings(settled, std::move(shown), again, {session.asked.planned(), 1, false});
  EXPECT_EQ(all.shown.size(), 1U);
  EXPECT_EQ(all.why.regions.begin()->second.size(), 2U);
}

TEST(explained_findings, of_a_list_are_about_claims_that_are_not_shown_too) {
  played_session session("timer-wraps");
  session.judge(2'000);
  auto const again = session.again();
  auto const settled = settle_blame(session.feed, again);
  auto const& planned = session.asked.planned();
  EXPECT_TRUE(explain_findings(settled, {}, again, {planned, 1, false}).why.regions.empty());
  EXPECT_FALSE(explain_findings(settled, {}, again, {planned, 1, true}).why.regions.empty());
}

TEST(explained_findings, are_not_looked_for_where_answers_are_not_kept) {
  played_session session("cap-ignored", {}, false);
  session.judge(300);
  auto const again = session.again();
  auto const settled = settle_blame(session.feed, again);
  auto const asked = session.port.asked;
  auto const all = explain_findings(settled, {}, again, {session.asked.planned(), 1, true});
  EXPECT_TRUE(all.why.regions.empty());
  EXPECT_EQ(session.port.asked, asked);
}

}  // namespace
