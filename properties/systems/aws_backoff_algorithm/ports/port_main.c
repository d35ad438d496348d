/* Lets the oracle drive lib/c99/aws_backoff_algorithm.c. No fault is made here. */
#include "backoff_algorithm.h"
#include "ports/draws.h"

struct instance {
  bool begun;
  BackoffAlgorithmContext_t context;
};

static void init(BackoffAlgorithmContext_t* context, json params) {
  uint64_t const attempts = natural(params, "max_attempts");
  BackoffAlgorithm_InitializeParams(
      context, (uint16_t)natural(params, "base_ms"), (uint16_t)natural(params, "max_ms"),
      is(params, "max_attempts", "forever") ? BACKOFF_ALGORITHM_RETRY_FOREVER : (uint32_t)attempts);
}

static void port(void* self, json params, json step) {
  struct instance* const at = self;
  uint16_t delay_ms = 0xa5a5;
  if (!at->begun) {
    memset(&at->context, 0xa5, sizeof at->context); /* memory holds no known values before */
    init(&at->context, params);
    at->begun = true;
  }
  if (is(step, "op", "reset")) {
    init(&at->context, params);
    answer("status", "ok");
  } else if (BackoffAlgorithm_GetNextBackoff(&at->context, drawn(natural(step, "draw"), UINT32_MAX), &delay_ms) ==
             BackoffAlgorithmSuccess) {
    answer("status", "retry");
    answer("delay_ms", "%u", (unsigned)delay_ms);
  } else {
    answer("status", "exhausted");
  }
}

int main(void) {
  return serve(declaring("\"systems\":[\"aws_backoff_algorithm\"],"
                         "\"ranges\":{\"base_ms\":[\"0\",\"65535\"],\"max_ms\":[\"0\",\"65535\"]}"),
               sizeof(struct instance), port);
}
