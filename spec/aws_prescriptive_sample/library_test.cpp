// What no example of the sample loop says of the library: constant evaluation, the widest limits, copies, what a run
// shows of itself and leaves as it was; and the library against the model on every history of a small domain.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "aws_prescriptive_sample/model.hpp"
#include "backoff/aws_prescriptive_sample.hpp"
#include "tests/checks.hpp"

namespace backoff::aws_prescriptive_sample {
namespace {

constexpr std::uint32_t top = 4'294'967'295;  // 2^32 - 1

// All of it works at compile time.
constexpr retry_loop after(std::uint32_t max_retries, std::initializer_list<int> statuses) {
  retry_loop loop(max_retries);
  for (int const status : statuses) static_cast<void>(loop.retry_after(status));
  return loop;
}
static_assert(after(9, {429, 504, 429}).delay_ms() == 700);
static_assert(after(9, {429, 503}).retries() == 1);
static_assert(delay_ms(24) == 1'677'721'500 && delay_ms(25) == no_delay);

TEST(delay_ms, is_exact_up_to_24_and_an_error_from_25_on) {
  checks("AWS-PS-013", "AWS-PS-015");
  struct {
    std::uint32_t retries;
    std::uint32_t delay;
  } const rows[]{{0, 0},         {1, 100},       {2, 300},          {23, 838'860'700},       {24, 1'677'721'500},
                 {25, no_delay}, {26, no_delay}, {31, no_delay},    {32, no_delay},          {33, no_delay},
                 {57, no_delay}, {64, no_delay}, {1'024, no_delay}, {0x8000'0000, no_delay}, {top, no_delay}};
  for (auto const& row : rows) EXPECT_EQ(delay_ms(row.retries), row.delay) << row.retries;
  EXPECT_EQ(no_delay, 4'294'967'295U);
}

TEST(calls_for_retry, takes_any_number) {
  checks("AWS-PS-017", "AWS-PS-018");
  for (int const status : {429, 504}) EXPECT_TRUE(calls_for_retry(status)) << status;
  for (int const status : {0, -429, 428, 430, 503, 505, 429 + 0x1'0000, 504 + 0x1'0000, std::numeric_limits<int>::min(),
                           std::numeric_limits<int>::max()}) {
    EXPECT_FALSE(calls_for_retry(status)) << status;
  }
}

TEST(retry_loop, takes_the_widest_limit) {
  checks("AWS-PS-019");
  retry_loop loop(top);
  for (std::uint32_t n = 1; n <= 25; ++n) {
    EXPECT_TRUE(loop.retry_after(429));
    EXPECT_EQ(loop.retries(), n);
  }
}

TEST(retry_loop, has_failed_where_there_is_no_wait) {
  checks("AWS-PS-015");
  retry_loop loop(100);
  for (int n = 0; n < 25; ++n) {
    EXPECT_NE(loop.delay_ms(), no_delay) << n;
    EXPECT_TRUE(loop.retry_after(429)) << n;
  }
  for (int after = 0; after < 3; ++after) {
    EXPECT_EQ(loop.delay_ms(), no_delay);
    EXPECT_FALSE(loop.retry_after(429));
    EXPECT_EQ(loop.retries(), 25U);
  }
}

TEST(retry_loop, stays_as_it_was_when_it_is_over) {
  checks("AWS-PS-016", "AWS-PS-018", "AWS-PS-019");
  for (int const status : {200, 429, 500}) {
    retry_loop loop(status == 429 ? 2 : 9);
    EXPECT_TRUE(loop.retry_after(504));
    for (int after = 0; after < 3; ++after) {
      EXPECT_FALSE(loop.retry_after(status)) << status;
      EXPECT_EQ(loop.retries(), 1U);
      EXPECT_EQ(loop.delay_ms(), 100U);
    }
  }
}

TEST(retry_loop, copies_go_their_own_ways) {
  checks("AWS-PS-020");
  retry_loop original(4);
  EXPECT_TRUE(original.retry_after(429));
  auto copy = original;
  EXPECT_TRUE(copy.retry_after(429));
  EXPECT_EQ(copy.delay_ms(), 300U);
  EXPECT_EQ(original.delay_ms(), 100U);
  EXPECT_EQ(original.retries(), 1U);
}

}  // namespace
}  // namespace backoff::aws_prescriptive_sample

namespace backoff::spec::aws_prescriptive_sample {
namespace {

namespace core = backoff::aws_prescriptive_sample;

// Every answer of every status, at every request of every limit up to well past 32 bits.
TEST(small_domain, library_equals_model_on_every_history) {
  checks("AWS-PS-013", "AWS-PS-014", "AWS-PS-015", "AWS-PS-016", "AWS-PS-017", "AWS-PS-018", "AWS-PS-019");
  for (integer limit = 0; limit <= 44; ++limit) {
    for (integer made = 0; made == 0 || made < limit; ++made) {
      if (made > 25) continue;  // nobody gets there
      core::retry_loop const loop = [&] {
        core::retry_loop at(static_cast<std::uint32_t>(limit));
        for (integer n = 0; n < made; ++n) static_cast<void>(at.retry_after(504));
        return at;
      }();
      for (int status = 100; status <= 599; ++status) {
        auto at = loop;
        state s{made, false};
        std::vector<cube> none;
        chooser choices(readings(), readings().admitting(standing::canonical), none);
        auto const wanted = attempt({limit}, s, status, choices).answer;
        bool const failed = wanted[field_status] == admissible::word(static_cast<std::uint8_t>(status::error));
        ASSERT_EQ(at.delay_ms() == core::no_delay, failed) << "limit " << limit << ", request " << made + 1;
        if (failed) continue;
        ASSERT_EQ(at.delay_ms(), wanted[field_delay].first()) << "limit " << limit << ", request " << made + 1;
        ASSERT_EQ(at.retry_after(status) ? 1 : 0, wanted[field_retry].word())
            << "limit " << limit << ", request " << made + 1 << ", status " << status;
      }
    }
  }
}

}  // namespace
}  // namespace backoff::spec::aws_prescriptive_sample
