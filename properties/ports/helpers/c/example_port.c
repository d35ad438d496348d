/* A port of backoffAlgorithm that the oracle can judge. Replace `window` and `draw % …` with your code. */
#include "backoff_port.h"

struct mine {
  uint64_t attempts;
};

static void port(void* self, json params, json step) {
  struct mine* const mine = self;
  uint64_t const max = natural(params, "max_ms");
  if (is(step, "op", "reset")) {
    mine->attempts = 0;
    answer("status", "ok");
  } else if (!is(params, "max_attempts", "forever") && mine->attempts >= natural(params, "max_attempts")) {
    answer("status", "exhausted");
  } else {
    uint64_t window = natural(params, "base_ms");
    for (uint64_t i = 0; i < mine->attempts && window < max; i++) window *= 2;
    if (window > max) window = max;
    mine->attempts++;
    answer("status", "retry");
    answer("delay_ms", "%" PRIu64, natural(step, "draw") % (window + 1));
  }
}

int main(void) {
  return serve(
      "{\"port\":{\"name\":\"example\",\"version\":\"1\",\"language\":\"C\"},"
      "\"systems\":[\"aws_backoff_algorithm\"],\"features\":[\"instances\"]}",
      sizeof(struct mine), port);
}
