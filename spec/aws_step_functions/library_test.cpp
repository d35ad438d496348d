// What no example of Step Functions says of the library: checked parameters, the one rounding, where it saturates,
// copies; and its delays against exact rationals, on all of a small domain and at random in a large one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "aws_step_functions/model.hpp"
#include "backoff/aws_step_functions.hpp"
#include "tests/checks.hpp"
#include "tests/model_choices.hpp"
#include "tests/toy_word.hpp"

namespace backoff::spec::aws_step_functions {
namespace {

namespace core = backoff::aws_step_functions;

using picoseconds = core::retry_run<std::uint64_t, 1'000'000'000'000>;
using milliseconds = core::retry_run<std::uint32_t, 1'000, 1'024>;
using short_seconds = core::retry_run<std::uint16_t, 1, 128>;

using core::parameter_error;
using core::ratio;
using core::status;

constexpr std::uint32_t most = 4'294'967'295;  // 2^32 - 1

// All of it works at compile time.
constexpr std::uint32_t third_delay_ms(ratio rate) {
  auto run = milliseconds::with(3, rate, 3).value;
  static_cast<void>(run.next());
  static_cast<void>(run.next());
  return run.next().delay;
}
static_assert(third_delay_ms({3, 2}) == 6'750);
static_assert(third_delay_ms({15, 10}) == 6'750 && third_delay_ms({1'500'000, 1'000'000}) == 6'750);
static_assert(milliseconds::with(-1, {3, 2}, 3).error == parameter_error::interval_s_negative);

static_assert(core::run_widths<std::uint64_t, 1, 128> && core::run_widths<std::uint8_t, 1'000, 512>);
static_assert(!core::run_widths<std::uint64_t, 0, 128>, "a tick has a length");
static_assert(!core::run_widths<std::uint64_t, 1, 96> && !core::run_widths<std::uint64_t, 1, 127>, "128 bits at least");
static_assert(!core::run_widths<std::uint64_t, 1, 144> && !core::run_widths<std::uint64_t, 1, 159>, "words of 32 bits");
static_assert(!core::run_widths<int, 1, 128> && !core::run_widths<toy<65>, 1, 128>, "a word of 64 bits or less");

// Two integers of the width asked for, their lengths, the rate and the counts.
static_assert(sizeof(milliseconds) == 2 * (1'024 / 8 + 4) + 8 + 4 + 4);
static_assert(sizeof(short_seconds) == 2 * (128 / 8 + 4) + 8 + 4 + 4);

template <class Run>
class retry_run_in : public testing::Test {};
using units = testing::Types<picoseconds, milliseconds, short_seconds>;
TYPED_TEST_SUITE(retry_run_in, units);

TYPED_TEST(retry_run_in, names_the_parameter_that_is_outside_of_the_domain) {
  checks("AWS-SF-001", "AWS-SF-004", "AWS-SF-006");
  struct {
    std::int64_t interval;
    ratio rate;
    std::uint32_t attempts;
    parameter_error error;
  } const rows[]{
      {3, {3, 2}, 3, parameter_error::none},
      {0, {3, 2}, 3, parameter_error::none},
      {most, {3, 2}, 3, parameter_error::none},
      {3, {3, 2}, 0, parameter_error::none},
      {3, {most, most - 1}, 0, parameter_error::none},
      {3, {1, 1}, most, parameter_error::none},
      {3, {most, most}, most, parameter_error::none},
      {3, {most, 1}, most, parameter_error::none},
      {0, {most, most - 1}, most, parameter_error::none},
      {-1, {3, 2}, 3, parameter_error::interval_s_negative},
      {std::numeric_limits<std::int64_t>::min(), {3, 2}, 3, parameter_error::interval_s_negative},
      {std::int64_t{most} + 1, {3, 2}, 3, parameter_error::interval_s_too_wide},
      {std::numeric_limits<std::int64_t>::max(), {3, 2}, 3, parameter_error::interval_s_too_wide},
      {3, {0, 0}, 3, parameter_error::backoff_rate_undefined},
      {3, {3, 0}, 3, parameter_error::backoff_rate_undefined},
      {3, {0, 1}, 3, parameter_error::backoff_rate_below_one},
      {3, {999, 1'000}, 3, parameter_error::backoff_rate_below_one},
      {3, {most - 1, most}, 3, parameter_error::backoff_rate_below_one},
      {1, {most, most - 1}, most, parameter_error::product_too_wide},
      {-1, {1, 2}, 3, parameter_error::interval_s_negative},
      {std::int64_t{most} + 1, {1, 2}, 3, parameter_error::interval_s_too_wide},
  };
  for (auto const& row : rows) {
    auto checked = TypeParam::with(row.interval, row.rate, row.attempts);
    EXPECT_EQ(checked.error, row.error) << row.interval << " s, rate " << row.rate.num << " / " << row.rate.den;
    bool const grants = row.error == parameter_error::none && row.attempts > 0;
    EXPECT_EQ(checked.value.next().status, grants ? status::retry : status::exhausted);
  }
}

// den^(max_attempts - 2) < 2^(Bits - 32 - bits(W)).
TEST(retry_run, takes_as_many_attempts_as_the_exact_product_has_room_for) {
  checks("AWS-SF-002", "AWS-SF-004");
  auto const attempts_max = []<class Run>(ratio rate, Run const&) {
    std::uint32_t attempts = 2;
    while (Run::with(1, rate, attempts).error == parameter_error::none) ++attempts;
    EXPECT_EQ(Run::with(1, rate, attempts).error, parameter_error::product_too_wide);
    return attempts - 1;
  };
  auto const ps = picoseconds::with(0, {1, 1}, 0).value;
  auto const ms = milliseconds::with(0, {1, 1}, 0).value;
  auto const s = short_seconds::with(0, {1, 1}, 0).value;
  // 1000^41 < 2^416 < 1000^42; 100^62 < 2^416 < 100^63; 10^125 < 2^416 < 10^126
  EXPECT_EQ(attempts_max({1'001, 1'000}, ps), 43U);
  EXPECT_EQ(attempts_max({101, 100}, ps), 64U);
  EXPECT_EQ(attempts_max({11, 10}, ps), 127U);
  // 1000^96 < 2^960 < 1000^97
  EXPECT_EQ(attempts_max({1'001, 1'000}, ms), 98U);
  // 1000^8 < 2^80 < 1000^9; a denominator of 2^8 has room for 2^72 and grows once more
  EXPECT_EQ(attempts_max({1'001, 1'000}, s), 10U);
  EXPECT_EQ(attempts_max({257, 256}, s), 11U);
  for (ratio const rate : {ratio{3, 2}, {5, 4}, {2, 1}, {10, 1}}) {
    EXPECT_EQ(picoseconds::with(1, rate, most).error, parameter_error::none) << rate.num << " / " << rate.den;
  }
}

TYPED_TEST(retry_run_in, a_copy_is_a_run_of_its_own) {
  checks("AWS-SF-008");
  auto const fresh = TypeParam::with(3, {3, 1}, 2).value;
  auto run = fresh;
  auto const first = run.next().delay;
  auto copy = run;
  EXPECT_EQ(copy.next().delay, 3 * first);
  EXPECT_EQ(copy.next().status, status::exhausted);
  EXPECT_EQ(copy.attempts_done(), 2U);
  EXPECT_EQ(run.attempts_done(), 1U);
  EXPECT_EQ(run.next().delay, 3 * first);
  run = fresh;
  EXPECT_EQ(run.attempts_done(), 0U);
  EXPECT_EQ(run.next().delay, first);
}

// The second delay in whole seconds.
std::uint16_t second_delay_s(std::int64_t interval, ratio rate) {
  auto run = short_seconds::with(interval, rate, 2).value;
  static_cast<void>(run.next());
  return run.next().delay;
}

TEST(retry_run, rounds_to_the_nearest_tick_halves_up) {
  checks("AWS-SF-002");
  EXPECT_EQ(second_delay_s(10, {149, 100}), 15);            // 14.9
  EXPECT_EQ(second_delay_s(10, {144, 100}), 14);            // 14.4
  EXPECT_EQ(second_delay_s(10, {145, 100}), 15);            // 14.5
  EXPECT_EQ(second_delay_s(10, {135, 100}), 14);            // 13.5
  EXPECT_EQ(second_delay_s(1, {most, most - 1}), 1);        // hardly more than 1
  EXPECT_EQ(second_delay_s(1, {most, (most / 2) + 1}), 2);  // hardly less than 2
}

TEST(retry_run, saturates_and_never_wraps) {
  checks("AWS-SF-007");
  EXPECT_EQ(second_delay_s(43'690, {3, 2}), 65'535);    // 65535 exactly
  EXPECT_EQ(second_delay_s(59'577, {11, 10}), 65'535);  // 65534.7
  EXPECT_EQ(second_delay_s(59'578, {11, 10}), 65'535);  // 65535.8 rounds to what does not fit
  EXPECT_EQ(second_delay_s(43'691, {3, 2}), 65'535);    // 65536.5
  EXPECT_EQ(second_delay_s(65'535, {most, 1}), 65'535);
  EXPECT_EQ(second_delay_s(most, {most, 1}), 65'535);
  // 74'000 · 4120847 / 71 ms are 2^32 - 0.41: rounded they do not fit
  auto ms = milliseconds::with(74, {4'120'847, 71}, 2).value;
  EXPECT_EQ(ms.next().delay, 74'000U);
  EXPECT_EQ(ms.next().delay, most);
  // 18445462 · 10^12 · 4293542187 / 4293243780 ps are less than one half below 2^64
  auto ps = picoseconds::with(18'445'462, {4'293'542'187, 4'293'243'780}, 2).value;
  EXPECT_EQ(ps.next().delay, 18'445'462'000'000'000'000U);
  EXPECT_EQ(ps.next().delay, ~std::uint64_t{0});
}

TYPED_TEST(retry_run_in, stays_saturated) {
  checks("AWS-SF-007");
  auto run = TypeParam::with(1, {10, 1}, 1'000).value;
  using delay = decltype(run.next().delay);
  for (int n = 0; n < 20; ++n) static_cast<void>(run.next());
  for (int n = 20; n < 1'000; ++n) {
    auto const decided = run.next();
    ASSERT_EQ(decided.status, status::retry);
    ASSERT_EQ(decided.delay, static_cast<delay>(~std::uint64_t{0})) << n;
  }
}

// A row cannot say this: its answers are single delays.
TEST(retry_run, answers_what_the_model_admits_where_it_saturates) {
  checks("AWS-SF-007");
  // 3 · 10^6 s is the last of a million that 2^64 - 1 ps hold, and 2^32 - 1 ms too.
  std::vector<std::uint64_t> const held_s{3, 30, 300, 3'000, 30'000, 300'000, 3'000'000};
  std::uint32_t const calls = 40;
  auto ps = picoseconds::with(3, {10, 1}, calls).value;
  auto ms = milliseconds::with(3, {10, 1}, calls).value;
  state s;
  for (std::size_t n = 0; n < calls; ++n) {
    auto const delay = under(readings(), readings().admitting(standing::canonical), [&](chooser& choices) {
                         return next({3, 10'000, calls}, s, choices);
                       }).answer[field_delay];
    auto const in_ps = ps.next().delay;
    auto const in_ms = ms.next().delay;
    EXPECT_EQ(in_ps, n < held_s.size() ? held_s[n] * 1'000'000'000'000 : ~std::uint64_t{0});
    EXPECT_EQ(in_ms, n < held_s.size() ? held_s[n] * 1'000 : ~std::uint32_t{0});
    for (rational const& port : {rational(in_ps, 1'000'000'000'000), rational(in_ms, 1'000)}) {
      EXPECT_GE(port, delay.ends().low) << "retry " << n;
      EXPECT_LE(port, delay.ends().high) << "retry " << n;
    }
  }
}

// min(floor(interval · rate^n · ticks + 1/2), longest), from rationals.
template <class Run, std::uint64_t TicksPerSecond>
void expect_exact(std::int64_t interval, ratio rate, std::uint32_t attempts) {
  auto const checked = Run::with(interval, rate, attempts);
  if (checked.error == parameter_error::product_too_wide) return;
  ASSERT_EQ(checked.error, parameter_error::none);
  auto run = checked.value;
  rational exact = rational(interval) * TicksPerSecond;
  rational const factor = rational(rate.num) / rate.den;
  rational const half(1, 2);
  for (std::uint32_t n = 0; n < attempts; ++n, exact *= factor) {
    auto const delay = run.next().delay;
    rational const longest = static_cast<decltype(delay)>(~std::uint64_t{0});
    rational const error = rational(delay) - exact;
    bool const right = exact + half >= longest ? delay == longest : error <= half && error > -half;
    ASSERT_TRUE(right) << interval << " s, rate " << rate.num << " / " << rate.den << ", retry " << n << ": " << delay;
    if (delay == longest) return;
  }
}

TEST(retry_run, is_exact_on_all_of_a_small_domain) {
  checks("AWS-SF-001", "AWS-SF-002", "AWS-SF-007");
  for (std::int64_t interval = 0; interval <= 12; ++interval) {
    for (std::uint32_t den = 1; den <= 8; ++den) {
      for (std::uint32_t num = den; num <= 17; ++num) expect_exact<short_seconds, 1>(interval, {num, den}, 24);
    }
  }
}

TEST(retry_run, is_exact_at_random_in_a_large_domain) {
  checks("AWS-SF-001", "AWS-SF-002", "AWS-SF-007");
  std::mt19937_64 random(1);
  auto const below = [&](std::uint64_t end) { return static_cast<std::uint32_t>(random() % end); };
  for (int trial = 0; trial < 200; ++trial) {
    std::uint32_t const den = trial % 2 == 0 ? 1'000 : 1 + below(std::uint64_t{1} << below(33));
    std::uint32_t const num = std::max(den, den / 1'000 * (1'000 + below(3'000)));
    std::int64_t const interval = below(std::uint64_t{1} << below(33));
    std::uint32_t const attempts = 2 + below(den == 1'000 ? 44 : 12);
    expect_exact<picoseconds, 1'000'000'000'000>(interval, {num, den}, attempts);
    expect_exact<milliseconds, 1'000>(interval, {num, den}, attempts);
  }
}

}  // namespace
}  // namespace backoff::spec::aws_step_functions
