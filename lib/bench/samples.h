/* One step of four systems twice, as full_jitter.h: as the library takes it, and as a plain C transcription of the
 * document's own sample or formula does, with pow and doubles where that has them. */
#ifndef BACKOFF_BENCH_SAMPLES_H
#define BACKOFF_BENCH_SAMPLES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Retry Utilities: the status is 0 with the seconds to sleep, or 1 where the attempts are used up. */
struct plain_utils {
  uint32_t initial_s;
  uint32_t max_backoff_s;
  uint32_t max_jitter_s;
  uint32_t max_attempts;
  uint32_t window_s;
  uint32_t attempts_done;
};
void plain_utils_reset(struct plain_utils* c, uint32_t draw);
struct plain_sleep {
  uint8_t status;
  uint32_t sleep_s;
};
struct plain_sleep plain_utils_back_off(struct plain_utils* c, uint32_t draw);

/* AWS Step Functions: the same in nanoseconds, each computed from the formula. */
struct plain_run {
  double interval_s;
  double rate;
  uint32_t max_attempts;
  uint32_t attempts_done;
};
struct plain_wait {
  uint8_t status;
  uint64_t delay_ns;
};
struct plain_wait plain_run_next(struct plain_run* c);

/* The prescriptive sample's wait before the request that so many others came before, in milliseconds. */
int32_t plain_sample_delay_ms(uint32_t retries);

/* The device SDK for Java's default policy: nanoseconds before retry x. */
struct plain_java {
  double c_ms;
  double cmin_ms;
  double cmax_ms;
  double jd;
  double ju;
};
uint64_t plain_java_delay_ns(struct plain_java const* p, uint32_t x, uint32_t draw);

#ifdef __cplusplus
}
#endif

#endif
