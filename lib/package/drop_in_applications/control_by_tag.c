/* From C99 and C++98 on: a handle and an action by their tags, and options by their names. */
struct RETRY_CONTROL_INSTANCE_TAG;
static int configured(struct RETRY_CONTROL_INSTANCE_TAG* control, unsigned int wait);

#include "iothub_client_retry_control.h"

/* An option that the drop-in does not have. */
#ifndef RETRY_CONTROL_OPTION_MAX_DELAY_IN_SECS
#define RETRY_CONTROL_OPTION_MAX_DELAY_IN_SECS ""
#endif

#ifdef __cplusplus
extern "C" time_t sdk_now;
#else
extern time_t sdk_now;
#endif

static int configured(struct RETRY_CONTROL_INSTANCE_TAG* control, unsigned int wait) {
  static char const* const options[] = {"initial_wait_time_in_secs", "max_jitter_percent", "retry_control_options"};
  unsigned int const percent = 101U;
  OPTIONHANDLER_HANDLE const saved = retry_control_retrieve_options(control);
  if (retry_control_set_option(control, RETRY_CONTROL_OPTION_MAX_DELAY_IN_SECS, &wait) == 0) return 0;
  if (retry_control_set_option(control, options[1], &percent) == 0) return 0;
  return saved != NULL && retry_control_set_option(control, options[2], saved) == 0 &&
         retry_control_set_option(control, options[0], &wait) == 0;
}

static enum RETRY_ACTION_TAG asked(RETRY_CONTROL_HANDLE handle) {
  enum RETRY_ACTION_TAG action = RETRY_ACTION_STOP_RETRYING;
  return retry_control_should_retry(handle, &action) == 0 ? action : RETRY_ACTION_STOP_RETRYING;
}

int main(void) {
  struct RETRY_CONTROL_INSTANCE_TAG* const control = retry_control_create(IOTHUB_CLIENT_RETRY_INTERVAL, 60U);
  bool is_over = false;
  if (control == NULL || !configured(control, 7U)) return 1;
  /* NOLINTNEXTLINE(misc-redundant-expression): each call advances it */
  if (asked(control) != RETRY_ACTION_RETRY_NOW || asked(control) != RETRY_ACTION_RETRY_LATER) return 2;
  sdk_now += 7;
  if (asked(control) != RETRY_ACTION_RETRY_NOW) return 3;
  retry_control_destroy(control);
  return is_timeout_reached(sdk_now - 7, 8U, &is_over) == 0 && !is_over ? 0 : 4;
}
