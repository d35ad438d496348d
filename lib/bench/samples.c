#include "samples.h"

#include <math.h>

void plain_utils_reset(struct plain_utils* c, uint32_t draw) {
  c->attempts_done = 0;
  c->window_s = c->initial_s + draw % (c->max_jitter_s + 1);
  if (c->window_s > c->max_backoff_s) c->window_s = c->max_backoff_s;
}

struct plain_sleep plain_utils_back_off(struct plain_utils* c, uint32_t draw) {
  struct plain_sleep decided = {1, 0};
  if (c->max_attempts != 0 && c->attempts_done >= c->max_attempts) return decided;
  decided.status = 0;
  decided.sleep_s = c->window_s == UINT32_MAX ? draw : draw % (c->window_s + 1);
  if (c->window_s > c->max_backoff_s - c->window_s) {
    c->window_s = c->max_backoff_s;
  } else {
    c->window_s *= 2;
  }
  ++c->attempts_done;
  return decided;
}

struct plain_wait plain_run_next(struct plain_run* c) {
  struct plain_wait decided = {1, 0};
  if (c->attempts_done == c->max_attempts) return decided;
  decided.status = 0;
  decided.delay_ns = (uint64_t)round(c->interval_s * pow(c->rate, c->attempts_done) * 1e9);
  ++c->attempts_done;
  return decided;
}

int32_t plain_sample_delay_ms(uint32_t retries) {
  double const ms = (pow(2, retries) - 1) * 100;
  return ms < INT32_MAX ? (int32_t)ms : INT32_MAX;
}

uint64_t plain_java_delay_ns(struct plain_java const* p, uint32_t x, uint32_t draw) {
  double const from = p->c_ms * (1 - p->jd);
  double const to = p->c_ms * (1 - p->ju);
  double const ms = p->cmin_ms + (pow(2, x - 1.0) - 1) * (from + draw / 4294967296.0 * (to - from));
  return (uint64_t)((ms < p->cmax_ms ? ms : p->cmax_ms) * 1e6);
}
