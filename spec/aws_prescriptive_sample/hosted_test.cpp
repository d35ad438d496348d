// The sample loop run to its end by the hosted helper: which waits and requests it makes, in which order, and how it
// ends; and, as far as a loop can show it, what the document asks of the caller.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "backoff/hosted/aws_prescriptive_sample.hpp"
#include "tests/checks.hpp"

namespace backoff::aws_prescriptive_sample {
namespace {

using std::chrono::milliseconds;
using events = std::vector<long long>;  // a wait in milliseconds, or −status of a request

struct connection_lost : std::runtime_error {
  connection_lost() : std::runtime_error("connection lost") {}
};
constexpr int lost = 9'999;  // in place of a status: there is no answer

// What a run does is written down, in order. All runs are made of these two: every instance of the loop is measured.
struct wait_for {
  events& seen;
  bool interrupted = false;
  void operator()(milliseconds wait) const {
    if (interrupted) throw connection_lost();
    seen.push_back(wait.count());
  }
};
struct request {
  events& seen;
  std::vector<int> http;  // the answers; the last one repeats
  std::size_t next = 0;
  int operator()() {
    int const status = http[next < http.size() ? next : http.size() - 1];
    ++next;
    if (status == lost) throw connection_lost();
    seen.push_back(-status);
    return status;
  }
};

struct observed_run {
  events seen;
  finished_run end;
};

observed_run observe(std::uint32_t max_retries, std::vector<int> const& http) {
  observed_run result{};
  result.end = run_with_backoff(max_retries, wait_for{result.seen}, request{result.seen, http});
  EXPECT_EQ(result.end.requests * 2, result.seen.size());
  return result;
}

TEST(run_with_backoff, waits_before_each_request_and_ends_with_success) {
  checks("AWS-PS-013", "AWS-PS-014", "AWS-PS-016", "AWS-PS-011");
  auto const run = observe(9, {429, 504, 200});
  EXPECT_EQ(run.seen, (events{0, -429, 100, -504, 300, -200}));
  EXPECT_EQ(run.end.http_status, 200);
  EXPECT_EQ(run.end.requests, 3U);
}

TEST(run_with_backoff, hands_the_last_failure_to_the_caller_when_its_requests_are_used_up) {
  checks("AWS-PS-012", "AWS-PS-019");
  auto const run = observe(3, {429, 429, 504, 200});
  EXPECT_EQ(run.seen, (events{0, -429, 100, -429, 300, -504}));
  EXPECT_EQ(run.end.http_status, 504);
  EXPECT_EQ(run.end.requests, 3U);
}

TEST(run_with_backoff, makes_one_request_where_none_is_allowed) {
  checks("AWS-PS-019");
  for (std::uint32_t const limit : {0U, 1U}) EXPECT_EQ(observe(limit, {429}).seen, (events{0, -429})) << limit;
}

TEST(run_with_backoff, never_retries_what_will_not_pass) {
  checks("AWS-PS-009", "AWS-PS-018");
  for (int const status : {-1, 0, 100, 201, 204, 301, 400, 401, 404, 408, 428, 430, 500, 502, 503, 505, 599, 70'000}) {
    EXPECT_EQ(observe(9, {status, 200}).seen, (events{0, -status})) << status;
    EXPECT_EQ(observe(9, {429, status, 200}).seen, (events{0, -429, 100, -status})) << status;
  }
}

TEST(run_with_backoff, makes_the_whole_request_again_with_each_try) {
  checks("AWS-PS-017", "AWS-PS-019");
  auto const run = observe(4, {504});
  EXPECT_EQ(std::ranges::count(run.seen, -504), 4) << "what is not idempotent takes effect four times";
}

TEST(run_with_backoff, leaves_the_network_alone_for_longer_each_time) {
  checks("AWS-PS-002", "AWS-PS-003", "AWS-PS-015");
  auto const run = observe(25, {429});
  ASSERT_EQ(run.seen.size(), 50U);
  for (std::size_t i = 2; i < run.seen.size(); i += 2) EXPECT_GT(run.seen[i], run.seen[i - 2]);
  EXPECT_EQ(run.seen[48], 1'677'721'500);
  EXPECT_FALSE(run.end.failed);
}

TEST(run_with_backoff, fails_where_31_bits_do_not_hold_the_next_wait) {
  checks("AWS-PS-015");
  auto const run = observe(26, {429});
  EXPECT_EQ(run.seen.size(), 50U) << "25 requests, and no wait before a 26th";
  EXPECT_TRUE(run.end.failed);
  EXPECT_EQ(run.end.requests, 25U);
  EXPECT_EQ(run.end.http_status, 429);
}

TEST(run_with_backoff, waits_in_all_as_long_as_its_formula_says) {
  checks("AWS-PS-010", "AWS-PS-013");
  for (std::uint32_t requests = 1; requests <= 25; ++requests) {
    auto const run = observe(requests, {429});
    auto const in_all = std::accumulate(run.seen.begin(), run.seen.end(), 0LL) + 429LL * requests;
    EXPECT_EQ(in_all, ((1LL << requests) - 1 - requests) * 100) << requests;
  }
}

TEST(run_with_backoff, passes_on_what_fails_without_a_status) {
  checks("AWS-PS-005");
  events seen;
  EXPECT_THROW(run_with_backoff(9, wait_for{seen}, request{seen, {429, lost, 200}}), connection_lost);
  EXPECT_EQ(seen, (events{0, -429, 100}));
  EXPECT_THROW(run_with_backoff(9, wait_for{seen, true}, request{seen, {200}}), connection_lost);
  EXPECT_EQ(seen, (events{0, -429, 100})) << "no request after a wait that was interrupted";
}

// Any type that an int holds, and nothing that it might cut off.
enum http : std::uint16_t { ok = 200 };
template <class Status>
concept fits = requires(wait_for wait, Status (*operation)()) { run_with_backoff(1, wait, operation); };
static_assert(fits<int> && fits<std::uint16_t> && fits<short> && fits<http>);
static_assert(!fits<long long> && !fits<std::uint32_t> && !fits<double> && !fits<void>);

}  // namespace
}  // namespace backoff::aws_prescriptive_sample
