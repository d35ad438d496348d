/* Lets the oracle drive aws_prescriptive_sample.c. No fault is made here. */
#include "port.h"
#include "ports/draws.h"

struct instance {
  bool begun;
  struct retrying retrying;
};

static void port(void* self, json params, json step) {
  struct instance* const at = self;
  if (!at->begun) {
    *at = (struct instance){true, {-1, 7, 7}}; /* memory as it is found: to be overwritten */
    retrying_init(&at->retrying, (int32_t)integer(params, "max_retries"));
  }
  long const wait_ms = retrying_wait_ms(&at->retrying);
  if (wait_ms < 0) {
    failed("no wait");
    return;
  }
  bool const again = retrying_answered(&at->retrying, (int32_t)integer(step, "http_status"));
  answer("delay_ms", "%ld", wait_ms);
  answer_json("retry", again ? "true" : "false");
}

int main(void) { return serve(declaring("\"systems\":[\"aws_prescriptive_sample\"]"), sizeof(struct instance), port); }
