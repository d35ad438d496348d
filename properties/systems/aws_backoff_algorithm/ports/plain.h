/* Full-jitter back-off for a small device. See aws_backoff_algorithm.c. */
#ifndef AWS_BACKOFF_ALGORITHM_H
#define AWS_BACKOFF_ALGORITHM_H

#include <stdbool.h>
#include <stdint.h>

enum backoff_status { BACKOFF_RETRY, BACKOFF_EXHAUSTED };

struct backoff {
  uint32_t base_ms;
  uint32_t max_ms;
  uint32_t max_attempts; /* not looked at where forever is set */
  bool forever;
  uint32_t attempts;
  uint32_t window_ms;
};

void backoff_init(struct backoff* self, uint32_t base_ms, uint32_t max_ms, uint32_t max_attempts, bool forever);
void backoff_reset(struct backoff* self);
enum backoff_status backoff_next(struct backoff* self, uint32_t draw, uint32_t* delay_ms);

#endif
