// A run that was cut off is gone on with where its file ends, and no other run is.
#include "oracle/resumed_results.hpp"

#include <gtest/gtest.h>

#include "histories/present.hpp"
#include "oracle/written_results_test.hpp"
#include "session/exit_codes.hpp"
#include "transport/port_session.hpp"

namespace {

using namespace backoff::oracle;

TEST(resumed_results, are_those_of_the_histories_that_the_file_has) {
  played_session session("plain");
  auto const all = planned(session, 50);
  std::vector const first(all.begin(), all.begin() + 30);
  resumed_results resumed(full_jitter().shape(), cut_off_results(session, first, 50));
  auto const probes = mapping_probes(session.feed.judged(), 1);
  auto const probed = resumed.probes(probes);
  ASSERT_TRUE(probed);
  EXPECT_EQ(present(probed).results.size(), probes.size());
  auto const some = resumed.next(std::span(all).first(20), 0);
  EXPECT_EQ(some.results.size(), 20U);
  EXPECT_FALSE(resumed.is_over());
  auto const others = resumed.next(std::span(all).subspan(20), 20);
  EXPECT_EQ(others.results.size(), 10U);
  EXPECT_TRUE(resumed.is_over());
  auto const expected = session.port.run(std::span(all).subspan(20, 10));
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(others.results[i].answers, expected[i].answers) << i;
  EXPECT_TRUE(resumed.next(all, 50).results.empty());
}

TEST(resumed_results, are_refused_where_the_plan_is_another) {
  played_session session("plain");
  auto all = planned(session, 50);
  resumed_results resumed(full_jitter().shape(), cut_off_results(session, {all.begin(), all.begin() + 30}, 50));
  std::swap(all[3], all[40]);
  EXPECT_THROW(static_cast<void>(resumed.next(all, 0)), usage_error);
}

TEST(resumed_results, are_refused_where_the_probes_are_others) {
  played_session session("plain");
  resumed_results const resumed(full_jitter().shape(), cut_off_results(session, planned(session, 30), 50));
  EXPECT_THROW(static_cast<void>(resumed.probes({})), usage_error);
}

TEST(resumed_results, are_refused_of_another_run) {
  played_session session("plain");
  resumed_results const resumed(full_jitter().shape(), cut_off_results(session, planned(session, 30), 50));
  auto header = header_of(session, 50);
  EXPECT_NO_THROW(resumed.demand_resumable(header));
  header.seed = 2;
  EXPECT_THROW(resumed.demand_resumable(header), usage_error);
}

TEST(resumed_results, say_what_broke_the_port) {
  played_session session("plain");
  auto const all = planned(session, 50);
  session.port.instead = [&](auto const&, history const& h) -> std::optional<result> {
    return h == all[7] ? std::optional(broke("the port died")) : std::nullopt;
  };
  std::string const together = "it died, in histories 9 to 20" + std::string(port_session::each_alone);
  auto const path = cut_off_results(session, {all.begin(), all.begin() + 30}, 50,
                                    {{"the port died", 7, {}, false, "its last words"}, {together, {}, {}, false, ""}});
  resumed_results resumed(full_jitter().shape(), path);
  auto const known = resumed.next(all, 0);
  ASSERT_EQ(known.breakdowns.size(), 2U);
  EXPECT_EQ(known.breakdowns.front().index, 7U);
  EXPECT_EQ(known.breakdowns.front().culprit, all[7]);
  EXPECT_EQ(known.breakdowns.front().stderr_tail, "its last words");
  EXPECT_EQ(known.breakdowns.back().what, together);
  EXPECT_TRUE(resumed.next(all, 50).breakdowns.empty()) << "it is said once";
}

}  // namespace
