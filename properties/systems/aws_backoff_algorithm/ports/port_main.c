/* Lets the oracle drive lib/c99/aws_backoff_algorithm.c. No fault is made here. */
#include <stdio.h>
#include <string.h>

#include "backoff_algorithm.h"
#include "protocol.h"

static BackoffAlgorithmContext_t context;
static uint16_t base, max;
static uint32_t attempts;

static char const* begin(json params) {
  json const limit = member(params, "max_attempts");
  base = (uint16_t)u32(member(params, "base_ms"));
  max = (uint16_t)u32(member(params, "max_ms"));
  attempts = is(limit, "forever") ? BACKOFF_ALGORITHM_RETRY_FOREVER : u32(limit);
  memset(&context, 0xa5, sizeof context); /* memory holds no known values before */
  BackoffAlgorithm_InitializeParams(&context, base, max, attempts);
  return NULL;
}

static bool step(json given) {
  uint16_t delay_ms = 0xa5a5;
  if (is(member(given, "op"), "reset")) {
    BackoffAlgorithm_InitializeParams(&context, base, max, attempts);
    printf("{\"status\":\"ok\"}");
  } else if (BackoffAlgorithm_GetNextBackoff(&context, drawn(member(given, "draw"), UINT32_MAX), &delay_ms) ==
             BackoffAlgorithmSuccess) {
    printf("{\"status\":\"retry\",\"delay_ms\":\"%u\"}", (unsigned)delay_ms);
  } else {
    printf("{\"status\":\"exhausted\"}");
  }
  return true;
}

struct port const port = {"aws_backoff_algorithm",
                          "\"ranges\":{\"base_ms\":[\"0\",\"65535\"],\"max_ms\":[\"0\",\"65535\"]}", begin, step};
