// The interface of iothub_client_retry_control as the document has it: opaque handles, null checks, int results, over
// an environment that supplies memory, clock, random numbers and the option handler. Every one of them may fail.
// Requirement ids are the document's, without their common beginning SRS_IOTHUB_CLIENT_RETRY_CONTROL_.
// Checked by: spec/azure_c_retry_control/examples.yaml, spec/azure_c_retry_control/handle_test.cpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

#include "backoff/azure_c_retry_control.hpp"

namespace backoff::azure_c_retry_control {

// The result of a call that fails; 0 on success.
inline constexpr int failure = 1;

// The name of the option for the initial wait. 09_037.
inline constexpr char const* initial_wait_time_in_secs_option = "initial_wait_time_in_secs";
// The name of the option for the jitter. 09_039.
inline constexpr char const* max_jitter_percent_option = "max_jitter_percent";
// The name of the option that holds saved options. 09_041.
inline constexpr char const* saved_options_option = "retry_control_options";

// Whether the name is that of the option.
[[nodiscard]] inline bool names(char const* name, char const* option) noexcept {
  return std::string_view(name) == option;
}

// One retry control. Callers hold an opaque pointer to it, the handle.
class instance {
 public:
  instance(instance const&) = delete;
  instance& operator=(instance const&) = delete;

 private:
  template <class Environment>
  friend class handle_api;
  friend class option_sink;

  explicit constexpr instance(retry_control const& control) noexcept : control_(control) {}

  // Sets the option. False, and nothing changes: it takes no number, or does not allow this number.
  [[nodiscard]] bool take(char const* name, std::uint32_t value) noexcept {
    if (names(name, initial_wait_time_in_secs_option)) return set_initial_wait_time_in_secs(control_, value);
    if (names(name, max_jitter_percent_option)) return set_max_jitter_percent(control_, value);
    return false;
  }

  retry_control control_;
};
// An instance; null: none.
using handle = instance*;

// Takes saved options one by one, and sets them in an instance. 09_041.
class option_sink {
 public:
  // Sets the option; false where the instance refuses it.
  [[nodiscard]] bool operator()(char const* name, std::uint32_t value) const noexcept {
    return instance_->take(name, value);
  }
  // The instance that takes the options, for a feed that hands each one to the document's set_option.
  [[nodiscard]] handle destination() const noexcept { return instance_; }

 private:
  template <class Environment>
  friend class handle_api;

  explicit constexpr option_sink(handle to) noexcept : instance_(to) {}
  handle instance_;
};

// allocate: memory for any object, or null. get_time: a reading, or indefinite_time. option_create: an empty set of
// options, or null. option_add: false where it fails. option_feed: gives each option to the sink; false where it fails
// or the sink refuses one. No call throws.
template <class E>
concept environment =
    requires(E& e, void* memory, std::size_t bytes, typename E::options* options, typename E::options const* saved,
             char const* name, std::uint32_t value, option_sink sink) {
      { e.allocate(bytes) } noexcept -> std::same_as<void*>;
      { e.release(memory) } noexcept;
      { e.get_time() } noexcept -> std::same_as<std::int64_t>;
      { e.rand() } noexcept -> std::same_as<draw>;
      { e.option_create() } noexcept -> std::same_as<typename E::options*>;
      { e.option_add(options, name, value) } noexcept -> std::same_as<bool>;
      { e.option_feed(saved, sink) } noexcept -> std::same_as<bool>;
      { e.option_destroy(options) } noexcept;
    };

// The document's functions. It keeps the environment and nothing else: instances share nothing.
template <class Environment>
class handle_api {
  static_assert(environment<Environment>);

 public:
  // The environment's set of options.
  using options = typename Environment::options;

  // The functions over this environment, which must outlive them.
  explicit constexpr handle_api(Environment& given) noexcept : environment_(given) {}

  // A new instance, to be ended by destroy; null where no memory is left. 09_002 to 09_009.
  [[nodiscard]] handle create(policy which, std::uint32_t max_retry_time_in_secs) noexcept {
    void* const memory = environment_.allocate(sizeof(instance));
    if (memory == nullptr) return nullptr;
    return ::new (memory) instance(azure_c_retry_control::create(which, max_retry_time_in_secs));
  }

  // 0, with the action in *retry_action; or failure, with *retry_action as it was. What is read and drawn, and when:
  // see should_retry of the value type. Null arguments fail and read nothing. 09_010 to 09_028.
  [[nodiscard]] int should_retry(handle of, action* retry_action) noexcept {
    if (of == nullptr || retry_action == nullptr) return failure;
    auto const decided = azure_c_retry_control::should_retry(
        of->control_, [this]() noexcept { return environment_.get_time(); },
        [this]() noexcept { return environment_.rand(); });
    if (!decided.decided) return failure;
    *retry_action = decided.action;
    return 0;
  }

  // As if just created, but for the options, which stay. Null: nothing. 09_034, 09_035.
  void reset(handle of) noexcept {
    if (of == nullptr) return;
    azure_c_retry_control::reset(of->control_);
  }

  // 0; or failure, with the instance as it was: a null argument, a name that is not of an option with a number, or a
  // number that the option does not allow. *value is read only where the option takes a number. 09_036 to 09_040,
  // 09_043, 09_044.
  [[nodiscard]] int set_option(handle of, char const* name, std::uint32_t const* value) noexcept {
    if (of == nullptr || name == nullptr || value == nullptr) return failure;
    if (!names(name, initial_wait_time_in_secs_option) && !names(name, max_jitter_percent_option)) return failure;
    return of->take(name, *value) ? 0 : failure;
  }

  // 0; or failure: a null argument or a name other than retry_control_options, with the instance as it was; or a feed
  // that fails, and may have set some options before. 09_036, 09_041 to 09_044, AZ-RC-U05.
  [[nodiscard]] int set_option(handle of, char const* name, options const* value) noexcept {
    if (of == nullptr || name == nullptr || value == nullptr) return failure;
    if (!names(name, saved_options_option)) return failure;
    return environment_.option_feed(value, option_sink(of)) ? 0 : failure;
  }

  // Both options as they stand, owned by the caller; null where the handle is null or anything fails, and then nothing
  // is left allocated. 09_045 to 09_047, 09_050 to 09_054.
  [[nodiscard]] options* retrieve_options(instance const* of) noexcept {
    if (of == nullptr) return nullptr;
    options* const saved = environment_.option_create();
    if (saved == nullptr) return nullptr;
    auto const& control = of->control_;
    if (environment_.option_add(saved, initial_wait_time_in_secs_option, control.initial_wait_time_in_secs) &&
        environment_.option_add(saved, max_jitter_percent_option, control.max_jitter_percent)) {
      return saved;
    }
    environment_.option_destroy(saved);
    return nullptr;
  }

  // Releases the instance. Null: nothing. 09_055, 09_056.
  void destroy(handle of) noexcept {
    if (of == nullptr) return;
    environment_.release(of);
  }

  // 0, with the answer in *is_timed_out; or failure, with *is_timed_out as it was: start_time is indefinite,
  // is_timed_out null, or the clock fails. 09_057 to 09_063.
  [[nodiscard]] int is_timeout_reached(std::int64_t start_time, std::uint32_t timeout_in_secs,
                                       bool* is_timed_out) noexcept {
    if (is_timed_out == nullptr) return failure;
    auto const reached = azure_c_retry_control::is_timeout_reached(
        start_time, timeout_in_secs, [this]() noexcept { return environment_.get_time(); });
    if (!reached.decided) return failure;
    *is_timed_out = reached.timed_out;
    return 0;
  }

 private:
  Environment& environment_;
};

}  // namespace backoff::azure_c_retry_control
