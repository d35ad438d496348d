/* Lets the oracle drive lib/c99/azure_c_retry_control.c: memory, clock, random numbers and option handlers are what
 * each step says they are. No fault is made here. */
#include "iothub_client_retry_control.h"
#include "ports/draws.h"

enum { OPTIONS = 2 };

struct instance {
  RETRY_CONTROL_HANDLE control; /* what is left at the end of a case is lost */
  long live;
};

static struct instance* at; /* what the step at hand is about */
static json now;            /* the step at hand */
static unsigned clock_reads;
static unsigned draws_used;
static bool no_memory;

static bool says(char const* list, char const* word) {
  for (json each = first(member(now, list)); each != NULL; each = after(each)) {
    if (strncmp(each + 1, word, strlen(word)) == 0 && each[strlen(word) + 1] == '"') {
      return true;
    }
  }
  return false;
}

/* ---- What the library takes from its application ---- */

void* supplied_malloc(size_t size);
void* supplied_malloc(size_t size) {
  if (no_memory || says("fail", "malloc")) {
    return NULL;
  }
  at->live++;
  void* const memory = malloc(size);
  return memory == NULL ? NULL : memset(memory, 0xa5, size); /* memory holds no known values before */
}

void supplied_free(void* memory);
void supplied_free(void* memory) {
  at->live--;
  free(memory);
}

int supplied_rand(void);
int supplied_rand(void) {
  draws_used++;
  json const draw = first(member(now, "draws"));
  return (int)drawn(draw == NULL ? 0 : strtoull(draw + (*draw == '"'), NULL, 10), RAND_MAX);
}

/* The reading of that number; the last repeats. */
time_t get_time(time_t* to);
// NOLINTNEXTLINE(readability-non-const-parameter): as time() has it
time_t get_time(time_t* to) {
  json reading = first(member(now, "clock"));
  (void)to;
  for (unsigned i = 0; i < clock_reads && after(reading) != NULL; i++) {
    reading = after(reading);
  }
  clock_reads++;
  return reading == NULL ? 0 : strtoll(reading + (*reading == '"'), NULL, 10);
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
  struct saved_options* const made = says("fail", "option_create") ? NULL : malloc(sizeof *made);
  if (made != NULL) {
    *made = (struct saved_options){clone, destroy, set, 0, 0, {NULL}, {NULL}};
    at->live++;
  }
  return made;
}

void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle);
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle) {
  struct saved_options* const options = handle;
  for (int i = 0; i < options->count; i++) {
    options->destroy(options->names[i], options->values[i]);
  }
  at->live--;
  free(options);
}

/* One of them fails, for lack of memory: the second, so that there is something to take back, or the first. */
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value);
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value) {
  struct saved_options* const to = handle;
  to->asked++;
  no_memory = says("fail", "option_add") && to->asked == (natural(now, "on") == 1 ? 1 : 2);
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
  if (says("fail", "option_feed")) {
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

static unsigned found(char const* name, char const* const* words, unsigned count) {
  unsigned i = 0;
  while (i + 1 < count && !is(now, name, words[i])) {
    i++;
  }
  return i;
}

/* The callback that sets options: of an instance of its own, if none was seen. */
static set_option setting(void) {
  if (library_sets == NULL) {
    json const step = now;
    now = "{}";
    RETRY_CONTROL_HANDLE const another = retry_control_create(IOTHUB_CLIENT_RETRY_NONE, 0);
    OptionHandler_Destroy(retry_control_retrieve_options(another));
    retry_control_destroy(another);
    now = step;
  }
  return library_sets;
}

static void set(RETRY_CONTROL_HANDLE control) {
  char const* const name = names[found("name", names, sizeof names / sizeof names[0])];
  json const value = member(now, "value");
  unsigned values[OPTIONS] = {0, 0};
  struct saved_options saved = {NULL, NULL, setting(), 0, 0, {NULL}, {NULL}};
  unsigned const number = (unsigned)natural(now, "value");
  void const* set_to = &number;
  if (strcmp(name, "retry_control_options") == 0) {
    for (int i = 0; i < OPTIONS; i++) {
      if (member(value, names[i]) != NULL) {
        values[i] = (unsigned)natural(value, names[i]);
        saved.names[saved.count] = names[i];
        saved.values[saved.count++] = &values[i];
      }
    }
    set_to = &saved;
  }
  answer("result", "%d",
         retry_control_set_option(control, says("null", "name") ? NULL : name, says("null", "value") ? NULL : set_to));
}

static void retrieve_options(RETRY_CONTROL_HANDLE control) {
  struct saved_options const* const all = retry_control_retrieve_options(control);
  if (all == NULL) {
    answer_json("options", "null");
    return;
  }
  say("\"options\":{");
  for (int i = 0; i < all->count; i++) {
    answer(all->names[i], "%u", *(unsigned const*)all->values[i]);
  }
  say("}");
  OptionHandler_Destroy((void*)all);
}

static void port(void* self, json params, json step) {
  (void)params;
  at = self;
  now = step;
  clock_reads = 0;
  draws_used = 0;
  RETRY_CONTROL_HANDLE const control = says("null", "handle") ? NULL : at->control;
  if (is(step, "op", "create")) {
    unsigned const policy = found("policy", policies, sizeof policies / sizeof policies[0]);
    at->control = retry_control_create((IOTHUB_CLIENT_RETRY_POLICY)policy, (unsigned)natural(step, "max_retry_time_s"));
    answer("status", at->control == NULL ? "null" : "ok");
  } else if (is(step, "op", "should_retry")) {
    RETRY_ACTION action =
        (RETRY_ACTION)3;  // NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange): only the port can make it one
    answer("result", "%d", retry_control_should_retry(control, says("null", "action") ? NULL : &action));
    answer("action", "%s", actions[action]);
    answer("clock_reads", "%u", clock_reads);
    answer("draws_used", "%u", draws_used);
  } else if (is(step, "op", "set_option")) {
    set(control);
  } else if (is(step, "op", "retrieve_options")) {
    retrieve_options(control);
  } else if (is(step, "op", "is_timeout_reached")) {
    bool timed_out = false;
    answer("result", "%d",
           is_timeout_reached(integer(step, "start"), (unsigned)natural(step, "timeout_s"),
                              says("null", "out") ? NULL : &timed_out));
    answer_json("timed_out", timed_out ? "true" : "false");
    answer("clock_reads", "%u", clock_reads);
  } else if (is(step, "op", "reset")) {
    retry_control_reset(control);
    answer("status", "ok");
  } else {
    retry_control_destroy(control);
    if (control != NULL) {
      at->control = NULL;
    }
    answer("status", "ok");
  }
  answer("live", "%ld", at->live);
}

int main(void) {
  return serve(declaring("\"systems\":[\"azure_c_retry_control\"],"
                         "\"draw_kind\":\"rand\",\"rand_max\":\"2147483647\","
                         "\"features\":[\"instances\",\"clock_script\",\"nulls\",\"faults\",\"live\"]"),
               sizeof(struct instance), port);
}
