// Checks the transport to ports: that lines come through whole and in order, that whatever a port
// does instead of answering is told by its kind and in time, and that no process, descriptor or
// unread flood is left behind. The ports are small shell and Python scripts.
#include "transport/port_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "transport/live_groups.hpp"
#include "transport/uv_handles.hpp"

namespace backoff::transport {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using kind = port_failure::kind;

// Far more than anything here takes, and far less than the children's `sleep 300`.
constexpr auto soon = 8s;

port_limits limits(std::chrono::milliseconds answer = 10000ms, std::chrono::milliseconds grace = 5000ms) {
  return {.answer_timeout = answer, .stop_grace = grace};
}

port_process shell(std::string const& script, port_limits const& with = limits()) {
  return port_process({"/bin/sh", "-c", script}, with);
}

port_failure failure_of(std::function<void()> const& action) {
  try {
    action();
  } catch (port_failure const& failure) {
    return failure;
  }
  ADD_FAILURE() << "no port_failure was thrown";
  return {kind::cannot_start, ""};
}

port_failure failure_of(port_process& port) {
  return failure_of([&] { static_cast<void>(port.receive()); });
}

// A dead process whose new parent has not reaped it is gone for our purposes.
bool is_gone(int pid) {
  auto stat = std::ifstream("/proc/" + std::to_string(pid) + "/stat");
  auto const text = std::string(std::istreambuf_iterator<char>(stat), {});
  auto const name_end = text.rfind(')');
  return name_end == std::string::npos || text.substr(name_end, 3) == ") Z";
}

bool eventually(std::function<bool()> const& condition) {
  for (auto const end = clock::now() + soon; clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::sleep_for(2ms);
  }
  return condition();
}

bool eventually_gone(int pid) {
  return eventually([&] { return is_gone(pid); });
}

// After a first port: libuv opens two descriptors then and keeps them for good.
auto open_descriptors() {
  static auto const first = port_process({"true"}, limits()).pid();
  static_cast<void>(first);
  auto const entries = std::filesystem::directory_iterator("/proc/self/fd");
  return std::distance(begin(entries), end(entries));
}

// How much a process has written to anything, according to the kernel.
std::size_t bytes_written_by(int pid) {
  auto io = std::ifstream("/proc/" + std::to_string(pid) + "/io");
  auto key = std::string();
  for (auto value = std::size_t{0}; io >> key >> value;) {
    if (key == "wchar:") return value;
  }
  return 0;
}

TEST(PortProcess, LinesComeBackWholeAndInOrder) {
  auto port = port_process({"cat"}, limits());
  auto const sent = std::vector<std::string>{"{}", "", "two words", std::string("a\0b", 3), "\xff"};
  for (auto const& line : sent) port.send(line);
  for (auto const& line : sent) EXPECT_EQ(port.receive(), line);
  auto const ending = port.finish();
  EXPECT_TRUE(ending.exited_by_itself);
  EXPECT_FALSE(ending.had_to_be_killed);
  EXPECT_EQ(ending.status, 0);
  EXPECT_EQ(ending.signal, 0);
}

TEST(PortProcess, OneCarriageReturnBeforeTheLineFeedIsStripped) {
  auto port = shell(R"(printf 'a\r\nb\r\r\nc\rd\n\r\n')");
  EXPECT_EQ(port.receive(), "a");
  EXPECT_EQ(port.receive(), "b\r");
  EXPECT_EQ(port.receive(), "c\rd");
  EXPECT_EQ(port.receive(), "");
}

TEST(PortProcess, ALineInPiecesIsPutTogether) {
  auto port = shell("printf ab; read x; printf cd; read x; printf 'ef\\ngh\\n'");
  port.send("");
  port.send("");
  EXPECT_EQ(port.receive(), "abcdef");
  EXPECT_EQ(port.receive(), "gh");
}

TEST(PortProcess, AProgramThatCannotBeExecutedIsNamedWithTheReason) {
  auto const before = open_descriptors();
  auto const expect = [](std::string const& program, std::string const& reason) {
    auto const failure = failure_of([&] { port_process({program, "x"}, limits()); });
    EXPECT_EQ(failure.reason(), kind::cannot_start);
    EXPECT_EQ(failure.what(), "cannot start the port '" + program + "': " + reason);
  };
  expect("/nowhere/at-all", "no such file or directory");
  expect("no-such-program-in-the-path", "no such file or directory");
  expect("/etc/passwd", "permission denied");
  expect("/usr", "permission denied");
  expect("", "no such file or directory");
  EXPECT_EQ(failure_of([] { port_process({}, limits()); }).reason(), kind::cannot_start);
  EXPECT_EQ(open_descriptors(), before);
}

TEST(PortProcess, AnExitIsToldAfterTheLinesWrittenBefore) {
  auto port = shell("echo one; echo two; exit 3");
  EXPECT_EQ(port.receive(), "one");
  EXPECT_EQ(port.receive(), "two");
  auto const failure = failure_of(port);
  EXPECT_EQ(failure.reason(), kind::exited);
  EXPECT_STREQ(failure.what(), "the port exited with status 3 before it answered");
  EXPECT_STREQ(failure_of(port).what(), failure.what());
  EXPECT_STREQ(failure_of([&] { port.send("x"); }).what(), failure.what());
  auto const ending = port.finish();
  EXPECT_TRUE(ending.exited_by_itself);
  EXPECT_EQ(ending.status, 3);
}

TEST(PortProcess, ADeathBySignalIsToldWithTheSignal) {
  auto port = shell("kill -SEGV $$");
  auto const failure = failure_of(port);
  EXPECT_EQ(failure.reason(), kind::killed_by_signal);
  EXPECT_STREQ(failure.what(),
               "the port was killed by signal 11 (Segmentation fault) "
               "before it answered");
  EXPECT_EQ(port.finish().signal, SIGSEGV);
}

TEST(PortProcess, AnUnfinishedLineAtTheExitIsNotALine) {
  auto port = shell(R"(printf 'whole\nhal')");
  EXPECT_EQ(port.receive(), "whole");
  EXPECT_STREQ(failure_of(port).what(),
               "the port exited with status 0 before it answered, "
               "in the middle of a line");
}

TEST(PortProcess, AClosedOutputIsToldThoughThePortLivesOn) {
  auto port = shell("echo last; exec >&-; sleep 300", limits(10000ms, 50ms));
  EXPECT_EQ(port.receive(), "last");
  EXPECT_EQ(failure_of(port).reason(), kind::closed_output);
}

TEST(PortProcess, AnExitIsNoticedThoughADescendantHoldsThePipes) {
  auto const start = clock::now();
  auto port = shell("sleep 300 & echo $!; printf more; exit 5", limits(60000ms));
  auto const descendant = std::stoi(port.receive());
  EXPECT_EQ(failure_of(port).reason(), kind::exited);
  EXPECT_TRUE(eventually_gone(descendant));
  // This one is not in the group any more and goes on to hold them.
  auto other = shell("setsid sh -c 'echo $$; exec sleep 300' & read x; exit 5", limits(60000ms));
  auto const escaped = std::stoi(other.receive());
  other.send("");
  EXPECT_EQ(failure_of(other).reason(), kind::exited);
  EXPECT_EQ(kill(escaped, SIGKILL), 0);
  EXPECT_LT(clock::now() - start, soon);
}

TEST(PortProcess, EverythingInThePipeAtTheExitIsDelivered) {
  auto const start = clock::now();
  auto with = limits(60000ms);
  with.max_line_bytes = 1000;  // so that the first numbers stop the reading
  auto port = shell("setsid sh -c 'echo $$; exec sleep 300' & read x; seq 1000; read x; seq 5000", with);
  auto const escaped = std::stoi(port.receive());
  port.send("");
  EXPECT_EQ(port.receive(), "1");
  port.send("");
  ASSERT_TRUE(eventually([&] { return is_gone(port.pid()); }));
  port.send("");  // lets the exit be noticed before the rest is read
  for (auto i = 2; i <= 1000; ++i) ASSERT_EQ(port.receive(), std::to_string(i));
  for (auto i = 1; i <= 5000; ++i) ASSERT_EQ(port.receive(), std::to_string(i));
  EXPECT_EQ(failure_of(port).reason(), kind::exited);
  EXPECT_LT(clock::now() - start, soon);
  EXPECT_EQ(kill(escaped, SIGKILL), 0);
}

TEST(PortProcess, SilenceTimesOut) {
  auto port = shell("sleep 300", limits(50ms));
  auto const start = clock::now();
  auto const failure = failure_of(port);
  EXPECT_GE(clock::now() - start, 45ms);
  EXPECT_EQ(failure.reason(), kind::timed_out);
  EXPECT_STREQ(failure.what(), "the port gave no answer within 50 ms");
  // Told once, it is not waited for again.
  for (auto i = 0; i < 1000; ++i) EXPECT_EQ(failure_of(port).reason(), kind::timed_out);
  EXPECT_LT(clock::now() - start, soon);
}

TEST(PortProcess, DrippingDoesNotBuyTime) {
  auto port = shell("printf 'ready\nx'; while :; do sleep 0.01; printf x; done", limits(700ms));
  EXPECT_EQ(port.receive(), "ready");
  auto const start = clock::now();
  EXPECT_STREQ(failure_of(port).what(), "the port gave no answer within 700 ms, in the middle of a line");
  EXPECT_LT(clock::now() - start, soon);
}

TEST(PortProcess, NoTimeAtAllStillFindsWhatIsThere) {
  auto port = shell("echo here", limits(0ms));
  ASSERT_TRUE(eventually([&] { return is_gone(port.pid()); }));
  EXPECT_EQ(port.receive(), "here");
  auto silent = shell("sleep 300", limits(0ms));
  EXPECT_EQ(failure_of(silent).reason(), kind::timed_out);
}

TEST(PortProcess, LinesNeverReadDoNotKeepATimedOutPortAlive) {
  auto const start = clock::now();
  {
    auto port = shell("sleep 300", limits(50ms, 50ms));
    for (auto i = 0; i < 20; ++i) port.send(std::string(1'000'000, 'x'));
    EXPECT_EQ(failure_of(port).reason(), kind::timed_out);
    EXPECT_TRUE(port.finish().had_to_be_killed);
  }
  EXPECT_LT(clock::now() - start, soon);
}

TEST(PortProcess, ALineIsTooLongOnlyBeyondTheLimit) {
  auto with = limits();
  with.max_line_bytes = 1000;
  auto const script = "print('x' * 1000); print('y' * 1001); print('z')";
  auto port = port_process({"/usr/bin/python3", "-c", script}, with);
  EXPECT_EQ(port.receive(), std::string(1000, 'x'));
  auto const failure = failure_of(port);
  EXPECT_EQ(failure.reason(), kind::line_too_long);
  EXPECT_STREQ(failure.what(), "the port wrote a line longer than 1000 bytes");
}

TEST(PortProcess, AnEndlessLineIsCutOff) {
  auto with = limits(10000ms, 20ms);
  with.max_line_bytes = 1'000'000;
  auto port = shell("echo first; exec tr '\\0' x </dev/zero", with);
  EXPECT_EQ(port.receive(), "first");
  EXPECT_EQ(failure_of(port).reason(), kind::line_too_long);
  EXPECT_TRUE(port.finish().had_to_be_killed);
}

TEST(PortProcess, AFloodNobodyReceivesStaysWithThePort) {
  auto with = limits();
  with.max_line_bytes = 100'000;
  auto port = port_process({"yes", "a line of the flood"}, with);
  // Sending lets the loop run.
  ASSERT_TRUE(eventually([&] {
    port.send("");
    return bytes_written_by(port.pid()) > with.max_line_bytes / 2;
  }));
  for (auto i = 0; i < 100; ++i) {
    port.send("");
    std::this_thread::sleep_for(1ms);
  }
  // What is held (a line counts more than its bytes), one read more, and the pipe.
  EXPECT_LT(bytes_written_by(port.pid()), with.max_line_bytes + 3 * pipe_bytes);
  for (auto i = 0; i < 50'000; ++i) ASSERT_EQ(port.receive(), "a line of the flood");
}

TEST(PortProcess, TwentyMegabytesCanBeSentBeforeAnythingIsReceived) {
  auto port = port_process({"cat"}, limits());
  auto const line_of = [](std::size_t i) { return std::to_string(i) + std::string(50'000 + i, 'x'); };
  for (auto i = std::size_t{0}; i < 400; ++i) port.send(line_of(i));
  for (auto i = std::size_t{0}; i < 400; ++i) ASSERT_EQ(port.receive(), line_of(i));
  auto one = std::string();
  one.resize(20'000'000, 'y');
  port.send(one);
  EXPECT_EQ(port.receive(), one);
  EXPECT_TRUE(port.finish().exited_by_itself);
}

TEST(PortProcess, ManyLinesInFlight) {
  auto port = port_process({"cat"}, limits());
  auto next = 0;
  for (; next < 256; ++next) port.send(std::to_string(next));
  for (auto i = 0; i < 20'000; ++i) {
    ASSERT_EQ(port.receive(), std::to_string(i));
    port.send(std::to_string(next++));
  }
}

TEST(PortProcess, StandardErrorIsDrainedAndItsTailKept) {
  auto with = limits();
  with.stderr_tail_bytes = 10;
  auto port = shell("head -c 5000000 /dev/zero >&2; echo answer; read x; printf 'last words' >&2", with);
  EXPECT_EQ(port.receive(), "answer");
  port.send("");
  EXPECT_EQ(failure_of(port).reason(), kind::exited);
  EXPECT_EQ(port.stderr_tail(), "last words");
  auto brief = shell("printf 'lost ' >&2; echo; read x; printf 'last words' >&2", with);
  EXPECT_EQ(brief.receive(), "");
  EXPECT_TRUE(brief.finish().exited_by_itself);
  EXPECT_EQ(brief.stderr_tail(), "last words");
}

TEST(PortProcess, SendingToADeadPortIsToldAsItsExit) {
  auto port = shell("echo bye; exit 7");
  ASSERT_TRUE(eventually([&] { return is_gone(port.pid()); }));
  for (auto i = 0; i < 10; ++i) port.send(std::string(100'000, 'x'));
  EXPECT_EQ(port.receive(), "bye");
  EXPECT_EQ(failure_of(port).reason(), kind::exited);
}

TEST(PortProcess, APortThatClosesItsInputMayStillAnswer) {
  auto port = shell("trap 'echo late' USR1; exec <&-; echo closed; while :; do sleep 0.01; done", limits(1000ms));
  EXPECT_EQ(port.receive(), "closed");
  for (auto i = 0; i < 10; ++i) port.send(std::string(100'000, 'x'));
  ASSERT_EQ(kill(port.pid(), SIGUSR1), 0);
  EXPECT_EQ(port.receive(), "late");
  auto const failure = failure_of(port);
  EXPECT_EQ(failure.reason(), kind::cannot_write);
  EXPECT_STREQ(failure.what(), "the port takes no input (broken pipe) and gave no answer within 1000 ms");
}

TEST(PortProcess, CallsThatBreakTheFramingOrComeTooLateAreRefused) {
  auto port = port_process({"cat"}, limits());
  EXPECT_THROW(port.send("two\nlines"), std::invalid_argument);
  EXPECT_TRUE(port.finish().exited_by_itself);
  EXPECT_EQ(failure_of([&] { port.send("x"); }).reason(), kind::cannot_write);
}

TEST(PortProcess, AnswersToTheEndOfInputCanBeReceivedAfterwards) {
  auto port = shell("wc -c; exit 4");
  for (auto i = 0; i < 20; ++i) port.send(std::string(100'000, 'x'));
  auto const ending = port.finish();
  EXPECT_TRUE(ending.exited_by_itself);
  EXPECT_EQ(ending.status, 4);
  EXPECT_EQ(port.finish().status, 4);
  EXPECT_EQ(port.receive(), "2000020");
  EXPECT_EQ(failure_of(port).reason(), kind::exited);
}

TEST(PortProcess, APortThatIgnoresTheEndOfInputIsTerminatedWithItsGroup) {
  auto port = shell("sleep 300 & echo $!; wait", limits(10000ms, 300ms));
  auto const descendant = std::stoi(port.receive());
  auto const ending = port.finish();
  EXPECT_FALSE(ending.exited_by_itself);
  EXPECT_TRUE(ending.had_to_be_killed);
  EXPECT_EQ(ending.signal, SIGTERM);
  EXPECT_TRUE(eventually_gone(descendant));
}

TEST(PortProcess, APortThatIgnoresTerminationIsKilledWithItsGroup) {
  auto port = shell("trap '' TERM; sleep 300 & echo $!; while :; do sleep 300; done", limits(10000ms, 50ms));
  auto const descendant = std::stoi(port.receive());
  auto const ending = port.finish();
  EXPECT_TRUE(ending.had_to_be_killed);
  EXPECT_EQ(ending.signal, SIGKILL);
  EXPECT_TRUE(eventually_gone(descendant));
}

TEST(PortProcess, DestructionKillsTheGroupAtOnce) {
  auto const start = clock::now();
  auto pids = std::vector<int>{};
  {
    auto port = shell("trap '' TERM; (sleep 300 & echo $!; wait) & echo $!; wait");
    pids = {std::stoi(port.receive()), std::stoi(port.receive()), port.pid()};
  }
  for (auto const pid : pids) EXPECT_TRUE(eventually_gone(pid));
  EXPECT_LT(clock::now() - start, soon);
}

TEST(PortProcess, OnePortDoesNotHoldThePipesOfAnother) {
  auto first = port_process({"cat"}, limits());
  auto second = shell("ls /proc/self/fd | wc -l; exec cat");
  auto const in_second = std::stoi(second.receive());
  auto third = shell("ls /proc/self/fd | wc -l; exec cat");
  EXPECT_EQ(std::stoi(third.receive()), in_second);
  // Were its input held by the later ones, the first could not see the end of it.
  EXPECT_TRUE(first.finish().exited_by_itself);
  third.send("third");
  second.send("second");
  EXPECT_EQ(second.receive(), "second");
  EXPECT_EQ(third.receive(), "third");
}

TEST(PortProcess, StandardInputCanBeOpenedByName) {
  auto port = shell("exec cat /dev/stdin >/dev/stdout");
  port.send("by name");
  EXPECT_EQ(port.receive(), "by name");
}

TEST(PortProcess, BrokenPipesKillThePortButNotUs) {
  auto port = shell("grep SigIgn /proc/self/status");
  auto const mask = std::stoull(port.receive().substr(8), nullptr, 16);
  EXPECT_EQ(mask & (1ULL << (SIGPIPE - 1)), 0U);
}

TEST(PortProcess, MovesCarryTheRunningPort) {
  auto port = port_process({"cat"}, limits());
  port.send("before");
  auto moved = std::move(port);
  EXPECT_EQ(moved.receive(), "before");
  auto const replaced = moved.pid();
  moved = port_process({"cat"}, limits());
  EXPECT_TRUE(is_gone(replaced));
  moved.send("after");
  EXPECT_EQ(moved.receive(), "after");
}

// Each prints the number of a process that has left the group, in the session of its own.
constexpr auto escapes = {
    "setsid sh -c 'echo $$; exec sleep 300' & wait",                  // a child
    "(setsid sh -c 'echo $$; exec sleep 300' &) & exec cat",          // an orphan that holds the pipes; exec
    "(setsid sh -c 'echo $$; exec sleep 300' &); sleep 0.1; exit 3",  // left behind at the exit
    "setsid sh -c 'setsid sh -c \"echo \\$\\$; exec sleep 300\" & wait' & wait",  // whose child has left it again
};

TEST(PortProcess, WhatLeavesTheGroupIsEndedWithThePort) {
  live_groups::adopt_orphans();
  for (auto const* const script : escapes) {
    auto pid = 0;
    auto const start = clock::now();
    {
      auto other = port_process({"cat"}, limits());
      auto port = shell(script);
      pid = std::stoi(port.receive());
      EXPECT_FALSE(is_gone(pid)) << script;
    }
    EXPECT_TRUE(is_gone(pid)) << script;
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is still there: " << script;
    EXPECT_LT(clock::now() - start, soon) << script;
  }
}

TEST(PortProcess, NothingIsLeftAfterManyStartsAndStops) {
  auto const before = open_descriptors();
  for (auto i = 0; i < 200; ++i) {
    auto port = port_process({"cat"}, limits());
    if (i % 4 == 0) continue;
    port.send(std::string(100'000, 'x'));
    if (i % 4 == 1) continue;
    EXPECT_EQ(port.receive().size(), 100'000U);
    if (i % 4 == 2) continue;
    EXPECT_TRUE(port.finish().exited_by_itself);
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is still there";
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace backoff::transport
