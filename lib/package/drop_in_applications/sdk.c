/* What the SDK around retry control supplies: a clock that an application sets, and an option handler that keeps
 * nothing. */
#include <iothub_client_retry_control.h>

extern time_t sdk_now;
time_t sdk_now = 1000;

time_t get_time(time_t* current);
OPTIONHANDLER_HANDLE OptionHandler_Create(void* (*clone)(char const* name, void const* value),
                                          void (*destroy)(char const* name, void const* value),
                                          int (*set)(void* handle, char const* name, void const* value));
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value);
int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE handle, void* destination);
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle);

time_t get_time(time_t* current) {
  if (current != NULL) *current = sdk_now;
  return sdk_now;
}
OPTIONHANDLER_HANDLE OptionHandler_Create(void* (*clone)(char const* name, void const* value),
                                          void (*destroy)(char const* name, void const* value),
                                          int (*set)(void* handle, char const* name, void const* value)) {
  return clone != NULL && destroy != NULL && set != NULL ? &sdk_now : NULL;
}
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value) {
  return handle == NULL || name == NULL || value == NULL;
}
int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE handle, void* destination) {
  return handle == NULL || destination == NULL;
}
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle) { (void)handle; }
