/* From C90 and C++98 on: both libraries in one source, functions in tables, and a switch over every status without a
 * default. */
#include "backoff_algorithm.h"
#include "retry_utils.h"

static struct {
  void (*begin)(BackoffAlgorithmContext_t* pContext, uint16_t backOffBase, uint16_t maxBackOff, uint32_t maxAttempts);
  BackoffAlgorithmStatus_t (*next)(BackoffAlgorithmContext_t* pRetryContext, uint32_t randomValue,
                                   uint16_t* pNextBackOff);
} const algorithm = {BackoffAlgorithm_InitializeParams, BackoffAlgorithm_GetNextBackoff};
static void (*const reset)(RetryUtilsParams_t* pRetryParams) = RetryUtils_ParamsReset;
static RetryUtilsStatus_t (*const sleep_and_count)(RetryUtilsParams_t* pRetryParams) = RetryUtils_BackoffAndSleep;

uint32_t backoff_retry_utils_random(void) { return 0U; }
void backoff_retry_utils_sleep(uint32_t seconds) { (void)seconds; }

static int granted(BackoffAlgorithmStatus_t status) {
  switch (status) {
    case BackoffAlgorithmSuccess:
      return 1;
    case BackoffAlgorithmRetriesExhausted:
      return 0;
  }
  return -1;
}
static int slept(RetryUtilsStatus_t status) {
  switch (status) {
    case RetryUtilsSuccess:
      return 1;
    case RetryUtilsRetriesExhausted:
      return 0;
  }
  return -1;
}

int main(void) {
  BackoffAlgorithmContext_t context;
  RetryUtilsParams_t params;
  uint16_t delay = 0U;
  uint32_t retry = 0U;
  algorithm.begin(&context, 1U, 8U, MAX_RETRY_ATTEMPTS);
  reset(&params);
  for (retry = 0U; retry < MAX_RETRY_ATTEMPTS; retry++)
    if (granted(algorithm.next(&context, 0U, &delay)) != 1 || slept(sleep_and_count(&params)) != 1) return 1;
  return granted(algorithm.next(&context, 0U, &delay)) == 0 && slept(sleep_and_count(&params)) == 0 ? 0 : 2;
}
