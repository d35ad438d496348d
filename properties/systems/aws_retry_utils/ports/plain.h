/* Retrying with back-off for a small device. See aws_retry_utils.c. */
#ifndef AWS_RETRY_UTILS_H
#define AWS_RETRY_UTILS_H

#include <stdbool.h>
#include <stdint.h>

enum retry_status { RETRY_SLEPT, RETRY_EXHAUSTED };

struct retry_settings {
  uint32_t initial_s;
  uint32_t max_s;
  uint32_t max_jitter_s;
  uint32_t max_attempts; /* 0: no limit */
};

struct retry_state {
  uint32_t attempts_done;
  uint32_t next_jitter_max;
};

void retry_reset(struct retry_settings const* settings, struct retry_state* state, uint32_t draw);
enum retry_status retry_back_off(struct retry_settings const* settings, struct retry_state* state, uint32_t draw,
                                 void (*sleep_s)(uint32_t));

#endif
