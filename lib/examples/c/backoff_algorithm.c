/* An application of backoffAlgorithm, as it stands: only what it is linked with is another. */
#include "backoff_algorithm.h"

#include <stdio.h>

int main(void) {
  BackoffAlgorithmContext_t context;
  uint16_t delay = 0;
  int granted = 0;
  BackoffAlgorithm_InitializeParams(&context, 500u, 5000u, 5u);
  while (BackoffAlgorithm_GetNextBackoff(&context, 1000000007u, &delay) == BackoffAlgorithmSuccess) {
    printf("wait %u ms\n", (unsigned)delay);
    granted++;
    if (delay > 5000u) return 1;
  }
  BackoffAlgorithm_InitializeParams(&context, 500u, 5000u, BACKOFF_ALGORITHM_RETRY_FOREVER);
  if (BackoffAlgorithm_GetNextBackoff(&context, 1503u, &delay) != BackoffAlgorithmSuccess) return 1;
  if (context.attemptsDone != 1u) return 1;
  return granted == 5 && delay == 0u ? 0 : 1; /* 1503 is three windows of 501 values */
}
