// Both sides of port protocol 1 understand each other: what one writes the other reads back, for random histories,
// ports and answers; what the protocol does not allow is refused with a message that says where; draws of [0, 1) are
// exact.
#include "protocol/messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "histories/every_form.hpp"
#include "histories/generate.hpp"
#include "histories/systems.hpp"
#include "histories/text.hpp"
#include "ports/built_in.hpp"
#include "protocol/fast_reply.hpp"
#include "protocol/fast_request.hpp"

namespace {

using namespace backoff::ports;
namespace spec = backoff::spec;

constexpr std::uint64_t u32_size = std::uint64_t{1} << 32;
constexpr draw_source u32{};
constexpr draw_source unit{spec::draw_kind::unit, u32_size};
constexpr draw_source rand15{spec::draw_kind::rand, 32'768};
constexpr draw_source hidden{spec::draw_kind::hidden, 1};
constexpr draw_source sources[] = {u32, unit, rand15, hidden};

shape const& algorithm() { return *find_shape("aws_backoff_algorithm"); }

std::vector<history> generated(shape const& s, domain const& takes, std::uint64_t count) {
  std::vector<history> all;
  for (std::uint64_t i = 0; i < count; ++i) {
    random_bits random(1, i);
    all.push_back(generate(s, takes, random));
  }
  return all;
}

// base_ms=2 max_ms=5 max_attempts=3, next with draw 7 as often as asked.
history nexts(std::size_t count) {
  history h{{value::of(2), value::of(5), value::of(3)}, {}};
  h.steps.resize(count);
  for (auto& step : h.steps) step.args[0] = value::of(7);
  return h;
}

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
  for (std::uint8_t op = 0; op < s.operations.size(); ++op)
    EXPECT_EQ(read.takes.answers(op), port.takes.answers(op)) << s.operations[op].name;
  EXPECT_EQ(read.max_line, port.max_line);
  EXPECT_EQ(read.takes.draws.kind, port.takes.draws.kind);
  EXPECT_EQ(read.takes.draws.size, port.takes.draws.size);
  EXPECT_EQ(read.takes.instances(), port.takes.instances());
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    expect_same_range(read.takes.params[i], port.takes.params[i], s.params[i].name);
  }
}

// The message of the protocol_error, with the index of the history to blame; what() of nothing is "".
struct refusal {
  std::string what;
  std::optional<std::size_t> which;
};
template <class Action>
refusal refused(Action&& action) {
  try {
    action();
  } catch (protocol_error const& e) {
    return {e.what(), e.which};
  }
  return {};
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
        auto const line = run_request(*s, draws, id, cases);
        for (auto const& read : {parse_request(line, s), parse_any_request(line, s)}) {
          EXPECT_EQ(read.kind, request_kind::run);
          EXPECT_EQ(read.id, id);
          EXPECT_TRUE(std::ranges::equal(read.cases, cases));
        }
        bool const usual = draws.kind != spec::draw_kind::unit || !s->has_draws() || line.find("\"num\"") == line.npos;
        EXPECT_EQ(read_usual_request(*s, line).has_value(), usual) << line;
      }
    }
  }
}

TEST(requests, short_way_leaves_what_is_unusual) {
  auto const whole = [](std::string const& of) { return R"({"cmd":"run","id":1,"cases":[)" + of + "]}"; };
  std::string const params = R"({"params":{"base_ms":"2","max_ms":"5","max_attempts":"3"},)";
  std::string const one = params + R"("steps":[{"op":"next","draw":"7"}]})";
  EXPECT_TRUE(read_usual_request(algorithm(), whole(one + "," + one)));
  EXPECT_TRUE(read_usual_request(algorithm(), whole(params + R"("steps":[{"op":"next","on":"2","draw":"7"}]})")));
  for (auto const& line :
       {whole(one) + "}",
        whole(one + ","),
        whole("{}"),
        whole(R"({"steps":[]})"),
        whole(R"({"params":{"base_ms":"2"},"steps":[]})"),
        whole(R"({"params":{"base_ms":2,"max_ms":"5","max_attempts":"3"},"steps":[]})"),
        whole(R"({"params":{"base_ms":"2","base_ms":"2","max_ms":"5","max_attempts":"3"},"steps":[]})"),
        whole(R"({"params":{"base_ms":"2","max_ms":"5","max_attempts":"3","more":"1"},"steps":[]})"),
        whole(R"({"params":{"base_ms":"-2","max_ms":"5","max_attempts":"3"},"steps":[]})"),
        whole(params + R"("steps":[{"draw":"7","op":"next"}]})"),
        whole(params + R"("steps":[{"op":"frob"}]})"),
        whole(params + R"("steps":[{}]})"),
        whole(params + R"("steps":[{"op":"next","on":"3","draw":"7"}]})"),
        whole(params + R"("steps":[{"op":"next","on":"1","on":"1","draw":"7"}]})"),
        whole(params + R"("steps":[{"op":"next","draw":"4294967296"}]})"),
        whole(params + R"("steps":[{"op":"next","draw":7}]})"),
        whole(params + R"("steps":[{"op":"next","draw":{"num":"7","den":"4294967296","value":"0"}}]})"),
        whole(params + R"("steps":[],"steps":[]})"),
        whole(params + R"("steps":[]},7)"),
        std::string(R"({"cmd":"run","id":-1,"cases":[]})"),
        std::string(R"({"cmd":"run","id":9007199254740993,"cases":[]})"),
        std::string(R"({"cmd":"run","id":1})"),
        std::string(R"({"cmd":"run","cases":[]})"),
        std::string(R"({"id":1,"cases":[]})"),
        std::string(R"({"cmd":"run","cmd":"run","id":1,"cases":[]})"),
        std::string(R"({"cmd":"run","id":1,"cases":[],"more":1})"),
        std::string(R"({"cmd":"stop","id":1,"cases":[]})"),
        std::string("[]"),
        std::string()})
    EXPECT_FALSE(read_usual_request(algorithm(), line)) << line;
  auto const& retry_control = *find_shape("azure_c_retry_control");
  std::string const created = R"({"params":{},"steps":[{"op":"create","policy":"NONE","max_retry_time_s":"0")";
  EXPECT_TRUE(read_usual_request(retry_control, whole(created + "}]}")));
  for (auto const* odd : {R"(,"fail":[]}]})", R"(,"fail":["malloc"],"fail":["malloc"]}]})", R"(,"fail":"malloc"}]})",
                          R"(,"fail":["frob"]}]})", R"(},{"op":"should_retry","clock":"7"}]})",
                          R"(},{"op":"should_retry","clock":["1","2","3","4"]}]})",
                          R"(},{"op":"create","policy":"NONE","max_retry_time_s":"0"}]})"})
    EXPECT_FALSE(read_usual_request(retry_control, whole(created + odd))) << odd;
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
    for (std::uint8_t op = 0; op < s->operations.size(); ++op) {
      std::string others;
      for (auto const& o : s->operations) {
        if (o.name != s->operations[op].name) others.append(others.empty() ? "\"" : ",\"").append(o.name).append("\"");
      }
      if (s->operations[op].optional) {
        EXPECT_FALSE(asked(*s, "[" + others + "]").answers(op));
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

// The answers as a line says them: that a number had more digits than are kept is not said.
std::vector<answer> as_written(std::vector<answer> answers) {
  for (auto& a : answers) {
    for (auto& o : a) o.value.inexact = false;
  }
  return answers;
}

TEST(run_reply, of_every_built_in_port_is_read_back) {
  for (auto const* s : shapes()) {
    for (auto const list : {library_ports(s->stem), right_ports(s->stem), wrong_ports(s->stem)}) {
      for (auto const& port : list) {
        built_in_subject subject(*s, port);
        auto const features = subject.describes().takes.features;
        auto const cases = generated(*s, subject.describes().takes, 100);
        auto const results = subject.run(cases);
        auto const read = parse_run_reply(*s, features, 7, cases, run_reply(*s, 7, cases, results));
        ASSERT_EQ(read.size(), results.size());
        for (std::size_t i = 0; i < read.size(); ++i)
          EXPECT_EQ(read[i].answers, as_written(results[i].answers)) << port.name;
        auto const line = run_reply(*s, 7, cases, results);
        auto const any = parse_any_run_reply(*s, features, 7, cases, line);
        for (std::size_t i = 0; i < any.size(); ++i)
          EXPECT_EQ(any[i].answers, as_written(results[i].answers)) << port.name;
        bool const usual = std::ranges::all_of(results, [&](result const& r) {
          return r.kind == result_kind::answered && std::ranges::none_of(r.answers, [&](answer const& a) {
                   return a[0] == observed::word(s->error_word) ||
                          std::ranges::count(a, observed_kind::not_a_number, &observed::kind) != 0;
                 });
        });
        EXPECT_EQ(read_usual_reply(*s, features, 7, cases, line).has_value(), usual) << port.name;
      }
    }
  }
}

TEST(run_reply, every_form_of_field_is_read_as_it_is_written) {
  auto const& s = every_form::system;
  auto const takes = documented_domain(s, {});
  std::vector<history> cases{generated(s, takes, 1)[0]};
  cases[0].steps.resize(1);
  auto const number = observed::of(spec::decimal{25, -1, false});
  auto const line = [](std::string const& step) { return R"({"id":1,"results":[{"steps":[)" + step + "]}]}"; };
  struct row {
    answer said;
    std::string written;
  };
  for (auto const& [said, written] :
       {row{{observed::word(0), number, observed::word(0)}, R"({"delay_s":"25e-1","retry":false})"},
        row{{observed::word(0), number, observed::word(1), observed::of(3)},
            R"({"delay_s":"25e-1","retry":true,"attempts":"3"})"}}) {
    EXPECT_EQ(run_reply(s, 1, cases, std::vector{result{result_kind::answered, {said}, {}}}), line(written));
    EXPECT_EQ(parse_run_reply(s, s.features, 1, cases, line(written))[0].answers[0], said);
  }
  auto const without = parse_run_reply(s, 0, 1, cases, line(R"({"delay_s":2.5,"retry":true,"attempts":3})"));
  EXPECT_EQ(without[0].answers[0][3].kind, observed_kind::absent) << "a field that belongs to a feature not listed";
  EXPECT_EQ(parse_run_reply(s, 0, 1, cases, line(R"({"status":"error"})"))[0].answers[0], answer{observed::word(1)});
  for (auto const* wrong : {R"({"delay_s":2.5,"retry":"true"})", R"({"delay_s":2.5,"retry":1})", R"({"retry":true})",
                            R"({"delay_s":2.5})", R"({"delay_s":2.5,"retry":true})"}) {
    EXPECT_THROW(static_cast<void>(parse_run_reply(s, s.features, 1, cases, line(wrong))), protocol_error) << wrong;
  }
}

// Which fields an answer has depends on the call; some may be missing, and some share an object, which may be null.
TEST(run_reply, an_answer_has_the_fields_of_its_call) {
  auto const& s = every_form::system;
  std::vector<history> cases{{{}, {{2, 0, {}}}}};
  auto const line = [](std::string const& step) { return R"({"id":1,"results":[{"steps":[)" + step + "]}]}"; };
  auto const one = observed::of(1);
  observed const none{};
  struct row {
    answer said;
    std::string written;
    bool usual = true;
  };
  for (auto const& [said, written, usual] :
       {row{{observed::word(0), none, none, none, one, observed::of(2), observed::of(3)},
            R"({"options":{"first_s":"1","last_s":"2"},"spent_s":"3"})"},
        row{{observed::word(0), none, none, none, one, observed::of(2)}, R"({"options":{"first_s":"1","last_s":"2"}})"},
        row{{observed::word(0), none, none, none, none, none, one}, R"({"options":null,"spent_s":"1"})"},
        row{{observed::word(0)}, R"({"options":null})"},
        row{{observed::word(0), none, none, none, none, none, none, observed::of(0), observed::word(1)},
            R"({"options":null,"code":"0","outcome":"constant"})"},
        row{{observed::word(0), none, none, none, none, none, none, one}, R"({"options":null,"code":"1"})"},
        row{{observed::word(0), none, none, none, one, {observed_kind::not_a_number, 0, {}}},
            R"({"options":{"first_s":"1","last_s":null}})",
            false},
        row{{observed::word(1)}, R"({"status":"error"})", false}}) {
    EXPECT_EQ(run_reply(s, 1, cases, std::vector{result{result_kind::answered, {said}, {}}}), line(written));
    EXPECT_EQ(parse_any_run_reply(s, s.features, 1, cases, line(written))[0].answers[0], said) << written;
    auto const short_way = read_usual_reply(s, s.features, 1, cases, line(written));
    EXPECT_EQ(short_way.has_value(), usual) << written;
    if (short_way) {
      EXPECT_EQ((*short_way)[0].answers[0], said) << written;
    }
  }
  auto const read = [&](std::string const& step) { return parse_run_reply(s, s.features, 1, cases, line(step)); };
  EXPECT_EQ(read(R"({"options":{"first_s":1}})")[0].answers[0][5].kind, observed_kind::not_a_number) << "it lacks one";
  answer const failed{observed::word(0), none, none, none, none, none, none, one};
  EXPECT_EQ(read(R"({"options":null,"code":1,"outcome":"linear"})")[0].answers[0], failed);
  EXPECT_EQ(read(R"({"options":null,"code":1,"outcome":7})")[0].answers[0], failed) << "it counts for nothing";
  EXPECT_EQ(read(R"({"options":null,"spent_s":null})")[0].answers[0], answer{observed::word(0)});
  EXPECT_EQ(read(R"({"options":null,"retry":true})")[0].answers[0], answer{observed::word(0)}) << "another call's";
  for (auto const* wrong :
       {"{}", R"({"options":1})", R"({"options":{"first_s":"x","last_s":1}})", R"({"first_s":1,"last_s":1})",
        R"({"options":null,"spent_s":true})", R"({"options":null,"code":0})"}) {
    EXPECT_THROW(static_cast<void>(read(wrong)), protocol_error) << wrong;
    EXPECT_FALSE(read_usual_reply(s, s.features, 1, cases, line(wrong)).has_value()) << wrong;
  }
  for (auto const* odd :
       {R"({"options":null,"options":null})", R"({"options":{"first_s":1,"last_s":1},"options":null})",
        R"({"options":{"first_s":1,"first_s":1,"last_s":1}})", R"({"options":{"options":null}})"}) {
    EXPECT_FALSE(read_usual_reply(s, s.features, 1, cases, line(odd)).has_value()) << odd;
  }
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
  for (auto const* wrong : {R"(["1.0000001","2"])", R"(["2","1.5"])", R"(["x","2"])", R"(["200","300"])"})
    refused(wrong);
}

TEST(run_reply, short_way_reads_what_the_long_way_reads_and_leaves_the_rest) {
  std::vector<history> const cases{nexts(2)};
  auto const& s = algorithm();
  auto const whole = [](std::string const& steps) { return R"({"id":1,"results":[{"steps":[)" + steps + "]}]}"; };
  std::string const retry = R"({"status":"retry","delay_ms":"1"})";
  for (auto const& line :
       {whole(retry + "," + retry), whole(R"({"delay_ms": 2.50 ,"status" : "retry"} , {"status":"exhausted"})"),
        whole(R"({"status":"retry","delay_ms":1e2},{"status":"retry","delay_ms":-0})"),
        std::string(R"( { "results":[{"steps":[)") + retry + "," + retry + R"(]}],"id":1} )"}) {
    auto const usual = read_usual_reply(s, 0, 1, cases, line);
    ASSERT_TRUE(usual) << line;
    EXPECT_EQ(usual->front().answers, parse_any_run_reply(s, 0, 1, cases, line).front().answers) << line;
  }
  for (auto const& line : {whole(retry),
                           whole(retry + "," + retry + "," + retry),
                           whole(retry + R"(,{"status":"error","why":"x"})"),
                           whole(retry + R"(,{"status":"retry"})"),
                           whole(retry + R"(,{"status":"exhausted","delay_ms":1})"),
                           whole(retry + R"(,{"status":"retry","delay_ms":1,"extra":1})"),
                           whole(retry + R"(,{"status":"retry","delay_ms":1,"delay_ms":2})"),
                           whole(retry + R"(,{"status":"retry","delay_ms":null})"),
                           whole(retry + R"(,{"status":"retry","delay_ms":01})"),
                           whole(retry + R"(,{"status":"retry","delay_ms":NaN})"),
                           whole(retry + R"(,{"status":"retry","delay_ms":1x})"),
                           whole(retry + R"(,{"status":"retry","delay_ms":)" + std::string(400, '9') + "}"),
                           whole(retry + R"(,{"status":"perhaps","delay_ms":1})"),
                           whole(retry + "," + retry) + "}",
                           whole(retry + "," + retry) + whole(retry + "," + retry),
                           whole(retry + "," + retry + ","),
                           std::string(R"({"id":2,"results":[{"steps":[)") + retry + "," + retry + "]}]}",
                           std::string(R"({"id":1,"results":[{"rejected":"x"}]})"),
                           std::string(R"({"id":1,"error":"x","results":[]})"),
                           std::string(R"({"results":[]})"),
                           std::string("[]"),
                           std::string("1"),
                           std::string()}) {
    EXPECT_FALSE(read_usual_reply(s, 0, 1, cases, line)) << line;
  }
}

TEST(run_reply, keeps_what_is_no_answer_and_why) {
  std::vector<history> const cases{nexts(1), nexts(1), nexts(2)};
  std::vector<result> const results{{result_kind::rejected, {}, "odd"},
                                    {result_kind::skipped, {}, "even"},
                                    {result_kind::answered, {{observed::word(algorithm().error_word)}}, "torn \"x\""}};
  auto const read =
      parse_run_reply(algorithm(), algorithm().features, 1, cases, run_reply(algorithm(), 1, cases, results));
  ASSERT_EQ(read.size(), results.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].kind, results[i].kind) << i;
    EXPECT_EQ(read[i].answers, results[i].answers) << i;
    EXPECT_EQ(read[i].why, results[i].why) << i;
  }
}

TEST(run_reply, numbers_are_read_however_they_are_written) {
  std::vector<history> const cases{nexts(1)};
  auto const delay = [&](std::string const& text) {
    auto const line = R"({"id":1,"results":[{"steps":[{"status":"retry","delay_ms":)" + text + "}]}]}";
    return parse_run_reply(algorithm(), algorithm().features, 1, cases, line)[0].answers[0][1];
  };
  for (std::string const text : {"4", "4.0", "4e0", "4E+0", "40e-1", "0.4e1"}) {
    EXPECT_EQ(delay(text), observed::of(4)) << text;
    EXPECT_EQ(delay('"' + text + '"'), observed::of(4)) << text;
  }
  for (auto const* text : {"null", "\"NaN\"", "\"nan\"", "\"Infinity\"", "\"-Infinity\"", "\"inf\"", "\"-inf\""}) {
    EXPECT_EQ(delay(text).kind, observed_kind::not_a_number) << text;
  }
  EXPECT_EQ(delay("-0"), observed::of(0));
  EXPECT_EQ(delay("-3"), observed::of(-3));
  EXPECT_EQ(delay("\"0.25\""), observed::of(spec::decimal{25, -2, false}));
  EXPECT_EQ(delay("0.25"), observed::of(spec::decimal{25, -2, false}));
  EXPECT_EQ(delay("4294967295"), observed::of(4'294'967'295));
  EXPECT_EQ(delay("\"1e400\""), observed::of(spec::decimal{100'000'000'000'000'000, 383, false}));
  EXPECT_EQ(delay("1e400"), delay("\"1e400\""));  // what a port without a cap answers
}

struct bad_line {
  std::string line;
  std::string says;
  std::optional<std::size_t> which{};
};

TEST(start_reply, that_the_protocol_does_not_allow_is_refused) {
  auto const about = [](std::string const& fields) { return R"({"protocol":1,)" + fields + "}"; };
  auto const ranges = [&](std::string const& of) { return about(R"("ranges":{)" + of + "}"); };
  std::string const pair = R"("base_ms": expected )";
  std::vector<bad_line> const lines{
      {"", "malformed JSON at byte 1 of ''"},
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

TEST(run_reply, that_the_protocol_does_not_allow_is_refused) {
  auto const second = [](std::string const& result) {
    return R"({"id":1,"results":[{"steps":[{"status":"ok"},{"status":"ok"}]},)" + result + "]}";
  };
  auto const answer = [&](std::string const& first) {
    return second(R"({"steps":[)" + first + R"(,{"status":"ok"}]})");
  };
  std::vector<bad_line> const lines{
      {"x", "malformed JSON at byte 1 of 'x'"},
      {"7", "expected a JSON object, found '7'"},
      {R"({"error":"torn"})", "the port answers run with an error: 'torn'"},
      {R"({"results":[]})", R"(expected "id":1, found)"},
      {R"({"id":2,"results":[]})", R"(expected "id":1, found)"},
      {R"({"id":"1","results":[]})", R"(expected "id":1, found)"},
      {R"({"id":1})", R"(expected "results", found '{"id":1}')"},
      {R"({"id":1,"results":{}})", R"(expected "results", found)"},
      {R"({"id":1,"results":[]})", "expected 2 results, found 0"},
      {second("{},{}"), "expected 2 results, found 3"},
      {second("null"), "a result is 'null', expected an object", 1},
      {second(R"({"error":"torn"})"), "the port reports an error: 'torn'", 1},
      {second("{}"), "a result has none of steps, rejected, skipped, error: '{}'", 1},
      {second(R"({"steps":{}})"), "a result has none of steps", 1},
      {second(R"({"rejected":5})"), R"("rejected": expected a string, found '5')"},
      {second(R"({"skipped":5})"), R"("skipped": expected a string, found '5')"},
      {second(R"({"steps":[],"rejected":"both"})"), "rejected", 1},
      {second(R"({"steps":[],"skipped":"both"})"), "skipped", 1},
      {second(R"({"steps":[]})"), "expected 2 answers, found 0", 1},
      {second(R"({"steps":[{"status":"ok"}]})"), "expected 2 answers, found 1", 1},
      {second(R"({"steps":[{"status":"ok"},{"status":"ok"},{"status":"error"}]})"), "expected 2 answers, found 3", 1},
      {answer(R"("ok")"), "an answer is '\"ok\"', expected an object", 1},
      {answer("{}"), R"(an answer has no "status": '{}')", 1},
      {answer(R"({"status":"x"})"), R"("status": unknown word '"x"')", 1},
      {answer(R"({"status":5})"), R"("status": unknown word '5', expected one of: retry, exhausted)", 1},
      {answer(R"({"status":"retry"})"), R"(an answer has no "delay_ms")", 1},
      {answer(R"({"status":"retry","delay_ms":"soon"})"), R"("delay_ms": expected a number, found 'soon')", 1},
      {answer(R"({"status":"retry","delay_ms":""})"), R"("delay_ms": expected a number, found '')", 1},
      {answer(R"({"status":"retry","delay_ms":"04"})"), "found '04'", 1},
      {answer(R"({"status":"retry","delay_ms":true})"), "found 'true'", 1},
      {answer(R"({"status":"retry","delay_ms":[4]})"), "found '[4]'", 1},
  };
  std::vector<history> const cases{nexts(2), nexts(2)};
  for (auto const& bad : lines) {
    auto const got =
        refused([&] { static_cast<void>(parse_run_reply(algorithm(), algorithm().features, 1, cases, bad.line)); });
    EXPECT_NE(got.what.find(bad.says), std::string::npos) << bad.line << "\n  says " << got.what;
    if (bad.which) {
      EXPECT_EQ(got.which, bad.which) << bad.line;
    }
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
