// Time, tick counters and option handlers, under the names that the SDK has for them.
#include "systems/azure_c_retry_control/ports/c_sdk.hpp"

#include <algorithm>
#include <cstdlib>

#include "host/exported.hpp"

namespace backoff::systems {
namespace {

// Those that exist: a handle may be anything.
std::vector<option_handler*>& handlers() {
  static std::vector<option_handler*> all;
  return all;
}

// Null outside of every call, and in those of other systems.
sdk_surroundings* of_the_call() noexcept { return dynamic_cast<sdk_surroundings*>(around); }

// As handler_at, for a call of the library: the SDK looks at no more than whether a handle is NULL.
option_handler* given_handler(void* handle) {
  auto* const found = handler_at(handle);
  if (auto* const call = of_the_call(); call != nullptr && found == nullptr && handle != nullptr)
    call->misuse = "took for an option handler what is none";
  return found;
}

}  // namespace

option_handler* new_handler(option_handler of) { return handlers().emplace_back(new option_handler(std::move(of))); }

option_handler* handler_at(void* handle) {
  auto const at = std::ranges::find(handlers(), handle);
  return at == handlers().end() ? nullptr : *at;
}

void destroy_handler(void* handle) {
  auto* const of = handler_at(handle);
  if (of == nullptr) return;
  for (auto const& option : of->options) of->destroy(option.name.c_str(), option.value);
  auto* const call = of_the_call();
  in_surroundings const own(nullptr);
  if (call != nullptr) call->allocated(-1);
  std::erase(handlers(), of);
  delete of;
}

}  // namespace backoff::systems

using namespace backoff::systems;

BACKOFF_EXPORTED std::time_t get_time(std::time_t* to) {
  auto* const call = of_the_call();
  if (call == nullptr) return std::time(to);
  auto const seconds = call->get_time();
  if (to != nullptr) *to = seconds;
  return seconds;
}

BACKOFF_EXPORTED double get_difftime(std::time_t stop, std::time_t start) {
  __extension__ using i128 = __int128;
  return static_cast<double>(static_cast<i128>(stop) - start);
}

// A clock of its own, in milliseconds.
BACKOFF_EXPORTED void* tickcounter_create() { return std::malloc(1); }  // which counts as the library's, and may fail
BACKOFF_EXPORTED void tickcounter_destroy(void* counter) { std::free(counter); }
BACKOFF_EXPORTED int tickcounter_get_current_ms(void* counter, std::uint_fast64_t* ms) {
  constexpr std::int64_t milliseconds = 1'000;
  if (counter == nullptr || ms == nullptr) return 1;
  auto const now = around == nullptr ? moment{} : around->ticks();
  if (!now) return 1;
  *ms = static_cast<std::uint64_t>(now->seconds) * milliseconds +
        static_cast<std::uint64_t>(now->nanoseconds / (a_second / milliseconds));
  return 0;
}

BACKOFF_EXPORTED void* OptionHandler_Create(clone_option* clone, destroy_option* destroy, control_set_option* set) {
  auto* const call = of_the_call();
  if (clone == nullptr || destroy == nullptr || set == nullptr) return nullptr;
  if (call != nullptr && call->option_create_fails()) return nullptr;
  in_surroundings const own(nullptr);
  if (call != nullptr) call->allocated(1);
  return new_handler({clone, destroy, set});
}

BACKOFF_EXPORTED int OptionHandler_AddOption(void* handle, char const* name, void const* value) {
  auto* const to = given_handler(handle);
  if (to == nullptr || name == nullptr || value == nullptr) return 1;
  auto* const call = of_the_call();
  auto const ends = call == nullptr ? addition::succeeds : call->option_added();
  if (ends == addition::fails) return 1;
  if (call != nullptr) call->refuse_memory(ends == addition::lacks_memory);
  void* const saved = to->clone(name, value);
  if (call != nullptr) call->refuse_memory(false);
  if (saved == nullptr) return 1;
  if (call != nullptr && saved == value) call->misuse = "gave an option handler the value itself in place of a clone";
  if (ends == addition::lacks_memory) {
    to->destroy(name, saved);
    return 1;
  }
  in_surroundings const own(nullptr);
  to->options.push_back({name, saved});
  return 0;
}

// By the name that 050 to 052 have for it.
BACKOFF_EXPORTED int OptionHandler_Add(void* handle, char const* name, void const* value) {
  return OptionHandler_AddOption(handle, name, value);
}

BACKOFF_EXPORTED int OptionHandler_FeedOptions(void* handle, void* destination) {
  auto const* const from = given_handler(handle);
  if (from == nullptr || destination == nullptr) return 1;
  auto* const call = of_the_call();
  if (call != nullptr && call->option_feed_fails()) return 1;
  for (auto const& option : from->options) {
    if (from->set(destination, option.name.c_str(), option.value) != 0) return 1;
  }
  return 0;
}

BACKOFF_EXPORTED void OptionHandler_Destroy(void* handle) { destroy_handler(given_handler(handle)); }
