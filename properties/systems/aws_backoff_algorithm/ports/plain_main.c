/* Lets the oracle drive aws_backoff_algorithm.c. No fault is made here. */
#include <stdio.h>

#include "plain.h"
#include "protocol.h"

static struct backoff self;

static char const* begin(json params) {
  json const limit = member(params, "max_attempts");
  self = (struct backoff){0};
  backoff_init(&self, u32(member(params, "base_ms")), u32(member(params, "max_ms")), u32(limit), is(limit, "forever"));
  return NULL;
}

static bool step(json given) {
  uint32_t delay_ms = 0;
  if (is(member(given, "op"), "reset")) {
    backoff_reset(&self);
    printf("{\"status\":\"ok\"}");
  } else if (backoff_next(&self, drawn(member(given, "draw"), UINT32_MAX), &delay_ms) == BACKOFF_RETRY) {
    printf("{\"status\":\"retry\",\"delay_ms\":\"%lu\"}", (unsigned long)delay_ms);
  } else {
    printf("{\"status\":\"exhausted\"}");
  }
  return true;
}

struct port const port = {"aws_backoff_algorithm", "", begin, step};
