// Enumeration: the delays of the library's 8-bit instance, in whole seconds, for every interval that it can wait and
// every rate of fractions up to 255 / 64, until they saturate, against the closed form in 128 bits.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "backoff/aws_step_functions.hpp"
#include "histories/present.hpp"

namespace {

namespace core = backoff::aws_step_functions;

using run = core::retry_run<std::uint8_t, 1, 128>;
__extension__ using wide = unsigned __int128;

constexpr std::uint32_t longest = 255;
constexpr std::uint32_t den_max = 64;
constexpr std::uint32_t attempts = 16;  // 64^14 < 2^(128 - 32 - 8): as many as the exact product has room for

struct mismatch {
  std::uint32_t interval;
  core::ratio rate;
  std::uint32_t retry;
};

// min(floor(interval · num^n / den^n + 1/2), 255), one factor after another. No product is wider than 2^8 · 2^8 · 2^96:
// it stops where the quotient is beyond 255.
template <class Next>
std::optional<mismatch> first_mismatch(std::uint32_t intervals, Next next) {
  for (std::uint32_t interval = 0; interval < intervals; ++interval) {
    for (std::uint32_t den = 1; den <= den_max; ++den) {
      for (std::uint32_t num = den; num <= longest; ++num) {
        auto const checked = run::with(interval, {num, den}, attempts);
        if (checked.error != core::parameter_error::none) return mismatch{interval, {num, den}, 0};
        auto port = checked.value;
        wide above = interval;
        wide below = 1;
        for (std::uint32_t n = 0; n < attempts; ++n) {
          auto const rounded = (2 * above + below) / (2 * below);
          bool const saturated = rounded >= longest;
          if (next(port, interval, n) != (saturated ? longest : static_cast<std::uint32_t>(rounded))) {
            return mismatch{interval, {num, den}, n};
          }
          if (saturated) break;
          above *= num;
          below *= den;
        }
      }
    }
  }
  return std::nullopt;
}

std::uint32_t delay_of(run& port, std::uint32_t, std::uint32_t) { return port.next().delay; }

TEST(aws_step_functions, is_its_closed_form_for_every_interval_and_rate) {
  auto const wrong = first_mismatch(longest + 1, delay_of);
  EXPECT_FALSE(wrong) << "interval " << backoff::histories::present(wrong).interval << ", rate "
                      << backoff::histories::present(wrong).rate.num << " / "
                      << backoff::histories::present(wrong).rate.den << ", retry "
                      << backoff::histories::present(wrong).retry;
}

// Two-sided: a delay that is wrong by one second in one place is found.
TEST(enumeration_of_delays, finds_a_single_wrong_one) {
  auto const wrong = first_mismatch(20, [](run& port, std::uint32_t interval, std::uint32_t n) {
    std::uint32_t const delay = port.next().delay;
    return interval == 17 && n == 5 && delay == 100 ? 101 : delay;
  });
  ASSERT_TRUE(wrong);
  EXPECT_EQ(backoff::histories::present(wrong).interval, 17U);
  EXPECT_EQ(backoff::histories::present(wrong).retry, 5U);
}

}  // namespace
