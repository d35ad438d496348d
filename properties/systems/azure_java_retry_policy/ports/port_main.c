/* Lets the oracle drive azure_java_retry_policy.c. No fault is made here. */
#include <stdio.h>
#include <string.h>

#include "port.h"
#include "protocol.h"

/* A policy that decides as the step says, and remembers that it was asked. */
struct script {
  struct decision next;
  bool asked;
};

static struct backoff backoff;
static struct script script;
static struct retrying self;

static struct decision scripted(void* own, uint32_t retry_count, enum failure last) {
  struct script* s = own;
  (void)retry_count;
  (void)last;
  s->asked = true;
  return s->next;
}

static void set(double* constant, json value) {
  if (value != NULL) {
    *constant = real(value);
  }
}

static char const* begin(json params) {
  json const policy = member(params, "policy");
  json const total = member(params, "total_time_ms");
  memset(&backoff, 0x55, sizeof backoff); /* whatever was there: the port must set all that it reads */
  backoff_init(&backoff);
  set(&backoff.c_ms, member(params, "c_ms"));
  set(&backoff.cmin_ms, member(params, "cmin_ms"));
  set(&backoff.cmax_ms, member(params, "cmax_ms"));
  set(&backoff.jd, member(params, "jd"));
  set(&backoff.ju, member(params, "ju"));
  self.policy = is(policy, "no_retry") ? no_retry_decide : is(policy, "custom") ? scripted : backoff_decide;
  self.own = is(policy, "custom") ? (void*)&script : (void*)&backoff;
  self.limited = total != NULL;
  self.total_time_ms = real(total);
  return NULL;
}

static enum failure failure_of(json error) {
  if (is(error, "protocol")) {
    return FAILURE_PROTOCOL;
  }
  if (is(error, "service")) {
    return FAILURE_SERVICE;
  }
  return is(error, "terminal") ? FAILURE_TERMINAL : FAILURE_UNKNOWN;
}

static bool step(json given) {
  struct decision decided;
  backoff.draw = drawn(member(given, "draw"), UINT32_MAX);
  script.next.retry = is(member(given, "custom_retry"), "true");
  script.next.delay_ms = real(member(given, "custom_delay_ms"));
  script.asked = false;
  decided = retrying_failed(&self, u32(member(given, "retry_count")), failure_of(member(given, "error")),
                            real(member(given, "elapsed_ms")));
  if (decided.retry) {
    printf("{\"retry\":true,\"delay_ms\":%.17g", decided.delay_ms);
  } else {
    printf("{\"retry\":false");
  }
  printf(",\"consulted\":%s}", script.asked ? "true" : "false");
  return true;
}

struct port const port = {"azure_java_retry_policy",
                          "\"features\":[\"total_time\",\"errors\",\"custom_policy\"],"
                          "\"ranges\":{\"retry_count\":[\"0\",\"2147483647\"]}",
                          begin, step};
