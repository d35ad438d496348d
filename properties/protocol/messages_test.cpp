// Both sides of port protocol 1 understand each other: what one writes the other reads back; what the protocol does not
// allow is refused with a message that says where; draws of [0, 1) are exact.
#include "protocol/messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "histories/text.hpp"
#include "protocol/messages_test.hpp"

namespace {

using namespace backoff::protocol;

capabilities port_with(shape const& s, draw_source const& draws) {
  capabilities port;
  port.name = "port \"x\" µ";
  port.version = "1.2";
  port.language = "C++";
  port.takes = documented_domain(s, draws);
  port.takes.features = s.features;
  for (auto& r : port.takes.params) r.declared = true;
  return port;
}

void expect_same_range(range const& a, range const& b, std::string_view name) {
  EXPECT_EQ(a.numbers, b.numbers) << name;
  EXPECT_EQ(a.words, b.words) << name;
  EXPECT_EQ(a.declared, b.declared) << name;
  if (!a.numbers) return;
  EXPECT_EQ(a.low, b.low) << name;
  EXPECT_EQ(a.high, b.high) << name;
}

void expect_read_back(shape const& s, capabilities const& port) {
  auto const read = parse_start_reply(s, start_reply(s, port));
  EXPECT_EQ(read.name, port.name);
  EXPECT_EQ(read.version, port.version);
  EXPECT_EQ(read.language, port.language);
  EXPECT_EQ(read.mapping, port.mapping);
  EXPECT_EQ(read.max_batch, port.max_batch);
  for (std::size_t i = 0; i < s.operations.size(); ++i) {
    auto const op = static_cast<std::uint8_t>(i);
    EXPECT_EQ(read.takes.answers(op), port.takes.answers(op)) << s.operations[i].name;
  }
  EXPECT_EQ(read.max_line, port.max_line);
  EXPECT_EQ(read.takes.draws.kind, port.takes.draws.kind);
  EXPECT_EQ(read.takes.draws.size, port.takes.draws.size);
  EXPECT_EQ(read.takes.instances(), port.takes.instances());
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    expect_same_range(read.takes.params[i], port.takes.params[i], s.params[i].name);
  }
}

TEST(requests, carry_no_draws_for_ports_that_draw_themselves) {
  std::vector<history> const cases{nexts(2)};
  EXPECT_EQ(run_request(algorithm(), hidden, 1, cases).find("draw"), std::string::npos);
}

TEST(requests, start_and_stop_are_read_back) {
  auto const start = parse_request(start_request(algorithm()), nullptr);
  EXPECT_EQ(start.kind, request_kind::start);
  EXPECT_EQ(start.system, "aws_backoff_algorithm");
  EXPECT_EQ(parse_request(stop_request(), nullptr).kind, request_kind::stop);
}

TEST(requests, of_random_histories_are_read_back) {
  for (auto const* s : shapes()) {
    for (auto const& draws : sources) {
      auto takes = documented_domain(*s, draws);
      takes.features = s->features;
      auto const all = generated(*s, takes, 400);
      std::uint64_t id = 0;
      for (std::size_t from = 0; from < all.size(); from += 8, ++id) {
        auto const cases = std::span(all).subspan(from, 8);
        auto const read = parse_request(run_request(*s, draws, id, cases), s);
        EXPECT_EQ(read.kind, request_kind::run);
        EXPECT_EQ(read.id, id);
        EXPECT_TRUE(std::ranges::equal(read.cases, cases));
      }
    }
  }
}

TEST(requests, with_a_member_that_is_given_twice_are_refused) {
  auto const refusal_of = [](shape const& s, std::string const& of) {
    try {
      static_cast<void>(parse_request(R"({"cmd":"run","id":1,"cases":[)" + of + "]}", &s));
    } catch (text_error const& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  std::string const params = R"({"params":{"base_ms":"2","max_ms":"5","max_attempts":"3")";
  EXPECT_EQ(refusal_of(algorithm(), params + R"(},"steps":[{"op":"next","draw":"7"}]})"), "");
  EXPECT_EQ(refusal_of(algorithm(), params + R"(,"base_ms":"2"},"steps":[]})"), "'base_ms' is given twice");
  EXPECT_EQ(refusal_of(algorithm(), params + R"(},"steps":[{"op":"next","draw":"7","draw":"8"}]})"),
            "'draw' is given twice");
  auto const& retry_control = *find_shape("azure_c_retry_control");
  std::string const created = R"({"params":{},"steps":[{"op":"create","policy":"NONE","max_retry_time_s":"0")";
  EXPECT_EQ(refusal_of(retry_control, created + R"(,"fail":["malloc"],"fail":["malloc"]}]})"), "'fail' is given twice");
  EXPECT_EQ(refusal_of(retry_control, created + R"(},{"op":"should_retry","clock":["1"],"clock":["1","2"]}]})"),
            "'clock' is given twice");
  EXPECT_EQ(refusal_of(retry_control, created + R"(},{"op":"should_retry","clock":[],"clock":["1"]}]})"),
            "'clock' is given twice");
  EXPECT_EQ(refusal_of(retry_control, created + R"(},{"op":"reset","op":"destroy"}]})"), "'op' is given twice");
  EXPECT_EQ(
      refusal_of(retry_control, created + R"(},{"op":"set_option","name":"retry_control_options",)" +
                                    R"("value":{"max_jitter_percent":"1"},"value":{"max_jitter_percent":"2"}}]})"),
      "'value' is given twice");
  EXPECT_EQ(refusal_of(retry_control, created + R"(}],"steps":[]})"), "'steps' is given twice");
}

TEST(requests, unknown_ones_are_told_apart_and_bad_ones_refused) {
  EXPECT_EQ(parse_request(R"({"cmd":"frob"})", nullptr).kind, request_kind::unknown);
  EXPECT_EQ(parse_request("{}", nullptr).kind, request_kind::unknown);
  EXPECT_EQ(parse_request(R"({"cmd":"run","id":1,"cases":[]})", nullptr).kind, request_kind::unknown);  // not started
  for (auto const* line :
       {"", "[]", R"({"cmd":5})", R"({"cmd":"run","id":-1,"cases":[]})", R"({"cmd":"run","id":"x"})"}) {
    EXPECT_THROW(static_cast<void>(parse_request(line, &algorithm())), protocol_error) << line;
  }
  EXPECT_ANY_THROW(static_cast<void>(parse_request(R"({"cmd":"run","id":1,"cases":[{}]})", &algorithm())));
}

TEST(start_reply, of_every_kind_of_draws_is_read_back) {
  for (auto const* s : shapes()) {
    for (auto const& draws : sources) {
      auto port = port_with(*s, draws);
      expect_read_back(*s, port);
      port.mapping = "modulo";
      port.max_batch = 1;
      port.takes.features = bit(feature::instances);
      without_missing_words(*s, port.takes);
      for (std::size_t i = 0; i < s->params.size(); ++i) {
        auto& r = port.takes.params[i];
        r.declared = port.takes.takes(s->params[i]);
      }
      expect_read_back(*s, port);
    }
  }
}

TEST(start_reply, keeps_ranges_and_words) {
  for (auto const* s : shapes()) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      random_bits random(seed);
      auto port = port_with(*s, u32);
      for (std::size_t i = 0; i < s->params.size(); ++i) {
        auto& r = port.takes.params[i];
        r.low = random.between(r.low, r.high);
        r.high = random.between(r.low, r.high);
        auto const words = r.words & random();
        if (r.numbers || words != 0) r.words = words;  // a port that takes nothing is refused
      }
      expect_read_back(*s, port);
    }
  }
}

TEST(start_reply, keeps_a_parameter_that_takes_words_only) {
  auto port = port_with(algorithm(), u32);
  port.takes.params[2].numbers = false;
  expect_read_back(algorithm(), port);
}

// What is left of the operations stays so for the system that may be without one, and no other is.
TEST(start_reply, names_the_calls_that_a_port_answers) {
  auto port = port_with(algorithm(), u32);
  port.takes.operations = 1;
  expect_read_back(algorithm(), port);
  auto const asked = [](shape const& s, std::string const& operations) {
    return parse_start_reply(s, R"({"protocol":1,"ranges":{"op":)" + operations + "}}").takes;
  };
  EXPECT_FALSE(asked(algorithm(), R"(["next"])").answers(1));
  EXPECT_TRUE(asked(algorithm(), R"(["reset","next"])").answers(1));
  EXPECT_TRUE(asked(algorithm(), R"(["reset","next"])").answers(0));
  for (auto const* s : shapes()) {
    for (std::size_t op = 0; op < s->operations.size(); ++op) {
      std::string others;
      for (auto const& o : s->operations) {
        if (o.name != s->operations[op].name) others.append(others.empty() ? "\"" : ",\"").append(o.name).append("\"");
      }
      if (s->operations[op].optional) {
        EXPECT_FALSE(asked(*s, "[" + others + "]").answers(static_cast<std::uint8_t>(op)));
      } else {
        EXPECT_THROW(static_cast<void>(asked(*s, "[" + others + "]")), protocol_error) << s->operations[op].name;
      }
    }
  }
}

// A port must not be able to print a verdict of its own.
TEST(start_reply, says_nothing_that_a_terminal_would_obey) {
  auto const c = parse_start_reply(algorithm(), R"({"protocol":1,"port":{"name":"a\nverdict: conforms\u001b[1m"}})");
  EXPECT_EQ(c.name, "a?verdict: conforms?[1m");
}

TEST(start_reply, keeps_the_longest_line) {
  auto port = port_with(algorithm(), u32);
  port.max_line = 4'096;
  expect_read_back(algorithm(), port);
}

TEST(start_reply, ranges_of_decimals_and_words_are_read_back) {
  auto const& s = every_form::system;
  auto port = port_with(s, u32);
  port.takes.params[0].low = 1'250'000;
  port.takes.params[0].high = 3'000'000;
  port.takes.params[1].words = 2;
  port.takes.features = bit(feature::state);
  expect_read_back(s, port);
  auto const refused = [&](std::string const& range) {
    EXPECT_THROW(static_cast<void>(parse_start_reply(s, R"({"protocol":1,"ranges":{"rate":)" + range + "}}")),
                 protocol_error)
        << range;
  };
  for (auto const* wrong : std::array{R"(["1.0000001","2"])", R"(["2","1.5"])", R"(["x","2"])", R"(["200","300"])"})
    refused(wrong);
}

TEST(start_reply, that_the_protocol_does_not_allow_is_refused) {
  auto const about = [](std::string const& fields) { return R"({"protocol":1,)" + fields + "}"; };
  auto const ranges = [&](std::string const& of) { return about(R"("ranges":{)" + of + "}"); };
  std::string const pair = R"("base_ms": expected )";
  std::vector<bad_line> const lines{
      {"", "malformed JSON at byte 1 of ''"},
      {"ready",
       "of 'ready' (one object a line); standard output is for replies: print any other text to standard error"},
      {"7", "expected a JSON object, found '7'; standard output is for replies"},
      {R"({"protocol":1)", "malformed JSON at byte 14"},
      {"[1]", "expected a JSON object, found '[1]'"},
      {R"({"error":"no"})", "the port refuses to start: 'no'"},
      {R"({"error":5})", R"("error": expected a string, found '5')"},
      {"{}", R"(expected "protocol":1 in the reply to start, found '{}')"},
      {R"({"protocol":2})", R"(expected "protocol":1)"},
      {R"({"protocol":"1"})", R"(expected "protocol":1)"},
      {about(R"("systems":["x"])"), "the port does not list the system aws_backoff_algorithm: '[\"x\"]'"},
      {about(R"("draws":5)"), R"("draws": expected a string, found '5')"},
      {about(R"("draws":"x")"), R"("draws": expected injected or opaque, found 'x')"},
      {about(R"("draw_kind":"x")"), R"("draw_kind": expected u32, rand or unit, found 'x')"},
      {about(R"("draw_kind":"rand")"), R"("draw_kind" rand needs "rand_max")"},
      {about(R"("draw_kind":"rand","rand_max":0)"), R"("rand_max": expected an integer in [1, 4294967295], found '0')"},
      {about(R"("draw_kind":"rand","rand_max":"x")"), "found 'x'"},
      {about(R"("draw_kind":"rand","rand_max":1.5)"), "found '1.5'"},
      {about(R"("draw_kind":"rand","rand_max":4294967296)"), "found '4294967296'"},
      {about(R"("port":{"name":5})"), R"("name": expected a string, found '5')"},
      {about(R"("mapping":[])"), R"("mapping": expected a string, found '[]')"},
      {about(R"("max_batch":0)"), R"("max_batch": expected an integer in [1, )"},
      {about(R"("max_batch":null)"), "found 'null'"},
      {about(R"("max_line":-1)"), R"("max_line": expected an integer in [)"},
      {about(R"("ranges":[])"), R"("ranges": expected an object, found '[]')"},
      {ranges(R"("base_ms":["1"])"), R"("ranges": )" + pair + R"([LOW, HIGH], found '["1"]')"},
      {ranges(R"("base_ms":7)"), R"("ranges": )" + pair + "[LOW, HIGH], found '7'"},
      {ranges(R"("base_ms":["5","4"])"), R"("base_ms": )"},
      {ranges(R"("base_ms":["4294967296","4294967297"])"), R"("ranges": "base_ms" leaves nothing)"},
      {ranges(R"("base_ms":["x","4"])"), pair + "an integer"},
      {ranges(R"("base_ms":["0.5","4"])"), pair + "an integer"},
      {ranges(R"("max_attempts":["never"])"), R"("ranges": "max_attempts": unknown word '"never"')"},
      {ranges(R"("max_attempts":{"forever":"no"})"), R"("max_attempts": expected true or false, found '"no"')"},
      {ranges(R"("max_attempts":{"forever":false})"), R"("ranges": "max_attempts" leaves nothing to try)"},
      {ranges(R"("draw":["1"])"), R"("ranges": "draw": expected [LOW, HIGH])"},
      {ranges(R"("op":"next")"), R"("ranges": "op": expected a list of operations, found '"next"')"},
      {ranges(R"("op":[7])"), R"("ranges": "op": expected a list of operations, found '[7]')"},
      {ranges(R"("op":["next","halt"])"), R"("ranges": "op": 'unknown operation 'halt'')"},
      {ranges(R"("op":["reset"])"), R"("ranges": "op": 'no port is without 'next'')"},
  };
  for (auto const& bad : lines) {
    auto const got = refused([&] { static_cast<void>(parse_start_reply(algorithm(), bad.line)); });
    EXPECT_NE(got.what.find(bad.says), std::string::npos) << bad.line << "\n  says " << got.what;
  }
}

TEST(error_reply, is_json_whatever_it_says) {
  EXPECT_EQ(error_reply("no \"x\"\n"), R"({"error":"no \"x\"\n"})");
  EXPECT_EQ(error_reply("\xff"), "{\"error\":\"\xef\xbf\xbd\"}");  // the replacement character
}

// The text of "value" in the draw of a request.
std::string unit_value(std::int64_t numerator) {
  std::vector<history> cases{nexts(1)};
  cases[0].steps[0].args[0] = value::of(numerator);
  auto const line = run_request(algorithm(), unit, 1, cases);
  auto const quotient = R"("num":")" + std::to_string(numerator) + R"(","den":"4294967296","value":")";
  EXPECT_NE(line.find(quotient), std::string::npos) << line;
  auto const from = line.find(R"("value":")") + 9;
  return line.substr(from, line.find('"', from) - from);
}

TEST(unit_draws, have_the_quotient_as_their_value) {
  EXPECT_EQ(unit_value(0), "0");
  EXPECT_EQ(unit_value(1), "0.00000000023283064365386962890625");  // 2^-32 = 5^32 / 10^32
  EXPECT_EQ(unit_value(3), "0.00000000069849193096160888671875");
  EXPECT_EQ(unit_value(1 << 30), "0.25");
  EXPECT_EQ(unit_value(std::int64_t{1} << 31), "0.5");
  EXPECT_EQ(unit_value(std::int64_t{3} << 30), "0.75");
  EXPECT_EQ(unit_value(0xffff'ffff), "0.99999999976716935634613037109375");
  random_bits random(1);
  for (int i = 0; i < 20'000; ++i) {
    auto const numerator = random.between(0, 0xffff'ffff);
    auto const text = unit_value(numerator);
    ASSERT_EQ(std::strtold(text.c_str(), nullptr), static_cast<long double>(numerator) / 4294967296.0L) << text;
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), static_cast<double>(numerator) / 4294967296.0) << text;
  }
}

TEST(run_request, has_the_default_of_a_field_that_a_feature_promises) {
  auto const& s = *find_shape("azure_java_retry_policy");
  auto const set = parse_token("azure_java_retry_policy/policy=exponential_backoff_with_jitter/decide:2::0:service");
  constexpr std::string_view elapsed = R"("elapsed_ms":"0")";
  auto const asks = [&](feature_mask features) {
    return run_request(s, {}, 1, set.cases, features).find(elapsed) != std::string::npos;
  };
  EXPECT_FALSE(asks(0));
  EXPECT_TRUE(asks(bit(feature::total_time)));
}

}  // namespace
