/* One step of backoffAlgorithm v1.3.0 twice: as the library takes it, and as a plain C transcription of the document
 * does. Both are functions of their own, compiled with the same options, so that the call costs the same. */
#ifndef BACKOFF_BENCH_FULL_JITTER_H
#define BACKOFF_BENCH_FULL_JITTER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plain_cycle {
  uint32_t base_ms;
  uint32_t max_ms;
  uint32_t max_attempts;
  bool forever;
  uint32_t window_ms;
  uint32_t attempts_done;
};

enum plain_status { plain_retry, plain_exhausted };
struct plain_decision {
  uint8_t status;
  uint32_t delay_ms;
};

void plain_start(struct plain_cycle* c, uint32_t base_ms, uint32_t max_ms, uint32_t max_attempts, bool forever);
struct plain_decision plain_next(struct plain_cycle* c, uint32_t draw);

#ifdef __cplusplus
}
#endif

#endif
