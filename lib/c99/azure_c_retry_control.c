/* Retry control's own functions in C99, one file: the drop-in, for any toolchain. An instance comes from malloc, as its
 * document demands; nothing else is allocated, and there is no other state. The application supplies get_time and the
 * option handler, as the SDK around it does. The formulas are those of backoff/azure_c_retry_control.hpp, in integers.
 * Requirement ids without their common beginning SRS_IOTHUB_CLIENT_RETRY_CONTROL_.
 * Checked by: spec/azure_c_retry_control/examples.yaml, lib/c99/equality_test.cpp against that header,
 * lib/c99/c99_test.py by `check --library`.
 */
#include <stdint.h>
#include <string.h>

#include "iothub_client_retry_control.h"

time_t get_time(time_t* currentTime);
#if !defined BACKOFF_HAS_SDK
OPTIONHANDLER_HANDLE OptionHandler_Create(void* (*cloneOption)(char const* name, void const* value),
                                          void (*destroyOption)(char const* name, void const* value),
                                          int (*setOption)(void* handle, char const* name, void const* value));
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value);
int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE handle, void* destinationHandle);
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle);
#endif

enum { FAILURE = 1 };

/* What a time is that was never read, and what a clock reads that fails. AZ-RC-U06. */
#define INDEFINITE_TIME ((time_t)-1)

struct RETRY_CONTROL_INSTANCE_TAG {
  time_t first_retry_time;
  time_t last_retry_time;
  uint32_t max_retry_time_in_secs;
  uint32_t initial_wait_time_in_secs;
  uint32_t retry_count; /* stays at 2^32 - 1 */
  uint32_t current_wait_time_in_secs;
  uint8_t policy;
  uint8_t max_jitter_percent;
};

/* min(sum, 2^32 - 1). Reading overflow: saturates. */
static uint32_t saturated(uint64_t sum) {
  if (sum > UINT32_MAX) return UINT32_MAX;
  return (uint32_t)sum;
}

/* min(base * 2^doublings, 2^32 - 1). 09_031; reading overflow: saturates. */
static uint32_t doubled(uint32_t base, uint32_t doublings) {
  if (doublings >= 32U || base > (UINT32_MAX >> doublings)) return UINT32_MAX;
  return (uint32_t)(base << doublings);
}

/* floor(whole * percent * r / (100 * RAND_MAX)), for percent <= 100 and the next number r of rand(): rounded once, from
 * the exact quotient, of which nothing needs more than 64 bits. 09_032, 09_033; readings quotients: real,
 * wait-rounding: truncate, product-rounding: exact. */
static uint32_t part(uint32_t whole, uint32_t percent) {
  uint32_t const r = (uint32_t)rand();
  uint32_t const rand_max = (uint32_t)RAND_MAX;
  uint64_t const hundredths = (uint64_t)whole * percent;
  uint64_t const units = hundredths / 100U;
  uint64_t const rest = hundredths - (units * 100U);
  uint64_t const product = units * r;
  uint64_t const quotient = product / rand_max;
  uint64_t const left = product - (quotient * rand_max);
  uint32_t const carried = ((100U * left) + (rest * r) >= 100U * (uint64_t)rand_max) ? 1U : 0U;
  return (uint32_t)quotient + carried;
}

/* now - since >= seconds, with the difference signed and exact. 09_023 to 09_025, 09_061; readings clock-backwards:
 * signed, difference-overflow: exact. */
static bool has_elapsed(time_t since, time_t now, uint32_t seconds) {
  if (now < since) return false;
  return (uint64_t)((uint64_t)now - (uint64_t)since) >= seconds;
}

/* 09_029 to 09_033; reading count-origin: one. */
static uint32_t next_wait(struct RETRY_CONTROL_INSTANCE_TAG const* control) {
  uint32_t const initial = control->initial_wait_time_in_secs;
  if (control->policy == IOTHUB_CLIENT_RETRY_INTERVAL) return initial;
  if (control->policy == IOTHUB_CLIENT_RETRY_LINEAR_BACKOFF) return saturated((uint64_t)initial * control->retry_count);
  if (control->policy == IOTHUB_CLIENT_RETRY_RANDOM) return part(initial, 100U);
  uint32_t const base = doubled(initial, control->retry_count - 1U);
  if (control->policy == IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF) return base;
  return saturated((uint64_t)base + part(base, control->max_jitter_percent));
}

/* 0, with the action; or a clock that fails. 09_019 to 09_026, 09_028; readings first-call: ends, stop-sticky:
 * re-evaluated, immediate-limit: limit-first. */
static int evaluate_retry_action(struct RETRY_CONTROL_INSTANCE_TAG const* control, RETRY_ACTION* action) {
  bool const immediate = control->policy == IOTHUB_CLIENT_RETRY_IMMEDIATE;
  uint32_t const limit = control->max_retry_time_in_secs;
  *action = RETRY_ACTION_RETRY_NOW;
  if (control->retry_count == 0U) return 0;
  if (!immediate && control->last_retry_time == INDEFINITE_TIME) return FAILURE;
  time_t const now = get_time(NULL);
  if (now == INDEFINITE_TIME) return FAILURE;
  if (limit != 0U && has_elapsed(control->first_retry_time, now, limit)) {
    *action = RETRY_ACTION_STOP_RETRYING;
  } else if (!immediate && !has_elapsed(control->last_retry_time, now, control->current_wait_time_in_secs)) {
    *action = RETRY_ACTION_RETRY_LATER;
  } else {
    /* now */
  }
  return 0;
}

/* 0; or the value is none of its. 09_037 to 09_040, AZ-RC-U02, AZ-RC-U04. */
static int set_initial_wait(struct RETRY_CONTROL_INSTANCE_TAG* control, unsigned int seconds) {
  if (seconds == 0U) return FAILURE;
  control->initial_wait_time_in_secs = seconds;
  return 0;
}
static int set_jitter(struct RETRY_CONTROL_INSTANCE_TAG* control, unsigned int percent) {
  if (percent > 100U) return FAILURE;
  control->max_jitter_percent = (uint8_t)percent;
  return 0;
}

/* What an option handler asks of the values that it keeps: every one of them is an unsigned int. 09_046. */
static void* clone_option(char const* name, void const* value) {
  unsigned int* const clone = (unsigned int*)malloc(sizeof(unsigned int));
  (void)name;
  if (clone != NULL) *clone = *(unsigned int const*)value;
  return clone;
}
static void destroy_option(char const* name, void const* value) {
  (void)name;
  free((void*)value);
}
static int set_option(void* handle, char const* name, void const* value) {
  return retry_control_set_option((RETRY_CONTROL_HANDLE)handle, name, value);
}

/* 09_002 to 09_009, AZ-RC-U03. */
RETRY_CONTROL_HANDLE retry_control_create(IOTHUB_CLIENT_RETRY_POLICY policy, unsigned int max_retry_time_in_secs) {
  bool const exponential = policy == IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF ||
                           policy == IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF_WITH_JITTER;
  RETRY_CONTROL_HANDLE const control = (RETRY_CONTROL_HANDLE)malloc(sizeof(struct RETRY_CONTROL_INSTANCE_TAG));
  if (control == NULL) return NULL;
  control->policy = (uint8_t)policy;
  control->max_retry_time_in_secs = max_retry_time_in_secs;
  control->initial_wait_time_in_secs = exponential ? 1U : 5U;
  control->max_jitter_percent = 5U;
  retry_control_reset(control);
  return control;
}

/* 09_010 to 09_018, 09_027, AZ-RC-I02; reading failed-016: fails. */
int retry_control_should_retry(RETRY_CONTROL_HANDLE retry_control_handle, RETRY_ACTION* retry_action) {
  RETRY_CONTROL_HANDLE const control = retry_control_handle;
  RETRY_ACTION action = RETRY_ACTION_STOP_RETRYING;
  if (control == NULL || retry_action == NULL) return FAILURE;
  if (control->policy != IOTHUB_CLIENT_RETRY_NONE) {
    if (control->first_retry_time == INDEFINITE_TIME) {
      control->first_retry_time = get_time(NULL);
      if (control->first_retry_time == INDEFINITE_TIME) return FAILURE;
    }
    if (evaluate_retry_action(control, &action) != 0) return FAILURE;
    if (action == RETRY_ACTION_RETRY_NOW) {
      if (control->retry_count != UINT32_MAX) control->retry_count++;
      if (control->policy != IOTHUB_CLIENT_RETRY_IMMEDIATE) {
        control->last_retry_time = get_time(NULL);
        if (control->last_retry_time == INDEFINITE_TIME) return FAILURE;
        control->current_wait_time_in_secs = next_wait(control);
      }
    }
  }
  *retry_action = action;
  return 0;
}

/* 09_034, 09_035, AZ-RC-U01; reading reset-options: survive. */
void retry_control_reset(RETRY_CONTROL_HANDLE retry_control_handle) {
  if (retry_control_handle == NULL) return;
  retry_control_handle->retry_count = 0U;
  retry_control_handle->current_wait_time_in_secs = 0U;
  retry_control_handle->first_retry_time = INDEFINITE_TIME;
  retry_control_handle->last_retry_time = INDEFINITE_TIME;
}

/* The name says what the value is, so that of an unknown one nothing is read. 09_036 to 09_044, AZ-RC-U05. */
int retry_control_set_option(RETRY_CONTROL_HANDLE retry_control_handle, char const* name, void const* value) {
  if (retry_control_handle == NULL || name == NULL || value == NULL) return FAILURE;
  if (strcmp(name, RETRY_CONTROL_OPTION_INITIAL_WAIT_TIME_IN_SECS) == 0)
    return set_initial_wait(retry_control_handle, *(unsigned int const*)value);
  if (strcmp(name, RETRY_CONTROL_OPTION_MAX_JITTER_PERCENT) == 0)
    return set_jitter(retry_control_handle, *(unsigned int const*)value);
  if (strcmp(name, RETRY_CONTROL_OPTION_SAVED_OPTIONS) != 0) return FAILURE;
  return OptionHandler_FeedOptions((OPTIONHANDLER_HANDLE)value, retry_control_handle) == 0 ? 0 : FAILURE;
}

/* 09_045 to 09_047, 09_050 to 09_054. */
OPTIONHANDLER_HANDLE retry_control_retrieve_options(RETRY_CONTROL_HANDLE retry_control_handle) {
  RETRY_CONTROL_HANDLE const control = retry_control_handle;
  if (control == NULL) return NULL;
  OPTIONHANDLER_HANDLE const saved = OptionHandler_Create(clone_option, destroy_option, set_option);
  if (saved == NULL) return NULL;
  unsigned int const wait = (unsigned int)control->initial_wait_time_in_secs;
  unsigned int const jitter = control->max_jitter_percent;
  if (OptionHandler_AddOption(saved, RETRY_CONTROL_OPTION_INITIAL_WAIT_TIME_IN_SECS, &wait) == 0 &&
      OptionHandler_AddOption(saved, RETRY_CONTROL_OPTION_MAX_JITTER_PERCENT, &jitter) == 0)
    return saved;
  OptionHandler_Destroy(saved);
  return NULL;
}

/* 09_055, 09_056. */
void retry_control_destroy(RETRY_CONTROL_HANDLE retry_control_handle) {
  if (retry_control_handle == NULL) return;
  free(retry_control_handle);
}

/* 09_057, 09_059 to 09_063, AZ-RC-U06. */
int is_timeout_reached(time_t start_time, unsigned int timeout_in_secs, bool* is_timed_out) {
  if (start_time == INDEFINITE_TIME || is_timed_out == NULL) return FAILURE;
  time_t const now = get_time(NULL);
  if (now == INDEFINITE_TIME) return FAILURE;
  *is_timed_out = has_elapsed(start_time, now, timeout_in_secs);
  return 0;
}
