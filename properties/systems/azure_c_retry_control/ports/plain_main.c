/* Lets the oracle drive azure_c_retry_control.c: the platform is what each step says it is. No fault is made here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"
#include "protocol.h"

enum { INSTANCES = 3, OPTIONS = 2 };

struct saved_options {
  int count;
  struct {
    char const* name;
    uint32_t value;
  } of[OPTIONS];
};

static struct retry_control* instance[INSTANCES];
static long live[INSTANCES];
static unsigned on;

/* What the step at hand says. */
static json clock_readings;
static json draws;
static json fails;
static json nulls;
static unsigned clock_reads;
static unsigned draws_used;

static bool says(json list, char const* word) {
  for (json e = first(list); e != NULL; e = next(e)) {
    if (is(e, word)) {
      return true;
    }
  }
  return false;
}

void* platform_malloc(size_t size) {
  if (says(fails, "malloc")) {
    return NULL;
  }
  live[on]++;
  return malloc(size);
}

void platform_free(void* memory) {
  live[on]--;
  free(memory);
}

/* The reading of that number; the last repeats. */
int64_t platform_time(void) {
  json reading = first(clock_readings);
  for (unsigned i = 0; i < clock_reads && next(reading) != NULL; i++) {
    reading = next(reading);
  }
  clock_reads++;
  return i64(reading);
}

uint32_t platform_rand(void) {
  draws_used++;
  return drawn(first(draws), 32767);
}

struct saved_options* options_create(void) {
  if (says(fails, "option_create")) {
    return NULL;
  }
  live[on]++;
  return calloc(1, sizeof(struct saved_options));
}

void options_destroy(struct saved_options* options) {
  live[on]--;
  free(options);
}

/* The second one fails, so that there is something to take back. */
int options_add(struct saved_options* options, char const* name, uint32_t value) {
  if (says(fails, "option_add") && options->count == 1) {
    return 1;
  }
  options->of[options->count].name = name;
  options->of[options->count].value = value;
  options->count++;
  return 0;
}

int options_feed(struct saved_options const* options, void* to,
                 int (*set)(void* to, char const* name, void const* value)) {
  if (says(fails, "option_feed")) {
    return 1;
  }
  for (int i = 0; i < options->count; i++) {
    if (set(to, options->of[i].name, &options->of[i].value) != 0) {
      return 1;
    }
  }
  return 0;
}

static char const* const policies[] = {"NONE",           "IMMEDIATE",           "INTERVAL",
                                       "LINEAR_BACKOFF", "EXPONENTIAL_BACKOFF", "EXPONENTIAL_BACKOFF_WITH_JITTER",
                                       "RANDOM"};
static char const* const names[] = {
    "initial_wait_time_in_secs", "max_jitter_percent",        "retry_control_options", "unsupported",
    "initial_wait_time_in_sec",  "max_jitter_percent_of_all", "Max_jitter_percent"};
static char const* const actions[] = {"RETRY_NOW", "RETRY_LATER", "STOP_RETRYING", "untouched"};

static unsigned found(json value, char const* const* words, unsigned count) {
  unsigned i = 0;
  while (i + 1 < count && !is(value, words[i])) {
    i++;
  }
  return i;
}

static char const* begin(json params) {
  (void)params;
  for (on = 0; on < INSTANCES; on++) {
    if (instance[on] != NULL) {
      retry_control_destroy(instance[on]);
    }
    instance[on] = NULL;
    live[on] = 0;
  }
  return NULL;
}

static void set_option(json given, struct retry_control* self) {
  char const* const name = names[found(member(given, "name"), names, sizeof names / sizeof names[0])];
  json const value = member(given, "value");
  struct saved_options saved = {0};
  uint32_t const number = u32(value);
  void const* set_to = &number;
  if (strcmp(name, "retry_control_options") == 0) {
    for (int i = 0; i < OPTIONS; i++) {
      json const option = member(value, names[i]);
      if (option != NULL) {
        saved.of[saved.count].name = names[i];
        saved.of[saved.count].value = u32(option);
        saved.count++;
      }
    }
    set_to = &saved;
  }
  printf("{\"result\":\"%d\"",
         retry_control_set_option(self, says(nulls, "name") ? NULL : name, says(nulls, "value") ? NULL : set_to));
}

static void retrieve_options(struct retry_control const* self) {
  struct saved_options* const all = retry_control_retrieve_options(self);
  printf("{\"options\":%s", all == NULL ? "null" : "{");
  if (all == NULL) {
    return;
  }
  for (int i = 0; i < all->count; i++) {
    printf("%s\"%s\":\"%lu\"", i == 0 ? "" : ",", all->of[i].name, (unsigned long)all->of[i].value);
  }
  printf("}");
  options_destroy(all);
}

static bool step(json given) {
  json const op = member(given, "op");
  on = u32(member(given, "on")) % INSTANCES;
  clock_readings = member(given, "clock");
  draws = member(given, "draws");
  fails = member(given, "fail");
  nulls = member(given, "null");
  clock_reads = 0;
  draws_used = 0;
  struct retry_control* const self = says(nulls, "handle") ? NULL : instance[on];
  if (is(op, "create")) {
    enum retry_policy const policy = found(member(given, "policy"), policies, sizeof policies / sizeof policies[0]);
    instance[on] = retry_control_create(policy, u32(member(given, "max_retry_time_s")));
    printf("{\"status\":\"%s\"", instance[on] == NULL ? "null" : "ok");
  } else if (is(op, "should_retry")) {
    enum retry_action action = (enum retry_action)3; /* none: only the port can make it one */
    int const failed = retry_control_should_retry(self, says(nulls, "action") ? NULL : &action);
    printf("{\"result\":\"%d\",\"action\":\"%s\",\"clock_reads\":\"%u\",\"draws_used\":\"%u\"", failed, actions[action],
           clock_reads, draws_used);
  } else if (is(op, "set_option")) {
    set_option(given, self);
  } else if (is(op, "retrieve_options")) {
    retrieve_options(self);
  } else if (is(op, "is_timeout_reached")) {
    bool timed_out = false;
    int const failed = is_timeout_reached(i64(member(given, "start")), u32(member(given, "timeout_s")),
                                          says(nulls, "out") ? NULL : &timed_out);
    printf("{\"result\":\"%d\",\"timed_out\":%s,\"clock_reads\":\"%u\"", failed, timed_out ? "true" : "false",
           clock_reads);
  } else if (is(op, "reset")) {
    retry_control_reset(self);
    printf("{\"status\":\"ok\"");
  } else {
    retry_control_destroy(self);
    if (self != NULL) {
      instance[on] = NULL;
    }
    printf("{\"status\":\"ok\"");
  }
  printf(",\"live\":\"%ld\"}", live[on]);
  return true;
}

struct port const port = {"azure_c_retry_control",
                          "\"draw_kind\":\"rand\",\"rand_max\":\"32767\","
                          "\"features\":[\"instances\",\"clock_script\",\"nulls\",\"faults\",\"live\"]",
                          begin, step};
