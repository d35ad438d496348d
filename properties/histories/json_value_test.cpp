// JSON is listed as it is written: numbers keep their digits, and what is no JSON is refused with its place.
#include "histories/json_value.hpp"

#include <gtest/gtest.h>

#include <iterator>

namespace {

using namespace backoff::histories;

std::string refusal(std::string_view text) {
  try {
    json_document const document(text);
  } catch (text_error const& e) {
    return e.what();
  }
  return "";
}

TEST(json_value, of_each_kind_is_written_as_it_was) {
  for (auto const* text : {"null", "true", "false", "0", "-12", "18446744073709551615", "1.50", "1E+2", "1e-400",
                           R"("")", R"("a\"\\/")", "[]", "{}", R"([1,[],{"a":[2,{}]},"x"])", R"({"b":1,"a":{"":2}})"})
    EXPECT_EQ(json_document(text).root().dump(), text);
  EXPECT_EQ(json_document(" [ 1 ,\t\"\\u00e4\\n\" ] ").root().dump(), "[1,\"ä\\n\"]");
  EXPECT_EQ(json_document(R"("\ud83d\ude00")").root().text, "\xf0\x9f\x98\x80");
  EXPECT_EQ(json_document("\xef\xbb\xbf[1]").root().dump(), "[1]") << "behind a byte order mark";
  EXPECT_EQ(json_document("\"x\"").root().written(), "x");
  EXPECT_EQ(json_document("[\"x\"]").root().written(), "[\"x\"]");
}

TEST(json_value, has_its_parts_and_no_others) {
  json_document const document(R"({"a":[1,{"a":2},[]],"b":{"c":3},"a":"last"})");
  auto const& root = document.root();
  EXPECT_EQ(root.size(), 3U);
  EXPECT_EQ(root.begin()->size(), 3U);
  EXPECT_EQ(std::next(root.begin())->name, "b");
  ASSERT_NE(root.find("a"), nullptr);
  EXPECT_TRUE(root.find("a")->is("last")) << "the last of a repeated name";
  EXPECT_EQ(root.find("c"), nullptr) << "a member of a member";
  ASSERT_NE(root.find("b"), nullptr);
  EXPECT_EQ(root.find("b")->find("c")->text, "3");
  EXPECT_EQ(root.begin()->find("a"), nullptr) << "an array has no members";
}

TEST(json_value, that_is_malformed_is_refused_with_its_place) {
  EXPECT_EQ(refusal(""), "malformed JSON at byte 1");
  EXPECT_EQ(refusal("[1,]"), "malformed JSON at byte 4");
  EXPECT_EQ(refusal("[01]"), "malformed JSON at byte 3");
  EXPECT_EQ(refusal("{\"a\" 1}"), "malformed JSON at byte 6");
  EXPECT_EQ(refusal("[1] [2]"), "malformed JSON at byte 5");
  EXPECT_EQ(refusal("[\"\xff\"]"), "malformed JSON at byte 3");
  EXPECT_EQ(refusal("{\"\xe3"), "malformed JSON at byte 3") << "the text ends within a character";
  EXPECT_EQ(refusal("[\"\xf0"), "malformed JSON at byte 3");
  EXPECT_EQ(refusal("[\"\xf0\x90\x80"), "malformed JSON at byte 3");
  EXPECT_EQ(refusal("[\"\\ud800\"]"), "malformed JSON at byte 3");
  EXPECT_EQ(refusal("[1,\"\\udc00\"]"), "malformed JSON at byte 5");
  EXPECT_EQ(refusal("{\"\\udfff\":1}"), "malformed JSON at byte 3");
  EXPECT_EQ(refusal("[2e308]"), "malformed JSON: a number is out of range at byte 2");
  EXPECT_EQ(refusal("[-12345e305]"), "malformed JSON: a number is out of range at byte 2");
  EXPECT_EQ(refusal("[NaN]"), "malformed JSON at byte 2");
  EXPECT_EQ(refusal("\xef\xbb\xbf[x]"), "malformed JSON at byte 5");
  EXPECT_EQ(refusal("[1e400]"), "malformed JSON: a number is out of range at byte 2");
  EXPECT_EQ(refusal(std::string(33, '[')), "JSON is nested deeper than 32 at byte 33");
}

}  // namespace
