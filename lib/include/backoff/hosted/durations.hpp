// Converts durations of std::chrono to the units of this library: exactly, or saturated. A conversion that would have
// to round does not compile. Checked by: spec/tests/hosted_durations_test.cpp.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <ratio>
#include <utility>

namespace backoff {

// What std::chrono calls a duration, of whatever type and unit.
template <class D>
concept duration_type = std::same_as<D, std::chrono::duration<typename D::rep, typename D::period>>;

// A duration that is a whole number of Units for every count: the count is an integer, and its unit is a multiple of
// Unit. 1500ms is not whole in seconds, and a floating-point duration is not whole in any unit.
template <class D, class Unit>
concept whole_duration = duration_type<D> && std::integral<typename D::rep> &&
                         (std::ratio_divide<typename D::period, typename Unit::period>::den == 1);

// to := min(max(d, 0), To::max()), exact in between. Every d is valid; To counts in an integer. Never wraps. No error.
template <class To, whole_duration<To> D>
[[nodiscard]] constexpr To saturated(D d) noexcept {
  constexpr std::intmax_t units = std::ratio_divide<typename D::period, typename To::period>::num;
  constexpr auto most = static_cast<std::uint64_t>(To::max().count()) / static_cast<std::uint64_t>(units);
  if constexpr (std::signed_integral<typename D::rep>) {
    if (d.count() < 0) return To::zero();
  }
  if (std::cmp_greater(d.count(), most)) return To::max();
  return To(static_cast<typename To::rep>(static_cast<std::uint64_t>(d.count()) * static_cast<std::uint64_t>(units)));
}

// sum := min(a + b, 2^63 - 1) nanoseconds; neither is negative.
[[nodiscard]] constexpr std::chrono::nanoseconds saturated_sum(std::chrono::nanoseconds a,
                                                               std::chrono::nanoseconds b) noexcept {
  constexpr auto most = std::chrono::nanoseconds::max();
  return b > most - a ? most : a + b;
}

// A parameter in Units, made of any duration that is whole in them, saturated. Functions of this library take it so
// that nobody can pass milliseconds for seconds.
template <class Unit>
class time_in {
 public:
  // unit_count() := the duration in Units, saturated to [0, Unit::max()]. No error.
  template <whole_duration<Unit> D>
  constexpr time_in(D d) noexcept : count_(saturated<Unit>(d).count()) {}  // NOLINT(google-explicit-constructor)

  // How many Units.
  [[nodiscard]] constexpr typename Unit::rep unit_count() const noexcept { return count_; }

 private:
  typename Unit::rep count_;
};

// Milliseconds in [0, 2^32).
using milliseconds_u32 = std::chrono::duration<std::uint32_t, std::milli>;
// Seconds in [0, 2^32).
using seconds_u32 = std::chrono::duration<std::uint32_t>;

}  // namespace backoff
