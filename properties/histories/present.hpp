// A value that must be there, out of its optional. Checked by: properties/histories/present_test.cpp.
#pragma once

#include <optional>
#include <stdexcept>
#include <utility>

namespace backoff::histories {

// Throws std::logic_error where there is none, which is a fault of the caller.
inline void demand_present(bool is_there) {
  if (!is_there) throw std::logic_error("a value that must be there is missing");
}

// The value of `of`; one that is about to go gives its value away. Throws std::logic_error where there is none.
// NOLINTBEGIN(bugprone-unchecked-optional-access): demand_present checks it, into which clang-tidy does not look
template <class Value>
[[nodiscard]] Value& present(std::optional<Value>& of) {
  demand_present(of.has_value());
  return *of;
}
template <class Value>
[[nodiscard]] Value const& present(std::optional<Value> const& of) {
  demand_present(of.has_value());
  return *of;
}
template <class Value>
[[nodiscard]] Value present(std::optional<Value>&& of) {
  demand_present(of.has_value());
  return *std::move(of);
}
// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace backoff::histories
