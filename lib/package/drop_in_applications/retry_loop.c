/* From C90 and C++98 on: the loop of Retry Utilities, with parameters that are initialised and constants that the
 * preprocessor reads. */
#include "retry_utils.h"

#if MAX_RETRY_ATTEMPTS == 0U || MAX_RETRY_BACKOFF_SECONDS < INITIAL_RETRY_BACKOFF_SECONDS
#error "The loop would have no end, or a window above the maximum."
#endif
static uint32_t slept[MAX_RETRY_ATTEMPTS];
static unsigned int sleeps = 0U;
uint32_t backoff_retry_utils_random(void) { return MAX_JITTER_VALUE_SECONDS; }
void backoff_retry_utils_sleep(uint32_t seconds) { slept[sleeps++] = seconds; }

int main(void) {
  RetryUtilsParams_t params = {0, 0};
  RetryUtilsStatus_t status = RetryUtilsSuccess;
  uint32_t const* const attempts = &params.attemptsDone;
  uint32_t const* const window = &params.nextJitterMax;
  RetryUtils_ParamsReset(&params);
  if (*window != INITIAL_RETRY_BACKOFF_SECONDS + MAX_JITTER_VALUE_SECONDS) return 1;
  do {
    status = RetryUtils_BackoffAndSleep(&params);
  } while (status != RetryUtilsRetriesExhausted);
  return *attempts == MAX_RETRY_ATTEMPTS && slept[0] == MAX_JITTER_VALUE_SECONDS ? 0 : 2;
}
