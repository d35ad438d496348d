// What a page has around its sections: the style, the script that draws its pictures, and what they may do.
// Checked by: properties/oracle/page_test.py, in a browser.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace backoff::reports {

// A whole page. title: text. body: HTML. pictures: {kind, data}, in the order of the numbers in `data-picture`.
[[nodiscard]] std::string framed_page(std::string_view title, std::string_view body,
                                      nlohmann::ordered_json const& pictures);

}  // namespace backoff::reports
