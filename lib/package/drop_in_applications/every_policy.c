/* From C99 and C++98 on: the SDK's include path, through a header of one line, functions in a table, and a switch over
 * every policy and action without a default. */
#include <string.h>

#include "internal/iothub_client_retry_control.h"

static struct {
  RETRY_CONTROL_HANDLE (*create)(IOTHUB_CLIENT_RETRY_POLICY policy, unsigned int max_retry_time_in_secs);
  int (*should_retry)(RETRY_CONTROL_HANDLE retry_control_handle, RETRY_ACTION* retry_action);
  void (*reset)(RETRY_CONTROL_HANDLE retry_control_handle);
  int (*set_option)(RETRY_CONTROL_HANDLE retry_control_handle, char const* name, void const* value);
  OPTIONHANDLER_HANDLE (*retrieve_options)(RETRY_CONTROL_HANDLE retry_control_handle);
  void (*destroy)(RETRY_CONTROL_HANDLE retry_control_handle);
  int (*is_over)(time_t start_time, unsigned int timeout_in_secs, bool* is_timed_out);
} const control = {retry_control_create,     retry_control_should_retry,     retry_control_reset,
                   retry_control_set_option, retry_control_retrieve_options, retry_control_destroy,
                   is_timeout_reached};

static bool retries(IOTHUB_CLIENT_RETRY_POLICY policy) {
  switch (policy) {
    case IOTHUB_CLIENT_RETRY_NONE:
      return false;
    case IOTHUB_CLIENT_RETRY_IMMEDIATE:
    case IOTHUB_CLIENT_RETRY_INTERVAL:
    case IOTHUB_CLIENT_RETRY_LINEAR_BACKOFF:
    case IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF:
    case IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF_WITH_JITTER:
    case IOTHUB_CLIENT_RETRY_RANDOM:
      return true;
  }
  return false;
}
static char const* name_of(RETRY_ACTION action) {
  switch (action) {
    case RETRY_ACTION_RETRY_NOW:
      return "now";
    case RETRY_ACTION_RETRY_LATER:
      return "later";
    case RETRY_ACTION_STOP_RETRYING:
      return "never";
  }
  return "";
}

int main(void) {
  IOTHUB_CLIENT_RETRY_POLICY const policies[] = {IOTHUB_CLIENT_RETRY_NONE,
                                                 IOTHUB_CLIENT_RETRY_IMMEDIATE,
                                                 IOTHUB_CLIENT_RETRY_INTERVAL,
                                                 IOTHUB_CLIENT_RETRY_LINEAR_BACKOFF,
                                                 IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF,
                                                 IOTHUB_CLIENT_RETRY_EXPONENTIAL_BACKOFF_WITH_JITTER,
                                                 IOTHUB_CLIENT_RETRY_RANDOM};
  unsigned int const number = 10U;
  bool is_over = true;
  unsigned int i = 0U;
  for (i = 0U; i < sizeof policies / sizeof policies[0]; i++) {
    RETRY_CONTROL_HANDLE const handle = control.create(policies[i], 0U);
    RETRY_ACTION action = RETRY_ACTION_RETRY_LATER;
    if (control.should_retry(handle, &action) != 0) return 1;
    if (strcmp(name_of(action), retries(policies[i]) ? "now" : "never") != 0) return 2;
    if (control.set_option(handle, RETRY_CONTROL_OPTION_INITIAL_WAIT_TIME_IN_SECS, &number) != 0) return 3;
    if (control.set_option(handle, RETRY_CONTROL_OPTION_MAX_JITTER_PERCENT, &number) != 0) return 4;
    if (control.set_option(handle, RETRY_CONTROL_OPTION_SAVED_OPTIONS, control.retrieve_options(handle)) != 0) return 5;
    control.reset(handle);
    control.destroy(handle);
  }
  return control.is_over((time_t)-1, 1U, &is_over) != 0 && control.should_retry(NULL, NULL) != 0 ? 0 : 6;
}
