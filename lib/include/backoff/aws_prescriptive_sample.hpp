// The sample loop of the retry-with-backoff pattern (AWS Prescriptive Guidance), in milliseconds.
//
//   delay_ms = (2^n − 1) · 100 before request n + 1,  n = requests already made, from 0
//
// A value type: no heap, no exception, no floating point. The sample is the document here: where its prose says more
// than its code, the code decides. The sample converts each wait to a signed 32-bit number, which throws where it does
// not fit: from n = 25 on there is no wait, and the run has failed. backoff/hosted/aws_prescriptive_sample.hpp runs the
// whole loop.
// Checked by: spec/aws_prescriptive_sample/examples.yaml,
// properties/systems/aws_prescriptive_sample/claims.cpp, properties/engines/exhaustive.
#pragma once

#include <cstdint>

namespace backoff::aws_prescriptive_sample {

// Too many requests. AWS-PS-017.
inline constexpr int status_throttled = 429;
// A gateway timed out. AWS-PS-017.
inline constexpr int status_gateway_timeout = 504;

// The value of delay_ms where the wait does not fit a signed 32-bit number: the run has failed. AWS-PS-015.
inline constexpr std::uint32_t no_delay = 0xffff'ffff;

// delay_ms := (2^retries − 1) · 100, the wait before the request that follows `retries` earlier ones.
// retries in [0, 2^32). Up to retries = 24 the wait is exact and below 2^31; from 25 on it is the error no_delay. Never
// wraps.
// AWS-PS-003, AWS-PS-013 to AWS-PS-015; reading overflow: error.
[[nodiscard]] constexpr std::uint32_t delay_ms(std::uint32_t retries) noexcept {
  if (retries > 24U) return no_delay;
  return ((std::uint32_t{1} << retries) - 1U) * 100U;
}

// Whether the answer to a request calls for another one: 429 and 504 do; 200 is success, and every other status is a
// failure that another request would not mend.
// http_status: any number. No error. AWS-PS-004, AWS-PS-016 to AWS-PS-018; reading status-filter: code.
[[nodiscard]] constexpr bool calls_for_retry(int http_status) noexcept {
  return http_status == status_throttled || http_status == status_gateway_timeout;
}

// One run of the loop. A plain value: copy it, keep it in an array, hand it to another thread. Runs share nothing.
// AWS-PS-020.
class retry_loop {
 public:
  // A run of at most max(1, max_retries) requests, none of them made. max_retries in [0, 2^32), every one valid: it
  // counts requests, the first included, whatever its name says. AWS-PS-019, AWS-PS-020.
  explicit constexpr retry_loop(std::uint32_t max_retries) noexcept : max_retries_(max_retries) {}

  // The wait before the next request, milliseconds: (2^retries() − 1) · 100, 0 before the first. From retries() = 25 on
  // it is the error no_delay: the run has failed, and no request is made. AWS-PS-003, AWS-PS-013 to AWS-PS-015; reading
  // overflow: error.
  [[nodiscard]] constexpr std::uint32_t delay_ms() const noexcept {
    return aws_prescriptive_sample::delay_ms(retries_);
  }

  // Takes the answer to the current request. True: another request follows, after delay_ms(). False: the run is over,
  // by success, by a status that is never retried, because its requests are used up, or because it had failed before;
  // the run does not change then. http_status: any number. No error. AWS-PS-011, AWS-PS-012, AWS-PS-016 to
  // AWS-PS-019; readings status-filter: code, limit-counts: requests.
  [[nodiscard]] constexpr bool retry_after(int http_status) noexcept {
    if (!calls_for_retry(http_status)) return false;
    if (delay_ms() == no_delay || retries_ + 1U >= max_retries_) return false;
    ++retries_;
    return true;
  }

  // How often retry_after has granted another request.
  [[nodiscard]] constexpr std::uint32_t retries() const noexcept { return retries_; }

 private:
  std::uint32_t max_retries_;
  std::uint32_t retries_ = 0;  // 0 or below max_retries_: retries_ + 1 cannot wrap
};

}  // namespace backoff::aws_prescriptive_sample

namespace backoff {
// A short name: the ids of its requirements begin with these letters.
namespace aws_ps = aws_prescriptive_sample;
}  // namespace backoff
