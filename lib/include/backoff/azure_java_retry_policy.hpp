// Retry policies as the Azure IoT device SDK for Java documents them: an error filter, and an algorithm that says when
// to retry.
//
//   F(x) = min(Cmin + (2^(x-1) - 1) · rand(C · (1 - Jd), C · (1 - Ju)), Cmax),  x = retries, this one included
//
// Value types only: no heap, no exception, no floating point. Draws and clock readings come in as values. A delay is
// kept whole, to the last bit of its draw: nothing is rounded before it is handed to a timer.
// Checked by: spec/azure_java_retry_policy/examples.yaml,
// properties/systems/azure_java_retry_policy/claims.cpp.
#pragma once

#include <concepts>
#include <cstdint>

namespace backoff::azure_java_retry_policy {

// What a transport or the service reports. protocol: a connection or a session was lost; service: the service refused,
// by throttling for example; terminal: what retrying cannot heal; unknown: nothing is known of it.
enum class error : std::uint8_t { protocol, service, terminal, unknown };

// The error filter: protocol and service errors may be retried, all others are not. It cannot be altered.
// AZ-JR-001 to AZ-JR-005, AZ-JR-024.
[[nodiscard]] constexpr bool is_retryable(error e) noexcept { return e == error::protocol || e == error::service; }

// A time to wait: ns + part / 2^32 nanoseconds, exact; ns alone is that time rounded down, by less than 1 ns.
struct wait {
  std::uint64_t ns;    // whole nanoseconds
  std::uint32_t part;  // 2^-32 ns
};

// Whether to retry and, if so, how long to wait first. Without a retry the delay is 0.
struct decision {
  bool retry;  // whether to retry
  wait delay;  // before the retry
};

// A policy decides whether to make retry number retry_count after the error `last`, which is retryable. Any callable
// of this form is a policy; it owns its source of random numbers. AZ-JR-018, AZ-JR-020.
template <class P>
concept retry_policy = requires(P& policy, std::uint32_t retry_count, error last) {
  { policy(retry_count, last) } -> std::same_as<decision>;
};

// The constants of the formula, with their documented defaults: times in milliseconds, any of 32 bits; jitter factors
// in millionths, [0, 1'000'000]. AZ-JR-013 to AZ-JR-017.
struct parameters {
  std::uint32_t c_ms = 100;               // C
  std::uint32_t cmin_ms = 100;            // Cmin: no wait is shorter
  std::uint32_t cmax_ms = 10'000;         // Cmax: no wait is longer
  std::uint32_t jd_millionths = 500'000;  // Jd
  std::uint32_t ju_millionths = 250'000;  // Ju
};

// What is wrong with a set of parameters: a factor above 1 would make the random part negative. Inverted bounds are no
// error: with Cmin > Cmax the delay is Cmax, with Jd < Ju the draw runs from the higher end down to the lower.
enum class parameter_error : std::uint8_t { none, jd_above_one, ju_above_one };

// The default policy, "exponential back-off with jitter". A plain value: it keeps no state from one decision to the
// next, so that a delay depends on the count and the draw alone. AZ-JR-007, AZ-JR-011, AZ-JR-012.
class exponential_backoff_with_jitter {
 public:
  struct checked;

  // The documented defaults.
  constexpr exponential_backoff_with_jitter() noexcept : exponential_backoff_with_jitter(parameters{}) {}

  // The policy with these parameters. Outside of their domain it returns the first error of the list, and the default
  // policy.
  [[nodiscard]] static constexpr checked with(parameters const& p) noexcept;

  // delay := min(Cmin + (2^(x-1) - 1) · (C · (1 - Jd) + u · C · (Jd - Ju)), Cmax), u = draw / 2^32 in [0, 1).
  // x = retry_count in [0, 2^32); at x = 0 the factor counts as 0, since Cmin bounds the delay from below. Exact:
  // C · (1 - J) is a whole number of nanoseconds when J has six decimals, and u adds 32 binary places, which `part`
  // holds; nothing is rounded. Saturates at Cmax, never wraps; with a random part of 0 the delay is Cmin at every x.
  // No error; consumes exactly one draw, uniform in [0, 2^32). Takes at most 85 additions, whatever x.
  // AZ-JR-006 to AZ-JR-009, AZ-JR-012, AZ-JR-014, AZ-JR-015, AZ-JR-025; readings exponent: less-one,
  // below-minimum: held, rand-kind: real, delay-rounding: exact, inverted-bounds: taken, draw-mapping: real.
  [[nodiscard]] constexpr wait delay(std::uint32_t retry_count, std::uint32_t draw) const noexcept {
    if (cmax_ns_ <= cmin_ns_) return {cmax_ns_, 0U};
    std::uint64_t const room = cmax_ns_ - cmin_ns_;
    auto const step = random_part(draw);
    if ((step.ns | step.part) == 0U) return {cmin_ns_, 0U};
    // (2^x - 1) · step = 2 · (2^(x-1) - 1) · step + step; before each turn sum < room < 2^52 ns
    wait sum{0U, 0U};
    for (std::uint32_t x = 1; x < retry_count; ++x) {
      std::uint64_t const parts = std::uint64_t{sum.part} + sum.part + step.part;
      sum = {sum.ns + sum.ns + step.ns + (parts >> 32U), static_cast<std::uint32_t>(parts)};
      if (sum.ns >= room) return {cmax_ns_, 0U};
    }
    return {cmin_ns_ + sum.ns, sum.part};
  }

  // Always a retry. AZ-JR-018.
  [[nodiscard]] constexpr decision decide(std::uint32_t retry_count, std::uint32_t draw) const noexcept {
    return {true, delay(retry_count, draw)};
  }

 private:
  static constexpr std::uint64_t ns_per_ms = 1'000'000;
  static constexpr std::uint32_t one = 1'000'000;  // millionths

  explicit constexpr exponential_backoff_with_jitter(parameters const& p) noexcept
      : cmin_ns_(p.cmin_ms * ns_per_ms),
        cmax_ns_(p.cmax_ms * ns_per_ms),
        from_ns_(std::uint64_t{p.c_ms} * (one - p.jd_millionths)),
        to_ns_(std::uint64_t{p.c_ms} * (one - p.ju_millionths)) {}

  // whole · draw / 2^32, exactly; whole < 2^52.
  static constexpr wait share(std::uint64_t whole, std::uint32_t draw) noexcept {
    std::uint64_t const low = (whole & 0xffff'ffffU) * draw;
    return {(whole >> 32U) * draw + (low >> 32U), static_cast<std::uint32_t>(low)};
  }

  // rand(from, to) := from + u · (to - from).
  [[nodiscard]] constexpr wait random_part(std::uint32_t draw) const noexcept {
    if (from_ns_ <= to_ns_) {
      auto const more = share(to_ns_ - from_ns_, draw);
      return {from_ns_ + more.ns, more.part};
    }
    auto const less = share(from_ns_ - to_ns_, draw);
    std::uint64_t const parts = (std::uint64_t{1} << 32U) - less.part;
    return {from_ns_ - less.ns - 1U + (parts >> 32U), static_cast<std::uint32_t>(parts)};
  }

  std::uint64_t cmin_ns_;
  std::uint64_t cmax_ns_;
  std::uint64_t from_ns_;  // C · (1 - Jd)
  std::uint64_t to_ns_;    // C · (1 - Ju)
};

// A policy, and what is wrong with its parameters.
struct exponential_backoff_with_jitter::checked {
  exponential_backoff_with_jitter value;  // the policy
  parameter_error error;                  // the first
};

constexpr auto exponential_backoff_with_jitter::with(parameters const& p) noexcept -> checked {
  if (p.jd_millionths > one) return {{}, parameter_error::jd_above_one};
  if (p.ju_millionths > one) return {{}, parameter_error::ju_above_one};
  return {exponential_backoff_with_jitter(p), parameter_error::none};
}

// The policy that disables retries; it takes no parameter. decision := no retry, for every count and error. Consumes
// nothing. AZ-JR-019.
struct no_retry {
  // No retry.
  constexpr decision operator()(std::uint32_t, error) const noexcept { return {false, {0U, 0U}}; }
};

// How much time an operation has for all of its tries and waits together, and how much has passed. Nanoseconds of the
// caller's clock; the time of a try counts like a wait. AZ-JR-010.
class time_budget {
 public:
  // No limit: the document names none by default.
  constexpr time_budget() noexcept = default;
  // total_ns for all tries and waits, of which elapsed_ns have passed.
  constexpr time_budget(std::uint64_t total_ns, std::uint64_t elapsed_ns) noexcept
      : limited_(true), total_ns_(total_ns), elapsed_ns_(elapsed_ns) {}

  // Whether elapsed + delay > total: a wait that ends with the total time does not exceed it. Never wraps. Reading
  // total-time: would-be-exceeded.
  [[nodiscard]] constexpr bool exceeded_by(wait delay) const noexcept {
    if (!limited_) return false;
    if (elapsed_ns_ > total_ns_) return true;
    std::uint64_t const left_ns = total_ns_ - elapsed_ns_;
    if (delay.ns == left_ns) return delay.part != 0U;
    return delay.ns > left_ns;
  }

 private:
  bool limited_ = false;
  std::uint64_t total_ns_ = 0;
  std::uint64_t elapsed_ns_ = 0;
};

// What becomes of one failure.
struct outcome {
  bool retry;      // whether to retry
  bool consulted;  // whether the policy was asked
  wait delay;      // before the retry; 0 without one
};

// outcome := filter, then policy, then time. An error that is not retryable ends the operation, and the policy is not
// asked: it can veto a retry, but not force one. The policy's veto ends the operation too, and so does a wait that
// would exceed the total time. Calls the policy once or not at all, and consumes nothing itself.
// AZ-JR-001 to AZ-JR-005, AZ-JR-009, AZ-JR-010, AZ-JR-018, AZ-JR-020 to AZ-JR-024, AZ-JR-026; reading total-time:
// would-be-exceeded.
template <retry_policy Policy>
[[nodiscard]] constexpr outcome after_failure(Policy&& policy, std::uint32_t retry_count, error last,
                                              time_budget const& time = {}) noexcept(noexcept(policy(retry_count,
                                                                                                     last))) {
  if (!is_retryable(last)) return {false, false, {0U, 0U}};
  decision const decided = policy(retry_count, last);
  if (!decided.retry || time.exceeded_by(decided.delay)) return {false, true, {0U, 0U}};
  return {true, true, decided.delay};
}

}  // namespace backoff::azure_java_retry_policy

namespace backoff {
// A short name: the ids of its requirements begin with these letters.
namespace az_jr = azure_java_retry_policy;
}  // namespace backoff
