#include "full_jitter.h"

void plain_start(struct plain_cycle* c, uint32_t base_ms, uint32_t max_ms, uint32_t max_attempts, bool forever) {
  c->base_ms = base_ms;
  c->max_ms = max_ms;
  c->max_attempts = max_attempts;
  c->forever = forever;
  c->window_ms = base_ms < max_ms ? base_ms : max_ms;
  c->attempts_done = 0;
}

struct plain_decision plain_next(struct plain_cycle* c, uint32_t draw) {
  struct plain_decision decided = {plain_exhausted, 0};
  if (!c->forever) {
    if (c->attempts_done >= c->max_attempts) return decided;
    ++c->attempts_done;
  }
  decided.status = plain_retry;
  decided.delay_ms = c->window_ms == UINT32_MAX ? draw : draw % (c->window_ms + 1);
  if (c->window_ms > c->max_ms - c->window_ms) {
    c->window_ms = c->max_ms;
  } else {
    c->window_ms *= 2;
  }
  return decided;
}
