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
  bool failed = false;     // the next wait does not fit 31 bits: another request was called for, but not made
};

// sleep((2^n − 1) · 100 ms), then request n + 1, n from 0, until an answer ends the run: 200, any other status but 429
// and 504, or the answer to request max(1, max_retries). Every answer but 200 is a failure, which the caller handles.
// sleep: called with std::chrono::milliseconds in [0, 2^31), returns when they have passed. operation: makes one
// request, returns its HTTP status, of a type that an int holds. max_retries in [0, 2^32).
// The wait before request 26 does not fit 31 bits: the run fails there. The waits of N <= 25 requests are
// (2^N − 1 − N) · 100 ms together.
// An exception of sleep or operation ends the run and passes through: a failure without a status is never retried.
//
// What the document asks of the caller, because no loop can do it:
// - Retry failures that pass by themselves: throttling, a network or a service that fails for a while. Of these the
//   sample knows 429 and 504 alone. AWS-PS-001, AWS-PS-004 to AWS-PS-006.
// - Make operation idempotent: each try performs it anew, and a try that fails half-way must not corrupt the state for
//   the next one. AWS-PS-007.
// - Choose max_retries for the network too: many retries fill it and slow everybody down. AWS-PS-002, AWS-PS-008.
// - Fail fast where a failure will not pass: no status but 429 and 504 is ever retried; for a service known to be
//   broken, put a circuit breaker before the run. AWS-PS-009.
// - Mind the user who waits: the waits add up, and they count against the time limits of the service. AWS-PS-010.
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
