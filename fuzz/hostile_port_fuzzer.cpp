// Fuzz target: a port whose whole behaviour is the input. It is right while the input does not say otherwise; then its
// answers are wrong, garbled, cut off, late or missing, it dies, and another process of it goes on where this one
// ended. All of `check` runs against it, from the first request to the report; only the process is played. The run ends
// with a documented exit code, and whatever it writes is whole. The same on real processes, of which there are fewer:
// properties/oracle/hostile_test.py.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <string>

#include "bytes.hpp"
#include "histories/present.hpp"
#include "histories/systems.hpp"
#include "oracle/verbs.hpp"
#include "ports/hidden.hpp"
#include "protocol/messages.hpp"
#include "reports/print_report.hpp"
#include "session/breakdown.hpp"
#include "transport/port_process.hpp"

namespace backoff::fuzz {
namespace {

using namespace oracle;
using namespace ports;

// What all processes of the port of one input share.
struct played_port {
  source in{nullptr, 0};
  shape const* system = nullptr;
  built_in const* right = nullptr;
  bool draws_for_itself = false;
  std::size_t starts = 0;
};
// The constructor of port_process knows no more than a command.
played_port port;

constexpr std::uint8_t first_trouble = 128;  // bytes below it: right answers

}  // namespace
}  // namespace backoff::fuzz

namespace backoff::transport {

using fuzz::port;
using namespace ports;

// In place of the one that runs a program.
class port_process::session {
 public:
  explicit session(port_limits) {
    ++port.starts;
    if (port.draws_for_itself) {
      subject_ = std::make_unique<hidden_subject>(*port.system, *port.right, generators().front(), port.starts);
    } else {
      subject_ = std::make_unique<built_in_subject>(*port.system, *port.right);
    }
  }

  void send(std::string_view line) {
    if (line.find('\n') != std::string_view::npos) std::abort();
    if (!failure_) answer(std::string(line));
  }

  std::string receive() {
    if (!lines_.empty()) {
      auto line = std::move(lines_.front());
      lines_.pop_front();
      return line;
    }
    if (!failure_) fail(port_failure::kind::timed_out, "the port gave no answer within 0.3 s");
    throw port_failure(present(failure_));
  }

  ending finish() {
    auto const how = port.in.byte();
    return {how < 250, how == 251 ? 7 : 0, how == 252 ? 11 : 0, how == 253};
  }

  [[nodiscard]] std::string tail() const { return tail_; }

 private:
  void fail(port_failure::kind reason, std::string const& what) { failure_.emplace(reason, what); }

  std::string right_answer(std::string const& line) {
    try {
      auto const r = parse_request(line, started_ ? port.system : nullptr);
      if (r.kind == request_kind::stop) return "";
      if (r.kind == request_kind::run) return run_reply(*port.system, r.id, r.cases, subject_->run(r.cases));
      started_ = true;
      return start_reply(*port.system, subject_->describes());
    } catch (std::exception const& e) {  // what the oracle sends, a port can read
      std::fprintf(stderr, "%s\n%s\n", e.what(), line.c_str());
      std::abort();
    }
  }

  std::string bytes() {
    std::string text(port.in.byte(), '\0');
    for (auto& c : text) c = static_cast<char>(port.in.byte());
    std::ranges::replace(text, '\n', ' ');
    return text;
  }

  // Another text in place of one of its numbers, the first of which is the request's id.
  void change_number(std::string& reply) {
    constexpr std::array<std::string_view, 16> others{"0",
                                                      "-1",
                                                      "1",
                                                      "4294967296",
                                                      "2147483648",
                                                      "65536",
                                                      "9223372036854775808",
                                                      "18446744073709551616",
                                                      "1e400",
                                                      "1e-400",
                                                      "NaN",
                                                      "\"Infinity\"",
                                                      "null",
                                                      "0.5",
                                                      "\"\"",
                                                      "99999999999999999999999999999999999999"};
    std::size_t at = 0;
    for (std::size_t skipped = port.in.byte();; --skipped) {
      at = reply.find_first_of("0123456789", at);
      if (at == std::string::npos) return;
      if (skipped == 0) break;
      at = reply.find_first_not_of("0123456789", at);
    }
    reply.replace(at, reply.find_first_not_of("0123456789", at) - at, others.at(port.in.byte() % others.size()));
  }

  void answer(std::string const& line) {
    auto reply = right_answer(line);
    auto const what = port.in.byte();
    if (what >= fuzz::first_trouble) {
      switch (what % 16) {
        case 0:
          return fail(port_failure::kind::exited, "the port exited with status " + std::to_string(port.in.byte()));
        case 1:
          return fail(port_failure::kind::killed_by_signal, "the port was killed by signal 11");
        case 2:
          return fail(port_failure::kind::closed_output, "the port closed its output");
        case 3:
          return fail(port_failure::kind::timed_out, "the port gave no answer within 0.3 s");
        case 4:
          return fail(port_failure::kind::line_too_long, "the port wrote a line of too many bytes");
        case 5:
          return fail(port_failure::kind::cannot_write, "the port closed its input");
        case 6:
          reply = bytes();
          break;
        case 7:
          reply.resize(reply.size() * port.in.byte() / 256);
          break;
        case 8:
          lines_.push_back(reply);
          break;  // twice
        case 9:
          reply = error_reply(bytes());
          break;
        case 10:
          tail_ += bytes();
          break;
        case 11:
          reply.insert(reply.size() * port.in.byte() / 256, bytes());
          break;
        case 12:
          std::ranges::rotate(reply, reply.begin() + static_cast<std::ptrdiff_t>(reply.size() / 2));
          break;
        case 13:
          std::swap(reply, last_);
          break;
        default:
          change_number(reply);
          break;
      }
    }
    last_ = reply;
    lines_.push_back(std::move(reply));
  }

  std::unique_ptr<subject> subject_;
  bool started_ = false;
  std::deque<std::string> lines_;
  std::string last_ = "{}";
  std::string tail_;
  std::optional<port_failure> failure_;
};

port_process::port_process(  // NOLINTNEXTLINE(performance-unnecessary-value-param): declared so
    std::vector<std::string> /*command*/, port_limits limits)
    : session_(std::make_unique<session>(limits)) {
  if (port.starts > 1 && port.in.byte() == 255)
    throw port_failure(port_failure::kind::cannot_start, "it does not start");
}
port_process::~port_process() = default;
void port_process::send(std::string_view line) { session_->send(line); }
std::string port_process::receive() { return session_->receive(); }
port_process::ending port_process::finish() { return session_->finish(); }
std::string port_process::stderr_tail() const { return session_->tail(); }
int port_process::pid() const noexcept { return 0; }

}  // namespace backoff::transport

namespace {

// Reports go nowhere; a fuzzer's own lines go to standard error.
bool const quiet = std::freopen("/dev/null", "w", stdout) != nullptr;

std::string file_beside(char const* name) {
  static std::string const folder = [] {
    auto path = (std::filesystem::temp_directory_path() / "backoff_fuzz_XXXXXX").string();
    backoff::fuzz::demand(mkdtemp(path.data()) != nullptr);
    return path;
  }();
  return folder + "/" + name;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace backoff;
  using fuzz::port;
  port.in = {data, size};
  auto const& system = *judge::judged_systems()[port.in.byte() % judge::judged_systems().size()];
  auto const how = port.in.byte();
  port.system = &system.shape();
  port.right = &ports::library_ports(system.shape().stem).front();
  port.draws_for_itself = (how & 1U) != 0 && port.system->samples != nullptr;
  port.starts = 0;

  oracle::check_options options;
  options.system = system.shape().stem;
  options.port = {"port"};
  constexpr std::array<std::uint64_t, 4> cases{1, 20, 60, 200};
  options.cases = cases.at((how >> 1U) % cases.size());
  options.seed = (how >> 3U) % 4;
  auto& judging = options.judging;
  judging.strict = (how & 32U) != 0;
  judging.max_failures = (how & 64U) != 0 ? 3 : 0;
  auto const formats = reports::report_forms();
  auto const outputs = port.in.byte();
  judging.report.format = formats[outputs % formats.size()].name;
  if ((outputs & 64U) != 0) judging.results = file_beside("results");
  if ((outputs & 8U) != 0) judging.report.junit = file_beside("junit");
  if ((outputs & 16U) != 0) judging.report.certificate = file_beside("certificate");
  if ((outputs & 32U) != 0) judging.write_known_failing = file_beside("known");
  auto ended = session::oracle_broke;
  try {
    ended = oracle::check(options);
  } catch (session::usage_error const&) {  // what the port says of itself leaves nothing to judge
    return 0;
  } catch (session::session_failure const&) {
    return 0;
  }
  fuzz::demand(ended == session::conforms || ended == session::does_not_conform || ended == session::port_broke ||
               ended == session::inconclusive);
  if (!judging.results.empty()) fuzz::demand(oracle::report_results({judging.results}, judging.report) == ended);
  return 0;
}
