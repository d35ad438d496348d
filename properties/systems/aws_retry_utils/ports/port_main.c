/* Lets the oracle drive lib/c99/aws_retry_utils.c, whose constants are the variables of supplied.h. No fault is made
 * here. */
#include "ports/draws.h"
#include "retry_utils.h"

uint32_t initial_s, max_s, max_jitter_s, max_attempts;
static uint32_t draw, slept_s;

uint32_t backoff_retry_utils_random(void) { return draw; }
void backoff_retry_utils_sleep(uint32_t seconds) { slept_s = seconds; }

struct instance {
  bool begun;
  RetryUtilsParams_t params;
};

static void port(void* self, json params, json step) {
  struct instance* const at = self;
  initial_s = (uint32_t)natural(params, "initial_backoff_s");
  max_s = (uint32_t)natural(params, "max_backoff_s");
  max_jitter_s = (uint32_t)natural(params, "max_jitter_s");
  max_attempts = (uint32_t)natural(params, "max_attempts");
  if (!at->begun) {
    memset(&at->params, 0xa5, sizeof at->params); /* memory holds no known values before */
    at->begun = true;
  }
  draw = drawn(natural(step, "draw"), UINT32_MAX);
  slept_s = UINT32_MAX;
  if (is(step, "op", "reset")) {
    RetryUtils_ParamsReset(&at->params);
    answer("status", "ok");
  } else if (RetryUtils_BackoffAndSleep(&at->params) == RetryUtilsSuccess) {
    answer("status", "retry");
    answer("slept_s", "%" PRIu32, slept_s);
  } else {
    answer("status", "exhausted");
  }
  answer("attempts_done", "%" PRIu32, at->params.attemptsDone);
  answer("next_jitter_max", "%" PRIu32, at->params.nextJitterMax);
}

int main(void) {
  return serve(declaring("\"systems\":[\"aws_retry_utils\"],\"features\":[\"state\"]"), sizeof(struct instance), port);
}
