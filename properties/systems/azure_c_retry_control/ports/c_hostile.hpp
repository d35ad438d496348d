// Calls as hostile as C makes them, on instances of their own: each allocation refused in turn, pointers that nothing
// can be read from, names that are no options, policies that are none, callbacks of the library by themselves.
// Histories cannot say such calls; what they find is said where a history refuses or asks for something of the same
// kind. Checked by: properties/oracle/library_test.py.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "systems/azure_c_retry_control/history.hpp"
#include "systems/azure_c_retry_control/ports/c_sdk.hpp"

namespace backoff::systems {

struct hostile_fault {
  std::string what{};  // empty: there is none
  bool accepts_unknown_option = false;
};

class hostile_calls {
 public:
  explicit hostile_calls(control_functions const& of) noexcept : of_(&of) {}

  // What the library gets wrong in hostile calls of the function that this step calls; nothing of an everyday step.
  // They are made once.
  [[nodiscard]] hostile_fault const& wrong_in(step const& s);

 private:
  control_functions const* of_;
  std::array<std::optional<hostile_fault>, azure_c_calls::destroy + 1> wrong_;
};

}  // namespace backoff::systems
