/* From C99 and C++20 on: a constant context with the fields by name, copied to begin each cycle. */
#include <backoff_algorithm.h>

static BackoffAlgorithmContext_t const fresh = {.maxBackoffDelay = 4000U,
                                                .attemptsDone = 0U,
                                                .nextJitterMax = 3000U,
                                                .maxRetryAttempts = BACKOFF_ALGORITHM_RETRY_FOREVER};

int main(void) {
  BackoffAlgorithmContext_t context = fresh;
  uint16_t delay = 0U;
  if (BackoffAlgorithm_GetNextBackoff(&context, 3000U, &delay) != BackoffAlgorithmSuccess || delay != 3000U) return 1;
  if (context.nextJitterMax != 4000U || context.attemptsDone != 1U) return 2;
  context = fresh;
  return context.maxBackoffDelay == 4000U && context.maxRetryAttempts == UINT32_MAX ? 0 : 3;
}
