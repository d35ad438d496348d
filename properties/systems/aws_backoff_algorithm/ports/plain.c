/* A port of backoffAlgorithm v1.3.0 as a firmware developer would write it from the document:
 *
 *   sleep_ms = random_between(0, min(2^n * base_ms, max_ms)),  n = retries already granted
 *
 * It is here to be broken: the script `ports` makes every small fault in it and asks the oracle to notice. It shares
 * nothing with the library and with the wrong ports that the properties know.
 */
#include "plain.h"

static uint32_t smaller(uint32_t a, uint32_t b) {
  if (a < b) {
    return a;
  }
  return b;
}

/* Twice the window, or max_ms where that is less. Compares before it doubles, as 2 * window_ms may not fit. */
static uint32_t doubled(uint32_t window_ms, uint32_t max_ms) {
  if (window_ms > max_ms / 2u) {
    return max_ms;
  }
  return window_ms * 2u;
}

/* The draw, brought into 0 .. window_ms. The full window has no room above it: window_ms + 1 would be 0. */
static uint32_t jitter(uint32_t window_ms, uint32_t draw) {
  if (window_ms == UINT32_MAX) {
    return draw;
  }
  return draw % (window_ms + 1u);
}

static bool may_retry(struct backoff const* self) { return self->forever || self->attempts < self->max_attempts; }

void backoff_reset(struct backoff* self) {
  self->attempts = 0u;
  self->window_ms = smaller(self->base_ms, self->max_ms);
}

void backoff_init(struct backoff* self, uint32_t base_ms, uint32_t max_ms, uint32_t max_attempts, bool forever) {
  self->base_ms = base_ms;
  self->max_ms = max_ms;
  self->max_attempts = max_attempts;
  self->forever = forever;
  backoff_reset(self);
}

enum backoff_status backoff_next(struct backoff* self, uint32_t draw, uint32_t* delay_ms) {
  if (!may_retry(self)) {
    return BACKOFF_EXHAUSTED;
  }
  *delay_ms = jitter(self->window_ms, draw);
  self->window_ms = doubled(self->window_ms, self->max_ms);
  if (!self->forever) { /* forever is longer than the counter */
    self->attempts += 1u;
  }
  return BACKOFF_RETRY;
}
