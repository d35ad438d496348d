#include "transport/port_session.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <tuple>

#include "histories/printable.hpp"
#include "protocol/messages.hpp"
#include "session/exit_codes.hpp"
#include "transport/live_groups.hpp"

namespace backoff::transport {
namespace {

constexpr std::size_t in_flight = 4;
constexpr std::size_t hangs_max = 3;
constexpr std::size_t slips_max = 3;  // of a port that has answered nothing

bool same(range const& a, range const& b) {
  return std::tie(a.low, a.high, a.words, a.numbers, a.declared) ==
         std::tie(b.low, b.high, b.words, b.numbers, b.declared);
}

bool same_ranges(domain const& a, domain const& b) {
  auto const equal = [](auto const& one, auto const& other) { return std::ranges::equal(one, other, same); };
  return equal(a.params, b.params) && std::ranges::equal(a.args, b.args, equal);
}

// The field of the answer to start in which two differ; nullptr: none that counts.
char const* difference(capabilities const& a, capabilities const& b) {
  if (a.takes.draws.kind != b.takes.draws.kind) return "draws";
  if (a.takes.draws.size != b.takes.draws.size) return "rand_max";
  if (a.takes.features != b.takes.features) return "features";
  if (!same_ranges(a.takes, b.takes)) return "ranges";
  if (a.mapping != b.mapping) return "mapping";
  if (a.max_batch != b.max_batch) return "max_batch";
  if (a.max_line != b.max_line) return "max_line";
  bool const same_port = std::tie(a.name, a.version, a.language) == std::tie(b.name, b.version, b.language);
  return same_port ? nullptr : "port";
}

}  // namespace

port_session::port_session(shape const& s, std::vector<std::string> command, std::chrono::milliseconds timeout,
                           capabilities const* expected)
    : shape_(&s), command_(std::move(command)) {
  limits_.answer_timeout = timeout;
  limits_.max_line_bytes = reply_max;
  if (expected != nullptr) about_ = *expected;
  is_known_ = expected != nullptr;
  try {
    start();
  } catch (session_failure const&) {
    throw;
  } catch (usage_error const&) {
    throw;
  } catch (std::exception const& e) {
    auto const what = std::string(e.what()) + " (request: start)" + how_it_ended(e);
    throw session_failure(what, last_words());
  }
}

// After a reply that is refused, what the port says and does next may tell why: a line for people, then a crash.
std::string port_session::how_it_ended(std::exception const& refused) {
  if (!process_ || dynamic_cast<port_failure const*>(&refused) != nullptr) return "";
  auto const end = process_->finish();
  if (end.had_to_be_killed) return "";
  if (end.signal != 0) return "; then the port was killed by signal " + std::to_string(end.signal);
  return end.status == 0 ? "" : "; then the port exited with status " + std::to_string(end.status);
}

std::string port_session::last_words() const { return process_ ? printable_lines(process_->stderr_tail()) : ""; }

session_failure port_session::too_many(breakdown const& b, std::size_t breakdowns) {
  return {b.what + ", " + std::to_string(breakdowns) + " times", b.stderr_tail};
}

void port_session::resume(std::uint64_t first, std::size_t before, bool answers) {
  answered_ = first;
  before_ = before;
  answered_anything_ = answered_anything_ || answers;
}

void port_session::restart(std::size_t allowed) {
  breakdowns_.clear();
  allowed_ = allowed;
  before_ = 0;
  restart_uncounted();
}

void port_session::restart_uncounted() {
  answered_ = 0;
  try {
    start();
  } catch (std::runtime_error const& e) {
    throw session_failure(e.what(), last_words());
  }
}

// And that the run was not interrupted: what ends a port because of that says nothing of the port.
void port_session::demand_time() const {
  if (live_groups::interrupted()) throw session_failure("interrupted", "");
  if (out_of_time()) throw session_failure("out of time", "");
}

void port_session::start() {
  demand_time();
  busy_ = false;
  process_.reset();  // first: what it left is ended before another one runs
  try {
    process_ = std::make_unique<port_process>(command_, limits_);
  } catch (port_failure const& e) {
    if (e.reason() == port_failure::kind::no_room && is_first_start_) throw usage_error(e.what());
    not_started_ = e.what();
    throw session_failure(not_started_, "");
  }
  is_first_start_ = false;
  process_->send(start_request(*shape_));
  auto said = process_->receive();
  auto about = parse_start_reply(*shape_, said);
  if (!is_known_) {
    said_ = std::move(said);
    about_ = std::move(about);
    is_known_ = true;
    return;
  }
  // What was planned, asked and judged rests on what it said first.
  auto const* const differs = difference(about_, about);
  if (differs == nullptr) return;
  contradiction_ =
      "the port, started again, says something else of itself than at first: \"" + std::string(differs) + "\" differs";
  throw session_failure(contradiction_, "");
}

// As many as may be sent together, up to the next one that is held back; or one that is.
port_session::batch port_session::next_batch(std::span<history const> all, std::size_t from) const {
  auto const why_not = [&](std::size_t i) { return held_back_ ? held_back_(all[i]) : std::string_view(); };
  if (auto const why = why_not(from); !why.empty()) return {from, 0, next_id_, why};
  std::size_t const most = std::min(batch_max_ == 0 ? about_.max_batch : batch_max_, all.size() - from);
  std::size_t count = 1;
  while (count < most && why_not(from + count).empty()) ++count;
  return {from, count, next_id_};
}

// The batch as a line; takes histories off its end until the line fits what the port can read.
std::string port_session::request(std::span<history const> all, batch& b) {
  for (;;) {
    auto line = run_request(*shape_, about_.takes.draws, b.id, all.subspan(b.from, b.count), about_.takes.features);
    if (about_.max_line == 0 || line.size() < about_.max_line || b.count == 0) return line;
    b.count /= 2;
  }
}

std::vector<result> port_session::run(std::span<history const> histories) {
  std::vector<result> results;
  run(histories, results);
  return results;
}

void port_session::run(std::span<history const> histories, std::vector<result>& results) {
  if (!process_) throw session_failure(not_started_, "");
  results.reserve(histories.size());
  std::deque<batch> waiting;
  std::size_t sent = 0;
  busy_ = true;
  while (results.size() < histories.size()) {
    demand_time();
    if (has_come(enough_)) break;
    try {
      while (sent < histories.size() && waiting.size() < in_flight) {
        batch b = next_batch(histories, sent);
        auto const line = request(histories, b);
        sent += std::max<std::size_t>(b.count, 1);
        waiting.push_back(b);  // first: what fails from here on is traced to what waits
        if (b.count == 0) continue;
        ++next_id_;
        process_->send(line);
      }
      auto const& b = waiting.front();
      if (b.count == 0) {
        take(results, {{result_kind::unsent, {}, std::string(b.unsent)}});
      } else {
        take(results, parse_run_reply(*shape_, about_.takes.features, b.id, histories.subspan(b.from, b.count),
                                      process_->receive()));
        answered_anything_ = true;
      }
      waiting.pop_front();
    } catch (session_failure const&) {
      throw;
    } catch (std::runtime_error const& e) {  // of the port or of the protocol
      trace(histories, waiting.front(), e, results);
      sent = results.size();
      waiting.clear();
    }
  }
  answered_ += results.size();
  busy_ = results.size() < histories.size();
}

void port_session::take(std::vector<result>& results, std::vector<result> answers) {
  if (count_ != nullptr) *count_ += answers.size();
  std::ranges::move(answers, std::back_inserter(results));
}

std::optional<session_failure> port_session::note(std::exception const& error, std::optional<std::size_t> index,
                                                  std::optional<history> culprit) {
  demand_time();
  breakdown b{error.what(), {}, std::move(culprit), false, last_words()};
  if (index) b.index = answered_ + *index;
  if (auto const* failure = dynamic_cast<port_failure const*>(&error))
    b.timed_out = failure->reason() == port_failure::kind::timed_out;
  breakdowns_.push_back(b);
  auto const hangs = static_cast<std::size_t>(std::ranges::count_if(breakdowns_, &breakdown::timed_out));
  // An adapter's slip rather than a port's fault.
  if (!answered_anything_ && (b.timed_out || breakdowns_.size() == slips_max))
    return session_failure(b.what, b.stderr_tail);
  if (b.timed_out && hangs >= hangs_max) return too_many(b, hangs);  // each costs the whole time of an answer
  if (before_ + breakdowns_.size() >= allowed_) return too_many(b, allowed_);
  return {};
}

void port_session::start_again(std::exception const& error) {
  std::string const tail = last_words();
  try {
    start();
  } catch (std::runtime_error const& e) {
    throw session_failure(std::string(error.what()) + "; it did not start again: " + e.what(), tail);
  }
}

void port_session::trace(std::span<history const> all, batch const& b, std::exception const& error,
                         std::vector<result>& results) {
  std::size_t const before = breakdowns_.size();
  auto const broke = [&](std::exception const& e, std::size_t i) {
    auto const failure = note(e, i, all[i]);
    take(results, {{result_kind::broke, {}, e.what()}});
    if (failure) throw session_failure(*failure);
    start_again(e);
  };
  if (b.count == 1) {
    broke(error, b.from);
    return;
  }
  start_again(error);
  auto const began = std::chrono::steady_clock::now();
  for (std::size_t i = b.from; i < b.from + b.count; ++i) {
    auto const one = all.subspan(i, 1);
    if (has_come(enough_)) return;
    try {
      process_->send(run_request(*shape_, about_.takes.draws, next_id_, one, about_.takes.features));
      take(results, parse_run_reply(*shape_, about_.takes.features, next_id_++, one, process_->receive()));
      answered_anything_ = true;
    } catch (std::runtime_error const& e) {
      broke(e, i);
    }
  }
  if (breakdowns_.size() != before) return;
  auto const took = std::chrono::steady_clock::now() - began;
  auto const* const failure = dynamic_cast<port_failure const*>(&error);
  bool const timed_out = failure != nullptr && failure->reason() == port_failure::kind::timed_out;
  if (timed_out && took >= limits_.answer_timeout) {  // slow, not broken: a batch takes a quarter of that from now on
    auto const fitting = limits_.answer_timeout / 4 * static_cast<std::int64_t>(b.count) / took;
    batch_max_ = std::max<std::size_t>(1, static_cast<std::size_t>(fitting));
    return;
  }
  std::string const from = std::to_string(answered_ + b.from + 1);
  std::string const to = std::to_string(answered_ + b.from + b.count);
  std::string const what = std::string(error.what()) + ", in histories " + from + " to " + to + std::string(each_alone);
  if (auto const given_up = note(std::runtime_error(what), {}, {})) throw session_failure(*given_up);
}

std::optional<std::string> port_session::stop() {
  if (!process_) return {};
  if (busy_) {
    process_.reset();
    return {};
  }
  try {
    process_->send(stop_request());
  } catch (port_failure const&) {
    return {};  // it failed before, which was said
  }
  auto const end = process_->finish();
  if (live_groups::interrupted()) return {};  // it was killed by us
  std::string const when = " when it was told to stop";
  if (end.had_to_be_killed) return "the port did not end" + when;
  if (end.signal != 0)
    return "the port was killed by signal " + std::to_string(end.signal) + " (" + strsignal(end.signal) + ")" + when;
  if (end.status != 0) return "the port exited with status " + std::to_string(end.status) + when;
  return {};
}

}  // namespace backoff::transport
