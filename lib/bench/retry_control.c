#include "retry_control.h"

#include <math.h>
#include <time.h>

void plain_create(struct plain_control* c, uint32_t max_retry_time_s) {
  struct plain_control const fresh = {max_retry_time_s, 1, 5, 0, 0, -1, -1};
  *c = fresh;
}

int plain_should_retry(struct plain_control* c, int64_t now, uint32_t draw, uint32_t draw_max) {
  if (c->first_retry == -1) c->first_retry = now;
  if (now == -1) return -1;
  if (c->retry_count > 0) {
    if (c->last_retry == -1) return -1;
    if (c->max_retry_time_s != 0 && difftime(now, c->first_retry) >= c->max_retry_time_s) return 2;
    if (difftime(now, c->last_retry) < c->wait_s) return 1;
  }
  ++c->retry_count;
  c->last_retry = now;
  double const wait =
      pow(2, c->retry_count - 1) * c->initial_wait_s * (1 + c->max_jitter_percent / 100.0 * (draw / (double)draw_max));
  c->wait_s = wait < UINT32_MAX ? (uint32_t)wait : UINT32_MAX;
  return 0;
}
