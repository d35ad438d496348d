#include "watch/watched_client.hpp"

#include <array>
#include <csignal>
#include <utility>

#include "transport/live_groups.hpp"
#include "watch/client_command.hpp"
#include "watch/monotonic.hpp"

namespace backoff::watch {

using namespace transport;

namespace {

constexpr std::size_t output_bytes = 2048;
// What a program sent just before it exited is on its way for an instant: the loop polls so often before the run is
// whole.
constexpr std::uint64_t settle_ms = 5;
constexpr int settle_count = 6;

watched_client& of(uv_timer_t* timer) { return *static_cast<watched_client*>(timer->data); }

std::uint64_t count(std::chrono::milliseconds time) {
  return static_cast<std::uint64_t>(std::max(time.count(), std::int64_t{0}));
}

}  // namespace

watched_client::watched_client(uv_loop_t& loop, script const& failures, run_limits const& limits, std::uint64_t index,
                               std::function<void(watched_client&)> ended)
    : loop_(&loop),
      limits_(limits),
      ended_(std::move(ended)),
      server_(loop, failures, [this] { changed(); }),
      output_(output_bytes),
      errors_(output_bytes) {
  result_.index = index;
  output_.init(loop);
  errors_.init(loop);
  for (auto* const timer : {&time_, &idle_}) {
    uv_timer_init(&loop, timer);  // cannot fail
    timer->data = this;
  }
}

void watched_client::start(std::span<std::string const> command, std::span<std::string const> environment) {
  result_.started_ns = now_ns();
  if (int const code = server_.listen(); code < 0) {
    result_.trouble = "cannot listen on 127.0.0.1: " + system_reason(code);
  } else if (command.empty()) {
    result_.trouble = "cannot start the program: no command";
  } else if (int const failed = start_program(command, environment); failed < 0) {
    result_.trouble = "cannot start the program '" + command.front() + "': " + system_reason(failed);
  }
  if (!result_.trouble.empty()) {
    end_as(run::ending::cannot_start);
    return finish();
  }
  auto const on_expiry = [](uv_timer_t* timer) { of(timer).cut_off(run::ending::took_too_long); };
  uv_timer_start(&time_, on_expiry, count(limits_.most_time), 0);
}

int watched_client::start_program(std::span<std::string const> command, std::span<std::string const> environment) {
  descriptor child_output;
  descriptor child_errors;
  if (int const code = output_.open(child_output); code < 0) return code;
  if (int const code = errors_.open(child_errors); code < 0) return code;
  auto arguments = with_server(command, server_.port());
  auto variables = client_environment(environment, result_.index, server_.port());
  std::array const descriptors{-1, child_output.get(), child_errors.get()};
  auto const exited = [this](int status, int signal) { on_exit(status, signal); };
  if (int const code = program_.start(*loop_, arguments, descriptors, &variables, exited); code < 0) return code;
  static_cast<void>(output_.read());  // an open pipe can be read
  static_cast<void>(errors_.read());
  return 0;
}

void watched_client::end_as(run::ending why) {
  ending_ = true;
  result_.ended = why;
  result_.ended_ns = now_ns();
  uv_timer_stop(&idle_);
}

void watched_client::changed() {
  if (ending_) return;
  if (server_.came() > limits_.most_attempts) return cut_off(run::ending::too_many_attempts);
  uv_timer_stop(&idle_);
  if (server_.succeeded_for_good()) {
    auto const on_calm = [](uv_timer_t* timer) { of(timer).cut_off(run::ending::succeeded); };
    uv_timer_start(&idle_, on_calm, count(limits_.calm), 0);
  } else if (auto const failed = server_.failed_in_a_row(); failed > 0) {
    auto const on_expiry = [](uv_timer_t* timer) { of(timer).cut_off(run::ending::never_came_back); };
    auto const& delays = limits_.longest_delays;
    auto const delay = delays.empty() ? std::chrono::milliseconds(0) : delays[std::min(failed, delays.size()) - 1];
    uv_timer_start(&idle_, on_expiry, count(delay + limits_.idle), 0);
  }
}

void watched_client::cut_off(run::ending why) {
  if (ending_) return;
  end_as(why);
  server_.close();
  program_.signal(SIGTERM);
  auto const on_patience = [](uv_timer_t* timer) { of(timer).finish(); };
  static constexpr auto give_up = +on_patience;
  auto const on_grace = [](uv_timer_t* timer) {
    of(timer).program_.signal(SIGKILL);
    uv_timer_start(timer, give_up, count(kill_patience), 0);
  };
  uv_timer_start(&time_, on_grace, count(limits_.stop_grace), 0);
}

void watched_client::on_exit(int status, int signal) {
  output_.child_exited();
  errors_.child_exited();
  if (!ending_) {
    // The signal of this process has killed the group, too.
    auto const by_signal = live_groups::interrupted() ? run::ending::interrupted : run::ending::killed_by_signal;
    end_as(signal == 0 ? run::ending::exited : by_signal);
    result_.status = status;
    result_.signal = signal;
  }
  auto const on_tick = [](uv_timer_t* timer) { of(timer).settle(); };
  uv_timer_start(&time_, on_tick, settle_ms, settle_ms);
}

void watched_client::settle() {
  if (++settled_ >= settle_count && output_.closed() && errors_.closed()) finish();
}

void watched_client::finish() {
  finished_ = true;
  result_.notes = server_.notes();
  result_.standard_output = output_.text();
  result_.standard_error = errors_.text();
  server_.close();
  output_.close();
  errors_.close();
  program_.close();
  close_handle(time_);
  close_handle(idle_);
  ended_(*this);
}

}  // namespace backoff::watch
