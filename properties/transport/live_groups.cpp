#include "transport/live_groups.hpp"

#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace backoff::transport::live_groups {
namespace {

// Fixed and lock-free: the handler may run at any instruction. A port beyond the last place is ended by its closed
// input.
std::array<std::atomic<int>, 256> groups;

std::atomic<bool> interrupts_first;
std::atomic<bool> was_interrupted;

void replace(int from, int to) noexcept {
  for (auto& group : groups) {
    int expected = from;
    if (group.compare_exchange_strong(expected, to)) return;
  }
}

std::atomic<bool> adopts;

// The parent of the process of that name in /proc; 0: there is none.
int parent_of(std::filesystem::path const& process) {
  std::ifstream file(process / "stat");
  std::string text;
  std::getline(file, text, '\0');
  auto const at = text.rfind(')');  // behind its name, which may hold anything: a state, then the parent
  int parent = 0;
  if (at == std::string::npos || at + 4 > text.size()) return 0;
  std::from_chars(text.data() + at + 4, text.data() + text.size(), parent);
  return parent;
}

void kill_children() {
  std::error_code error;
  for (auto const& entry : std::filesystem::directory_iterator("/proc", error)) {
    auto const name = entry.path().filename().string();
    int pid = 0;
    std::from_chars(name.data(), name.data() + name.size(), pid);
    if (pid != 0 && parent_of(entry.path()) == ::getpid()) static_cast<void>(::kill(pid, SIGKILL));
  }
}

// Whether there still are children.
bool reap_children() {
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(-1, nullptr, WNOHANG);
  } while (reaped > 0);
  return reaped == 0;
}

// Another thread must know of the interruption before it sees that its port is dead.
extern "C" void end_groups(int signal) {
  bool const goes_on = interrupts_first.load() && !was_interrupted.exchange(true);
  end_all();
  if (goes_on) return;
  static_cast<void>(std::signal(signal, SIG_DFL));
  static_cast<void>(std::raise(signal));
}

}  // namespace

void add(int pid) { replace(0, pid); }
void remove(int pid) noexcept { replace(pid, 0); }

void end_all() noexcept {
  for (auto const& group : groups) {
    if (int const pid = group.load(); pid != 0) static_cast<void>(::kill(-pid, SIGKILL));
  }
}

bool none() noexcept {
  return std::ranges::all_of(groups, [](auto const& group) { return group.load() == 0; });
}

void adopt_orphans() noexcept {
#ifdef __linux__
  adopts = ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
#endif
}

void end_orphans() noexcept try {
  using namespace std::chrono_literals;
  if (!adopts) return;
  // Each that dies leaves its own children, which are to be killed then.
  for (auto const end = std::chrono::steady_clock::now() + 1s; reap_children();) {
    if (std::chrono::steady_clock::now() > end) return;
    kill_children();
    std::this_thread::sleep_for(1ms);
  }
} catch (std::exception const&) {  // NOLINT(bugprone-empty-catch)
  // No memory or no descriptors: they are left.
}

void interrupt_first() noexcept { interrupts_first.store(true); }
bool interrupted() noexcept { return was_interrupted.load(); }

void end_with_this_process() noexcept {
  for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current{};
    bool const ignored = sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
    if (!ignored) static_cast<void>(std::signal(signal, end_groups));
  }
}

}  // namespace backoff::transport::live_groups
