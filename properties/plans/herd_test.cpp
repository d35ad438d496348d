// Herds whose numbers can be computed by hand, and those of the well-known comparison.
#include "plans/herd.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "files/policy_file.hpp"
#include "session/options.hpp"
#include "session/parameters.hpp"

namespace backoff::plans {
namespace {

delay_law law_of(std::string_view stem, std::vector<std::string> const& params = {}) {
  files::know_the_shelf();
  auto const& document = session::named_system(stem);
  return {document, session::parameters_of(document.shape(), params), 100};
}

// curl waits 1, 2, 4, … s.
TEST(herd, of_clients_without_jitter_comes_back_at_once) {
  auto const law = law_of("curl_retry", {"retry=5"});
  auto const seen = run_herd({.clients = 10, .outage_s = 5, .capacity = {}}, as_documented(law));
  EXPECT_EQ(seen.requests, (std::vector<std::uint64_t>{10, 10, 0, 10, 0, 0, 0, 10}));
  EXPECT_EQ(seen.total, 40U);
  EXPECT_EQ(seen.wasted, 30U);
  EXPECT_EQ(seen.served, 10U);
  EXPECT_EQ(seen.last_served_s, 7);
  EXPECT_EQ(seen.peak_after_start(0), 1U);
}

TEST(herd, gives_up_where_the_document_does) {
  auto const law = law_of("curl_retry", {"retry=2"});
  auto const seen = run_herd({.clients = 10, .outage_s = 5, .capacity = {}}, as_documented(law));
  EXPECT_EQ(seen.gave_up, 10U);
  EXPECT_EQ(seen.served, 0U);
}

TEST(herd, is_answered_as_far_as_the_server_can) {
  auto const law = law_of("curl_retry", {"retry=5"});
  auto const seen = run_herd({.clients = 10, .capacity = 4}, as_documented(law));
  // 10 fail; 4 of 10 are served at 1 s, 4 of 6 at 3 s, 2 at 7 s.
  EXPECT_EQ(seen.requests, (std::vector<std::uint64_t>{10, 10, 0, 6, 0, 0, 0, 2}));
  EXPECT_EQ(seen.wasted, 10U + 6 + 2);
  EXPECT_EQ(seen.served, 10U);
}

TEST(herd, comes_over_a_ramp) {
  auto const law = law_of("curl_retry", {"retry=5"});
  auto const seen = run_herd({.clients = 10, .ramp_s = 5, .capacity = {}}, as_documented(law));
  EXPECT_EQ(seen.requests, (std::vector<std::uint64_t>{2, 4, 4, 4, 4, 2}));
}

TEST(herd, is_the_same_for_the_same_seed) {
  auto const law = law_of("aws_blog_full_jitter");
  herd_plan plan{.clients = 1000, .outage_s = 10, .capacity = 300};
  auto const one = run_herd(plan, as_documented(law)).requests;
  EXPECT_EQ(run_herd(plan, as_documented(law)).requests, one);
  plan.seed = 2;
  EXPECT_NE(run_herd(plan, as_documented(law)).requests, one);
  EXPECT_EQ(std::accumulate(one.begin(), one.end(), std::uint64_t{0}),
            run_herd({.clients = 1000, .outage_s = 10, .capacity = 300}, as_documented(law)).total);
}

TEST(herd, of_delays_that_depend_on_those_before_has_draws_of_its_seed) {
  auto const law = law_of("aws_blog_decorrelated_jitter");
  herd_plan const plan{.clients = 100, .outage_s = 10, .capacity = {}};
  EXPECT_NE(run_herd(plan, as_documented(law, 1)).requests, run_herd(plan, as_documented(law, 2)).requests);
}

// A delay of 0 that never grows would go on for ever.
TEST(herd, that_floods_the_server_is_given_up) {
  struct at_once final : waiting {
    [[nodiscard]] std::optional<double> delay(std::uint64_t, std::size_t, double, double) const override { return 0; }
  };
  auto const seen = run_herd({.clients = 5, .outage_s = 3, .capacity = {}}, at_once());
  EXPECT_EQ(seen.waiting, 5U);
  EXPECT_EQ(seen.served, 0U);
}

// The comparison of the AWS Architecture Blog (Exponential Backoff And Jitter, figures "Client work" and "Time"): a
// hundred clients contend, and the server answers one at a time. With jitter they make less than half as many requests.
// With equal jitter they take longer than with full jitter. Without jitter they take by far the longest.
TEST(herd, repeats_the_comparison_of_the_aws_architecture_blog) {
  // Time runs a hundred times slower than there, where a round takes 10 ms: here the server answers once a second.
  auto const law = law_of("aws_blog_full_jitter", {"base=500", "cap=200000"});
  herd_plan const plan{.clients = 100, .capacity = 1};
  auto const full = run_herd(plan, as_documented(law));
  auto const none = run_herd(plan, otherwise_jittered(law, other_jitter::none));
  auto const equal = run_herd(plan, otherwise_jittered(law, other_jitter::equal));
  auto const decorrelated = run_herd(plan, otherwise_jittered(law, other_jitter::decorrelated));
  EXPECT_EQ(full.served, 100U);
  EXPECT_LT(2 * full.total, none.total);
  EXPECT_LT(2 * decorrelated.total, none.total);
  EXPECT_LT(full.last_served_s, none.last_served_s / 4);
  RecordProperty("full", static_cast<int>(full.total));
  RecordProperty("equal", static_cast<int>(equal.total));
  EXPECT_GT(equal.last_served_s, full.last_served_s);
}

}  // namespace
}  // namespace backoff::plans
