// What failures are worth to the arguments of a document, and what nothing fills.
#include "waits/failure_arguments.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "judge/judged_system.hpp"
#include "policies/declare.hpp"
#include "session/exit_codes.hpp"

namespace backoff::waits {
namespace {

std::shared_ptr<judge::judged_system const> with_argument(std::string const& argument) {
  auto const text = "name: p\nunit: ms\ncall:\n  " + argument + "\ndelay: 100\nattempts: 3\n";
  return policies::undeclared(policies::read_policy("p.yaml", text), policies::thoroughness::brief);
}

watch::script script_of(std::string_view text, std::optional<std::uint32_t> after = {}) {
  return std::get<watch::script>(watch::read_script(text, after));
}

// The arguments of three calls.
std::vector<value> written(judge::judged_system const& s, watch::script const& failures,
                           std::vector<std::string> const& given = {}, std::size_t first = 0,
                           std::string_view method = "") {
  history h;
  h.steps.resize(3);
  if (!failure_arguments(s, failures, given).write_to(h, 0, first, method)) return {};
  std::vector<value> all;
  all.reserve(h.steps.size());
  for (auto const& call : h.steps) all.push_back(call.args[0]);
  return all;
}

std::string refused(judge::judged_system const& s, watch::script const& failures,
                    std::vector<std::string> const& given = {}) {
  try {
    failure_arguments const arguments(s, failures, given);
  } catch (session::usage_error const& e) {
    return e.what();
  }
  return "";
}

TEST(failure_arguments, have_the_status_of_each_failure) {
  auto const s = with_argument("status: {default: 503, range: [100, 599]}");
  EXPECT_EQ(written(*s, script_of("503,401")), (std::vector{value::of(503), value::of(401), value::of(401)}));
  EXPECT_EQ(written(*s, script_of("503,200,429"), {}, 2),
            (std::vector{value::of(429), value::of(429), value::of(429)}));
  EXPECT_EQ(refused(*s, script_of("503,close")), "--fail close: the argument 'status' of p has no value for it");
  EXPECT_NE(refused(*s, script_of("503"), {"status=500"}).find("each failure gives its own"), std::string::npos);
  auto const may_lack = with_argument("status: {default: unset, range: [500, 599]}");
  EXPECT_EQ(written(*may_lack, script_of("hang,502")), (std::vector{value::word(0), value::of(502), value::of(502)}));
  EXPECT_EQ(refused(*may_lack, script_of("404")), "--fail 404: the argument 'status' of p has no value for it");
  auto const none = with_argument("status: {default: 0, range: [0, 599]}");
  EXPECT_EQ(written(*none, script_of("reset"))[0], value::of(0));
}

TEST(failure_arguments, have_the_word_of_each_failure) {
  auto const s = with_argument("error: [status, reset, close]");
  EXPECT_EQ(written(*s, script_of("reset,503,bytes:9")), (std::vector{value::word(1), value::word(0), value::word(2)}));
  EXPECT_EQ(refused(*s, script_of("hang")), "--fail hang: the argument 'error' of p has no value for it");
  EXPECT_EQ(refused(*s, script_of("503,200")), "");
}

TEST(failure_arguments, have_the_header_in_the_unit_of_the_document) {
  auto const s = with_argument("retry_after: {default: unset, range: [0, 60000]}");
  EXPECT_EQ(written(*s, script_of("503,close", 2)), (std::vector{value::of(2'000), value{}, value{}}));
  auto const in_s = with_argument("retry_after_s: {default: 0, range: [0, 60]}");
  EXPECT_EQ(written(*in_s, script_of("503", 2))[0], value::of(2));
  EXPECT_EQ(refused(*in_s, script_of("503", 61)),
            "--retry-after 61: the argument 'retry_after_s' of p has no value for it");
}

TEST(failure_arguments, have_the_method_of_the_request) {
  auto const s = with_argument("method: [get, post]");
  EXPECT_EQ(written(*s, script_of("503"), {}, 0, "POST")[0], value::word(1));
  EXPECT_EQ(written(*s, script_of("503"), {}, 0, "GET")[2], value::word(0));
  EXPECT_TRUE(written(*s, script_of("503"), {}, 0, "PUT").empty());
  EXPECT_EQ(refused(*s, script_of("close")),
            "--fail: the argument 'method' of p needs a request: expected a status among the failures");
}

TEST(failure_arguments, that_nothing_fills_are_given_or_refused) {
  auto const s = with_argument("answer: [server_error, client_error]");
  EXPECT_EQ(refused(*s, script_of("503")), "no failure sets the argument 'answer' of p: expected --param answer=VALUE");
  EXPECT_NE(refused(*with_argument("error: [none, transient, fatal]"), script_of("503")), "");
  EXPECT_EQ(written(*s, script_of("503"), {"answer=client_error"})[1], value::word(1));
  EXPECT_TRUE(failure_arguments::is_about(s->shape(), "answer=x"));
  EXPECT_FALSE(failure_arguments::is_about(s->shape(), "answers=x"));
  EXPECT_NE(refused(*s, script_of("503"), {"answer=x"}).find("--param answer=x: "), std::string::npos);
  EXPECT_NE(refused(*s, script_of("503"), {"answer"}).find("expected NAME=VALUE"), std::string::npos);
  EXPECT_EQ(refused(*s, script_of("503"), {"answer=server_error", "answer=server_error"}),
            "--param answer is given twice");
}

// How many retries there were before, and what it asks of an error, are known without being given.
TEST(failure_arguments, of_documents_are_filled) {
  for (std::string_view const stem : {"aws_prescriptive_sample", "azure_java_retry_policy", "aws_backoff_algorithm"})
    EXPECT_EQ(refused(*judge::find_judged_system(stem), script_of("503,close")), "") << stem;
  history h;
  h.steps.resize(3);
  failure_arguments const arguments(*judge::find_judged_system("aws_prescriptive_sample"), script_of("429,500,close"),
                                    {});
  ASSERT_TRUE(arguments.write_to(h, 1, 0, ""));
  EXPECT_EQ(h.steps[0].args[0], value::of(429)) << "the status that the first request gets";
  EXPECT_EQ(h.steps[1].args[0], value::of(500));
  EXPECT_EQ(h.steps[2].args[0], value::of(0));
}

}  // namespace
}  // namespace backoff::waits
