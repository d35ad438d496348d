/* One granted step of iothub_client_retry_control with jitter twice: as the library takes it, and as a plain C
 * transcription of the document does, with pow and doubles. */
#ifndef BACKOFF_BENCH_RETRY_CONTROL_H
#define BACKOFF_BENCH_RETRY_CONTROL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plain_control {
  uint32_t max_retry_time_s;
  uint32_t initial_wait_s;
  uint32_t max_jitter_percent;
  uint32_t retry_count;
  uint32_t wait_s;
  int64_t first_retry;
  int64_t last_retry;
};

void plain_create(struct plain_control* c, uint32_t max_retry_time_s);
/* 0 now, 1 later, 2 stop, -1 failed; every reading of the call is `now`. */
int plain_should_retry(struct plain_control* c, int64_t now, uint32_t draw, uint32_t draw_max);

#ifdef __cplusplus
}
#endif

#endif
