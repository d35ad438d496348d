// Tokens and JSON hold a history exactly, and what is none is refused.
#include "histories/text.hpp"

#include <gtest/gtest.h>

#include "histories/generated_test.hpp"
#include "histories/json.hpp"

namespace {

using namespace backoff::histories;

// What the text_error says; "" where there is none.
std::string refusal(auto&& action) {
  try {
    action();
  } catch (text_error const& e) {
    return e.what();
  }
  return "";
}

TEST(text, decimals_are_plain_and_exact) {
  auto const& rate = every_form::params[0];
  auto const& offset = every_form::args[0];
  auto const takes = documented_domain(every_form::system, {});
  for (auto const& [n, text] :
       {std::pair{1'500'000, "1.5"}, {1'000'000, "1"}, {1'000'001, "1.000001"}, {100'000'000, "100"}}) {
    EXPECT_EQ(to_text(rate, rate.number(n)), text);
    EXPECT_EQ(parse_value(rate, takes.params[0], text), rate.number(n));
  }
  for (auto const& [n, text] : {std::pair{-1, "-0.001"}, {-2'500, "-2.5"}, {0, "0"}, {20, "0.02"}}) {
    EXPECT_EQ(to_text(offset, offset.number(n)), text);
    EXPECT_EQ(parse_value(offset, takes.args[1][0], text), offset.number(n));
  }
  EXPECT_EQ(parse_value(rate, takes.params[0], "15e-1"), rate.number(1'500'000));
  for (auto const* wrong : {"0.9", "1.0000001", "1e9", "1e30", "one", "", "100.5", "-2", "linear"}) {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): what it refers to is constant
    EXPECT_EQ(refusal([&] { static_cast<void>(parse_value(rate, takes.params[0], wrong)); }),
              "rate='" + std::string(wrong) + "': expected a decimal in [1, 100] with at most 6 places");
  }
}

TEST(text, a_field_of_words_alone_takes_no_number) {
  auto const& policy = every_form::params[1];
  auto const takes = documented_domain(every_form::system, {});
  EXPECT_EQ(parse_value(policy, takes.params[1], "constant"), value::word(1));
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): what it refers to is constant
  EXPECT_EQ(refusal([&] { static_cast<void>(parse_value(policy, takes.params[1], "0")); }),
            "policy='0': expected linear or constant");
}

TEST(text, is_json_that_is_shallow_and_whole) {
  auto const refused = [](std::string_view text, std::size_t values_max = std::string_view::npos) {
    return refusal([&] { demand_shallow(text, values_max); });
  };
  auto const nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(refused(nested(32)), "");
  EXPECT_EQ(refused(nested(33)), "JSON is nested deeper than 32 at byte 33");
  EXPECT_EQ(refused("\"[[[[\\\"" + std::string(40, '[') + "\""), "") << "brackets in a string";
  EXPECT_EQ(refused(std::string_view("{}\0{}", 5)), "malformed JSON at byte 3");
  EXPECT_EQ(refused("[1,2,{}]", 4), "");
  EXPECT_EQ(refused("[1,2,{}]", 3), "JSON of more than 3 values, by byte 6");
  EXPECT_EQ(refused("[\",,,,,,\"]", 1), "");
}

// A value is absent, a boolean is none of JSON's strings, and what must be there is missed.
TEST(text, says_which_arguments_are_left_out) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  takes.features = s.features;
  for (auto const& h : generated(s, takes, 300)) {
    auto const token = to_token({&s, {h}});
    EXPECT_EQ(parse_steps(s, takes, token.substr(token.rfind('/') + 1)), h.steps) << token;
    std::string json;
    append_case(json, s, {}, h);
    EXPECT_EQ(read_case(json_document(json).root(), s, takes), h) << json;
  }
  history const h{{every_form::params[0].number(1'500'000), value::word(0), {}, value::of(7)},
                  {{0, 0, {every_form::args[0].number(500), {}, value::word(1)}},
                   {1, 0, {every_form::args[0].number(0), value::of(3)}}}};
  EXPECT_EQ(to_token({&s, {h}}), "every_form/rate=1.5,policy=linear,budget_s=7/open:0.5::true,ask:0:3");
  std::string json;
  append_case(json, s, {}, h);
  EXPECT_EQ(json, R"({"params":{"rate":"1.5","policy":"linear","budget_s":"7"},)"
                  R"("steps":[{"op":"open","offset_s":"0.5","final":true},)"
                  R"({"op":"ask","offset_s":"0","elapsed_s":"3"}]})");
  auto const of_steps = [&](std::string_view text) {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): what it refers to is constant
    return refusal([&] { static_cast<void>(parse_steps(s, takes, text)); });
  };
  EXPECT_EQ(of_steps("open::3"), "offset_s='': expected a decimal in [-2.5, 2.5] with at most 3 places");
  EXPECT_EQ(of_steps("open"), "step 'open': argument 'offset_s' is missing");
  EXPECT_EQ(of_steps("open:0::yes"), "final='yes': expected false or true");
  auto const of_json = [&](std::string const& step) {
    auto const text = R"({"params":{"rate":"2","policy":"linear"},"steps":[{"op":"open")" + step + "}]}";
    return refusal([&] { static_cast<void>(read_case(json_document(text).root(), s, takes)); });
  };
  EXPECT_EQ(of_json(R"(,"offset_s":"0","final":false)"), "");
  EXPECT_EQ(of_json(R"(,"offset_s":"0","final":"false")"), "'final': expected true or false, found '\"false\"'");
  EXPECT_EQ(of_json(R"(,"offset_s":true)"), "'offset_s': expected a decimal string, found 'true'");
  EXPECT_EQ(of_json(R"(,"final":true)"), "step 'open': argument 'offset_s' is missing");
}

TEST(text, lists_sets_and_objects_are_said_exactly) {
  auto const& s = every_form::system;
  auto const takes = documented_domain(s, {});
  history h{{every_form::params[0].number(2'000'000), value::word(0)}, {}};
  h.steps = {{0, 0, {every_form::args[0].number(0)}},
             saving({value::of(-1), value::of(5), {}, value::of(1), value::of(2), value::words(0b101)}),
             saving({value::of(4), {}, {}, {}, value::of(2)}),
             saving({value::of(4)})};
  auto const token = to_token({&s, {h}});
  EXPECT_EQ(token, "every_form/rate=2,policy=linear/open:0,save:-1.5:1:2:handle.value,save:4::2,save:4");
  EXPECT_EQ(parse_steps(s, takes, token.substr(token.rfind('/') + 1)), h.steps);
  std::string json;
  append_case(json, s, {}, h);
  EXPECT_EQ(json.substr(json.find("\"steps\"")),
            R"("steps":[{"op":"open","offset_s":"0"},)"
            R"({"op":"save","clock_s":["-1","5"],"saved":{"first_s":"1","last_s":"2"},"null":["handle","value"]},)"
            R"({"op":"save","clock_s":["4"],"saved":{"last_s":"2"}},{"op":"save","clock_s":["4"]}]})");
  EXPECT_EQ(read_case(json_document(json).root(), s, takes), h);
  auto const of_steps = [&](std::string_view text) {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): what it refers to is constant
    return refusal([&] { static_cast<void>(parse_steps(s, takes, text)); });
  };
  EXPECT_EQ(of_steps("save:1.2.3.4"), "clock_s='1.2.3.4': expected at most 3 values");
  EXPECT_EQ(of_steps("save:1.x"), "clock_s='x': expected an integer in [-9, 9]");
  EXPECT_EQ(of_steps("save:1:2:3:handle.x"), "null='handle.x': expected some of handle, name, value, joined by dots");
  EXPECT_EQ(of_steps("save:1:2:3:name:5"), "step 'save:1:2:3:name:5': expected at most 4 arguments");
  auto const of_json = [&](std::string const& step) {
    auto const text =
        R"({"params":{"rate":"2","policy":"linear"},"steps":[{"op":"open","offset_s":"0"},{"op":"save")" + step + "}]}";
    return refusal([&] { static_cast<void>(read_case(json_document(text).root(), s, takes)); });
  };
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"null":[])"), "");
  EXPECT_EQ(of_json(R"(,"clock_s":[])"), "step 'save': argument 'clock_s' is missing");
  EXPECT_EQ(of_json(R"(,"clock_s":1)"), "'clock_s': expected an array, found '1'");
  EXPECT_EQ(of_json(R"(,"clock_s":[1,2,3,4])"), "'clock_s': expected at most 3 values");
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"null":"name")"), "'null': expected an array, found '\"name\"'");
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"null":[1])"), "'null': expected words, found '[1]'");
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"first_s":1)").find("unknown field 'first_s'"), 0U);
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"saved":{"null":[]})").find("unknown field 'null'"), 0U);
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"saved":1)").find("unknown field 'saved'"), 0U);
}

TEST(text, tokens_and_json_say_a_history_exactly) {
  for (auto const* s : shapes()) {
    auto takes = documented_domain(*s, {});
    takes.features = bit(feature::instances);
    auto const all = generated(*s, takes, 2'000);
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
      history_set const set{s, {all[i], all[i + 1]}};
      auto const token = to_token(set);
      auto const back = parse_token(token);
      ASSERT_EQ(back.cases, set.cases) << token;
      EXPECT_EQ(token.find_first_of(" '\"$*?&|;<>()#!"), std::string::npos)
          << token << " would need quoting in a shell";
      ASSERT_EQ(parse_json(to_json(set)).cases, set.cases) << token;
    }
  }
}

TEST(text, equal_steps_are_counted_in_a_token) {
  auto const* s = find_shape("aws_backoff_algorithm");
  history h{{value::of(2), value::of(5), value::word(0)}, {}};
  h.steps.assign(1'025, {0, 0, {value::of(7)}});
  EXPECT_EQ(to_token({s, {h}}), "aws_backoff_algorithm/base_ms=2,max_ms=5,max_attempts=forever/next:7@1025");
}

// What is not a history is refused with words that name the place.
TEST(text, refuses_what_is_not_a_history) {
  std::pair<char const*, char const*> const wrong[] = {
      {"", "expected SYSTEM/PARAMETERS/STEPS"},
      {"nonsense/base_ms=1/next", "unknown system 'nonsense'"},
      {"aws_backoff_algorithm/base_ms=1/next:7", "parameter 'max_ms' is missing"},
      {"aws_backoff_algorithm/base_ms=1,base_ms=2,max_ms=3,max_attempts=1/next:7", "'base_ms' is given twice"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1,x=1/next:7", "unknown parameter 'x'"},
      {"aws_backoff_algorithm/base_ms,max_ms=3,max_attempts=1/next:7", "expected NAME=VALUE"},
      {"aws_backoff_algorithm/base_ms=-1,max_ms=3,max_attempts=1/next:7", "expected an integer in [0, 4294967295]"},
      {"aws_backoff_algorithm/base_ms=4294967296,max_ms=3,max_attempts=1/next:7", "expected an integer"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=never/next:7", "or forever"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1/wait:7", "unknown step 'wait'"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1/next:7:8", "expected at most 1 arguments"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1/next:7@0", "expected a positive count"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1/next:7@9999999", "more than 1000000 steps"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1/next:7+x/y/z", "expected +/PARAMETERS/STEPS"},
  };
  for (auto const& [token, expected] : wrong) {
    auto const said = refusal([&] { static_cast<void>(parse_token(token)); });
    EXPECT_NE(said.find(expected), std::string::npos) << token << ": " << said;
  }
}

}  // namespace
