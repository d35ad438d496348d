/* Retry Utilities' functions as a port: what they draw and sleep by is supplied here. */
#include <stdlib.h>
#include <string.h>

#include "firmware.h"
#include "retry_utils.h"

static RetryUtilsParams_t instances[INSTANCES];
static uint32_t drawn;
static uint64_t slept;

/* ---- What the library may call for a random number, and to sleep ---- */

uint32_t backoff_retry_utils_random(void) { return drawn; }
int rand(void) { return (int)drawn; }
long random(void); /* NOLINT(readability-redundant-declaration): a header may lack it */
long random(void) { return (long)drawn; }
void srand(unsigned seed) { (void)seed; }
void srandom(unsigned seed); /* NOLINT(readability-redundant-declaration): a header may lack it */
void srandom(unsigned seed) { (void)seed; }
int getentropy(void* to, size_t bytes);
int getentropy(void* to, size_t bytes) {
  memset(to, 0, bytes);
  return 0;
}

void backoff_retry_utils_sleep(uint32_t seconds) { slept += seconds; }
unsigned sleep(unsigned seconds);
unsigned sleep(unsigned seconds) {
  slept += seconds;
  return 0;
}
int myThreadSleepFunction(int seconds); /* the document's */
int myThreadSleepFunction(int seconds) { return (int)sleep((unsigned)seconds); }

void begin(char const* parameters) {
  (void)parameters; /* they are compiled in */
  memset(instances, 0xa5, sizeof instances);
}

void answer(struct call const* call) {
  RetryUtilsParams_t* const params = &instances[call->on];
  drawn = (uint32_t)number(call->args[0]);
  slept = 0;
  if (strcmp(call->name, "reset") == 0) {
    RetryUtils_ParamsReset(params);
    put("ok");
  } else {
    step_begins();
    int const status = (int)RetryUtils_BackoffAndSleep(params);
    step_ends();
    if (status == RetryUtilsSuccess) {
      put("retry,");
      put_number(slept);
    } else if (status == RetryUtilsRetriesExhausted) {
      put("exhausted");
    } else {
      broken("RetryUtils_BackoffAndSleep returned no status");
      return;
    }
  }
  put(",");
  put_number(params->attemptsDone);
  put(",");
  put_number(params->nextJitterMax);
}

void end(void) {}
