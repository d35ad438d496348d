/* Reconnects with full jitter, by the interface for C: C99, no C++, nothing allocated. */
#include <backoff.h>
#include <inttypes.h>
#include <stdio.h>

/* Stands for a connection that comes at the fourth try, and for a generator seeded from the device's own entropy. */
static int connected(int try) { return try == 3; }
static uint32_t draw(void) {
  static uint32_t x = 2463534242U;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

int main(void) {
  if (backoff_abi_version() != BACKOFF_ABI_VERSION) return 1;
  backoff_aws_backoff_algorithm cycle;
  backoff_aws_backoff_algorithm_init(&cycle, 100, 5000, 5);
  for (int try = 0; !connected(try); try++) {
    uint32_t delay_ms = 0;
    uint32_t const window_ms = backoff_aws_backoff_algorithm_window_ms(&cycle);
    if (backoff_aws_backoff_algorithm_next(&cycle, draw(), &delay_ms) == BACKOFF_EXHAUSTED) return 1;
    printf("wait %" PRIu32 " of %" PRIu32 " ms\n", delay_ms, window_ms);
    if (delay_ms > window_ms || window_ms != 100U << try) return 1;
  }
  return backoff_aws_backoff_algorithm_attempts_done(&cycle) == 3 ? 0 : 1;
}
