// The formulas of the faults give numbers computed by hand. A wrong port and its hypothesis share a formula, so neither
// can test it.
#include "systems/aws_prescriptive_sample/faults.hpp"

#include <gtest/gtest.h>

#include "systems/aws_retry_utils/faults.hpp"

namespace {

using namespace backoff::systems;
using namespace backoff::faults;

struct by_hand {
  std::string_view sentence;
  double cap;
  std::vector<double> delays;  // of the first six retries
};

// An initial back-off of 4; a jitter of 3, and of 2 at the first reset; one retry before it. Draws take half of the
// window.
TEST(full_jitter, faults_that_are_ports_and_hypotheses_have_the_delays_computed_by_hand) {
  std::vector<by_hand> const expected{
      {"caps the delay, not the window", 50, {3.5, 7, 14, 28, 50, 50}},
      {"never caps the window", 50, {3.5, 7, 14, 28, 56, 112}},
      {"does not cap the first window", 5, {3.5, 2.5, 2.5, 2.5, 2.5, 2.5}},
      {"waits the whole window and does not draw", 50, {7, 14, 28, 50, 50, 50}},
      {"waits the whole window at the cap and does not draw there", 50, {3.5, 7, 14, 50, 50, 50}},
      {"adds half of the window to what it draws", 50, {6.5, 14, 28, 50, 50, 50}},
      {"starts one doubling late, with half of the base", 50, {1.5, 3.5, 7, 14, 25, 25}},
      {"starts to double one retry late", 50, {3.5, 3.5, 7, 14, 25, 25}},
      {"starts one doubling early", 50, {7, 14, 25, 25, 25, 25}},
      {"adds the base for each retry instead of doubling", 40, {3.5, 7, 10.5, 14, 17.5, 20}},
      {"grows with the square of the count instead of doubling", 200, {3.5, 14, 31.5, 56, 87.5, 100}},
      {"raises the base to a power instead of doubling", 20'000, {3.5, 24.5, 171.5, 1'200.5, 8'403.5, 10'000}},
      {"always waits the base, and neither doubles nor draws", 50, {7, 7, 7, 7, 7, 7}},
      {"stops doubling at half of the cap", 57, {3.5, 7, 14, 14, 14, 14}},
      {"doubles only if the result stays below the cap", 57, {3.5, 7, 14, 28, 28, 28}},
      {"does not forget the window at a reset", 50, {7, 14, 25, 25, 25, 25}},
      {"does not forget the count of retries at a reset", 50, {3.5, 7, 14, 25, 25, 25}},
      {"adds no jitter to the initial back-off", 50, {2, 4, 8, 16, 25, 25}},
      {"begins with the jitter alone and leaves the initial back-off out", 50, {1.5, 3, 6, 12, 24, 25}},
      {"keeps the jitter of the first reset", 50, {3, 6, 12, 24, 25, 25}},
      {"does not forget the window at a reset", 50, {6, 12, 24, 25, 25, 25}},
      {"adds the jitter whenever the window doubles", 50, {3.5, 8.5, 18.5, 25, 25, 25}},
  };
  auto next = expected.begin();
  for (auto const* table : {&full_jitter(), &aws_retry_utils_alone()}) {
    for (auto const& f : *table) {
      if (f.name.empty() || f.port.name.empty()) continue;
      ASSERT_NE(next, expected.end()) << f.sentence;
      EXPECT_EQ(f.sentence, next->sentence);
      std::vector<double> delays;
      for (int n = 0; n < 6; ++n) {
        auto const half = [](double most) { return most / 2; };
        auto const retries = static_cast<double>(n);
        delays.push_back(f.does.delay_of({4, f.does.base({4, 3, 2}), next->cap, retries, retries + 1, 0, half}));
      }
      EXPECT_EQ(delays, next->delays) << f.sentence;
      ++next;
    }
  }
  EXPECT_EQ(next, expected.end());
}

struct sample_by_hand {
  std::string_view sentence;
  std::vector<double> waits{0, 100, 300, 700};  // before four requests
  double from = 0;                              // the first of them
  std::vector<std::int64_t> retried{429, 504};  // of the statuses below
  double limit = 5;                             // where max_retries is 5
};

TEST(prescriptive_sample, faults_that_are_ports_and_hypotheses_do_what_is_computed_by_hand) {
  constexpr std::int64_t statuses[] = {0, 200, 404, 408, 429, 500, 503, 504};
  std::vector<sample_by_hand> const expected{
      {"starts one doubling early", {100, 300, 700, 1'500}},
      {"starts one doubling late", {0, 0, 100, 300}},
      {"waits 2^n instead of 2^n - 1 times 100 ms", {100, 200, 400, 800}},
      {.sentence = "makes one request more than max_retries", .limit = 6},
      {.sentence = "makes one request fewer than max_retries", .limit = 4},
      {.sentence = "ignores max_retries", .limit = std::numeric_limits<double>::infinity()},
      {.sentence = "does not retry 504", .retried = {429}},
      {.sentence = "does not retry 429", .retried = {504}},
      {.sentence = "retries every 5xx status", .retried = {429, 500, 503, 504}},
      {.sentence = "retries every status but 200", .retried = {0, 404, 408, 429, 500, 503, 504}},
      {"adds 100 ms each time where it should double", {0, 100, 200, 300}},
      {"grows with the square of the count instead of doubling", {0, 100, 400, 900}},
      {"computes 10^n instead of 2^n", {0, 900, 9'900, 99'900}},
      {.sentence = "shifts by the count modulo 32", .from = 32},
      {.sentence = "retries 408 too", .retried = {408, 429, 504}},
      {.sentence = "retries 503 too", .retried = {429, 503, 504}},
      {.sentence = "retries 200 too", .retried = {200, 429, 504}},
  };
  auto next = expected.begin();
  for (auto const& f : sample_faults::all_faults()) {
    if (f.name.empty() || f.port.name.empty()) continue;
    ASSERT_NE(next, expected.end()) << f.sentence;
    EXPECT_EQ(f.sentence, next->sentence);
    for (std::size_t n = 0; n < next->waits.size(); ++n)
      EXPECT_EQ(f.does.wait(next->from + static_cast<double>(n)), next->waits[n]) << f.sentence;
    std::vector<std::int64_t> retried;
    std::ranges::copy_if(statuses, std::back_inserter(retried), f.does.retries);
    EXPECT_EQ(retried, next->retried) << f.sentence;
    EXPECT_EQ(f.does.limit(5), next->limit) << f.sentence;
    ++next;
  }
  EXPECT_EQ(next, expected.end());
}

}  // namespace
