/* Lets the oracle drive lib/c99/aws_retry_utils.c, whose constants are the variables of supplied.h. No fault is made
 * here. */
#include <stdio.h>
#include <string.h>

#include "protocol.h"
#include "retry_utils.h"

uint32_t initial_s, max_s, max_jitter_s, max_attempts;
static RetryUtilsParams_t instance;
static uint32_t draw, slept_s;

uint32_t backoff_retry_utils_random(void) { return draw; }
void backoff_retry_utils_sleep(uint32_t seconds) { slept_s = seconds; }

static char const* begin(json params) {
  initial_s = u32(member(params, "initial_backoff_s"));
  max_s = u32(member(params, "max_backoff_s"));
  max_jitter_s = u32(member(params, "max_jitter_s"));
  max_attempts = u32(member(params, "max_attempts"));
  memset(&instance, 0xa5, sizeof instance); /* memory holds no known values before */
  return NULL;
}

static bool step(json given) {
  draw = drawn(member(given, "draw"), UINT32_MAX);
  slept_s = UINT32_MAX;
  if (is(member(given, "op"), "reset")) {
    RetryUtils_ParamsReset(&instance);
    printf("{\"status\":\"ok\"");
  } else if (RetryUtils_BackoffAndSleep(&instance) == RetryUtilsSuccess) {
    printf("{\"status\":\"retry\",\"slept_s\":\"%lu\"", (unsigned long)slept_s);
  } else {
    printf("{\"status\":\"exhausted\"");
  }
  printf(",\"attempts_done\":\"%lu\",\"next_jitter_max\":\"%lu\"}", (unsigned long)instance.attemptsDone,
         (unsigned long)instance.nextJitterMax);
  return true;
}

struct port const port = {"aws_retry_utils", "\"features\":[\"state\"]", begin, step};
