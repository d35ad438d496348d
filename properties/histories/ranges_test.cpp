// Ranges as text: what they leave of a domain, and what is refused.
#include "histories/ranges.hpp"

#include <gtest/gtest.h>

#include "histories/systems.hpp"
#include "histories/text.hpp"

namespace {

using namespace backoff::histories;

shape const& algorithm() { return *find_shape("aws_backoff_algorithm"); }
shape const& control() { return *find_shape("azure_c_retry_control"); }
shape const& steps() { return *find_shape("aws_step_functions"); }
shape const& policy() { return *find_shape("azure_java_retry_policy"); }

domain usual(shape const& s) { return usual_domain(s, {}, s.features); }

std::string left(shape const& s, std::initializer_list<std::string_view> texts) {
  auto d = usual(s);
  for (auto const text : texts) narrow(s, d, text);
  return to_text(s, d);
}

std::string refused(shape const& s, std::string_view text) {
  auto d = usual(s);
  try {
    narrow(s, d, text);
  } catch (text_error const& e) {
    return e.what();
  }
  return "taken";
}

TEST(ranges, ends_may_be_missing_or_beyond_the_domain) {
  constexpr auto others = ", max_ms 0..4294967295, max_attempts 0..4294967295 or forever";
  EXPECT_EQ(left(algorithm(), {}), std::string("base_ms 0..4294967295") + others);
  EXPECT_EQ(left(algorithm(), {"base_ms=3..9"}), std::string("base_ms 3..9") + others);
  EXPECT_EQ(left(algorithm(), {"base_ms 3..9"}), std::string("base_ms 3..9") + others);
  EXPECT_EQ(left(algorithm(), {"base_ms=..9"}), std::string("base_ms 0..9") + others);
  EXPECT_EQ(left(algorithm(), {"base_ms=9.."}), std::string("base_ms 9..4294967295") + others);
  EXPECT_EQ(left(algorithm(), {"base_ms=7"}), std::string("base_ms 7") + others);
  EXPECT_EQ(left(algorithm(), {"base_ms=-99999999999999999999..99999999999999999999"}), left(algorithm(), {}));
  EXPECT_EQ(left(algorithm(), {"base_ms=3..9", "base_ms=5..20"}), std::string("base_ms 5..9") + others);
}

TEST(ranges, of_what_a_port_is_never_sent_are_left_out) {
  auto const said = [](feature_mask features) {
    return to_text(policy(), usual_domain(policy(), {}, features)).find("total_time_ms") != std::string::npos;
  };
  EXPECT_TRUE(said(policy().features));
  EXPECT_FALSE(said(policy().features & ~bit(feature::total_time)));
}

TEST(ranges, words_are_left_where_they_are_named) {
  auto const limit = [](std::string_view text) {
    auto const all = left(algorithm(), {text});
    return all.substr(all.find("max_attempts"));
  };
  EXPECT_EQ(limit("max_attempts=1..9"), "max_attempts 1..9");
  EXPECT_EQ(limit("max_attempts=1..9 or forever"), "max_attempts 1..9 or forever");
  EXPECT_EQ(limit("max_attempts=forever"), "max_attempts forever");
}

TEST(ranges, decimals_count_in_their_units) {
  EXPECT_NE(left(steps(), {"backoff_rate=1.5..2"}).find("backoff_rate 1.5..2,"), std::string::npos);
  EXPECT_NE(left(steps(), {"backoff_rate=..1e30"}).find("backoff_rate 1..4294967.295,"), std::string::npos);
}

// A name that several calls have is narrowed in all of them, and in all values of a list.
TEST(ranges, arguments_are_narrowed_in_every_call) {
  EXPECT_EQ(left(control(), {}), "");
  EXPECT_EQ(left(control(), {"clock=0.."}), "clock 0..9223372036854775807");
  EXPECT_EQ(left(control(), {"policy=INTERVAL or RANDOM", "max_retry_time_s=1..60"}),
            "policy INTERVAL or RANDOM, max_retry_time_s 1..60");
  auto d = usual(control());
  narrow(control(), d, "clock=0..");
  for (std::size_t op = 0; op < control().operations.size(); ++op) {
    auto const args = control().operations[op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      bool const narrowed = args[i].name == "clock";
      EXPECT_EQ(d.args[op][i].declared, narrowed) << op << " " << i;
      EXPECT_EQ(d.args[op][i].low, narrowed ? 0 : usual(control()).args[op][i].low) << op << " " << i;
    }
  }
  EXPECT_NE(left(algorithm(), {"op=next"}).find(", op next"), std::string::npos);
  EXPECT_EQ(left(algorithm(), {"op=next or reset"}), left(algorithm(), {}));
}

// What is sent only where it is declared can be declared here, but not beside a range of the port.
TEST(ranges, a_range_declares_what_is_not_usual) {
  auto d = usual(policy());
  auto const& count = d.args[0][0];
  EXPECT_EQ(count.low, 1);
  narrow(policy(), d, "retry_count=0..5");
  EXPECT_EQ(count.low, 0);
  narrow(policy(), d, "retry_count=2..");
  narrow(policy(), d, "retry_count=0..");
  EXPECT_EQ(count.low, 2);
  EXPECT_EQ(count.high, 5);
}

TEST(ranges, what_narrows_to_nothing_is_refused) {
  for (auto const& [text, says] : std::initializer_list<std::pair<char const*, char const*>>{
           {"base=1..",
            "'base' is no parameter or argument of aws_backoff_algorithm; did you mean base_ms? expected "
            "NAME=LOW..HIGH with NAME one of: op, base_ms, max_ms, max_attempts"},
           {"draw=1..", "'draw' is no parameter"},
           {"", "'' is no parameter"},
           {"base_ms", "'': expected base_ms=LOW..HIGH"},
           {"base_ms=", "'': expected base_ms=LOW..HIGH"},
           {"base_ms=..", "'..': expected base_ms=LOW..HIGH"},
           {"base_ms=a..5", "'a': expected an integer"},
           {"base_ms=1..5x", "'5x': expected an integer"},
           {"base_ms=1.5..", "'1.5': expected an integer"},
           {"base_ms=5..1", "'5..1': expected LOW..HIGH with LOW not above HIGH"},
           {"base_ms=1..2 or 4..5", "'4..5': expected base_ms=LOW..HIGH"},
           {"base_ms=forever", "'forever': expected an integer"},
           {"base_ms=-9..-1", "'-9..-1' leaves nothing to try: expected some of base_ms 0..4294967295"},
           {"max_attempts=a", "'a': expected an integer"},
           {"max_attempts=", "'': expected max_attempts=LOW..HIGH or forever"},
           {"op=reset", "no port is without 'next': expected some of next, reset"},
           {"op=frob", "unknown operation 'frob': expected some of next, reset"}})
    EXPECT_NE(refused(algorithm(), text).find(says), std::string::npos) << text << ": " << refused(algorithm(), text);
  EXPECT_NE(refused(control(), "clok=0..").find("did you mean clock?"), std::string::npos);
  EXPECT_NE(refused(control(), "policy=1..2").find("'1..2': expected policy=NONE or IMMEDIATE"), std::string::npos);
  EXPECT_NE(refused(steps(), "backoff_rate=1.2345..").find("expected a decimal of at most 3 places"),
            std::string::npos);
  EXPECT_NE(refused(steps(), "backoff_rate=x").find("expected a decimal of at most 3 places"), std::string::npos);
  auto d = usual(algorithm());
  narrow(algorithm(), d, "base_ms=1..5");
  EXPECT_THROW(narrow(algorithm(), d, "base_ms=6.."), text_error);
}

}  // namespace
