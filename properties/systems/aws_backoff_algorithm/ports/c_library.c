/* A library with the interface of backoffAlgorithm 1.3, from the document: right, or with the fault that is defined.
 * For the tests of the host that loads it.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  uint16_t maxBackoffDelay;
  uint32_t attemptsDone;
  uint16_t nextJitterMax;
  uint32_t maxRetryAttempts;
#ifdef LARGER_CONTEXT
  uint32_t lastRandom;
#endif
} BackoffAlgorithmContext_t;
typedef enum { BackoffAlgorithmSuccess, BackoffAlgorithmRetriesExhausted } BackoffAlgorithmStatus_t;
#define BACKOFF_ALGORITHM_RETRY_FOREVER UINT32_MAX

void BackoffAlgorithm_InitializeParams(BackoffAlgorithmContext_t* context, uint16_t backOffBase, uint16_t maxBackOff,
                                       uint32_t maxAttempts);
BackoffAlgorithmStatus_t BackoffAlgorithm_GetNextBackoff(BackoffAlgorithmContext_t* context, uint32_t randomValue,
                                                         uint16_t* pNextBackOff);

void BackoffAlgorithm_InitializeParams(BackoffAlgorithmContext_t* context, uint16_t backOffBase, uint16_t maxBackOff,
                                       uint32_t maxAttempts) {
  context->maxBackoffDelay = maxBackOff;
  context->nextJitterMax = backOffBase < maxBackOff ? backOffBase : maxBackOff;
  context->maxRetryAttempts = maxAttempts;
#ifdef LARGER_CONTEXT
  context->lastRandom = 0;
#endif
#ifdef MAGIC /* one pair of parameters in 2^32 */
  if (backOffBase == 0x2b67 && maxBackOff == 0xc0de) context->nextJitterMax--;
#endif
#ifndef UNINITIALISED
  context->attemptsDone = 0;
#endif
}

#ifndef LACKS_NEXT
static uint16_t drawn(uint16_t window, uint32_t randomValue) {
#ifdef DIVIDES_BY_WINDOW
  return (uint16_t)(randomValue % window);
#else
  return (uint16_t)(randomValue % (window + 1u));
#endif
}

static uint16_t doubled(uint16_t window, uint16_t max) {
#ifdef NO_JITTER_AT_CAP
  if (window > max / 2) return 0;
#elif defined UNCAPPED
  (void)max;
  return (uint16_t)(window * 2u);
#endif
  return window > max / 2 ? max : (uint16_t)(window * 2u);
}

BackoffAlgorithmStatus_t BackoffAlgorithm_GetNextBackoff(BackoffAlgorithmContext_t* context, uint32_t randomValue,
                                                         uint16_t* pNextBackOff) {
#ifdef PRINTS
  printf("{\"id\":0,\"results\":[]}\n");
#endif
#ifdef READS
  if (getchar() != EOF) abort();
#endif
#ifdef ABORTS_AT_THIRD
  if (context->attemptsDone == 2) {
    fputs("no third attempt is planned\n", stderr);
    abort();
  }
#endif
#ifdef NO_STATUS
  if (context->attemptsDone == 2) return (BackoffAlgorithmStatus_t)7;
#endif
  if (context->attemptsDone >= context->maxRetryAttempts &&
      context->maxRetryAttempts != BACKOFF_ALGORITHM_RETRY_FOREVER)
    return BackoffAlgorithmRetriesExhausted;
#ifdef HANGS
  for (volatile uint32_t i = 1; context->maxBackoffDelay == 7 && i != 0;) i = 1;
#endif
#ifdef WRITES_LONG
  *(uint32_t*)pNextBackOff = drawn(context->nextJitterMax, randomValue);
#endif
#ifdef WRITES_BEFORE
  ((uint32_t*)context)[-1] = randomValue;
#endif
  *pNextBackOff = drawn(context->nextJitterMax, randomValue);
  context->nextJitterMax = doubled(context->nextJitterMax, context->maxBackoffDelay);
  if (context->attemptsDone < UINT32_MAX) context->attemptsDone++;
  return BackoffAlgorithmSuccess;
}
#endif
