/* iothub_client_retry_control (Azure IoT SDK for C), source-compatible: the header of the drop-in. The names are those
 * of its requirements. The application supplies get_time and the option handler, as the SDK around it does. Checked by:
 * lib/package/consumers_test.py, by `check --library`.
 */
#ifndef IOTHUB_CLIENT_RETRY_CONTROL_H
#define IOTHUB_CLIENT_RETRY_CONTROL_H

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

/* The SDK's own types where it is there; what its documents say of them where it is not. */
#if defined __has_include
#if __has_include("azure_c_shared_utility/optionhandler.h") && __has_include("iothub_client_ll.h")
#define BACKOFF_HAS_SDK
#endif
#endif
#if defined BACKOFF_HAS_SDK
#include "azure_c_shared_utility/optionhandler.h"
#include "iothub_client_ll.h"
#else
typedef void* OPTIONHANDLER_HANDLE;
/* When to retry: the seven policies. */
typedef enum {
  IOTHUB_CLIENT_RETRY_NONE,
  IOTHUB_CLIENT_RETRY_IMMEDIATE,
  IOTHUB_CLIENT_RETRY_INTERVAL,
  IOTHUB_CLIENT_RETRY_LINEAR_BACKOFF,
  IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF,
  IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF_WITH_JITTER,
  IOTHUB_CLIENT_RETRY_RANDOM
} IOTHUB_CLIENT_RETRY_POLICY;
#endif

/* The options of set_option: seconds, 1 or more, an unsigned int. */
#define RETRY_CONTROL_OPTION_INITIAL_WAIT_TIME_IN_SECS "initial_wait_time_in_secs"
/* Percent, 0 to 100, an unsigned int. */
#define RETRY_CONTROL_OPTION_MAX_JITTER_PERCENT "max_jitter_percent"
/* The OPTIONHANDLER_HANDLE that was retrieved. */
#define RETRY_CONTROL_OPTION_SAVED_OPTIONS "retry_control_options"

#ifdef __cplusplus
extern "C" {
#endif

/* What to do now. */
typedef enum RETRY_ACTION_TAG {
  RETRY_ACTION_RETRY_NOW,
  RETRY_ACTION_RETRY_LATER,
  RETRY_ACTION_STOP_RETRYING
} RETRY_ACTION; /* what to do now */

/* An instance, which nobody looks into. */
typedef struct RETRY_CONTROL_INSTANCE_TAG RETRY_CONTROL_INSTANCE;
typedef RETRY_CONTROL_INSTANCE* RETRY_CONTROL_HANDLE; /* whose instance it is */

/* A new instance, to be ended by destroy; NULL where no memory is left. 0 seconds: no limit. */
RETRY_CONTROL_HANDLE retry_control_create(IOTHUB_CLIENT_RETRY_POLICY policy, unsigned int max_retry_time_in_secs);
/* 0, with the action; or non-zero, with *retry_action as it was: an argument is NULL, or the clock fails. */
int retry_control_should_retry(RETRY_CONTROL_HANDLE retry_control_handle, RETRY_ACTION* retry_action);
/* As if just created, but for the options, which stay. Does nothing for NULL. */
void retry_control_reset(RETRY_CONTROL_HANDLE retry_control_handle);
/* 0; or non-zero: an argument is NULL, the name is none of the options above, or the value is none of its. The value of
 * an unknown name is never read. */
int retry_control_set_option(RETRY_CONTROL_HANDLE retry_control_handle, char const* name, void const* value);
/* Both options with their values, the caller's to destroy; or NULL, with nothing left allocated: the handle is NULL, or
 * anything fails. */
OPTIONHANDLER_HANDLE retry_control_retrieve_options(RETRY_CONTROL_HANDLE retry_control_handle);
/* Releases an instance. Does nothing for NULL. */
void retry_control_destroy(RETRY_CONTROL_HANDLE retry_control_handle);
/* 0, with the answer; or non-zero, with *is_timed_out as it was: start_time is (time_t)-1, is_timed_out NULL, or the
 * clock fails. */
int is_timeout_reached(time_t start_time, unsigned int timeout_in_secs, bool* is_timed_out);

#ifdef __cplusplus
}
#endif
#endif
