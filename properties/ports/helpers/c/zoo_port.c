/* Right ports of two documents as people write them in C: zoo_port SYSTEM STYLE. */
#include <math.h>

#include "backoff_port.h"

struct cycle {
  int begun;
  uint32_t window;
  uint64_t done;
};

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* 32 bits, in which no sum wraps. */
static uint32_t grown(uint32_t window, uint32_t cap) { return window > cap - window ? cap : window + window; }

static void saturating(void* self, json params, json step) {
  struct cycle* const c = self;
  uint32_t const cap = (uint32_t)natural(params, "max_ms");
  if (!c->begun || is(step, "op", "reset"))
    *c = (struct cycle){1, smaller((uint32_t)natural(params, "base_ms"), cap), 0};
  if (is(step, "op", "reset")) {
    answer("status", "ok");
  } else if (!is(params, "max_attempts", "forever") && c->done == natural(params, "max_attempts")) {
    answer("status", "exhausted");
  } else {
    answer("status", "retry");
    answer("delay_ms", "%" PRIu64, natural(step, "draw") % ((uint64_t)c->window + 1));
    c->window = grown(c->window, cap);
    c->done++;
  }
}

static void by_ldexp(void* self, json params, json step) { /* each window anew, in doubles */
  struct cycle* const c = self;
  if (is(step, "op", "reset")) {
    c->done = 0;
    answer("status", "ok");
  } else if (!is(params, "max_attempts", "forever") && c->done >= natural(params, "max_attempts")) {
    answer("status", "exhausted");
  } else {
    double const window = fmin(ldexp((double)natural(params, "base_ms"), (int)(c->done < 900 ? c->done : 900)),
                               (double)natural(params, "max_ms"));
    c->done++;
    answer("status", "retry");
    answer("delay_ms", "%.0f", fmod((double)natural(step, "draw"), window + 1));
  }
}

static void utilities(void* self, json params, json step) {
  struct cycle* const c = self;
  uint32_t const cap = (uint32_t)natural(params, "max_backoff_s");
  uint64_t const draw = natural(step, "draw");
  if (is(step, "op", "reset")) {
    uint64_t const first = natural(params, "initial_backoff_s") + draw % (natural(params, "max_jitter_s") + 1);
    *c = (struct cycle){1, first < cap ? (uint32_t)first : cap, 0};
    answer("status", "ok");
  } else if (natural(params, "max_attempts") != 0 && c->done == natural(params, "max_attempts")) {
    answer("status", "exhausted");
  } else {
    answer("status", "retry");
    answer("slept_s", "%" PRIu64, draw % ((uint64_t)c->window + 1));
    c->window = grown(c->window, cap);
    c->done++;
  }
}

int main(int argc, char** argv) {
  static struct {
    char const *system, *style;
    a_port* port;
  } const styles[] = {{"aws_backoff_algorithm", "saturating", saturating},
                      {"aws_backoff_algorithm", "by_ldexp", by_ldexp},
                      {"aws_retry_utils", "utilities", utilities}};
  for (size_t i = 0; argc > 2 && i < sizeof styles / sizeof *styles; i++) {
    static char about[400];
    if (strcmp(argv[1], styles[i].system) || strcmp(argv[2], styles[i].style)) continue;
    snprintf(about, sizeof about,
             "{\"protocol\":1,\"port\":{\"name\":\"%s\",\"version\":\"1\",\"language\":\"C\"},\"systems\":[\"%s\"],"
             "\"max_batch\":256,\"features\":[\"instances\"]}",
             argv[2], argv[1]);
    return serve(about, sizeof(struct cycle), styles[i].port);
  }
  return 2;
}
