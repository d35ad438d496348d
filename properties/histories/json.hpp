// The one JSON form of a history, which files and the protocol share.
//
//   {"system":STEM,"cases":[{"params":{NAME:"7",…},"steps":[{"op":NAME,"draw":"7"},…]},…]}
//
// Checked by: properties/histories/text_test.cpp, properties/protocol/schema_test.py.
#pragma once

#include <string>
#include <string_view>

#include "histories/json_value.hpp"
#include "histories/text.hpp"

namespace backoff::histories {

// Appends {"params":…,"steps":…}. A draw is written as "7"; a unit draw as
// {"num":"7","den":"4294967296","value":"0.0000000016…"}; a hidden draw not at all.
void append_case(std::string& out, shape const& s, draw_source const& draws, history const& h);
[[nodiscard]] std::string to_json(history_set const& set);

// Both throw text_error for JSON that holds no such history. They read at most 10,000 cases of at most 1,000,000 steps.
[[nodiscard]] history read_case(json_value const& j, shape const& s, domain const& d);
[[nodiscard]] history_set parse_json(std::string_view json);

}  // namespace backoff::histories
