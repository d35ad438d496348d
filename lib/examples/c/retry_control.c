/* An application of retry control with what the SDK around it supplies: a clock, and an option handler for one set. */
#include <stdio.h>
#include <string.h>

#include "iothub_client_retry_control.h"

static time_t now = 1000;
time_t get_time(time_t* to) {
  if (to != NULL) *to = now;
  return now;
}

static struct {
  void* (*clone)(char const* name, void const* value);
  void (*destroy)(char const* name, void const* value);
  int (*set)(void* handle, char const* name, void const* value);
  char const* names[2];
  void* values[2];
  int count;
} saved;
OPTIONHANDLER_HANDLE OptionHandler_Create(void* (*clone)(char const* name, void const* value),
                                          void (*destroy)(char const* name, void const* value),
                                          int (*set)(void* handle, char const* name, void const* value));
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value);
int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE handle, void* destination);
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle);

OPTIONHANDLER_HANDLE OptionHandler_Create(void* (*clone)(char const* name, void const* value),
                                          void (*destroy)(char const* name, void const* value),
                                          int (*set)(void* handle, char const* name, void const* value)) {
  saved.clone = clone;
  saved.destroy = destroy;
  saved.set = set;
  saved.count = 0;
  return &saved;
}
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value) {
  (void)handle;
  saved.names[saved.count] = name;
  saved.values[saved.count] = saved.clone(name, value);
  return saved.values[saved.count++] == NULL;
}
int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE handle, void* destination) {
  int failed = handle != &saved;
  for (int i = 0; i < saved.count; i++) failed |= saved.set(destination, saved.names[i], saved.values[i]);
  return failed;
}
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle) {
  (void)handle;
  for (int i = 0; i < saved.count; i++) saved.destroy(saved.names[i], saved.values[i]);
}

int main(void) {
  RETRY_CONTROL_HANDLE const control = retry_control_create(IOTHUB_CLIENT_RETRY_INTERVAL, 60);
  RETRY_CONTROL_HANDLE const other = retry_control_create(IOTHUB_CLIENT_RETRY_INTERVAL, 60);
  RETRY_ACTION action = RETRY_ACTION_STOP_RETRYING;
  unsigned int const wait = 7;
  if (control == NULL || retry_control_set_option(control, RETRY_CONTROL_OPTION_INITIAL_WAIT_TIME_IN_SECS, &wait) != 0)
    return 1;
  unsigned int const jitter = 50;
  if (retry_control_set_option(control, RETRY_CONTROL_OPTION_MAX_JITTER_PERCENT, &jitter) != 0) return 1;
  OPTIONHANDLER_HANDLE const options = retry_control_retrieve_options(control);
  if (options == NULL || retry_control_set_option(other, RETRY_CONTROL_OPTION_SAVED_OPTIONS, options) != 0) return 1;
  OptionHandler_Destroy(options);
  int retries = 0;
  do {
    if (retry_control_should_retry(other, &action) != 0) return 1;
    if (action == RETRY_ACTION_RETRY_NOW) printf("retry %d at %ld s\n", ++retries, (long)(now - 1000));
    now++;
  } while (action != RETRY_ACTION_STOP_RETRYING);
  bool over = false;
  if (is_timeout_reached(1000, 61, &over) != 0 || !over) return 1;
  retry_control_destroy(control);
  retry_control_destroy(other);
  return retries == 9 ? 0 : 1; /* at 0, 7, … 56 */
}
