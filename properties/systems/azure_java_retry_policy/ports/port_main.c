/* Lets the oracle drive azure_java_retry_policy.c. No fault is made here. */
#include "port.h"
#include "ports/draws.h"

/* A policy that decides as the step says, and remembers that it was asked. */
struct script {
  struct decision next;
  bool asked;
};

static struct decision scripted(void* own, uint32_t retry_count, enum failure last) {
  struct script* s = own;
  (void)retry_count;
  (void)last;
  s->asked = true;
  return s->next;
}

struct instance {
  bool begun;
  struct backoff backoff;
  struct script script;
  struct retrying retrying;
};

static void set(double* constant, json params, char const* name) {
  if (member(params, name) != NULL) {
    *constant = real(params, name);
  }
}

static void begin(struct instance* at, json params) {
  bool const custom = is(params, "policy", "custom");
  memset(&at->backoff, 0x55, sizeof at->backoff); /* whatever was there: the port must set all that it reads */
  backoff_init(&at->backoff);
  set(&at->backoff.c_ms, params, "c_ms");
  set(&at->backoff.cmin_ms, params, "cmin_ms");
  set(&at->backoff.cmax_ms, params, "cmax_ms");
  set(&at->backoff.jd, params, "jd");
  set(&at->backoff.ju, params, "ju");
  at->retrying.policy = is(params, "policy", "no_retry") ? no_retry_decide : custom ? scripted : backoff_decide;
  at->retrying.own = custom ? (void*)&at->script : (void*)&at->backoff;
  at->retrying.limited = member(params, "total_time_ms") != NULL;
  at->retrying.total_time_ms = real(params, "total_time_ms");
  at->begun = true;
}

static enum failure failure_of(json step) {
  if (is(step, "error", "protocol")) {
    return FAILURE_PROTOCOL;
  }
  if (is(step, "error", "service")) {
    return FAILURE_SERVICE;
  }
  return is(step, "error", "terminal") ? FAILURE_TERMINAL : FAILURE_UNKNOWN;
}

static void port(void* self, json params, json step) {
  struct instance* const at = self;
  if (!at->begun) {
    begin(at, params);
  }
  at->backoff.draw = drawn(natural(step, "draw"), UINT32_MAX);
  at->script.next = (struct decision){is(step, "custom_retry", "true"), real(step, "custom_delay_ms")};
  at->script.asked = false;
  struct decision const decided = retrying_failed(&at->retrying, (uint32_t)natural(step, "retry_count"),
                                                  failure_of(step), real(step, "elapsed_ms"));
  answer_json("retry", decided.retry ? "true" : "false");
  if (decided.retry) {
    answer_real("delay_ms", decided.delay_ms);
  }
  answer_json("consulted", at->script.asked ? "true" : "false");
}

int main(void) {
  return serve(declaring("\"systems\":[\"azure_java_retry_policy\"],"
                         "\"features\":[\"total_time\",\"errors\",\"custom_policy\"],"
                         "\"ranges\":{\"retry_count\":[\"0\",\"2147483647\"]}"),
               sizeof(struct instance), port);
}
