/* backoffAlgorithm's own functions in C99, one file: the drop-in, for any toolchain. No heap, no state of its own; of
 * the compiler's library it takes one division of 32 bits. The formulas are those of backoff/aws_backoff_algorithm.hpp.
 * Checked by: spec/aws_backoff_algorithm/examples.yaml, lib/c99/equality_test.cpp against that header,
 * lib/c99/c99_test.py by `check --library`.
 */
#include <stddef.h>
#if !defined NDEBUG
#include <assert.h>
#elif !defined assert
#define assert(condition) ((void)0) /* some freestanding compilers have no assert.h */
#endif

#include "backoff_algorithm.h"

/* window := min(window, cap). AWS-BA-005; reading first-window: capped. */
static uint32_t within(uint32_t window, uint32_t cap) {
  if (window < cap) return window;
  return cap;
}

void BackoffAlgorithm_InitializeParams(BackoffAlgorithmContext_t* pContext, uint16_t backOffBase, uint16_t maxBackOff,
                                       uint32_t maxAttempts) {
  assert(pContext != NULL);
  pContext->maxBackoffDelay = maxBackOff;
  pContext->attemptsDone = 0U;
  pContext->nextJitterMax = (uint16_t)within(backOffBase, maxBackOff);
  pContext->maxRetryAttempts = maxAttempts;
}

/* delay := draw mod (window + 1); then window := min(2 * window, cap). Sum and product are of 32 bits and of numbers of
 * 16: neither wraps. AWS-BA-001 to AWS-BA-006, AWS-BA-008; readings upper-bound: inclusive, window-growth: min,
 * exhaustion-call: n-plus-1, draw-mapping: modulo. */
static BackoffAlgorithmStatus_t next_backoff(BackoffAlgorithmContext_t* pRetryContext, uint32_t randomValue,
                                             uint16_t* pNextBackOff) {
  uint16_t const cap = pRetryContext->maxBackoffDelay;
  uint32_t const window = within(pRetryContext->nextJitterMax, cap);
  uint32_t const limit = pRetryContext->maxRetryAttempts;
  uint32_t const done = pRetryContext->attemptsDone;

  if (done < limit) {
    pRetryContext->attemptsDone = done + 1U;
  } else if (limit != BACKOFF_ALGORITHM_RETRY_FOREVER) {
    return BackoffAlgorithmRetriesExhausted;
  }
  pRetryContext->nextJitterMax = (uint16_t)within(2U * window, cap);
  *pNextBackOff = (uint16_t)(randomValue % (window + 1U));
  return BackoffAlgorithmSuccess;
}

BackoffAlgorithmStatus_t BackoffAlgorithm_GetNextBackoff(BackoffAlgorithmContext_t* pRetryContext, uint32_t randomValue,
                                                         uint16_t* pNextBackOff) {
  assert(pRetryContext != NULL);
  assert(pNextBackOff != NULL);
  return next_backoff(pRetryContext, randomValue, pNextBackOff);
}
