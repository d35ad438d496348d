/* Lets the oracle drive aws_prescriptive_sample.c. No fault is made here. */
#include <stdio.h>

#include "port.h"
#include "protocol.h"

static struct retrying self;

static char const* begin(json params) {
  self = (struct retrying){-1, 7, 7}; /* memory as it is found: to be overwritten */
  retrying_init(&self, (int32_t)i64(member(params, "max_retries")));
  return NULL;
}

static bool step(json given) {
  long const wait_ms = retrying_wait_ms(&self);
  if (wait_ms < 0) {
    printf("{\"status\":\"error\",\"why\":\"no wait\"}");
    return false;
  }
  bool const again = retrying_answered(&self, (int32_t)i64(member(given, "http_status")));
  printf("{\"delay_ms\":\"%ld\",\"retry\":%s}", wait_ms, again ? "true" : "false");
  return true;
}

struct port const port = {"aws_prescriptive_sample", "", begin, step};
