// Replies of all ports are read back; what is no reply is refused with a message that says where.
#include <gtest/gtest.h>

#include "ports/built_in.hpp"
#include "protocol/messages_test.hpp"

namespace {

using namespace backoff::ports;
namespace spec = backoff::spec;

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
  };
  row const rows[]{
      row{{observed::word(0), none, none, none, one, observed::of(2), observed::of(3)},
          R"({"options":{"first_s":"1","last_s":"2"},"spent_s":"3"})"},
      row{{observed::word(0), none, none, none, one, observed::of(2)}, R"({"options":{"first_s":"1","last_s":"2"}})"},
      row{{observed::word(0), none, none, none, none, none, one}, R"({"options":null,"spent_s":"1"})"},
      row{{observed::word(0)}, R"({"options":null})"},
      row{{observed::word(0), none, none, none, none, none, none, observed::of(0), observed::word(1)},
          R"({"options":null,"code":"0","outcome":"constant"})"},
      row{{observed::word(0), none, none, none, none, none, none, one}, R"({"options":null,"code":"1"})"},
      row{{observed::word(0), none, none, none, one, {observed_kind::not_a_number, 0, {}}},
          R"({"options":{"first_s":"1","last_s":null}})"},
      row{{observed::word(1)}, R"({"status":"error"})"}};
  for (auto const& [said, written] : rows) {
    EXPECT_EQ(run_reply(s, 1, cases, std::vector{result{result_kind::answered, {said}, {}}}), line(written));
    EXPECT_EQ(parse_run_reply(s, s.features, 1, cases, line(written))[0].answers[0], said) << written;
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
  }
}

TEST(run_reply, is_read_whatever_its_order_and_its_blanks) {
  std::vector<history> const cases{nexts(2)};
  answer const retry{observed::word(0), observed::of(1)};
  answer const exhausted{observed::word(1)};
  answer const error{observed::word(algorithm().error_word)};
  auto const whole = [](std::string const& steps) { return R"({"id":1,"results":[{"steps":[)" + steps + "]}]}"; };
  std::string const written = R"({"status":"retry","delay_ms":"1"})";
  struct row {
    std::string line;
    std::vector<answer> said;
  };
  for (auto const& [line, said] :
       {row{R"( { "results":[{"steps":[)" + written + "," + written + R"(]}],"id":1} )", {retry, retry}},
        row{whole(R"({"delay_ms": 1 ,"status" : "retry"} , {"status":"exhausted"})"), {retry, exhausted}},
        row{whole(written + R"(,{"status":"exhausted","delay_ms":7,"extra":{"deep":[1]}})"), {retry, exhausted}},
        row{whole(written + R"(,{"delay_ms":9,"status":"retry","delay_ms":1})"), {retry, retry}},
        row{whole(written + R"(,{"stat\u0075s":"retry","delay_ms":"\u0031"})"), {retry, retry}},
        row{whole(written + R"(,{"status":"error","delay_ms":1})"), {retry, error}},
        row{whole(R"({"status":"error"})"), {error}}}) {
    EXPECT_EQ(parse_run_reply(algorithm(), 0, 1, cases, line)[0].answers, said) << line;
  }
  auto const refused = [&](std::string const& line) {
    EXPECT_THROW(static_cast<void>(parse_run_reply(algorithm(), 0, 1, cases, line)), protocol_error) << line;
  };
  for (auto const& line :
       {whole(written + written), whole(written + "," + written) + "}", whole(written + "," + written + ","),
        whole(written + "," + written) + whole(written + "," + written)})
    refused(line);
  for (auto const* number : {"01", "1x", "1.", "+1", "--1", "Infinit", "\"01\""})
    refused(whole(written + R"(,{"status":"retry","delay_ms":)" + number + "}"));
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
  for (auto const* text : {"NaN", "Infinity", "-Infinity"})
    EXPECT_EQ(delay(text).kind, observed_kind::not_a_number) << text;
  EXPECT_EQ(delay(std::string(400, '9')), observed::of(spec::decimal{999'999'999'999'999'999, 382, true}));
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

}  // namespace
