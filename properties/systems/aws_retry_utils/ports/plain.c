/* A port of Retry Utilities 202009.00 as a firmware developer would write it from the document:
 *
 *   reset:    window_s = min(initial_s + random_between(0, max_jitter_s), max_s)
 *   back off: sleep random_between(0, window_s), then window_s = min(2 * window_s, max_s)
 *
 * It is here to be broken: the script `ports` makes every small fault in it and asks the oracle to notice. It shares
 * nothing with the library and with the wrong ports that the properties know.
 */
#include "plain.h"

/* a + b, or the limit where that is less. Compares before it adds, as the sum may not fit. */
static uint32_t sum_up_to(uint32_t limit, uint32_t a, uint32_t b) {
  if (a > limit) {
    return limit;
  }
  if (b > limit - a) {
    return limit;
  }
  return a + b;
}

/* The draw, brought into 0 .. most. The widest range has no room above it: most + 1 would be 0. */
static uint32_t random_up_to(uint32_t most, uint32_t draw) {
  if (most == UINT32_MAX) {
    return draw;
  }
  return draw % (most + 1u);
}

static bool exhausted(struct retry_settings const* settings, struct retry_state const* state) {
  if (settings->max_attempts == 0u) {
    return false;
  }
  return state->attempts_done >= settings->max_attempts;
}

void retry_reset(struct retry_settings const* settings, struct retry_state* state, uint32_t draw) {
  uint32_t const jitter_s = random_up_to(settings->max_jitter_s, draw);
  state->attempts_done = 0u;
  state->next_jitter_max = sum_up_to(settings->max_s, settings->initial_s, jitter_s);
}

enum retry_status retry_back_off(struct retry_settings const* settings, struct retry_state* state, uint32_t draw,
                                 void (*sleep_s)(uint32_t)) {
  if (exhausted(settings, state)) {
    return RETRY_EXHAUSTED;
  }
  sleep_s(random_up_to(state->next_jitter_max, draw));
  state->next_jitter_max = sum_up_to(settings->max_s, state->next_jitter_max, state->next_jitter_max);
  state->attempts_done += 1u;
  return RETRY_SLEPT;
}
