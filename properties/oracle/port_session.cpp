#include "oracle/port_session.hpp"

#include <deque>

#include "protocol/messages.hpp"

namespace backoff::oracle {
namespace {

using namespace conformance;

constexpr std::size_t in_flight = 4;

}  // namespace

port_session::port_session(shape const& s, std::vector<std::string> command, std::chrono::milliseconds timeout)
    : shape_(&s), command_(std::move(command)) {
  limits_.answer_timeout = timeout;
  try {
    start();
  } catch (session_failure const&) {
    throw;
  } catch (std::exception const& e) {
    throw session_failure(std::string(e.what()) + ", in reply to start", {}, process_ ? process_->stderr_tail() : "");
  }
}

void port_session::start() {
  try {
    process_ = std::make_unique<port_process>(command_, limits_);
  } catch (port_failure const& e) {
    throw session_failure(e.what(), {}, "");
  }
  process_->send(start_request(*shape_));
  about_ = parse_start_reply(*shape_, process_->receive());
}

// The batch as a line; takes histories off its end until the line fits what the port can read.
std::string port_session::request(std::span<history const> all, batch& b) {
  for (;;) {
    auto line = run_request(*shape_, about_.takes.draws, b.id, all.subspan(b.from, b.count));
    if (about_.max_line == 0 || line.size() < about_.max_line || b.count == 0) return line;
    b.count /= 2;
  }
}

std::vector<result> port_session::run(std::span<history const> histories) {
  std::vector<result> results;
  results.reserve(histories.size());
  std::deque<batch> waiting;
  std::size_t sent = 0;
  while (results.size() < histories.size()) {
    try {
      while (sent < histories.size() && waiting.size() < in_flight) {
        batch b{sent, std::min(about_.max_batch, histories.size() - sent), next_id_};
        auto const line = request(histories, b);
        sent += std::max<std::size_t>(b.count, 1);
        if (b.count != 0) {
          ++next_id_;
          process_->send(line);
        }
        waiting.push_back(b);
      }
      if (waiting.front().count == 0) {
        results.push_back({result::kind::unsent, {}, "longer than the port's max_line"});
      } else {
        auto const cases = histories.subspan(waiting.front().from, waiting.front().count);
        for (auto& r : parse_run_reply(*shape_, waiting.front().id, cases, process_->receive())) {
          results.push_back(std::move(r));
        }
      }
      waiting.pop_front();
    } catch (protocol_error const& e) {
      trace(histories, waiting.front(), e);
    } catch (port_failure const& e) {
      trace(histories, waiting.front(), e);
    }
  }
  answered_ += results.size();
  return results;
}

void port_session::trace(std::span<history const> all, batch const& b, std::exception const& error) {
  std::string const tail = process_->stderr_tail();
  auto const at = [&](std::size_t i) { return ", at history " + std::to_string(answered_ + i + 1); };
  if (auto const* broken = dynamic_cast<protocol_error const*>(&error); broken != nullptr && broken->which) {
    std::size_t const i = b.from + *broken->which;
    throw session_failure(error.what() + at(i), all[i], tail);
  }
  if (b.count == 1) throw session_failure(error.what() + at(b.from), all[b.from], tail);
  for (std::size_t i = b.from; i < b.from + b.count; ++i) {
    try {
      if (i == b.from) start();
      process_->send(run_request(*shape_, about_.takes.draws, next_id_, all.subspan(i, 1)));
      static_cast<void>(parse_run_reply(*shape_, next_id_++, all.subspan(i, 1), process_->receive()));
    } catch (std::exception const& alone) {
      throw session_failure(alone.what() + at(i), all[i], process_->stderr_tail());
    }
  }
  throw session_failure(std::string(error.what()) + ", in histories " + std::to_string(answered_ + b.from + 1) + " to " +
                            std::to_string(answered_ + b.from + b.count) + " sent together (each alone is answered)",
                        {}, tail);
}

void port_session::stop() {
  try {
    process_->send(stop_request());
  } catch (port_failure const&) {
    // It is gone already, after every answer was given: nothing to hold against it.
  }
  static_cast<void>(process_->finish());
}

}  // namespace backoff::oracle
