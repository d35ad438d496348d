// Durations of std::chrono on their way in: exact, or the longest that there is; what would have to be rounded does not
// compile. Checked by: spec/tests/hosted_durations_test.cpp.
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

// A time that is a whole number of Units whatever its count: an integer of a unit that is as long or a multiple. 1500ms
// is none in seconds, and a floating-point duration is none in anything.
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

// A parameter in Units, made of any duration that is whole in them, saturated. What functions of this library take, so
// that nobody hands in milliseconds for seconds.
template <class Unit>
class time_in {
 public:
  // unit_count() of the least and the greatest number of Units, or what is in between. No error.
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
