// What the SDK supplies to iothub_client_retry_control, as the host has it: option handlers, and what surrounds a call
// that asks for them. Checked by: properties/oracle/library_test.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "host/surroundings.hpp"

namespace backoff::systems {

// ---- The library's functions ----

using control_create = void*(int policy, unsigned max_retry_time_in_secs);
using control_should_retry = int(void* control, int* action);
using control_reset = void(void* control);
using control_set_option = int(void* control, char const* name, void const* value);
using control_retrieve_options = void*(void* control);
using control_destroy = void(void* control);
using timeout_reached = int(std::time_t start_time, unsigned timeout_in_secs, bool* is_timed_out);

struct control_functions {
  control_create* create;
  control_should_retry* should_retry;
  control_reset* reset;
  control_set_option* set_option;
  control_retrieve_options* retrieve_options;
  control_destroy* destroy;
  timeout_reached* is_timeout_reached;
};

// ---- Option handlers ----

using clone_option = void*(char const* name, void const* value);
using destroy_option = void(char const* name, void const* value);

// What was saved, and the library's functions for it.
struct option_handler {
  struct option {
    std::string name;
    void* value;
  };
  clone_option* clone;
  destroy_option* destroy;
  control_set_option* set;
  std::vector<option> options{};
};

[[nodiscard]] option_handler* new_handler(option_handler of);
// Null where the handle is none.
[[nodiscard]] option_handler* handler_at(void* handle);
// Asks the library to destroy the options. Nothing, where the handle is none.
void destroy_handler(void* handle);

// ---- A call ----

// How OptionHandler_AddOption ends. lacks_memory: it fails, since nothing can be allocated for the clone.
enum class addition : std::uint8_t { succeeds, fails, lacks_memory };

// Each question is asked once for each use, in order: an answer may count.
class sdk_surroundings : public surroundings {
 public:
  [[nodiscard]] virtual std::int64_t get_time() noexcept = 0;  // seconds; -1 where it fails
  [[nodiscard]] virtual bool option_create_fails() noexcept = 0;
  [[nodiscard]] virtual addition option_added() noexcept = 0;
  virtual void refuse_memory(bool refuses) noexcept = 0;
  [[nodiscard]] virtual bool option_feed_fails() noexcept = 0;
  void released_twice() noexcept override { misuse = "released memory twice"; }

  char const* misuse = nullptr;  // what a call did to memory or to handlers that it must not do
};

}  // namespace backoff::systems
