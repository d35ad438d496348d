// JSON of a file that anyone may have written. Checked by: properties/oracle/vectors_test.py, results_test.py.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "histories/json.hpp"

namespace backoff::files {

// The value; a discarded one where the text is malformed or nested too deep.
template <class Json = nlohmann::json>
[[nodiscard]] Json parse_shallow(std::string_view text) {
  try {
    histories::demand_shallow(text);
  } catch (histories::text_error const&) {
    return Json(Json::value_t::discarded);
  }
  return Json::parse(text, nullptr, false);
}

}  // namespace backoff::files
