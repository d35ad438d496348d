/* backoffAlgorithm's functions as a port. Its draws come as arguments. */
#include <string.h>

#include "backoff_algorithm.h"
#include "firmware.h"

static BackoffAlgorithmContext_t contexts[INSTANCES];
static uint16_t base, max;
static uint32_t attempts;

void begin(char const* parameters) {
  char const* const limit = value_of(parameters, "max_attempts");
  base = (uint16_t)number(value_of(parameters, "base_ms"));
  max = (uint16_t)number(value_of(parameters, "max_ms"));
  attempts = *limit == 'f' ? BACKOFF_ALGORITHM_RETRY_FOREVER : (uint32_t)number(limit);
  memset(contexts, 0xa5, sizeof contexts); /* memory holds no known values before */
  for (int i = 0; i < INSTANCES; i++) BackoffAlgorithm_InitializeParams(&contexts[i], base, max, attempts);
}

void answer(struct call const* call) {
  BackoffAlgorithmContext_t* const context = &contexts[call->on];
  uint32_t const draw = (uint32_t)number(call->args[0]);
  uint16_t delay = 0xa5a5;
  if (strcmp(call->name, "reset") == 0) {
    BackoffAlgorithm_InitializeParams(context, base, max, attempts);
    put("ok");
    return;
  }
  step_begins();
  int const status = (int)BackoffAlgorithm_GetNextBackoff(context, draw, &delay);
  step_ends();
  if (status == BackoffAlgorithmSuccess) {
    put("retry,");
    put_number(delay);
  } else if (status == BackoffAlgorithmRetriesExhausted) {
    put("exhausted");
  } else {
    broken("BackoffAlgorithm_GetNextBackoff returned no status");
  }
}

void end(void) {}
