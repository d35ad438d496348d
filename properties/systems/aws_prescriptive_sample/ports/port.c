/* A port of the sample loop of retry with back-off as a firmware developer would write it from the document:
 *
 *   wait (2^n - 1) * 100 ms, request; again after 429 and 504, up to max_retries requests, n = requests already made
 *
 * It keeps the wait from request to request: 2^(n+1) - 1 is 2 * (2^n - 1) + 1. From where 31 bits do not
 * hold it there is no wait: the run fails.
 * It is here to be broken: the script `ports` makes every small fault in it and asks the oracle to notice. It shares
 * nothing with the library and with the wrong ports that the properties know.
 */
#include "port.h"

enum { STEP_MS = 100 };

/* Twice the wait and one step, or -1 where that does not fit. Compares before it doubles. */
static int32_t longer(int32_t wait_ms) {
  if (wait_ms > (INT32_MAX - STEP_MS) / 2) {
    return -1;
  }
  return wait_ms * 2 + STEP_MS;
}

static bool is_transient(int32_t http_status) {
  switch (http_status) {
    case 429: /* too many requests */
    case 504: /* gateway timeout */
      return true;
    default: /* success, or a failure that stays */
      return false;
  }
}

void retrying_init(struct retrying* self, int32_t max_retries) {
  self->max_retries = max_retries;
  self->retries = 0;
  self->wait_ms = 0;
}

int32_t retrying_wait_ms(struct retrying const* self) { return self->wait_ms; }

/* Takes the answer to a request; true: make another one, after the wait. */
bool retrying_answered(struct retrying* self, int32_t http_status) {
  self->retries += 1;
  self->wait_ms = longer(self->wait_ms);
  return is_transient(http_status) && self->retries < self->max_retries;
}
