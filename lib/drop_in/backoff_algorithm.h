/* backoffAlgorithm 1.3, source-compatible: the header of the drop-in. The names are those of its interface.
 * Checked by: lib/package/consumers_test.py, by `check --library`.
 */
#ifndef BACKOFF_ALGORITHM_H
#define BACKOFF_ALGORITHM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of attempts that means no limit. */
#define BACKOFF_ALGORITHM_RETRY_FOREVER (UINT32_MAX)

/* What a call for the next back-off answers. */
typedef enum BackoffAlgorithmStatus {
  BackoffAlgorithmSuccess = 0,
  BackoffAlgorithmRetriesExhausted
} BackoffAlgorithmStatus_t;

/* One retry cycle: the application's memory, and its fields are the library's. */
typedef struct BackoffAlgorithmContext {
  uint16_t maxBackoffDelay;  /* no window is wider, milliseconds */
  uint32_t attemptsDone;     /* retries granted; stays at UINT32_MAX */
  uint16_t nextJitterMax;    /* the next window, milliseconds */
  uint32_t maxRetryAttempts; /* retries of a cycle */
} BackoffAlgorithmContext_t;

/* A fresh cycle: windows of min(2^n * backOffBase, maxBackOff) milliseconds, maxAttempts retries.
 * pContext must not be NULL: builds without NDEBUG assert it. */
void BackoffAlgorithm_InitializeParams(BackoffAlgorithmContext_t* pContext, uint16_t backOffBase, uint16_t maxBackOff,
                                       uint32_t maxAttempts);

/* *pNextBackOff := randomValue mod (window + 1), milliseconds. Exhausted from call maxAttempts + 1 on, where
 * *pNextBackOff and the context stay as they are. Neither pointer may be NULL: builds without NDEBUG assert it.
 * Everything of aws_backoff_algorithm.hpp holds. */
BackoffAlgorithmStatus_t BackoffAlgorithm_GetNextBackoff(BackoffAlgorithmContext_t* pRetryContext, uint32_t randomValue,
                                                         uint16_t* pNextBackOff);

#ifdef __cplusplus
}
#endif
#endif
