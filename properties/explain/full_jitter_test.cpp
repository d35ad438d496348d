// A wrong port and a hypothesis that share a formula cannot show that it is wrong: numbers computed by hand do.
#include <gtest/gtest.h>

#include "systems/aws_retry_utils/faults.hpp"

namespace {

using namespace backoff::conformance::faults;

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
      {"adds the base for each retry in place of doubling", 40, {3.5, 7, 10.5, 14, 17.5, 20}},
      {"grows with the square of the count in place of doubling", 200, {3.5, 14, 31.5, 56, 87.5, 100}},
      {"raises the base to a power in place of doubling", 20'000, {3.5, 24.5, 171.5, 1'200.5, 8'403.5, 10'000}},
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
      for (double n = 0; n < 6; ++n) {
        auto const half = [](double most) { return most / 2; };
        delays.push_back(f.does.delay_of({4, f.does.base({4, 3, 2}), next->cap, n, n + 1, 0, half}));
      }
      EXPECT_EQ(delays, next->delays) << f.sentence;
      ++next;
    }
  }
  EXPECT_EQ(next, expected.end());
}

}  // namespace
