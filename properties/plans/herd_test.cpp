// Herds whose numbers can be computed by hand, and those of the well-known comparison.
#include "plans/herd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "plans/law_test.hpp"

namespace backoff::plans {
namespace {

// curl waits 1, 2, 4, … s.
TEST(herd, of_clients_without_jitter_comes_back_at_once) {
  law_of_document law("curl_retry", {"retry=5"});
  auto const seen = run_herd({.clients = 10, .outage_s = 5, .capacity = {}}, as_documented(law));
  EXPECT_EQ(seen.requests, (std::vector<std::uint64_t>{10, 10, 0, 10, 0, 0, 0, 10}));
  EXPECT_EQ(seen.total, 40U);
  EXPECT_EQ(seen.wasted, 30U);
  EXPECT_EQ(seen.served_s.size(), 10U);
  EXPECT_EQ(seen.served_after(1), 7);
  EXPECT_EQ(seen.back, 5U);
  EXPECT_EQ(seen.peak(), 7U);
}

TEST(herd, gives_up_where_the_document_does) {
  law_of_document law("curl_retry", {"retry=2"});
  auto const seen = run_herd({.clients = 10, .outage_s = 5, .capacity = {}}, as_documented(law));
  EXPECT_EQ(seen.gave_up, 10U);
  EXPECT_TRUE(seen.served_s.empty());
}

TEST(herd, is_answered_as_far_as_the_server_can) {
  law_of_document law("curl_retry", {"retry=5"});
  auto const seen = run_herd({.clients = 10, .capacity = 4}, as_documented(law));
  // 10 fail; 4 of 10 are served at 1 s, 4 of 6 at 3 s, 2 at 7 s.
  EXPECT_EQ(seen.requests, (std::vector<std::uint64_t>{10, 10, 0, 6, 0, 0, 0, 2}));
  EXPECT_EQ(seen.wasted, 10U + 6 + 2);
  EXPECT_EQ(seen.served_s.size(), 10U);
}

// 1 + 2 + 4 s is in the second that begins at 6.5 s; the outage ends as a second begins.
TEST(herd, is_counted_in_seconds_from_the_end_of_the_outage) {
  law_of_document law("curl_retry", {"retry=5"});
  auto const seen = run_herd({.clients = 10, .outage_s = 6.5, .capacity = {}}, as_documented(law));
  EXPECT_EQ(seen.first_second_s, -0.5);
  EXPECT_EQ(seen.requests, (std::vector<std::uint64_t>{10, 10, 0, 10, 0, 0, 0, 10}));
  EXPECT_EQ(seen.back, 7U);
  EXPECT_EQ(seen.requests_at(seen.back), 10U);
}

// Of ten clients, the last waits until 7 s, and nine tenths are served before.
TEST(herd, tells_until_when_a_share_is_served) {
  law_of_document law("curl_retry", {"retry=5"});
  auto const seen = run_herd({.clients = 10, .capacity = 5}, as_documented(law));
  EXPECT_EQ(seen.served_after(0.5), 1);
  EXPECT_EQ(seen.served_after(0.51), 3);
  EXPECT_EQ(seen.served_after(1), 3);
  law_of_document impatient("curl_retry", {"retry=1"});
  auto const few = run_herd({.clients = 10, .capacity = 5}, as_documented(impatient));
  EXPECT_EQ(few.served_after(0.5), 1);
  EXPECT_EQ(few.served_after(0.51), std::nullopt);
}

// Of 400 clients with full jitter, each of which makes 1 + the retries until 3 s have passed.
TEST(herd, has_the_error_that_other_draws_show) {
  law_of_document law("aws_blog_full_jitter", {"base=1000"});
  herd_plan const plan{.clients = 400, .outage_s = 3, .capacity = {}};
  auto const seen = run_herd(plan, as_documented(law));
  auto const error = error_of(plan, seen, as_documented(law));
  EXPECT_GT(error.requests, 0);
  EXPECT_LT(error.requests, 0.2 * static_cast<double>(seen.total));
  int beyond = 0;
  for (std::uint64_t seed = 100; seed < 200; ++seed) {
    auto other = plan;
    other.seed = seed;
    auto const off = static_cast<double>(run_herd(other, as_documented(law)).total) - static_cast<double>(seen.total);
    beyond += std::abs(off) > error.requests ? 1 : 0;
  }
  EXPECT_LE(beyond, 5);
  law_of_document steady("curl_retry", {"retry=5"});
  EXPECT_EQ(error_of(plan, run_herd(plan, as_documented(steady)), as_documented(steady)).requests, 0);
}

TEST(herd, comes_over_a_ramp) {
  law_of_document law("curl_retry", {"retry=5"});
  auto const seen = run_herd({.clients = 10, .ramp_s = 5, .capacity = {}}, as_documented(law));
  EXPECT_EQ(seen.requests, (std::vector<std::uint64_t>{2, 4, 4, 4, 4, 2}));
  // The peak is counted from the first second in which no client fails first.
  for (auto const& [ramp_s, back] : {std::pair(0.0, 1U), {0.5, 1U}, {1.0, 1U}, {1.5, 2U}, {3.0, 3U}, {5.0, 5U}})
    EXPECT_EQ(run_herd({.clients = 10, .ramp_s = ramp_s, .capacity = {}}, as_documented(law)).back, back) << ramp_s;
}

TEST(herd, is_the_same_for_the_same_seed) {
  law_of_document law("aws_blog_full_jitter");
  herd_plan plan{.clients = 1000, .outage_s = 10, .capacity = 300};
  auto const one = run_herd(plan, as_documented(law)).requests;
  EXPECT_EQ(run_herd(plan, as_documented(law)).requests, one);
  plan.seed = 2;
  EXPECT_NE(run_herd(plan, as_documented(law)).requests, one);
  EXPECT_EQ(std::accumulate(one.begin(), one.end(), std::uint64_t{0}),
            run_herd({.clients = 1000, .outage_s = 10, .capacity = 300}, as_documented(law)).total);
}

TEST(herd, of_delays_that_depend_on_those_before_has_a_history_for_each_client) {
  law_of_document law("aws_blog_decorrelated_jitter");
  herd_plan plan{.clients = 100, .outage_s = 10, .capacity = {}};
  auto const one = run_herd(plan, as_documented(law)).requests;
  plan.first_client = 100;
  EXPECT_NE(run_herd(plan, as_documented(law)).requests, one);
}

// A delay of 0 that never grows would go on for ever.
TEST(herd, that_floods_the_server_is_given_up) {
  struct at_once final : waiting {
    [[nodiscard]] std::optional<double> delay(std::uint64_t, std::size_t, waited const&, double) const override {
      return 0;
    }
  };
  auto const seen = run_herd({.clients = 5, .outage_s = 3, .capacity = {}}, at_once());
  EXPECT_EQ(seen.waiting, 5U);
  EXPECT_TRUE(seen.served_s.empty());
}

// Nobody who has a budget is served after it.
TEST(herd, that_is_jittered_otherwise_has_the_limits_of_the_document) {
  for (auto const* const rules : {"unit: s\ndelay: uniform(0, 0.3 * 2^n)\nwhile: elapsed + delay <= 10\n",
                                  "unit: s\ndelay: uniform(0.5, 1.5)\nwhile: elapsed + delay <= 10\n",
                                  "unit: s\ndelay: min(uniform(0.5, 1) * 2^n, 10 - elapsed)\nwhile: elapsed < 10\n",
                                  "unit: s\ndelay: min(2, 0.1 * 2^n)\nwhile: elapsed + delay <= 10\n"}) {
    for (auto const how : {other_jitter::none, other_jitter::equal, other_jitter::decorrelated}) {
      law_of_policy law(rules);
      auto const late = run_herd({.clients = 500, .outage_s = 10.5, .capacity = {}}, otherwise_jittered(law, how));
      EXPECT_EQ(late.gave_up, 500U) << rules;
      auto const early = run_herd({.clients = 500, .outage_s = 3, .capacity = {}}, otherwise_jittered(law, how));
      EXPECT_GT(early.served_s.size(), 250U) << rules;
    }
  }
  // A retry at the limit itself is made: 1 + 2 + 4 s.
  law_of_policy at_end("unit: s\ndelay: uniform(0, 2^n)\nwhile: elapsed + delay <= 7\n");
  auto const none = otherwise_jittered(at_end, other_jitter::none);
  EXPECT_NEAR(run_herd({.clients = 9, .outage_s = 6, .capacity = {}}, none).served_after(1).value_or(0), 7, 1e-6);
  // A limit of retries is none of time.
  law_of_policy three("unit: s\ndelay: uniform(0, 2^n)\nattempts: 3\n");
  auto const more = run_herd({.clients = 500, .outage_s = 100, .capacity = {}},
                             otherwise_jittered(three, other_jitter::decorrelated));
  EXPECT_EQ(more.total, 4U * 500);
}

// The comparison of the AWS Architecture Blog (Exponential Backoff And Jitter, figures "Client work" and "Time"): a
// hundred clients contend, and the server answers one at a time. With jitter they make less than half as many requests.
// With equal jitter they take longer than with full jitter. Without jitter they take by far the longest.
TEST(herd, repeats_the_comparison_of_the_aws_architecture_blog) {
  // Time runs a hundred times slower than there, where a round takes 10 ms: here the server answers once a second.
  law_of_document law("aws_blog_full_jitter", {"base=500", "cap=200000"});
  herd_plan const plan{.clients = 100, .capacity = 1};
  auto const full = run_herd(plan, as_documented(law));
  auto const none = run_herd(plan, otherwise_jittered(law, other_jitter::none));
  auto const equal = run_herd(plan, otherwise_jittered(law, other_jitter::equal));
  auto const decorrelated = run_herd(plan, otherwise_jittered(law, other_jitter::decorrelated));
  EXPECT_EQ(full.served_s.size(), 100U);
  EXPECT_LT(2 * full.total, none.total);
  EXPECT_LT(2 * decorrelated.total, none.total);
  EXPECT_LT(full.served_after(1), *none.served_after(1) / 4);
  RecordProperty("full", static_cast<int>(full.total));
  RecordProperty("equal", static_cast<int>(equal.total));
  EXPECT_GT(equal.served_after(1), full.served_after(1));
}

}  // namespace
}  // namespace backoff::plans
