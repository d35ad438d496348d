// Retry control's own functions: the core's handles, over memory and random numbers of the C library and over the clock
// and the option handler that the application has. Checked by: lib/package/consumers_test.py, by `check --library`.
#include <stdlib.h>

#include "backoff/hosted/azure_c_retry_control_handle.hpp"
#include "exported.hpp"
#include "iothub_client_retry_control.h"

// What the application supplies. 09_011, 09_041, 09_046, 09_050, 09_053.
extern "C" {
time_t get_time(time_t* to);
OPTIONHANDLER_HANDLE OptionHandler_Create(void* (*clone)(char const* name, void const* value),
                                          void (*destroy)(char const* name, void const* value),
                                          int (*set)(void* handle, char const* name, void const* value));
int OptionHandler_AddOption(OPTIONHANDLER_HANDLE handle, char const* name, void const* value);
int OptionHandler_FeedOptions(OPTIONHANDLER_HANDLE handle, void* destination);
void OptionHandler_Destroy(OPTIONHANDLER_HANDLE handle);
}

namespace {

namespace core = backoff::azure_c_retry_control;

// What an option handler asks of the values that it keeps: every one of them is an unsigned int.
void* clone_option(char const*, void const* value) {
  auto* const clone = static_cast<unsigned*>(malloc(sizeof(unsigned)));
  if (clone != nullptr) *clone = *static_cast<unsigned const*>(value);
  return clone;
}
void destroy_option(char const*, void const* value) { free(const_cast<void*>(value)); }
int set_option(void* handle, char const* name, void const* value) {
  return retry_control_set_option(static_cast<RETRY_CONTROL_HANDLE>(handle), name, value);
}

struct process {
  using options = void;  // behind the application's handles

  void* allocate(std::size_t bytes) noexcept { return malloc(bytes); }
  void release(void* memory) noexcept { free(memory); }
  std::int64_t get_time() noexcept { return ::get_time(nullptr); }
  core::draw rand() noexcept { return {static_cast<std::uint32_t>(::rand()), RAND_MAX}; }
  void* option_create() noexcept { return OptionHandler_Create(clone_option, destroy_option, set_option); }
  bool option_add(void* to, char const* name, std::uint32_t value) noexcept {
    return OptionHandler_AddOption(to, name, &value) == 0;
  }
  bool option_feed(void const* from, core::option_sink sink) noexcept {
    return OptionHandler_FeedOptions(const_cast<void*>(from), sink.destination()) == 0;
  }
  void option_destroy(void* of) noexcept { OptionHandler_Destroy(of); }
};

core::handle_api<process> api() noexcept {
  static process nothing;  // the state is in the instances alone
  return core::handle_api(nothing);
}
core::handle instance_of(RETRY_CONTROL_HANDLE handle) noexcept { return reinterpret_cast<core::handle>(handle); }

}  // namespace

BACKOFF_EXPORTED RETRY_CONTROL_HANDLE retry_control_create(IOTHUB_CLIENT_RETRY_POLICY policy, unsigned max_retry_time) {
  return reinterpret_cast<RETRY_CONTROL_HANDLE>(api().create(static_cast<core::policy>(policy), max_retry_time));
}

BACKOFF_EXPORTED int retry_control_should_retry(RETRY_CONTROL_HANDLE handle, RETRY_ACTION* retry_action) {
  auto decided = core::action::stop_retrying;
  int const failed = api().should_retry(instance_of(handle), retry_action == nullptr ? nullptr : &decided);
  if (failed == 0) *retry_action = static_cast<RETRY_ACTION>(decided);
  return failed;
}

BACKOFF_EXPORTED void retry_control_reset(RETRY_CONTROL_HANDLE handle) { api().reset(instance_of(handle)); }

BACKOFF_EXPORTED int retry_control_set_option(RETRY_CONTROL_HANDLE handle, char const* name, void const* value) {
  if (name != nullptr && core::names(name, core::saved_options_option))
    return api().set_option(instance_of(handle), name, value);
  return api().set_option(instance_of(handle), name, static_cast<std::uint32_t const*>(value));
}

BACKOFF_EXPORTED OPTIONHANDLER_HANDLE retry_control_retrieve_options(RETRY_CONTROL_HANDLE handle) {
  return api().retrieve_options(instance_of(handle));
}

BACKOFF_EXPORTED void retry_control_destroy(RETRY_CONTROL_HANDLE handle) { api().destroy(instance_of(handle)); }

BACKOFF_EXPORTED int is_timeout_reached(time_t start_time, unsigned timeout_in_secs, bool* is_timed_out) {
  return api().is_timeout_reached(start_time, timeout_in_secs, is_timed_out);
}
