// In place of a process that is a port: a port in this process, by its name in the first word of the command. Those
// whose name begins with "breaks:" die when they are asked a history of three calls.
#include <deque>
#include <memory>
#include <utility>

#include "oracle/out_of_memory/failing_memory_test.hpp"
#include "oracle/played_port_test.hpp"
#include "protocol/messages.hpp"
#include "transport/port_process.hpp"

namespace backoff::transport {

using namespace ports;
using oracle::memory_of_another_process;

class port_process::session {
 public:
  explicit session(std::string_view command) {
    constexpr std::string_view breaks = "breaks:";
    breaks_ = command.starts_with(breaks);
    if (breaks_) command.remove_prefix(breaks.size());
    plays_ = std::make_unique<built_in_subject>(shape(), *find_built_in(shape().stem, command));
  }

  void answer(std::string_view line) {
    auto const r = protocol::parse_request(std::string(line), started_ ? &shape() : nullptr);
    if (r.kind == protocol::request_kind::stop) return;
    if (r.kind == protocol::request_kind::start) {
      started_ = true;
      lines_.push_back(protocol::start_reply(shape(), plays_->describes()));
      return;
    }
    dead_ = dead_ || (breaks_ && std::ranges::any_of(r.cases, [](auto const& h) { return h.steps.size() == 3; }));
    if (!dead_) lines_.push_back(protocol::run_reply(shape(), r.id, r.cases, plays_->run(r.cases)));
  }

  // Empty: it is dead.
  std::string take() {
    if (lines_.empty()) return "";
    auto line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

 private:
  static histories::shape const& shape() { return oracle::full_jitter().shape(); }

  std::unique_ptr<judge::subject> plays_;
  std::deque<std::string> lines_;
  bool breaks_;
  bool started_ = false;
  bool dead_ = false;
};

port_process::port_process(std::vector<std::string> command, port_limits /*limits*/) {
  memory_of_another_process const its;
  session_ = std::make_unique<session>(command.front());
}
port_process::~port_process() = default;
void port_process::send(std::string_view line) {
  memory_of_another_process const its;
  session_->answer(line);
}
std::string port_process::receive() {
  auto line = [this] {
    memory_of_another_process const its;
    return session_->take();
  }();
  if (line.empty()) throw port_failure(port_failure::kind::exited, "the port exited with status 1 before it answered");
  return {line};  // a copy, of memory of its own
}
port_process::ending port_process::finish() { return {true, 0, 0, false}; }
std::string port_process::stderr_tail() const { return "its last words, which are more than fit into a small text"; }
int port_process::pid() const noexcept { return 0; }

}  // namespace backoff::transport
