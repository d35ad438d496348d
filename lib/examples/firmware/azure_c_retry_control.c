/* Retry control's functions as a port: memory, clock, random numbers and option handlers are supplied here, as the
 * history scripts them, and fail where it says so. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "firmware.h"
#include "iothub_client_retry_control.h"

static RETRY_CONTROL_HANDLE handles[INSTANCES];
static char const *clock_script, *failing, *nulls; /* of the call at hand */
static uint32_t drawn;
static unsigned clock_reads, draws_used;
static int live[INSTANCES];
static unsigned on;

/* ---- Memory: never used twice in a history, so that a use after free shows ---- */

static union {
  uint64_t aligned;
  unsigned char bytes[2048];
} arena;
static size_t used;

void* malloc(size_t bytes) {
  size_t const whole = (bytes + 7U) / 8U * 8U;
  if (has(failing, "malloc") || whole > sizeof arena - used) return NULL;
  used += whole;
  live[on]++;
  memset(arena.bytes + used - whole, 0xa5, whole);
  return arena.bytes + used - whole;
}
void free(void* memory) {
  if (memory != NULL) live[on]--;
}
void* calloc(size_t number_of, size_t bytes) {
  void* const memory = malloc(number_of * bytes);
  return memory == NULL ? NULL : memset(memory, 0, number_of * bytes);
}

/* ---- Clock and random numbers ---- */

time_t get_time(time_t* to);
time_t get_time(time_t* to) {
  char const* at = clock_script;
  for (unsigned i = 0; i < clock_reads && strchr(at, '.') != NULL; i++) at = strchr(at, '.') + 1; /* the last repeats */
  clock_reads++;
  if (to != NULL) *to = number(at);
  return number(at);
}
double get_difftime(time_t stop, time_t start);
double get_difftime(time_t stop, time_t start) { return (double)stop - (double)start; }
time_t time(time_t* to) { return get_time(to); }
int rand(void) {
  draws_used++;
  return (int)drawn;
}
void srand(unsigned seed) { (void)seed; }

/* ---- Option handlers ---- */

enum { HANDLERS = 4, OPTIONS = 4 };
static struct handler {
  void* (*clone)(char const* name, void const* value);
  void (*destroy)(char const* name, void const* value);
  int (*set)(void* handle, char const* name, void const* value);
  char const* names[OPTIONS];
  void* values[OPTIONS];
  int count;
  bool exists;
} handlers[HANDLERS];

static struct handler* handler_at(void* handle) {
  for (int i = 0; i < HANDLERS; i++) {
    if (handle == &handlers[i] && handlers[i].exists) return &handlers[i];
  }
  return NULL;
}
static struct handler* new_handler(void* (*clone)(char const*, void const*), void (*destroy)(char const*, void const*),
                                   int (*set)(void*, char const*, void const*)) {
  for (int i = 0; i < HANDLERS; i++) {
    if (handlers[i].exists) continue;
    handlers[i] = (struct handler){.clone = clone, .destroy = destroy, .set = set, .exists = true};
    return &handlers[i];
  }
  return NULL;
}
OPTIONHANDLER_HANDLE OptionHandler_Create(void* (*clone)(char const*, void const*),
                                          void (*destroy)(char const*, void const*),
                                          int (*set)(void*, char const*, void const*));
OPTIONHANDLER_HANDLE OptionHandler_Create(void* (*clone)(char const*, void const*),
                                          void (*destroy)(char const*, void const*),
                                          int (*set)(void*, char const*, void const*)) {
  struct handler* made = NULL;
  if (clone != NULL && destroy != NULL && set != NULL && !has(failing, "option_create"))
    made = new_handler(clone, destroy, set);
  if (made != NULL) live[on]++;
  return made;
}
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value);
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value) {
  struct handler* const to = handler_at(handle);
  if (to == NULL || name == NULL || value == NULL || to->count == OPTIONS) return 1;
  if (has(failing, "option_add") && to->count > 0) return 1; /* the second fails */
  void* const saved = to->clone(name, value);
  if (saved == NULL) return 1;
  to->names[to->count] = name;
  to->values[to->count++] = saved;
  return 0;
}
int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE handle, void* destination);
int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE handle, void* destination) {
  struct handler const* const from = handler_at(handle);
  if (from == NULL || destination == NULL || has(failing, "option_feed")) return 1;
  for (int i = 0; i < from->count; i++) {
    if (from->set(destination, from->names[i], from->values[i]) != 0) return 1;
  }
  return 0;
}
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle);
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle) {
  struct handler* const of = handler_at(handle);
  if (of == NULL) return;
  for (int i = 0; i < of->count; i++) of->destroy(of->names[i], of->values[i]);
  of->exists = false;
  live[on]--;
}

/* ---- Calls ---- */

static void keep_option(char const* name, void const* value) { (void)name, (void)value; }

static int set_in(void* control, char const* name, void const* value) {
  return retry_control_set_option((RETRY_CONTROL_HANDLE)control, name, value);
}
static int set_saved(RETRY_CONTROL_HANDLE control, char const* name, struct call const* call) {
  unsigned values[2] = {(unsigned)number(call->args[2]), (unsigned)number(call->args[3])};
  static char const* const names[2] = {RETRY_CONTROL_OPTION_INITIAL_WAIT_TIME_IN_SECS,
                                       RETRY_CONTROL_OPTION_MAX_JITTER_PERCENT};
  struct handler* const saved = new_handler(NULL, keep_option, set_in);
  if (saved == NULL) return 1;
  for (int i = 0; i < 2; i++) {
    if (call->args[2 + i][0] == '\0') continue;
    saved->names[saved->count] = names[i];
    saved->values[saved->count++] = &values[i];
  }
  int const failed = retry_control_set_option(control, name, has(nulls, "value") ? NULL : saved);
  saved->exists = false;
  return failed;
}

static void put_result(int failed) {
  if (failed < 0) put("-");
  put_number((uint64_t)(failed < 0 ? -(int64_t)failed : failed));
}

/* These put their answer; false where the interface is broken. */
static bool retrieve(RETRY_CONTROL_HANDLE control) {
  OPTIONHANDLER_HANDLE const retrieved = retry_control_retrieve_options(control);
  struct handler const* const saved = handler_at(retrieved);
  char const* const wait = RETRY_CONTROL_OPTION_INITIAL_WAIT_TIME_IN_SECS;
  if (retrieved == NULL) {
    put("-");
    return true;
  }
  if (saved == NULL || saved->count != 2) {
    broken("retry_control_retrieve_options returned no handler with both options");
    return false;
  }
  int const first = strcmp(saved->names[0], wait) == 0 ? 0 : 1;
  put_number(*(unsigned const*)saved->values[first]);
  put(",");
  put_number(*(unsigned const*)saved->values[1 - first]);
  OptionHandler_Destroy(retrieved);
  return true;
}

static bool should_retry(RETRY_CONTROL_HANDLE control) {
  static char const* const names[] = {"RETRY_NOW", "RETRY_LATER", "STOP_RETRYING"};
  int action = -1;
  RETRY_ACTION decided = RETRY_ACTION_RETRY_NOW;
  memset(&decided, 0xa5, sizeof decided);
  step_begins();
  int const failed = retry_control_should_retry(control, has(nulls, "action") ? NULL : &decided);
  step_ends();
  action = (int)decided;
  if (failed == 0 && (action < 0 || action > 2)) {
    broken("retry_control_should_retry returned 0 and set no action");
    return false;
  }
  put_result(failed);
  if (failed == 0) {
    put(",");
    put(names[action]);
  }
  return true;
}

static bool timeout(struct call const* call) {
  union {
    unsigned char byte;
    bool answer;
  } out = {.byte = 0xa5};
  int const failed = is_timeout_reached(number(call->args[0]), (unsigned)number(call->args[1]),
                                        has(nulls, "out") ? NULL : &out.answer);
  if (failed == 0 && out.byte > 1) {
    broken("is_timeout_reached returned 0 and set no answer");
    return false;
  }
  put_result(failed);
  if (failed == 0) put(out.byte == 1 ? ",true" : ",false");
  return true;
}

static int policy_at(char const* name) {
  static char const* const names[] = {
      "NONE",   "IMMEDIATE", "INTERVAL", "LINEAR_BACKOFF", "EXPONENTIAL_BACKOFF", "EXPONENTIAL_BACKOFF_WITH_JITTER",
      "RANDOM",
  };
  int i = 0;
  while (i < 6 && strcmp(names[i], name) != 0) i++;
  return i;
}

void begin(char const* parameters) {
  (void)parameters; /* none: `create` has them */
  used = 0;
  memset((void*)handles, 0, sizeof handles);
  memset(live, 0, sizeof live);
  memset(handlers, 0, sizeof handlers);
}

void answer(struct call const* call) {
  bool const decides = strcmp(call->name, "should_retry") == 0;
  bool const times_out = strcmp(call->name, "is_timeout_reached") == 0;
  bool const creates = strcmp(call->name, "create") == 0;
  bool const sets = strcmp(call->name, "set_option") == 0;
  /* Where the arguments stand: clock:draw:null, start:timeout:clock:null, policy:limit:fail,
   * name:value:wait:jitter:null:fail, and null or null:fail. */
  clock_script = decides ? call->args[0] : times_out ? call->args[2] : "";
  drawn = decides ? (uint32_t)number(call->args[1]) : 0U;
  nulls = decides ? call->args[2] : times_out ? call->args[3] : creates ? "" : sets ? call->args[4] : call->args[0];
  failing = creates ? call->args[2] : sets ? call->args[5] : decides || times_out ? "" : call->args[1];
  clock_reads = draws_used = 0;
  on = call->on;
  RETRY_CONTROL_HANDLE const control = has(nulls, "handle") ? NULL : handles[on];
  if (creates) {
    handles[on] =
        retry_control_create((IOTHUB_CLIENT_RETRY_POLICY)policy_at(call->args[0]), (unsigned)number(call->args[1]));
    put(handles[on] == NULL ? "null" : "ok");
  } else if (decides) {
    if (!should_retry(control)) return;
  } else if (sets) {
    char const* const name = has(nulls, "name") ? NULL : call->args[0];
    unsigned const value = (unsigned)number(call->args[1]);
    put_result(strcmp(call->args[0], RETRY_CONTROL_OPTION_SAVED_OPTIONS) == 0
                   ? set_saved(control, name, call)
                   : retry_control_set_option(control, name, has(nulls, "value") ? NULL : &value));
  } else if (strcmp(call->name, "retrieve_options") == 0) {
    if (!retrieve(control)) return;
  } else if (times_out) {
    if (!timeout(call)) return;
  } else if (strcmp(call->name, "reset") == 0) {
    retry_control_reset(control);
    put("ok");
  } else {
    retry_control_destroy(control);
    if (control != NULL) handles[on] = NULL;
    put("ok");
  }
  put(",");
  put_number((uint64_t)live[on]);
  if (decides || times_out) {
    put(",");
    put_number(clock_reads);
  }
  if (decides) {
    put(",");
    put_number(draws_used);
  }
}

void end(void) {
  failing = nulls = clock_script = "";
  for (on = 0; on < INSTANCES; on++) {
    if (handles[on] != NULL) retry_control_destroy(handles[on]);
  }
}
