// JSON of a file that anyone may have written. Checked by: properties/oracle/vectors_test.py, results_test.py.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "histories/json_value.hpp"

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

// The value. Throws text_error, which says at which byte the text is malformed or nested too deep.
[[nodiscard]] inline nlohmann::json parse_any(std::string_view text) {
  histories::demand_shallow(text);
  try {
    return nlohmann::json::parse(text);
  } catch (nlohmann::json::parse_error const& e) {
    throw histories::text_error("malformed JSON at byte " + std::to_string(e.byte));
  } catch (nlohmann::json::exception const&) {
    throw histories::text_error("malformed JSON: a number is out of range");
  }
}

}  // namespace backoff::files
