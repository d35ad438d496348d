/* An application of backoffAlgorithm, as it stands: only what it is linked with is another. */
#include "backoff_algorithm.h"

#include <stdio.h>

int main(void) {
  BackoffAlgorithmContext_t context;
  uint16_t delay = 0;
  int granted = 0;
  BackoffAlgorithm_InitializeParams(&context, 500U, 5000U, 5U);
  while (BackoffAlgorithm_GetNextBackoff(&context, 1000000007U, &delay) == BackoffAlgorithmSuccess) {
    printf("wait %u ms\n", (unsigned)delay);
    granted++;
    if (delay > 5000U) return 1;
  }
  BackoffAlgorithm_InitializeParams(&context, 500U, 5000U, BACKOFF_ALGORITHM_RETRY_FOREVER);
  if (BackoffAlgorithm_GetNextBackoff(&context, 1503U, &delay) != BackoffAlgorithmSuccess) return 1;
  if (context.attemptsDone != 1U) return 1;
  return granted == 5 && delay == 0U ? 0 : 1; /* 1503 is three windows of 501 values */
}
