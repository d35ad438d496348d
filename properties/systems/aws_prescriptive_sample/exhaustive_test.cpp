// Enumeration: the sample loop's wait for all 2^32 counts of retries and its filter for all 2^32 statuses, against
// their closed forms; and every answer that a run can give, for all limits up to past a double's exponent.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "backoff/aws_prescriptive_sample.hpp"
#include "histories/present.hpp"

namespace {

namespace core = backoff::aws_prescriptive_sample;

constexpr std::uint64_t words = std::uint64_t{1} << 32;

// (2^n − 1) · 100, in 64 bits; all that is beyond 2^40 is one. The error where 31 bits do not hold it.
std::uint64_t closed_form(std::uint64_t n) {
  std::uint64_t const delay = ((std::uint64_t{1} << std::min<std::uint64_t>(n, 40)) - 1) * 100;
  return delay <= 0x7fff'ffff ? delay : core::no_delay;
}
bool is_retried(std::int64_t http_status) { return http_status == 429 || http_status == 504; }

// The subjects are parameters so that the enumerations themselves can be shown to fail.
template <class Wait>
std::optional<std::uint32_t> first_wrong_wait(Wait wait) {
  for (std::uint64_t n = 0; n < words; ++n) {
    if (wait(static_cast<std::uint32_t>(n)) != closed_form(n)) return static_cast<std::uint32_t>(n);
  }
  return std::nullopt;
}

template <class Filter>
std::optional<int> first_wrong_status(Filter filter) {
  for (std::int64_t s = std::numeric_limits<int>::min(); s <= std::numeric_limits<int>::max(); ++s) {
    if (filter(static_cast<int>(s)) != is_retried(s)) return static_cast<int>(s);
  }
  return std::nullopt;
}

struct place {
  std::uint32_t limit;
  std::uint32_t request;
  int http_status;
};

// At each request of each limit: the wait, and whether each status of HTTP is followed by another request.
template <class Loop>
std::optional<place> first_wrong_answer(std::uint32_t limits) {
  for (std::uint32_t limit = 0; limit < limits; ++limit) {
    Loop loop(limit);
    for (std::uint32_t request = 1;; ++request) {
      bool const failed = closed_form(request - 1) == core::no_delay;
      bool const last = request >= limit || failed;
      if (loop.delay_ms() != closed_form(request - 1)) return place{limit, request, 0};
      for (int status = 100; status <= 599; ++status) {
        auto copy = loop;
        if (copy.retry_after(status) != (is_retried(status) && !last)) return place{limit, request, status};
      }
      if (last) break;
      static_cast<void>(loop.retry_after(request % 2 == 0 ? 429 : 504));
    }
  }
  return std::nullopt;
}

TEST(sample_wait, is_its_closed_form_for_every_count) {
  auto const wrong = first_wrong_wait([](std::uint32_t n) { return core::delay_ms(n); });
  EXPECT_FALSE(wrong.has_value()) << "n = " << backoff::histories::present(wrong);
}

TEST(sample_filter, takes_429_and_504_of_all_numbers) {
  auto const wrong = first_wrong_status([](int status) { return core::calls_for_retry(status); });
  EXPECT_FALSE(wrong.has_value()) << backoff::histories::present(wrong);
}

TEST(sample_loop, answers_as_documented_at_every_request_of_every_limit) {
  auto const wrong = first_wrong_answer<core::retry_loop>(1'100);
  EXPECT_FALSE(wrong.has_value()) << "limit " << backoff::histories::present(wrong).limit << ", request "
                                  << backoff::histories::present(wrong).request << ", status "
                                  << backoff::histories::present(wrong).http_status;
}

// Two-sided: a single wrong place is found.
TEST(enumeration, finds_a_single_wrong_count_status_and_answer) {
  auto const masked = [](std::uint32_t n) { return n == 1'000'032 ? 0 : core::delay_ms(n); };
  EXPECT_EQ(first_wrong_wait(masked), 1'000'032U);
  auto const cut_off = [](int status) { return core::calls_for_retry(status) || status == -2'147'000'429; };
  EXPECT_EQ(first_wrong_status(cut_off), -2'147'000'429);
  struct forgetful : core::retry_loop {
    using retry_loop::retry_loop;
    bool retry_after(int status) { return retry_loop::retry_after(status) || (status == 425 && retries() == 20); }
  };
  auto const wrong = first_wrong_answer<forgetful>(1'100);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(backoff::histories::present(wrong).limit, 21U);
  EXPECT_EQ(backoff::histories::present(wrong).request, 21U);
  EXPECT_EQ(backoff::histories::present(wrong).http_status, 425);
}

}  // namespace
