// What joins specs to the catalogue: each test of a system begins by naming the requirements that it holds. The names
// go into GoogleTest's own report, so that the catalogue can be compared with what really ran.
#pragma once

#include <gtest/gtest.h>

#include <concepts>
#include <string>
#include <string_view>

namespace backoff {

// checks("AWS-BA-003", "AWS-BA-005"): once a test, before anything that could end it.
template <std::convertible_to<std::string_view>... Ids>
  requires(sizeof...(Ids) > 0)
void checks(Ids... ids) {
  std::string all;
  ((all += all.empty() ? "" : " ", all += ids), ...);
  testing::Test::RecordProperty("checks", all);
}

}  // namespace backoff
