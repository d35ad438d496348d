// The verbs that write, out of memory at each call that takes some: the program ends with exit 2 and one message, or,
// if it can do without, as the whole run does. Each file is then what it was or the whole new one, and no other file
// and no process is left. The same under a limit of the system, on the real program:
// properties/oracle/memory_limit_test.py.
//
// BACKOFF_STRIDE_OF_ALLOCATIONS=N: each N-th call too, beside the first from each place in the program.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/crc.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "files/sha256.hpp"
#include "files/vectors.hpp"
#include "oracle/out_of_memory/failing_memory_test.hpp"
#include "ports/built_in.hpp"
#include "protocol/messages.hpp"

namespace backoff::oracle {
namespace {

std::string const old = "what was there before\n";
std::string const system_asked = "aws_backoff_algorithm";

using texts = std::vector<std::string>;

ended_run hold(program_run const& asked, int code) {
  auto const* const stride = std::getenv("BACKOFF_STRIDE_OF_ALLOCATIONS");
  auto whole = whole_run(asked);
  EXPECT_TRUE(WIFEXITED(whole.status)) << whole.err;
  EXPECT_EQ(WEXITSTATUS(whole.status), code) << whole.err;
  auto const began = std::chrono::steady_clock::now();
  auto const all = strike_calls(asked, whole, stride == nullptr ? 0 : std::stoull(stride));
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - began;
  std::printf("%s: %llu calls, %llu struck, %llu survived, %.1f s\n", asked.words.front().c_str(),
              static_cast<unsigned long long>(all.calls), static_cast<unsigned long long>(all.struck),
              static_cast<unsigned long long>(all.survived), took.count());
  EXPECT_GT(all.struck, 0U);
  for (auto const& each_wrong : all.wrong) ADD_FAILURE() << each_wrong;
  return whole;
}

// What a port answers to the vectors of that header, as a file.
std::string answers_of(files::vectors_header header, std::string_view port) {
  files::demand_memory_for_sha256();  // as main does, and before its first use in this process
  files::vector_suite const suite(std::move(header));
  auto const& shape = suite.system().shape();
  std::vector<histories::history> asked;
  for (auto const& each : suite.all()) asked.push_back(each.asked);
  auto const results = ports::built_in_subject(shape, *ports::find_built_in(shape.stem, port)).run(asked);
  auto const reply = nlohmann::json::parse(protocol::run_reply(shape, 1, asked, results));
  auto text = nlohmann::json{{"header", suite.header_json()}}.dump() + "\n";
  for (std::size_t i = 0; i < asked.size(); ++i) {
    auto line = reply["results"][i];
    line["id"] = suite.all()[i].id;
    text += line.dump() + "\n";
  }
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return text + fmt::format("{{\"end\":{{\"count\":{},\"crc32\":\"{:08x}\"}}}}\n", asked.size(), crc.checksum());
}

TEST(out_of_memory, vectors_and_verify) {
  auto const whole = hold({{"vectors", system_asked, "--count", "6"}, {}}, 0);
  program_run const verify{
      {"verify", "v", "a", "--junit", "j", "--certificate", "c"},
      {{"v", whole.out}, {"a", answers_of({system_asked, "", 1, 6, 64}, "cap-ignored")}, {"j", old}, {"c", old}}};
  hold(verify, 1);
}

TEST(out_of_memory, plan) {
  texts words{"plan", system_asked + ":base_ms=100,max_ms=2000,max_attempts=5", "--clients", "20", "--outage", "3s"};
  hold({words, {}}, 0);
  words.insert(words.end(), {"-o", "p.html"});
  hold({words, {{"p.html", old}}}, 0);
}

// With all that check writes.
texts check_words(texts more) {
  texts words{"check", system_asked, "--cases", "20", "--results", "r", "--junit", "j", "--certificate", "c"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
std::map<std::string, std::string> const check_files{{"r", old}, {"j", old}, {"c", old}};

TEST(out_of_memory, check_and_report) {
  auto const whole = hold({check_words({"--", "cap-ignored"}), check_files}, 1);
  auto const& results = whole.files.at("r");
  hold({{"report", "r", "--junit", "j", "--certificate", "c"}, {{"r", results}, {"j", old}, {"c", old}}}, 1);
  hold({{"report", "r", "-o", "p.html", "--junit", "j"}, {{"r", results}, {"p.html", old}}}, 1);
}

TEST(out_of_memory, check_of_a_port_that_breaks) {
  auto const whole = hold({check_words({"--", "breaks:library"}), check_files}, 3);
  hold({{"report", "r"}, {{"r", whole.files.at("r")}}}, 3);
}

TEST(out_of_memory, watch) {
  std::string client;
  for (int n = 0; n < 3; ++n) client += "exec 3<>/dev/tcp/{host}/{port}; read -r -u 3; : <&3; ";
  texts const words{
      "watch",   system_asked, "--param", "base_ms=1000", "--param", "max_ms=1000", "--param",   "max_attempts=2",
      "--slack", "100",        "--fail",  "close",        "--runs",  "2",           "--results", "r",
      "--junit", "j",          "--",      "bash",         "-c",      client};
  hold({words, {{"r", old}, {"j", old}}, false}, 5);
}

}  // namespace
}  // namespace backoff::oracle
