// The sample loop of the retry-with-backoff pattern (AWS Prescriptive Guidance), run to its end; the waiting and the
// requests are the caller's. For hosts that have <chrono>: every decision is backoff/aws_prescriptive_sample.hpp's.
// Checked by: spec/aws_prescriptive_sample/hosted_test.cpp.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>

#include "backoff/aws_prescriptive_sample.hpp"

namespace backoff::aws_prescriptive_sample {

// How a run ended: the answer to its last request, of which only 200 is success, and how many requests it made.
struct finished_run {
  int http_status;         // of the last request
  std::uint32_t requests;  // at least 1
  bool failed = false;     // by the next wait, which 31 bits do not hold: another request was called for, and not made
};

// sleep((2^n − 1) · 100 ms), then request n + 1, n from 0, until an answer ends the run: 200, any other status but 429
// and 504, or the answer to request max(1, max_retries). The caller takes what is not 200 for the failure that it is.
// sleep: called with std::chrono::milliseconds in [0, 2^31), returns when they have passed. operation: makes one
// request, returns its HTTP status, of a type that an int holds. max_retries in [0, 2^32).
// The wait before request 26 does not fit 31 bits: the run fails there. The waits of N <= 25 requests are
// (2^N − 1 − N) · 100 ms together.
// An exception of sleep or operation ends the run and passes through: what fails without a status is never retried.
//
// What the document asks of the caller, and no loop can do for it:
// - Retry what passes by itself: throttling, a network that fails for a while, a service that is unavailable for a
//   while. Of these the sample knows 429 and 504 alone. AWS-PS-001, AWS-PS-004 to AWS-PS-006.
// - Make operation idempotent: it is called anew with each try, and one that fails half-way must not leave behind what
//   the next one corrupts. AWS-PS-007.
// - Choose max_retries for the network too: many retries fill it and slow everybody down. AWS-PS-002, AWS-PS-008.
// - Fail fast where a failure will not pass: no status but 429 and 504 is ever retried; for a service known to be
// broken
//   put a circuit breaker before the run. AWS-PS-009.
// - Mind whoever waits: the waits add up, and they count against the time limits of the service. AWS-PS-010.
// AWS-PS-003, AWS-PS-011 to AWS-PS-020; readings overflow: error, status-filter: code, limit-counts:
// requests.
template <std::invocable<std::chrono::milliseconds> Sleep, std::invocable Operation>
  requires requires(Operation& operation) { int{operation()}; }
finished_run run_with_backoff(std::uint32_t max_retries, Sleep&& sleep, Operation&& operation) {
  retry_loop loop(max_retries);
  for (;;) {
    sleep(std::chrono::milliseconds(loop.delay_ms()));
    int const http_status{operation()};
    if (!loop.retry_after(http_status)) return {http_status, loop.retries() + 1U};
    if (loop.delay_ms() == no_delay) return {http_status, loop.retries(), true};
  }
}

}  // namespace backoff::aws_prescriptive_sample
