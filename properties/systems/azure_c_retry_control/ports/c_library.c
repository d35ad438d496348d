/* A library with the interface of iothub_client_retry_control, from its requirements: right, or with the fault that is
 * defined. For the tests of the host that loads it.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

typedef enum {
  IOTHUB_CLIENT_RETRY_NONE,
  IOTHUB_CLIENT_RETRY_IMMEDIATE,
  IOTHUB_CLIENT_RETRY_INTERVAL,
  IOTHUB_CLIENT_RETRY_LINEAR_BACKOFF,
  IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF,
  IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF_WITH_JITTER,
  IOTHUB_CLIENT_RETRY_RANDOM
} IOTHUB_CLIENT_RETRY_POLICY;
typedef enum { RETRY_ACTION_RETRY_NOW, RETRY_ACTION_RETRY_LATER, RETRY_ACTION_STOP_RETRYING } RETRY_ACTION;
#define INDEFINITE_TIME ((time_t)-1)

/* What the SDK has, and the host supplies. */
typedef void* OPTIONHANDLER_HANDLE;
time_t get_time(time_t* to);
double get_difftime(time_t stop, time_t start);

#ifdef CLOCK_FROM_ZERO
/* A clock that knows no time before its epoch. */
static time_t from_zero(time_t t) { return t < 0 ? 0 : t; }
#define get_time(to) from_zero(get_time(to))
#endif
void* tickcounter_create(void);
void tickcounter_destroy(void* counter);
int tickcounter_get_current_ms(void* counter, uint_fast64_t* ms);
OPTIONHANDLER_HANDLE OptionHandler_Create(void* (*clone)(char const*, void const*),
                                          void (*destroy)(char const*, void const*),
                                          int (*set)(void*, char const*, void const*));
#ifdef ADDS_BY_DOCUMENT
#define OptionHandler_AddOption OptionHandler_Add /* as the requirements have it */
#endif
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE options, char const* name, void const* value);
int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE options, void* destination);
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE options);

struct retry_control {
  IOTHUB_CLIENT_RETRY_POLICY policy;
  unsigned max_retry_time_in_secs;
  unsigned initial_wait_time_in_secs;
  unsigned max_jitter_percent;
  unsigned retry_count;
  unsigned current_wait_time_in_secs;
  time_t first_retry_time;
  time_t last_retry_time;
};
typedef struct retry_control* RETRY_CONTROL_HANDLE;

RETRY_CONTROL_HANDLE retry_control_create(IOTHUB_CLIENT_RETRY_POLICY policy, unsigned max_retry_time_in_secs);
int retry_control_should_retry(RETRY_CONTROL_HANDLE self, RETRY_ACTION* retry_action);
void retry_control_reset(RETRY_CONTROL_HANDLE self);
int retry_control_set_option(RETRY_CONTROL_HANDLE self, char const* name, void const* value);
OPTIONHANDLER_HANDLE retry_control_retrieve_options(RETRY_CONTROL_HANDLE self);
void retry_control_destroy(RETRY_CONTROL_HANDLE self);
int is_timeout_reached(time_t start_time, unsigned timeout_in_secs, bool* is_timed_out);

static char const initial_wait[] = "initial_wait_time_in_secs";
static char const max_jitter[] = "max_jitter_percent";

static unsigned in_seconds(double seconds) { return seconds < 4294967295.0 ? (unsigned)seconds : 4294967295u; }

#ifndef NANOSECONDS_OF
#define NANOSECONDS_OF CLOCK_REALTIME
#endif
static __attribute__((unused)) unsigned nanoseconds(void) {
  struct timespec now = {0, 0};
  clock_gettime(NANOSECONDS_OF, &now);
  return (unsigned)now.tv_nsec;
}
static __attribute__((unused)) unsigned milliseconds(void) {
  uint_fast64_t ms = 0;
  void* const counter = tickcounter_create();
  tickcounter_get_current_ms(counter, &ms);
  tickcounter_destroy(counter);
  return (unsigned)ms;
}
/* SEED says with what. */
static void seed(void) {
#ifdef SEED
  srand((unsigned)(SEED));
#endif
}

static double share(void) {
#ifdef WHOLE_SHARES
  return rand() / RAND_MAX;
#else
  return (double)rand() / RAND_MAX;
#endif
}

#ifdef CARRIES
/* floor(whole * percent * r / (100 * RAND_MAX)) in 64 bits; right where CARRIES is 100 and REACHES is >=. */
#ifndef REACHES
#define REACHES >=
#endif
static uint64_t part(uint64_t whole, unsigned percent) {
  uint64_t const r = (uint64_t)rand();
  uint64_t const most = RAND_MAX;
  uint64_t const units = whole * percent / 100;
  uint64_t const rest = whole * percent % 100;
  return units * r / most + (100 * (units * r % most) + rest * r REACHES CARRIES * most ? 1 : 0);
}
#endif

static unsigned calculate_next_wait_time(struct retry_control const* self) {
  double const initial = self->initial_wait_time_in_secs;
  double const doubled = pow(2, self->retry_count - 1.0) * initial;
  switch (self->policy) {
    case IOTHUB_CLIENT_RETRY_INTERVAL:
#ifdef TWICE
      return in_seconds(2 * initial);
#endif
      return self->initial_wait_time_in_secs;
    case IOTHUB_CLIENT_RETRY_LINEAR_BACKOFF:
      return in_seconds(initial * self->retry_count);
    case IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF:
      return in_seconds(doubled);
    case IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF_WITH_JITTER:
#ifdef CARRIES
      if (doubled < 4294967295.0)
        return in_seconds(doubled + (double)part((uint64_t)doubled, self->max_jitter_percent));
#endif
      return in_seconds(doubled * (1 + self->max_jitter_percent / 100.0 * share()));
    default:
      return in_seconds(initial * share());
  }
}

/* The same clock, by whatever function there is for it. */
static time_t current_time(void) {
#if defined BY_TICKS
  uint_fast64_t ms = 0;
  void* const counter = tickcounter_create();
  bool const failed = counter == NULL || tickcounter_get_current_ms(counter, &ms) != 0;
  tickcounter_destroy(counter);
  return failed ? INDEFINITE_TIME : (time_t)(ms / BY_TICKS);
#elif defined BY_TIME
  time_t now = 0;
  time(&now);
  return now;
#elif defined BY_CLOCK
  clock_t const now = clock();
  return now == -1 ? INDEFINITE_TIME : now / CLOCKS_PER_SEC;
#elif defined BY_GETTIMEOFDAY
  struct timeval now;
  if (gettimeofday(&now, NULL) != 0) return INDEFINITE_TIME;
  if (now.tv_sec == INDEFINITE_TIME) abort(); /* a failure is no reading */
  return now.tv_sec;
#elif defined BY_CLOCK_GETTIME
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return INDEFINITE_TIME;
  if (now.tv_sec == INDEFINITE_TIME) abort();
  return now.tv_sec;
#else
  return get_time(NULL);
#endif
}

static bool elapsed(time_t since, time_t now, unsigned seconds) {
#ifdef DIFFERENCE
  return DIFFERENCE >= seconds;
#else
  return get_difftime(now, since) >= seconds;
#endif
}

/* A counter beside the clock, which has to work. */
static bool counts(void) {
#ifdef COUNTS_TICKS
  uint_fast64_t ms = 0;
  void* const counter = tickcounter_create();
  bool const failed = counter == NULL || tickcounter_get_current_ms(counter, &ms) != 0 || (int64_t)ms < 0;
  tickcounter_destroy(counter);
  return !failed;
#else
  return true;
#endif
}

RETRY_CONTROL_HANDLE retry_control_create(IOTHUB_CLIENT_RETRY_POLICY policy, unsigned max_retry_time_in_secs) {
#if defined BY_CALLOC
  RETRY_CONTROL_HANDLE const self = calloc(1, sizeof *self);
#elif defined BY_REALLOC
  void* const little = malloc(1);
  RETRY_CONTROL_HANDLE const self = realloc(little, sizeof *self);
#ifndef LEAKS_LITTLE
  if (self == NULL) free(little);
#endif
#else
  RETRY_CONTROL_HANDLE const self = malloc(sizeof *self);
#endif
#ifndef TRUSTS_MALLOC
  if (self == NULL) return NULL;
#endif
#ifdef SETS_ENVIRONMENT
  static unsigned created = 0; /* libc keeps every value, in memory of its own */
  char text[16];
  snprintf(text, sizeof text, "%u", ++created);
  setenv("CREATED", text, 1);
#endif
  seed();
  bool const exponential = policy == IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF ||
                           policy == IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF_WITH_JITTER;
  self->policy = policy;
  self->max_retry_time_in_secs = max_retry_time_in_secs;
  self->initial_wait_time_in_secs = exponential ? 1 : 5;
  self->max_jitter_percent = 5;
  retry_control_reset(self);
  return self;
}

static int evaluate_retry_action(struct retry_control const* self, RETRY_ACTION* retry_action) {
  bool const immediate = self->policy == IOTHUB_CLIENT_RETRY_IMMEDIATE;
  if (self->retry_count == 0) {
    *retry_action = RETRY_ACTION_RETRY_NOW;
    return 0;
  }
  if (self->last_retry_time == INDEFINITE_TIME && !immediate) return 1;
  if (!counts()) return 1;
  time_t const now = current_time();
  if (now == INDEFINITE_TIME) return 1;
  if (self->max_retry_time_in_secs != 0 && elapsed(self->first_retry_time, now, self->max_retry_time_in_secs))
    *retry_action = RETRY_ACTION_STOP_RETRYING;
  else if (immediate || elapsed(self->last_retry_time, now, self->current_wait_time_in_secs))
    *retry_action = RETRY_ACTION_RETRY_NOW;
  else
#ifdef SILENT_WHEN_LATER
    return 0;
#else
    *retry_action = RETRY_ACTION_RETRY_LATER;
#endif
  return 0;
}

int retry_control_should_retry(RETRY_CONTROL_HANDLE self, RETRY_ACTION* retry_action) {
  if (self == NULL || retry_action == NULL) return 1;
  seed();
#ifdef SETS_FIRST
  *retry_action = SETS_FIRST;
#endif
  if (self->policy == IOTHUB_CLIENT_RETRY_NONE) {
    *retry_action = RETRY_ACTION_STOP_RETRYING;
    return 0;
  }
  if (self->first_retry_time == INDEFINITE_TIME) {
    self->first_retry_time = current_time();
    if (self->first_retry_time == INDEFINITE_TIME) return 1;
  }
  if (evaluate_retry_action(self, retry_action) != 0) return 1;
  if (*retry_action != RETRY_ACTION_RETRY_NOW) return 0;
  self->retry_count++;
  if (self->policy == IOTHUB_CLIENT_RETRY_IMMEDIATE) return 0;
  self->last_retry_time = current_time();
  if (self->last_retry_time == INDEFINITE_TIME) return 1;
  self->current_wait_time_in_secs = calculate_next_wait_time(self);
  return 0;
}

void retry_control_reset(RETRY_CONTROL_HANDLE self) {
  if (self == NULL) return;
  self->retry_count = self->current_wait_time_in_secs = 0;
  self->first_retry_time = self->last_retry_time = INDEFINITE_TIME;
}

static bool is(char const* name, char const* option) {
#ifdef COMPARES_MEMORY
  return memcmp(name, option, strlen(option) + 1) == 0;
#else
  return strcmp(name, option) == 0;
#endif
}

static unsigned number_at(void const* value) {
#ifdef READS_LONG
  return (unsigned)*(unsigned long const*)value;
#else
  return *(unsigned const*)value;
#endif
}

int retry_control_set_option(RETRY_CONTROL_HANDLE self, char const* name, void const* value) {
  if (self == NULL || name == NULL || value == NULL) return 1;
#ifdef READS_VALUE_FIRST
  if (number_at(value) == UINT32_MAX) return 1;
#endif
#ifdef UNDOCUMENTED_OPTION
  if (is(name, "retry_count") && number_at(value) >= 40) {
    self->retry_count = number_at(value);
    return 0;
  }
#endif
#ifdef FEEDS_ANYTHING
  if (!is(name, initial_wait) && !is(name, max_jitter)) return OptionHandler_FeedOptions((void*)value, self);
#endif
  if (is(name, "retry_control_options")) return OptionHandler_FeedOptions((void*)value, self);
  if (is(name, initial_wait) && number_at(value) >= 1) {
    self->initial_wait_time_in_secs = number_at(value);
    return 0;
  }
  if (is(name, max_jitter) && number_at(value) <= 100) {
    self->max_jitter_percent = number_at(value);
    return 0;
  }
  return 1;
}

static void* clone_option(char const* name, void const* value) {
  (void)name;
#if defined CLONE_SHARES
  return (void*)value;
#elif defined CLONE_FAILS
  return NULL;
#endif
  unsigned* const clone = malloc(sizeof *clone);
#ifndef CLONE_TRUSTS_MALLOC
  if (clone == NULL) return NULL;
#endif
  *clone = *(unsigned const*)value;
  return clone;
}
static void destroy_option(char const* name, void const* value) {
  (void)name;
#ifndef CLONE_SHARES
#ifdef DESTROY_FREES_TWICE
  free((void*)value);
#endif
  free((void*)value);
#endif
}
static int set_option(void* self, char const* name, void const* value) {
#if defined SET_FAILS
  return 1;
#elif defined SET_SUCCEEDS
  return 0;
#elif defined SET_HIDES_FAILURES
  retry_control_set_option(self, name, value);
  return 0;
#endif
  return retry_control_set_option(self, name, value);
}

OPTIONHANDLER_HANDLE retry_control_retrieve_options(RETRY_CONTROL_HANDLE self) {
  if (self == NULL) return NULL;
  OPTIONHANDLER_HANDLE const options = OptionHandler_Create(clone_option, destroy_option, set_option);
  if (options == NULL) return NULL;
  bool failed = OptionHandler_AddOption(options, initial_wait, &self->initial_wait_time_in_secs) != 0;
#ifdef IGNORES_FIRST
  failed = false;
#endif
#ifdef IGNORES_SECOND
  if (!failed) OptionHandler_AddOption(options, max_jitter, &self->max_jitter_percent);
#else
  failed = failed || OptionHandler_AddOption(options, max_jitter, &self->max_jitter_percent) != 0;
#endif
  if (failed) {
#ifndef LEAKS_OPTIONS
    OptionHandler_Destroy(options);
#endif
    return NULL;
  }
  return options;
}

void retry_control_destroy(RETRY_CONTROL_HANDLE self) {
#ifndef LEAKS
  free(self);
#endif
}

int is_timeout_reached(time_t start_time, unsigned timeout_in_secs, bool* is_timed_out) {
  if (start_time == INDEFINITE_TIME || is_timed_out == NULL) return 1;
  time_t const now = current_time();
  if (now == INDEFINITE_TIME) return 1;
  *is_timed_out = elapsed(start_time, now, timeout_in_secs);
  return 0;
}
