// Durations on their way in: exact where they fit, the longest where they do not, and no others compile.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

#include "backoff/hosted/durations.hpp"

namespace backoff {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

struct like_a_duration {
  using rep = int;
  using period = std::ratio<1>;
};
static_assert(duration_type<seconds> && !duration_type<like_a_duration> && !duration_type<int>);
static_assert(!whole_duration<like_a_duration, seconds>);

template <class D, class Unit>
constexpr bool fits = whole_duration<D, Unit>;

TEST(hosted_durations, only_whole_units_compile) {
  static_assert(fits<milliseconds, milliseconds_u32>);
  static_assert(fits<seconds, milliseconds_u32> && fits<hours, seconds_u32>);
  static_assert(fits<std::chrono::duration<std::uint8_t, std::ratio<3, 2>>, milliseconds_u32>, "1500 ms a count");
  static_assert(!fits<milliseconds, seconds_u32> && !fits<microseconds, milliseconds_u32>, "would be rounded");
  static_assert(!fits<std::chrono::duration<std::int64_t, std::ratio<3, 2>>, seconds_u32>, "1.5 s a count");
  static_assert(!fits<std::chrono::duration<double>, nanoseconds>, "no floating point");
  static_assert(!fits<int, seconds_u32> && !fits<std::uint64_t, milliseconds_u32>, "a number has no unit");
  static_assert(!std::is_convertible_v<milliseconds, time_in<seconds_u32>>);
  static_assert(std::is_convertible_v<seconds, time_in<milliseconds_u32>>);
}

// Of each type that is converted both ends, and what is next to them.
TEST(hosted_durations, saturate_and_are_exact_in_between) {
  auto const ms = [](auto given) { return saturated<milliseconds_u32>(given).count(); };
  struct {
    std::int64_t given;
    std::uint32_t of_ms, of_s;
  } const rows[]{{std::numeric_limits<std::int64_t>::min(), 0, 0},
                 {-1, 0, 0},
                 {0, 0, 0},
                 {1, 1, 1'000},
                 {7, 7, 7'000},
                 {4'294'967, 4'294'967, 4'294'967'000},  // the last second that fits
                 {4'294'968, 4'294'968, 0xffff'ffff},
                 {0xffff'fffe, 0xffff'fffe, 0xffff'ffff},
                 {0xffff'ffff, 0xffff'ffff, 0xffff'ffff},
                 {0x1'0000'0000, 0xffff'ffff, 0xffff'ffff},
                 {std::numeric_limits<std::int64_t>::max(), 0xffff'ffff, 0xffff'ffff}};
  for (auto const& row : rows) {
    EXPECT_EQ(ms(milliseconds(row.given)), row.of_ms) << row.given;
    EXPECT_EQ(ms(seconds(row.given)), row.of_s) << row.given;
    EXPECT_EQ(saturated<seconds_u32>(seconds(row.given)).count(), row.of_ms) << row.given;
  }
}

TEST(hosted_durations, saturate_from_unsigned_to_signed) {
  using ticks = std::chrono::duration<std::uint64_t, std::nano>;
  struct {
    std::uint64_t given;
    std::int64_t ns;
  } const rows[]{{0, 0},
                 {5, 5},
                 {0x7fff'ffff'ffff'ffff, 0x7fff'ffff'ffff'ffff},
                 {0x8000'0000'0000'0000, 0x7fff'ffff'ffff'ffff},
                 {0xffff'ffff'ffff'ffff, 0x7fff'ffff'ffff'ffff}};
  for (auto const& row : rows) EXPECT_EQ(saturated<nanoseconds>(ticks(row.given)).count(), row.ns) << row.given;
}

TEST(hosted_durations, sums_saturate) {
  nanoseconds const most = nanoseconds::max();
  EXPECT_EQ(saturated_sum(nanoseconds(3), nanoseconds(4)).count(), 7);
  EXPECT_EQ(saturated_sum(most - nanoseconds(4), nanoseconds(4)), most);
  EXPECT_EQ(saturated_sum(most - nanoseconds(4), nanoseconds(5)), most);
  EXPECT_EQ(saturated_sum(most, most), most);
}

TEST(hosted_durations, parameters_are_made_of_any_of_them) {
  auto const count = [](time_in<milliseconds_u32> given) { return given.unit_count(); };
  seconds three(3);
  milliseconds four(4);
  EXPECT_EQ(count(three), 3'000U);
  EXPECT_EQ(count(four), 4U);
  time_in<seconds_u32> const in_seconds(three);
  EXPECT_EQ(in_seconds.unit_count(), 3U);
}

}  // namespace
}  // namespace backoff
