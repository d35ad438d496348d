// Where a claim breaks is learnt from the run and tried on the port, in time.
#include "oracle/found_regions.hpp"

#include <gtest/gtest.h>

#include "histories/present.hpp"
#include "oracle/played_port_test.hpp"
#include "oracle/shown_findings.hpp"

namespace {

using namespace backoff::oracle;
using namespace std::chrono_literals;

struct searched : played_session {
  explicit searched(std::string_view plays) : played_session(plays) { judge(2'000); }
  [[nodiscard]] explanations found(std::chrono::milliseconds left = 1min) {
    auto const asks = again(left);
    auto const settled = settle_blame(feed, asks);
    region_search const search(settled, asks, 1);
    explanations all;
    for (auto const& b : feed.judged().breaches()) search.find(b, false, all);
    shown = show_findings(settled, asks, asked);
    search.try_elsewhere(shown, all);
    EXPECT_FALSE(port.end) << "what is asked afterwards has no limit";
    return all;
  }
  std::vector<counterexample> shown;
};

TEST(found_regions, separate_what_breaks_from_what_holds) {
  searched session("timer-wraps");
  auto const all = session.found();
  ASSERT_FALSE(session.shown.empty());
  auto const* region = all.region_of(full_jitter().shape(), session.shown.front());
  ASSERT_NE(region, nullptr);
  EXPECT_TRUE(region->separates());
  EXPECT_FALSE(region->where.empty());
  EXPECT_TRUE(all.cut_short.empty());
}

TEST(found_regions, have_an_outside_where_the_port_conforms) {
  searched session("timer-wraps");
  auto const all = session.found();
  ASSERT_TRUE(all.outside);
  EXPECT_TRUE(present(all.outside).conforms());
  EXPECT_FALSE(all.outside_cut_short);
}

TEST(found_regions, are_cut_short_when_the_time_is_over) {
  searched session("timer-wraps");
  auto const all = session.found(0ms);
  EXPECT_FALSE(all.cut_short.empty());
  EXPECT_TRUE(all.outside_cut_short || !all.outside);
}

TEST(found_regions, are_none_where_the_port_starts_no_more) {
  searched session("timer-wraps");
  session.port.starts_left = 0;
  auto const all = session.found();
  EXPECT_TRUE(all.regions.empty());
  EXPECT_TRUE(all.cut_short.empty()) << "it is not for want of time";
}

}  // namespace
