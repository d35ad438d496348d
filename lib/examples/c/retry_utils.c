/* An application of Retry Utilities, as it stands, with a generator and a sleep of its own: in place of the library's.
 */
#include "retry_utils.h"

#include <stdio.h>

static uint32_t slept = 0;
uint32_t backoff_retry_utils_random(void) { return 5U; }
void backoff_retry_utils_sleep(uint32_t seconds) {
  printf("sleep %u s\n", (unsigned)seconds);
  slept += seconds;
}

int main(void) {
  RetryUtilsParams_t params;
  RetryUtils_ParamsReset(&params);
  if (params.nextJitterMax != INITIAL_RETRY_BACKOFF_SECONDS + 5U % (MAX_JITTER_VALUE_SECONDS + 1U)) return 1;
  while (RetryUtils_BackoffAndSleep(&params) == RetryUtilsSuccess) printf("try again\n");
  return params.attemptsDone == MAX_RETRY_ATTEMPTS && slept == 5U * MAX_RETRY_ATTEMPTS ? 0 : 1;
}
