// Checks that a watched program is started as asked, that each way to end a run is told as such, and that no process,
// port or descriptor is left behind, whatever the program does. Slack is checked by counts and signs only: how large it
// is depends on the machine.
#include "watch/watch_runs.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <thread>

#include "histories/present.hpp"
#include "transport/live_groups.hpp"
#include "watch/monotonic.hpp"
#include "watch/watched_program_test.hpp"

namespace backoff::watch {
namespace {

using namespace std::chrono_literals;
using ending = run::ending;

constexpr std::int64_t ms = 1'000'000;

// A dead process whose new parent has not reaped it is gone for our purposes.
bool is_gone(std::string const& pid) {
  auto stat = std::ifstream("/proc/" + std::to_string(std::stoi(pid)) + "/stat");
  auto const text = std::string(std::istreambuf_iterator<char>(stat), {});
  auto const name_end = text.rfind(')');
  return name_end == std::string::npos || text.substr(name_end, 3) == ") Z";
}

bool eventually_gone(std::string const& pid) {
  for (int n = 0; n < 4000 && !is_gone(pid); ++n) std::this_thread::sleep_for(2ms);
  return is_gone(pid);
}

std::string scratch(std::string const& name) {
  auto const* const test = testing::UnitTest::GetInstance()->current_test_info()->name();
  auto const path = testing::TempDir() + test + std::to_string(::getpid()) + name;
  std::filesystem::remove(path);
  return path;
}

run run_of_shell(std::string const& source, run_limits const& limits = patient()) {
  return run_of(plan_of("close", shell(source), limits));
}

TEST(watch_runs, an_exit_is_told_with_its_status) {
  auto const r = run_of_shell("exit 7");
  EXPECT_EQ(r.ended, ending::exited);
  EXPECT_EQ(r.status, 7);
  EXPECT_EQ(r.signal, 0);
  EXPECT_GE(r.ended_ns, r.started_ns);
  EXPECT_TRUE(r.notes.attempts.empty());
}

TEST(watch_runs, a_signal_is_told) {
  auto const r = run_of_shell("kill -USR1 $$");
  EXPECT_EQ(r.ended, ending::killed_by_signal);
  EXPECT_EQ(r.signal, SIGUSR1);
}

TEST(watch_runs, a_program_that_cannot_start_is_named_with_the_reason) {
  auto const r = run_of(plan_of("503", {"/nowhere/at-all", "{url}"}));
  EXPECT_EQ(r.ended, ending::cannot_start);
  EXPECT_EQ(r.trouble, "cannot start the program '/nowhere/at-all': no such file or directory");
  EXPECT_EQ(run_of(plan_of("503", {})).trouble, "cannot start the program: no command");
}

TEST(watch_runs, a_program_is_told_its_server_and_its_run) {
  auto plan = plan_of("503", shell(R"(read line; echo "$1 $ENDPOINT $BACKOFF_RUN [$line]")"));
  plan.environment = {"ENDPOINT={url}"};
  plan.runs = 2;
  auto const runs = runs_of(plan);
  for (auto const& each : runs) {
    auto const port = each.standard_output.substr(0, each.standard_output.find(' '));
    EXPECT_EQ(each.standard_output, port + " http://127.0.0.1:" + port + " " + std::to_string(each.index) + " []\n");
  }
}

TEST(watch_runs, the_last_output_is_kept) {
  auto const r =
      run_of_shell("yes 12345678 | head -n 100000; printf last; yes abc | head -n 100000 >&2; printf err >&2");
  EXPECT_EQ(r.standard_output.size(), 2048U);
  EXPECT_TRUE(r.standard_output.ends_with("12345678\nlast"));
  EXPECT_EQ(r.standard_error.size(), 2048U);
  EXPECT_TRUE(r.standard_error.ends_with("abc\nerr"));
}

// The sink keeps the server from answering until the other program has asked and gone.
TEST(watch_runs, what_came_just_before_the_exit_is_noted) {
  auto const go = scratch("go");
  auto const pid = scratch("pid");
  auto plan = plan_of("503", python(R"(
import os
if os.environ["BACKOFF_RUN"] == "0": sys.exit()
while not os.path.exists(sys.argv[2]): time.sleep(0.01)
with open(sys.argv[3] + "new", "w") as file: file.write(str(os.getpid()))
os.rename(sys.argv[3] + "new", sys.argv[3])  # whole at once
ask(connect(), "GET / HTTP/1.1")
os._exit(0)
)"));
  plan.command.insert(plan.command.end(), {go, pid});
  plan.runs = 2;
  plan.jobs = 2;
  std::size_t attempts = 0;
  auto const result = watch_runs(plan, [&](run const& each, slack const&) {
    attempts = each.notes.attempts.size();
    if (each.index == 1) return true;
    std::ofstream const made(go);
    std::string other;
    while (!(std::ifstream(pid) >> other) || !is_gone(other)) std::this_thread::sleep_for(2ms);
    return true;
  });
  EXPECT_EQ(result.ended, watched::ending::all_ran);
  EXPECT_EQ(attempts, 1U);
}

// Prints its process, too. It waits for an end that nothing but a signal brings.
std::vector<std::string> asks_twice_and_lives_on() {
  return python(R"(
import os
print(os.getpid(), flush=True)
for n in range(2):
  s = connect()
  ask(s, "GET / HTTP/1.0")
  read_all(s)
time.sleep(300)
)");
}

TEST(watch_runs, a_program_that_does_not_come_back_is_ended) {
  auto limits = patient();
  limits.idle = 200ms;
  auto const r = run_of(plan_of("503,503,200", asks_twice_and_lives_on(), limits));
  EXPECT_EQ(r.ended, ending::never_came_back);
  ASSERT_EQ(r.notes.attempts.size(), 2U);
  EXPECT_GE(r.ended_ns - backoff::histories::present(r.notes.attempts[1].failed_ns),
            150 * ms);  // libuv's clock has milliseconds
  EXPECT_TRUE(is_gone(r.standard_output));
}

TEST(watch_runs, a_program_may_wait_for_the_longest_delay_before_each_retry) {
  auto limits = patient();
  limits.idle = 50ms;
  limits.longest_delays = {50ms, 600ms};
  auto const r = run_of(plan_of("503", asks_twice_and_lives_on(), limits));
  EXPECT_EQ(r.ended, ending::never_came_back);
  ASSERT_EQ(r.notes.attempts.size(), 2U);
  EXPECT_GE(r.ended_ns - backoff::histories::present(r.notes.attempts[1].failed_ns), 600 * ms);
}

TEST(watch_runs, after_a_success_a_program_may_rest) {
  auto limits = patient();
  limits.idle = 50ms;
  auto const r = run_of(plan_of("503,200", python(R"(
for n in range(2):
  s = connect()
  ask(s, "GET / HTTP/1.0")
  read_all(s)
time.sleep(0.5)
)"),
                                limits));
  EXPECT_EQ(r.ended, ending::exited);
  EXPECT_EQ(r.notes.attempts.size(), 2U);
}

TEST(watch_runs, a_program_that_lives_on_after_the_last_success_is_ended) {
  auto limits = patient();
  limits.calm = 100ms;
  auto const r = run_of(plan_of("503,200", asks_twice_and_lives_on(), limits));
  EXPECT_EQ(r.ended, ending::succeeded);
  EXPECT_EQ(r.notes.attempts.size(), 2U);
  EXPECT_TRUE(is_gone(r.standard_output));
}

TEST(watch_runs, a_hanging_attempt_is_no_rest) {
  auto limits = patient();
  limits.idle = 50ms;
  auto const r = run_of(plan_of("503,hang", python(R"(
s = connect()
ask(s, "GET / HTTP/1.0")
read_all(s)
s = connect()
ask(s, "GET / HTTP/1.0")
time.sleep(0.5)
)"),
                                limits));
  EXPECT_EQ(r.ended, ending::exited);
  ASSERT_EQ(r.notes.attempts.size(), 2U);
}

TEST(watch_runs, a_program_that_takes_too_long_is_ended) {
  auto limits = patient();
  limits.most_time = 200ms;
  auto const r = run_of_shell("echo $$; sleep 300; exit", limits);
  EXPECT_EQ(r.ended, ending::took_too_long);
  EXPECT_GE(r.ended_ns - r.started_ns, 150 * ms);
  EXPECT_TRUE(is_gone(r.standard_output));
}

TEST(watch_runs, a_program_that_ignores_sigterm_is_killed) {
  auto limits = patient();
  limits.most_time = 500ms;
  limits.stop_grace = 100ms;
  auto const r = run_of_shell("trap '' TERM; echo $$; while true; do sleep 300; done", limits);
  EXPECT_EQ(r.ended, ending::took_too_long);
  EXPECT_TRUE(is_gone(r.standard_output));
}

TEST(watch_runs, a_program_may_end_itself_on_sigterm) {
  auto limits = patient();
  limits.most_time = 1s;
  auto const r = run_of_shell("trap 'echo ended; exit 3' TERM; echo begun; while true; do sleep 0.01; done", limits);
  EXPECT_EQ(r.ended, ending::took_too_long);
  EXPECT_EQ(r.standard_output, "begun\nended\n");
}

TEST(watch_runs, a_flood_is_cut_off) {
  auto limits = patient();
  limits.most_attempts = 50;
  auto const flood = R"(
while True:
  try: read_all(connect())
  except OSError: pass
)";
  auto const r = run_of(plan_of("close", python(flood), limits));
  EXPECT_EQ(r.ended, ending::too_many_attempts);
  EXPECT_EQ(r.notes.attempts.size(), 51U);
}

TEST(watch_runs, a_flood_of_connections_without_a_byte_is_cut_off) {
  auto limits = patient();
  limits.most_attempts = 50;
  auto const r = run_of(plan_of("503", python("while True: connect().close()"), limits));
  EXPECT_EQ(r.ended, ending::too_many_attempts);
  EXPECT_TRUE(r.notes.attempts.empty());
}

TEST(watch_runs, a_descendant_ends_with_the_program) {
  auto const r = run_of_shell("sleep 300 & echo $!");
  EXPECT_EQ(r.ended, ending::exited);
  EXPECT_TRUE(eventually_gone(r.standard_output));
}

TEST(watch_runs, runs_are_told_in_the_order_of_their_ends) {
  auto const pid = scratch("pid");  // of the one that ends first; it is gone once its exit has been seen
  auto plan = plan_of("503", shell("pid='" + pid + "'; if [ $BACKOFF_RUN = 1 ]; then echo $$ >\"$pid\"; exit; fi; " +
                                   "while [ ! -s \"$pid\" ] || kill -0 $(cat \"$pid\"); do sleep 0.01; done"));
  plan.runs = 2;
  plan.jobs = 2;
  auto const runs = runs_of(plan);
  EXPECT_EQ(runs[0].index, 1U);
  EXPECT_EQ(runs[1].index, 0U);
}

TEST(watch_runs, only_so_many_run_at_a_time) {
  auto plan = plan_of("503", shell("sleep 0.02"));
  plan.runs = 5;
  auto const runs = runs_of(plan);
  for (std::size_t k = 1; k < runs.size(); ++k) EXPECT_GE(runs[k].started_ns, runs[k - 1].ended_ns);
}

TEST(watch_runs, starts_are_staggered) {
  auto plan = plan_of("503", shell("true"));
  plan.runs = 4;
  plan.jobs = 4;
  plan.stagger = 60ms;
  auto runs = runs_of(plan);
  std::ranges::sort(runs, {}, &run::index);
  for (std::size_t k = 1; k < runs.size(); ++k) EXPECT_GE(runs[k].started_ns - runs[k - 1].started_ns, 60 * ms);
}

TEST(watch_runs, the_sink_can_stop) {
  auto const pids = scratch("pids");
  auto plan =
      plan_of("503", shell("echo $$ >>'" + pids + "'; [ $BACKOFF_RUN = 2 ] || exec sleep 300; while [ $(wc -l <'" +
                           pids + "') -lt 3 ]; do sleep 0.01; done"));
  plan.runs = 100;
  plan.jobs = 3;
  std::vector<std::uint64_t> told;
  auto const result = watch_runs(plan, [&](run const& each, slack const&) {
    told.push_back(each.index);
    return false;
  });
  EXPECT_EQ(result.ended, watched::ending::stopped);
  EXPECT_EQ(told, std::vector<std::uint64_t>{2});
  auto file = std::ifstream(pids);
  auto count = 0;
  for (std::string pid; file >> pid; ++count) EXPECT_TRUE(is_gone(pid));
  EXPECT_EQ(count, 3);
}

TEST(watch_runs, the_sink_can_throw) {
  auto const pids = scratch("pids");
  auto plan =
      plan_of("503", shell("echo $$ >>'" + pids + "'; [ $BACKOFF_RUN = 1 ] || exec sleep 300; while [ $(wc -l <'" +
                           pids + "') -lt 2 ]; do sleep 0.01; done"));
  plan.runs = 2;
  plan.jobs = 2;
  auto const sink = [](run const&, slack const&) -> bool { throw std::runtime_error("full"); };
  EXPECT_THROW(static_cast<void>(watch_runs(plan, sink)), std::runtime_error);
  auto file = std::ifstream(pids);
  for (std::string pid; file >> pid;) EXPECT_TRUE(is_gone(pid));
}

// In a process of its own: what live_groups.hpp notes of signals stays.
TEST(watch_runs, an_interrupt_ends_the_runs_and_tells_them) {
  auto const interrupted = [] {
    using namespace transport;
    live_groups::end_with_this_process();
    live_groups::interrupt_first();
    auto plan = plan_of("503", python(R"(
import os, signal
s = connect()
ask(s, "GET / HTTP/1.0")
read_all(s)
os.kill(os.getppid(), signal.SIGINT)
time.sleep(300)
)"));
    plan.runs = 100;
    auto told = 0;
    auto const result = watch_runs(plan, [&](run const& each, slack const&) {
      told += each.ended == ending::interrupted && each.notes.attempts.size() == 1 ? 1 : 1000;
      return true;
    });
    std::_Exit(result.ended == watched::ending::interrupted ? told : 99);
  };
  EXPECT_EXIT(interrupted(), testing::ExitedWithCode(1), "");
}

TEST(watch_runs, nothing_is_left_open) {
  auto const open = [] {
    auto const entries = std::filesystem::directory_iterator("/proc/self/fd");
    return std::distance(begin(entries), end(entries));
  };
  auto plan = plan_of("503,reset,hang", python(R"(
kept = [connect() for n in range(20)]
for each in kept[:10]: each.sendall(b"GET / HTTP/1.1\r\n\r\n")
read_until(kept[0], b"\r\n\r\n")
)"));
  plan.slack_samples = 5;
  runs_of(plan);  // libuv opens what it keeps for good
  auto const before = open();
  plan.runs = 3;
  plan.jobs = 2;
  runs_of(plan);
  static_cast<void>(run_of(plan_of("503", {"/nowhere/at-all"})));
  EXPECT_EQ(open(), before);
}

TEST(watch_runs, slack_is_sampled_before_and_during_the_runs) {
  for (auto const* const failures : {"503,200", "reset", "hang", "bytes:9,503", "hang,200", "close"}) {
    auto plan = plan_of(failures, shell("sleep 0.3"));
    plan.slack_samples = 20;
    plan.slack_pause = 5ms;
    auto const start_ns = now_ns();
    auto const result = watch_runs(plan, [&](run const&, slack const& so_far) {
      EXPECT_GE(so_far.before.size(), 20U);
      return true;
    });
    EXPECT_EQ(result.trouble, "");
    EXPECT_GE(result.slack.before.size(), 20U) << failures;
    EXPECT_GE(result.slack.during.size(), 2U) << failures;
    for (auto const* const all : {&result.slack.before, &result.slack.during}) {
      for (auto const& each : *all) {
        EXPECT_GE(each.slack_ns, 0) << failures;
        EXPECT_GE(each.taken_ns, start_ns);
      }
      EXPECT_EQ(std::ranges::adjacent_find(*all, std::ranges::greater_equal{}, &slack_sample::taken_ns), all->end());
    }
  }
}

TEST(watch_runs, the_pause_between_samples_is_in_none_of_them) {
  auto plan = plan_of("503", shell("sleep 2"));
  plan.slack_pause = 500ms;
  auto const during = watch_runs(plan, [](run const&, slack const&) { return true; }).slack.during;
  ASSERT_GE(during.size(), 2U);
  EXPECT_LT(std::ranges::min(during | std::views::drop(1), {}, &slack_sample::slack_ns).slack_ns, 500 * ms);
}

TEST(watch_runs, quantiles_of_slack_are_samples) {
  std::vector<slack_sample> samples;
  for (std::int64_t k : {5, 1, 4, 2, 3}) samples.push_back({0, k});
  EXPECT_EQ(slack_quantile_ns(samples, 0.2), 1);
  EXPECT_EQ(slack_quantile_ns(samples, 0.5), 3);
  EXPECT_EQ(slack_quantile_ns(samples, 0.81), 5);
  EXPECT_EQ(slack_quantile_ns(samples, 1), 5);
  EXPECT_EQ(slack_quantile_ns({}, 0.5), 0);
}

TEST(watch_runs, curl_retries_as_it_documents) {
  // NOLINTNEXTLINE(cert-env33-c): whether there is one
  if (std::system("curl --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no curl";
  auto const r = run_of(plan_of("503,503,200", {"curl", "-sS", "--retry", "3", "{url}/path"}));
  EXPECT_EQ(r.ended, ending::exited);
  EXPECT_EQ(r.status, 0) << r.standard_error;
  ASSERT_EQ(r.notes.attempts.size(), 3U);
  EXPECT_EQ(r.notes.attempts[0].target, "/path");
  EXPECT_GE(wait_ns(r, 1), 990 * ms);  // a second, then two, by a clock of its own
  EXPECT_GE(wait_ns(r, 2), 1980 * ms);
}

}  // namespace
}  // namespace backoff::watch
