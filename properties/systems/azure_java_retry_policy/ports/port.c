/* Retry policies as a firmware developer would write them from the document:
 *
 *   F(x) = min(Cmin + (2^(x-1) - 1) * rand(C * (1 - Jd), C * (1 - Ju)), Cmax),  x = retries, this one included
 *
 * with a filter before the policy and the total time behind it. In doubles; powers that are past every maximum are not
 * computed. It is here to be broken: the script `ports` makes every small fault in it and asks the oracle to notice. It
 * shares nothing with the library and with the wrong ports that the properties know.
 */
#include "port.h"

#include <stddef.h>

#define PER_DRAW 0x1p-32
#define ENOUGH 1e30

static struct decision const stop = {false, 0.0};

static double less_one(uint32_t retry_count) {
  double power = 1.0;
  for (uint32_t x = 1U; x < retry_count && power < ENOUGH; x++) {
    power *= 2.0;
  }
  return power - 1.0;
}

static double jittered(struct backoff const* self) {
  double const lower = self->c_ms * (1.0 - self->jd);
  double const upper = self->c_ms * (1.0 - self->ju);
  return lower + (upper - lower) * (self->draw * PER_DRAW);
}

void backoff_init(struct backoff* self) {
  self->c_ms = 100.0;
  self->cmin_ms = 100.0;
  self->cmax_ms = 10000.0;
  self->jd = 0.5;
  self->ju = 0.25;
}

struct decision backoff_decide(void* own, uint32_t retry_count, enum failure last) {
  struct backoff const* self = own;
  struct decision result = {true, 0.0};
  (void)last;
  result.delay_ms = self->cmin_ms + less_one(retry_count) * jittered(self);
  if (result.delay_ms > self->cmax_ms) {
    result.delay_ms = self->cmax_ms;
  }
  return result;
}

struct decision no_retry_decide(void* own, uint32_t retry_count, enum failure last) {
  (void)own;
  (void)retry_count;
  (void)last;
  return stop;
}

/* The filter: what is not known to pass by itself is not retried. */
static bool is_retryable(enum failure last) { return last == FAILURE_PROTOCOL || last == FAILURE_SERVICE; }

/* The decision about retry number retry_count of an operation that has taken elapsed_ms so far. */
struct decision retrying_failed(struct retrying const* self, uint32_t retry_count, enum failure last,
                                double elapsed_ms) {
  struct decision decided;
  if (!is_retryable(last)) {
    return stop;
  }
  decided = self->policy(self->own, retry_count, last);
  if (self->limited && elapsed_ms + decided.delay_ms > self->total_time_ms) {
    return stop;
  }
  return decided;
}
