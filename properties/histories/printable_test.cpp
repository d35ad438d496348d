// What a terminal shows of a text of others.
#include "histories/printable.hpp"

#include <gtest/gtest.h>

namespace {

using namespace backoff::histories;

TEST(printable, leaves_nothing_that_moves_hides_or_turns) {
  EXPECT_EQ(printable("caf\u00e9 \u20ac \U0001f600 ~"), "caf\u00e9 \u20ac \U0001f600 ~");
  // NOLINTBEGIN(misc-misleading-bidirectional): they are what is tried
  for (std::string const bad : {"\x01", "\x1b", "\n", "\t", "\r", "\x7f", "\u0080", "\u009b", "\u009f", "\u061c",
                                "\u200e", "\u200f", "\u202a", "\u202e", "\u2028", "\u2029", "\u2066", "\u2069"})
    // NOLINTEND(misc-misleading-bidirectional)
    EXPECT_EQ(printable("a" + bad + "b"), "a?b") << testing::PrintToString(bad);
  for (std::string const fine : {"\u00a0", "\u061b", "\u200d", "\u2010", "\u2027", "\u202f", "\u2065", "\u206a"})
    EXPECT_EQ(printable(fine), fine);
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("\xff|\xc3|\xc0\x80|\xe2\x82|\xed\xa0\x80|\xf4\x90\x80\x80|\x80"), "?|?|??|??|???|????|?");
  EXPECT_EQ(printable_lines("a\n\tb\r\x1b"), "a\n\tb??");
}

TEST(printable, json_keeps_its_values) {
  EXPECT_EQ(printable_json("{\n \"caf\u00e9\": \"\u009b\u202e\x7f\\n\"}\n"),
            "{\n \"caf\u00e9\": \"\\u009b\\u202e\\u007f\\n\"}\n");
}

TEST(printable, is_cut_between_characters) {
  EXPECT_EQ(printable("four", 4), "four");
  EXPECT_EQ(printable("fourt", 4), "four…");
  EXPECT_EQ(printable("\u20ac\u20ac", 5), "\u20ac…");
  EXPECT_EQ(printable("\x80\x80\x80", 2), "…");
}

}  // namespace
