/* Lets the oracle drive aws_step_functions.c. No fault is made here. */
#include <stdio.h>
#include <string.h>

#include "port.h"
#include "protocol.h"

static struct retries self;

static char const* begin(json params) {
  double const thousandths = real(member(params, "backoff_rate")) * 1000.0 + 0.5;
  memset(&self, 0x55, sizeof self); /* whatever was there: the port must set all that it reads */
  retries_init(&self, u32(member(params, "interval_s")), (uint32_t)thousandths, u32(member(params, "max_attempts")));
  return NULL;
}

static bool step(json given) {
  char delay_s[256];
  (void)given;
  if (retries_next(&self, delay_s)) {
    printf("{\"status\":\"retry\",\"delay_s\":\"%s\"}", delay_s);
  } else {
    printf("{\"status\":\"exhausted\"}");
  }
  return true;
}

struct port const port = {"aws_step_functions", "", begin, step};
