/* Lets the oracle drive lib/c99/azure_c_retry_control.c: memory, clock, random numbers and option handlers are what
 * each step says they are. No fault is made here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iothub_client_retry_control.h"
#include "protocol.h"

enum { INSTANCES = 3, OPTIONS = 2 };

static RETRY_CONTROL_HANDLE instance[INSTANCES];
static long live[INSTANCES];
static unsigned on;

/* What the step at hand says. */
static json clock_readings;
static json draws;
static json fails;
static json nulls;
static unsigned clock_reads;
static unsigned draws_used;
static bool no_memory;

static bool says(json list, char const* word) {
  for (json e = first(list); e != NULL; e = next(e)) {
    if (is(e, word)) {
      return true;
    }
  }
  return false;
}

/* ---- What the library takes from its application ---- */

void* supplied_malloc(size_t size);
void* supplied_malloc(size_t size) {
  if (no_memory || says(fails, "malloc")) {
    return NULL;
  }
  live[on]++;
  void* const memory = malloc(size);
  return memory == NULL ? NULL : memset(memory, 0xa5, size); /* memory holds no known values before */
}

void supplied_free(void* memory);
void supplied_free(void* memory) {
  live[on]--;
  free(memory);
}

int supplied_rand(void);
int supplied_rand(void) {
  draws_used++;
  return (int)drawn(first(draws), RAND_MAX);
}

/* The reading of that number; the last repeats. */
time_t get_time(time_t* to);
time_t get_time(time_t* to) {
  json reading = first(clock_readings);
  (void)to;
  for (unsigned i = 0; i < clock_reads && next(reading) != NULL; i++) {
    reading = next(reading);
  }
  clock_reads++;
  return i64(reading);
}

typedef void* (*clone_option)(char const* name, void const* value);
typedef void (*destroy_option)(char const* name, void const* value);
typedef int (*set_option)(void* handle, char const* name, void const* value);
struct saved_options {
  clone_option clone;
  destroy_option destroy;
  set_option set;
  int asked; /* to add options */
  int count;
  char const* names[OPTIONS];
  void* values[OPTIONS];
};

static set_option library_sets; /* what the library gave last */

OPTIONHANDLER_HANDLE OptionHandler_Create(clone_option clone, destroy_option destroy, set_option set);
OPTIONHANDLER_HANDLE OptionHandler_Create(clone_option clone, destroy_option destroy, set_option set) {
  library_sets = set;
  struct saved_options* const made = says(fails, "option_create") ? NULL : malloc(sizeof *made);
  if (made != NULL) {
    *made = (struct saved_options){clone, destroy, set, 0, 0, {NULL}, {NULL}};
    live[on]++;
  }
  return made;
}

void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle);
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle) {
  struct saved_options* const options = handle;
  for (int i = 0; i < options->count; i++) {
    options->destroy(options->names[i], options->values[i]);
  }
  live[on]--;
  free(options);
}

/* One of them fails, for lack of memory: the second, so that there is something to take back, or the first. */
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value);
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value) {
  struct saved_options* const to = handle;
  to->asked++;
  no_memory = says(fails, "option_add") && to->asked == (on == 1 ? 1 : 2);
  void* const clone = to->count == OPTIONS ? NULL : to->clone(name, value);
  no_memory = false;
  if (clone == NULL) {
    return 1;
  }
  to->names[to->count] = name;
  to->values[to->count++] = clone;
  return 0;
}

int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE handle, void* destination);
int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE handle, void* destination) {
  struct saved_options const* const from = handle;
  if (says(fails, "option_feed")) {
    return 1;
  }
  for (int i = 0; i < from->count; i++) {
    if (from->set(destination, from->names[i], from->values[i]) != 0) {
      return 1;
    }
  }
  return 0;
}

/* ---- Steps ---- */

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

/* The callback that sets options: of an instance of its own, if none was seen. */
static set_option setting(void) {
  if (library_sets == NULL) {
    json const failing = fails;
    fails = NULL;
    RETRY_CONTROL_HANDLE const another = retry_control_create(IOTHUB_CLIENT_RETRY_NONE, 0);
    OptionHandler_Destroy(retry_control_retrieve_options(another));
    retry_control_destroy(another);
    fails = failing;
  }
  return library_sets;
}

static void set(json given, RETRY_CONTROL_HANDLE self) {
  char const* const name = names[found(member(given, "name"), names, sizeof names / sizeof names[0])];
  json const value = member(given, "value");
  unsigned values[OPTIONS] = {0, 0};
  struct saved_options saved = {NULL, NULL, setting(), 0, 0, {NULL}, {NULL}};
  unsigned const number = u32(value);
  void const* set_to = &number;
  if (strcmp(name, "retry_control_options") == 0) {
    for (int i = 0; i < OPTIONS; i++) {
      json const option = member(value, names[i]);
      if (option != NULL) {
        values[i] = u32(option);
        saved.names[saved.count] = names[i];
        saved.values[saved.count++] = &values[i];
      }
    }
    set_to = &saved;
  }
  printf("{\"result\":\"%d\"",
         retry_control_set_option(self, says(nulls, "name") ? NULL : name, says(nulls, "value") ? NULL : set_to));
}

static void retrieve_options(RETRY_CONTROL_HANDLE self) {
  struct saved_options const* const all = retry_control_retrieve_options(self);
  printf("{\"options\":%s", all == NULL ? "null" : "{");
  if (all == NULL) {
    return;
  }
  for (int i = 0; i < all->count; i++) {
    printf("%s\"%s\":\"%u\"", i == 0 ? "" : ",", all->names[i], *(unsigned const*)all->values[i]);
  }
  printf("}");
  OptionHandler_Destroy((void*)all);
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
  RETRY_CONTROL_HANDLE const self = says(nulls, "handle") ? NULL : instance[on];
  if (is(op, "create")) {
    unsigned const policy = found(member(given, "policy"), policies, sizeof policies / sizeof policies[0]);
    instance[on] = retry_control_create((IOTHUB_CLIENT_RETRY_POLICY)policy, u32(member(given, "max_retry_time_s")));
    printf("{\"status\":\"%s\"", instance[on] == NULL ? "null" : "ok");
  } else if (is(op, "should_retry")) {
    RETRY_ACTION action = (RETRY_ACTION)3; /* none: only the port can make it one */
    int const failed = retry_control_should_retry(self, says(nulls, "action") ? NULL : &action);
    printf("{\"result\":\"%d\",\"action\":\"%s\",\"clock_reads\":\"%u\",\"draws_used\":\"%u\"", failed, actions[action],
           clock_reads, draws_used);
  } else if (is(op, "set_option")) {
    set(given, self);
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
                          "\"draw_kind\":\"rand\",\"rand_max\":\"2147483647\","
                          "\"features\":[\"instances\",\"clock_script\",\"nulls\",\"faults\",\"live\"]",
                          begin, step};
