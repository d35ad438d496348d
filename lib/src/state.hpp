// A value of the core in the caller's memory, whose size backoff.h states. Checked by: spec/tests/c_abi_test.cpp.
#pragma once

#include <new>
#include <type_traits>

namespace backoff::c_abi {

template <class Core, class State>
concept held_by = std::is_trivially_copyable_v<Core> && std::is_trivially_destructible_v<Core> &&
                  sizeof(Core) <= sizeof(State) && alignof(Core) <= alignof(State);

// The value begins.
template <class Core, class State>
  requires held_by<Core, State>
void begin(State* state, Core const& value) noexcept {
  ::new (static_cast<void*>(state)) Core(value);
}

// The value that began there, or was copied there as bytes.
template <class Core, class State>
  requires held_by<Core, State>
Core& value_in(State* state) noexcept {
  return *std::launder(reinterpret_cast<Core*>(state));
}
template <class Core, class State>
  requires held_by<Core, State>
Core const& value_in(State const* state) noexcept {
  return *std::launder(reinterpret_cast<Core const*>(state));
}

}  // namespace backoff::c_abi
