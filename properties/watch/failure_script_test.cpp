// Checks what scripts of failures mean, and that errors name what is wrong, where, and what was expected.
#include "watch/failure_script.hpp"

#include <gtest/gtest.h>

namespace backoff::watch {
namespace {

using kind = failure::kind;

script script_of(std::string_view text, std::optional<std::uint32_t> retry_after_s = {}) {
  auto const read = read_script(text, retry_after_s);
  if (auto const* const error = std::get_if<std::string>(&read)) ADD_FAILURE() << *error;
  return std::holds_alternative<script>(read) ? std::get<script>(read) : script{{{kind::close}}, {}};
}

std::string error_of(std::string_view text, std::optional<std::uint32_t> retry_after_s = {}) {
  auto const read = read_script(text, retry_after_s);
  if (std::holds_alternative<script>(read)) ADD_FAILURE() << "'" << text << "' was read";
  return std::holds_alternative<script>(read) ? "" : std::get<std::string>(read);
}

constexpr auto expected = "expected a status from 200 to 599, close, reset, hang, or bytes:N with N from 1 to 65536";

TEST(failure_script, each_failure_is_read_in_its_order) {
  auto const read = script_of("503,close, reset ,hang,bytes:65536,200");
  EXPECT_EQ(
      read.failures,
      (std::vector<failure>{
          {kind::status, 503}, {kind::close}, {kind::reset}, {kind::hang}, {kind::bytes, 65536}, {kind::status, 200}}));
}

TEST(failure_script, the_last_failure_repeats) {
  auto const read = script_of("503,reset");
  EXPECT_EQ(read.index_at(0), 0U);
  EXPECT_EQ(read.index_at(1), 1U);
  EXPECT_EQ(read.index_at(1000), 1U);
}

TEST(failure_script, a_success_is_a_status_of_2xx) {
  for (auto const* const text : {"200", "204", "299"})
    EXPECT_TRUE(script_of(text).failures.front().is_success()) << text;
  for (auto const* const text : {"300", "404", "503", "bytes:200"}) {
    EXPECT_FALSE(script_of(text).failures.front().is_success()) << text;
  }
}

TEST(failure_script, a_script_with_a_status_is_one_of_http) {
  EXPECT_TRUE(script_of("close,503").is_http());
  EXPECT_FALSE(script_of("close,reset,hang,bytes:7").is_http());
}

TEST(failure_script, an_error_says_what_and_where) {
  EXPECT_EQ(error_of("503,50x"), std::string("failure 2 of '503,50x', '50x': ") + expected);
  EXPECT_EQ(error_of(""), std::string("'': ") + expected);
  EXPECT_EQ(error_of("503,"), std::string("failure 2 of '503,', '': ") + expected);
  for (auto const* const text : {"199", "600", "-503", "5030", "4294967799", "bytes:", "bytes:0", "bytes:65537",
                                 "bytes:-1", "bytes: 7", "Close", "hangs", "503 503", "503;503"}) {
    EXPECT_NE(error_of(text).find(expected), std::string::npos) << text;
  }
}

TEST(failure_script, retry_after_needs_a_status_that_carries_it) {
  EXPECT_EQ(script_of("close,503,200", 7).retry_after_s, 7U);
  for (auto const* const text : {"close,200", "reset"}) {
    EXPECT_EQ(error_of(text, 7), "Retry-After with the failures '" + std::string(text) +
                                     "': expected a status among them that is not 2xx, which carries it");
  }
}

}  // namespace
}  // namespace backoff::watch
