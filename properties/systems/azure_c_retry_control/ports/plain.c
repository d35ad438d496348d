/* A port of iothub_client_retry_control as a firmware developer would write it from the document: seven policies, the
 * clock read where the document reads it, waits in whole seconds.
 *
 * It is here to be broken: the script `ports` makes every small fault in it and asks the oracle to notice. It shares
 * nothing with the library and with the wrong ports that the properties know. At least 200 mutants: it is a whole
 * document of 60 numbered requirements.
 */
#include "plain.h"

#include <string.h>

struct retry_control {
  enum retry_policy policy;
  uint32_t max_retry_time_s;
  uint32_t initial_wait_s;
  uint32_t max_jitter_percent;
  uint32_t retry_count;
  uint32_t wait_s;
  int64_t first_retry;
  int64_t last_retry;
};

static uint32_t saturated(uint64_t wait_s) {
  if (wait_s > UINT32_MAX) {
    return UINT32_MAX;
  }
  return (uint32_t)wait_s;
}

/* 2^doublings times the initial wait. Compares before it shifts, as the result may not fit. */
static uint32_t doubled(uint32_t wait_s, uint32_t doublings) {
  if (doublings > 31u || wait_s > UINT32_MAX >> doublings) {
    return UINT32_MAX;
  }
  return wait_s << doublings;
}

/* The part of a wait that a percentage and a draw make of it; all of it fits 64 bits, as draws have 15. */
static uint64_t part(uint32_t wait_s, uint32_t percent) {
  uint64_t const hundredths = (uint64_t)wait_s * percent;
  return hundredths * platform_rand() / (100u * PLATFORM_RAND_MAX);
}

static uint32_t next_wait(struct retry_control const* self) {
  if (self->policy == RETRY_INTERVAL) {
    return self->initial_wait_s;
  }
  if (self->policy == RETRY_LINEAR_BACKOFF) {
    return saturated((uint64_t)self->initial_wait_s * self->retry_count);
  }
  if (self->policy == RETRY_RANDOM) {
    return (uint32_t)part(self->initial_wait_s, 100u);
  }
  uint32_t const exponential_s = doubled(self->initial_wait_s, self->retry_count - 1u);
  if (self->policy == RETRY_EXPONENTIAL_BACKOFF) {
    return exponential_s;
  }
  return saturated(exponential_s + part(exponential_s, self->max_jitter_percent));
}

/* Compares before it subtracts: a clock may go back, and differences may not fit. */
static bool has_elapsed(int64_t since, int64_t now, uint32_t seconds) {
  return now >= since && (uint64_t)now - (uint64_t)since >= seconds;
}

static int evaluate(struct retry_control const* self, enum retry_action* action) {
  bool const immediate = self->policy == RETRY_IMMEDIATE;
  if (self->retry_count == 0u) {
    *action = RETRY_NOW;
    return 0;
  }
  if (self->last_retry == INDEFINITE_TIME && !immediate) {
    return 1;
  }
  int64_t const now = platform_time();
  if (now == INDEFINITE_TIME) {
    return 1;
  }
  if (self->max_retry_time_s != 0u && has_elapsed(self->first_retry, now, self->max_retry_time_s)) {
    *action = STOP_RETRYING;
  } else if (immediate || has_elapsed(self->last_retry, now, self->wait_s)) {
    *action = RETRY_NOW;
  } else {
    *action = RETRY_LATER;
  }
  return 0;
}

static bool is_exponential(enum retry_policy policy) {
  return policy == RETRY_EXPONENTIAL_BACKOFF || policy == RETRY_EXPONENTIAL_BACKOFF_WITH_JITTER;
}

struct retry_control* retry_control_create(enum retry_policy policy, uint32_t max_retry_time_s) {
  struct retry_control* const self = platform_malloc(sizeof *self);
  if (self == NULL) {
    return NULL;
  }
  self->policy = policy;
  self->max_retry_time_s = max_retry_time_s;
  self->initial_wait_s = 5u;
  if (is_exponential(policy)) {
    self->initial_wait_s = 1u;
  }
  self->max_jitter_percent = 5u;
  retry_control_reset(self);
  return self;
}

int retry_control_should_retry(struct retry_control* self, enum retry_action* action) {
  if (self == NULL || action == NULL) {
    return 1;
  }
  if (self->policy == RETRY_NONE) {
    *action = STOP_RETRYING;
    return 0;
  }
  if (self->first_retry == INDEFINITE_TIME) {
    self->first_retry = platform_time();
    if (self->first_retry == INDEFINITE_TIME) {
      return 1;
    }
  }
  if (evaluate(self, action) != 0) {
    return 1;
  }
  if (*action != RETRY_NOW) {
    return 0;
  }
  self->retry_count += 1u;
  if (self->policy == RETRY_IMMEDIATE) {
    return 0;
  }
  self->last_retry = platform_time();
  if (self->last_retry == INDEFINITE_TIME) {
    return 1;
  }
  self->wait_s = next_wait(self);
  return 0;
}

void retry_control_reset(struct retry_control* self) {
  if (self == NULL) {
    return;
  }
  self->retry_count = 0u;
  self->wait_s = 0u;
  self->first_retry = INDEFINITE_TIME;
  self->last_retry = INDEFINITE_TIME;
}

static int feed_one(void* to, char const* name, void const* value) { return retry_control_set_option(to, name, value); }

int retry_control_set_option(struct retry_control* self, char const* name, void const* value) {
  if (self == NULL || name == NULL || value == NULL) {
    return 1;
  }
  if (strcmp(name, "retry_control_options") == 0) {
    return options_feed(value, self, feed_one);
  }
  uint32_t number;
  memcpy(&number, value, sizeof number);
  if (strcmp(name, "initial_wait_time_in_secs") == 0 && number >= 1u) {
    self->initial_wait_s = number;
    return 0;
  }
  if (strcmp(name, "max_jitter_percent") == 0 && number <= 100u) {
    self->max_jitter_percent = number;
    return 0;
  }
  return 1;
}

struct saved_options* retry_control_retrieve_options(struct retry_control const* self) {
  if (self == NULL) {
    return NULL;
  }
  struct saved_options* const options = options_create();
  if (options == NULL) {
    return NULL;
  }
  if (options_add(options, "initial_wait_time_in_secs", self->initial_wait_s) != 0 ||
      options_add(options, "max_jitter_percent", self->max_jitter_percent) != 0) {
    options_destroy(options);
    return NULL;
  }
  return options;
}

void retry_control_destroy(struct retry_control* self) {
  if (self == NULL) {
    return;
  }
  platform_free(self);
}

int is_timeout_reached(int64_t start, uint32_t timeout_s, bool* is_timed_out) {
  if (start == INDEFINITE_TIME || is_timed_out == NULL) {
    return 1;
  }
  int64_t const now = platform_time();
  if (now == INDEFINITE_TIME) {
    return 1;
  }
  *is_timed_out = has_elapsed(start, now, timeout_s);
  return 0;
}
