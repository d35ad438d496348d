#include "oracle/live_groups.hpp"

#include <array>
#include <atomic>
#include <csignal>

namespace backoff::oracle::live_groups {
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

extern "C" void end_groups(int signal) {
  for (auto& group : groups) {
    if (int const pid = group.load(); pid != 0) static_cast<void>(::kill(-pid, SIGKILL));
  }
  if (interrupts_first.load() && !was_interrupted.exchange(true)) return;
  static_cast<void>(std::signal(signal, SIG_DFL));
  static_cast<void>(std::raise(signal));
}

}  // namespace

void add(int pid) noexcept { replace(0, pid); }
void remove(int pid) noexcept { replace(pid, 0); }

void interrupt_first() noexcept { interrupts_first.store(true); }
bool interrupted() noexcept { return was_interrupted.load(); }

void end_with_this_process() noexcept {
  for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current{};
    bool const ignored = sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
    if (!ignored) static_cast<void>(std::signal(signal, end_groups));
  }
}

}  // namespace backoff::oracle::live_groups
