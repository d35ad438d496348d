/* Lets the oracle drive aws_step_functions.c. No fault is made here. */
#include "port.h"
#include "ports/draws.h"

struct instance {
  bool begun;
  struct retries retries;
};

static void port(void* self, json params, json step) {
  struct instance* const at = self;
  char delay_s[256];
  (void)step;
  if (!at->begun) {
    double const thousandths = real(params, "backoff_rate") * 1000.0 + 0.5;
    memset(&at->retries, 0x55, sizeof at->retries); /* whatever was there: the port must set all that it reads */
    retries_init(&at->retries, (uint32_t)natural(params, "interval_s"), (uint32_t)thousandths,
                 (uint32_t)natural(params, "max_attempts"));
    at->begun = true;
  }
  if (retries_next(&at->retries, delay_s)) {
    answer("status", "retry");
    answer("delay_s", "%s", delay_s);
  } else {
    answer("status", "exhausted");
  }
}

int main(void) { return serve(declaring("\"systems\":[\"aws_step_functions\"]"), sizeof(struct instance), port); }
