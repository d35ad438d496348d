/* Lets the oracle drive aws_retry_utils.c. No fault is made here. */
#include <stdio.h>

#include "plain.h"
#include "protocol.h"

static struct retry_settings settings;
static struct retry_state state;
static uint32_t slept_s;

static void note_sleep(uint32_t time_s) { slept_s = time_s; }

static char const* begin(json params) {
  settings.initial_s = u32(member(params, "initial_backoff_s"));
  settings.max_s = u32(member(params, "max_backoff_s"));
  settings.max_jitter_s = u32(member(params, "max_jitter_s"));
  settings.max_attempts = u32(member(params, "max_attempts"));
  state = (struct retry_state){0};
  return NULL;
}

static bool step(json given) {
  uint32_t const draw = drawn(member(given, "draw"), UINT32_MAX);
  if (is(member(given, "op"), "reset")) {
    retry_reset(&settings, &state, draw);
    printf("{\"status\":\"ok\"");
  } else if (retry_back_off(&settings, &state, draw, note_sleep) == RETRY_SLEPT) {
    printf("{\"status\":\"retry\",\"slept_s\":\"%lu\"", (unsigned long)slept_s);
  } else {
    printf("{\"status\":\"exhausted\"");
  }
  printf(",\"attempts_done\":\"%lu\",\"next_jitter_max\":\"%lu\"}", (unsigned long)state.attempts_done,
         (unsigned long)state.next_jitter_max);
  return true;
}

struct port const port = {"aws_retry_utils", "\"features\":[\"state\"]", begin, step};
