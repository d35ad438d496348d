// backoffAlgorithm's own functions: each call is one of the core's cycle, taken up where the context left it.
// Checked by: lib/package/consumers_test.py, by `check --library`.
#include "backoff/aws_backoff_algorithm.hpp"

#include "backoff_algorithm.h"
#include "exported.hpp"

namespace {

namespace core = backoff::aws_backoff_algorithm;
using cycle = core::full_jitter<uint16_t>;

core::attempt_limit limit_of(uint32_t attempts) noexcept {
  if (attempts == BACKOFF_ALGORITHM_RETRY_FOREVER) return core::attempt_limit::forever();
  return core::attempt_limit::of(attempts);
}

}  // namespace

BACKOFF_EXPORTED void BackoffAlgorithm_InitializeParams(BackoffAlgorithmContext_t* context, uint16_t base, uint16_t max,
                                                        uint32_t attempts) {
  cycle const fresh({base, max, limit_of(attempts)});
  *context = {max, fresh.attempts_done(), fresh.window_ms(), attempts};
}

// The base is in the first window, and nothing else asks for it.
BACKOFF_EXPORTED BackoffAlgorithmStatus_t BackoffAlgorithm_GetNextBackoff(BackoffAlgorithmContext_t* context,
                                                                          uint32_t random, uint16_t* next) {
  core::parameters<uint16_t> const p{context->nextJitterMax, context->maxBackoffDelay,
                                     limit_of(context->maxRetryAttempts)};
  auto resumed = cycle::resume(p, context->nextJitterMax, context->attemptsDone);
  auto const decided = resumed.next(random);
  if (decided.status == core::status::exhausted) return BackoffAlgorithmRetriesExhausted;
  if (context->attemptsDone != UINT32_MAX) ++context->attemptsDone;  // the core counts towards a limit alone
  context->nextJitterMax = resumed.window_ms();
  *next = decided.delay_ms;
  return BackoffAlgorithmSuccess;
}
