/* Retry Utilities' own functions in C99, one file: the drop-in, for any toolchain. No heap, no state of its own; of the
 * compiler's library it takes one division of 32 bits. The application defines backoff_retry_utils_random and
 * backoff_retry_utils_sleep, or compiles retry_utils_system.c, which has both. Compile it with the application's own
 * constants. The formulas are those of backoff/aws_retry_utils.hpp. Checked by: spec/aws_retry_utils/examples.yaml,
 * lib/c99/equality_test.cpp against that header, lib/c99/c99_test.py by `check --library`.
 */
#include <stddef.h>
#if !defined NDEBUG
#include <assert.h>
#elif !defined assert
#define assert(condition) ((void)0) /* some freestanding compilers have no assert.h */
#endif

#include "retry_utils.h"

/* window := min(window, cap). AWS-RU-018; reading first-window: capped. */
static uint32_t within(uint32_t window, uint32_t cap) {
  if (window < cap) return window;
  return cap;
}

/* min(window + more, cap), for window <= cap: `more` is compared with what is left below the cap, so that nothing
 * wraps. AWS-RU-012, AWS-RU-017, AWS-RU-018; readings base-jitter: added, window-growth: min. */
static uint32_t widened(uint32_t window, uint32_t more, uint32_t cap) {
  if ((uint32_t)(cap - window) < more) return cap;
  return (uint32_t)(window + more);
}

/* draw mod (top + 1); where top + 1 wraps, every draw is within. AWS-RU-003, AWS-RU-013; readings upper-bound and
 * jitter-bound: inclusive, draw-mapping: modulo. */
static uint32_t drawn(uint32_t draw, uint32_t top) {
  uint32_t const values = (uint32_t)(top + 1U);
  if (values == 0U) return draw;
  return (uint32_t)(draw % values);
}

/* AWS-RU-019, AWS-RU-020; reading exhaustion-call: n-plus-1. */
static int exhausted(uint32_t done, uint32_t limit) { return limit != 0U && done >= limit; }

/* AWS-RU-010 to AWS-RU-013. */
void RetryUtils_ParamsReset(RetryUtilsParams_t* pRetryParams) {
  uint32_t const jitter = drawn(backoff_retry_utils_random(), MAX_JITTER_VALUE_SECONDS);
  uint32_t const first = within(INITIAL_RETRY_BACKOFF_SECONDS, MAX_RETRY_BACKOFF_SECONDS);
  assert(pRetryParams != NULL);
  pRetryParams->nextJitterMax = widened(first, jitter, MAX_RETRY_BACKOFF_SECONDS);
  pRetryParams->attemptsDone = 0U;
}

/* AWS-RU-014 to AWS-RU-027. */
static RetryUtilsStatus_t backoff_and_sleep(RetryUtilsParams_t* pRetryParams) {
  uint32_t const window = within(pRetryParams->nextJitterMax, MAX_RETRY_BACKOFF_SECONDS);
  uint32_t const draw = backoff_retry_utils_random();
  if (exhausted(pRetryParams->attemptsDone, MAX_RETRY_ATTEMPTS)) return RetryUtilsRetriesExhausted;
  backoff_retry_utils_sleep(drawn(draw, window));
  pRetryParams->nextJitterMax = widened(window, window, MAX_RETRY_BACKOFF_SECONDS);
  pRetryParams->attemptsDone++;
  return RetryUtilsSuccess;
}

RetryUtilsStatus_t RetryUtils_BackoffAndSleep(RetryUtilsParams_t* pRetryParams) {
  assert(pRetryParams != NULL);
  return backoff_and_sleep(pRetryParams);
}
