/* What helpers_test.py asks of a helper: says what arrived, and answers numbers of each kind from its own. */
#include "backoff_port.h"

static void port(void* self, json params, json step) {
  unsigned* const calls = self;
  if (member(params, "reject")) {
    rejected("these");
    return;
  }
  ++*calls;
  if (is(step, "op", "fail")) {
    answer("calls", "%u", *calls); /* which counts for nothing */
    failed("an error");
    return;
  }
  answer("status", "ok");
  if (is(step, "op", "integer")) {
    if (*text(step, "value") == '-')
      answer("value", "%" PRId64, integer(step, "value"));
    else
      answer("value", "%" PRIu64, natural(step, "value"));
  } else if (is(step, "op", "real")) {
    answer_real("value", real(step, "value"));
  } else if (is(step, "op", "truth")) {
    answer_json("value", is(step, "value", "true") && *member(step, "value") == 't' ? "true" : "false");
  } else {
    answer("calls", "%u", *calls);
    answer_json("step", step);
    answer_json("params", params);
  }
}

int main(void) {
  return serve(
      "{\"port\":{\"name\":\"echo\",\"version\":\"1\",\"language\":\"C\"},"
      "\"systems\":[\"echo\",\"other\"],\"features\":[\"instances\"],"
      "\"ranges\":{\"value\":[\"0\",\"18446744073709551615\"]}}",
      sizeof(unsigned), port);
}
