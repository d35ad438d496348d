// What a failing run costs: each wrong port is judged, and the histories that show its broken claims are shrunk. Calls
// put to the port, over those of the plan; and CPU time, over that of the library's passing run. Prints the worst port
// of each system. The ports are shared out among all processors.
// Usage: failing_bench [--each] [--briefly]      --each: every port, and how many calls its smallest histories have;
// --briefly: one port of each system
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "figures.hpp"
#include "histories/systems.hpp"
#include "judge/counterexample.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::bench;
using namespace backoff::ports;

constexpr double goal = 4;
constexpr std::uint64_t cases = 10'000;

class counted final : public subject {
 public:
  counted(shape const& s, built_in const& port) : port_(s, port) {}
  [[nodiscard]] capabilities const& describes() const noexcept override { return port_.describes(); }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    for (auto const& h : histories) calls += h.steps.size() + 1;
    return port_.run(histories);
  }
  std::uint64_t calls = 0;

 private:
  built_in_subject port_;
};

double cpu_seconds() {
  std::timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct cost {
  double calls = 0;    // over those of the plan
  double seconds = 0;  // of CPU time
  std::size_t calls_shown = 0;
};

cost cost_of(judged_system const& system, built_in const& port) {
  auto const start = cpu_seconds();
  counted asked(system.shape(), port);
  auto judged = std::get<run>(run::begin(system, asked.describes(), {}));
  drive(judged, asked, cases, 1);
  judged.settle_blame();
  auto const planned = asked.calls;
  std::size_t calls_shown = 0;
  for (auto const& b : judged.breaches()) {
    if (!b.is_a_finding() || !judged.refutes(b)) continue;
    for (auto const& e : minimise(judged, asked, b).histories) calls_shown += e.tried.steps.size();
  }
  return {static_cast<double>(asked.calls) / static_cast<double>(planned), cpu_seconds() - start, calls_shown};
}

struct judged_port {
  built_in const& port;
  cost costs{};
};

// What the processes share.
struct shared {
  std::atomic<std::size_t> next = 0;
  std::array<cost, 256> costs{};
};

// In the order of the ports. Processes share the work, as threads would wait for each other where they allocate. Empty
// if one of them failed.
std::vector<judged_port> costs_of(judged_system const& system, std::vector<built_in const*> const& ports) {
  void* const memory = mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || ports.size() > shared{}.costs.size()) return {};
  auto& work = *new (memory) shared;
  std::vector<pid_t> workers(std::thread::hardware_concurrency());
  for (auto& worker : workers) {
    worker = fork();
    if (worker != 0) continue;
    for (auto i = work.next++; i < ports.size(); i = work.next++) work.costs[i] = cost_of(system, *ports[i]);
    _exit(0);
  }
  bool whole = true;
  for (auto const worker : workers) {
    int status = 1;
    whole &= worker > 0 && waitpid(worker, &status, 0) == worker && status == 0;
  }
  std::vector<judged_port> all;
  for (std::size_t i = 0; whole && i < ports.size(); ++i) all.push_back({*ports[i], work.costs[i]});
  munmap(memory, sizeof(shared));
  return all;
}

void print_worst(shape const& s, std::string const& what, std::span<judged_port const> ports, auto const& of) {
  auto const& worst = *std::ranges::max_element(ports, {}, [&](judged_port const& p) { return of(p.costs); });
  print_figure(
      of(worst.costs), goal,
      what + " of a failing run over a passing one, " + std::string(s.stem) + ": " + std::string(worst.port.name));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> const words(argv + 1, argv + argc);
  bool const each = std::ranges::count(words, "--each") != 0;
  bool const briefly = std::ranges::count(words, "--briefly") != 0;
  for (auto const* s : shapes()) {
    auto const& system = *find_judged_system(s->stem);
    std::vector<built_in const*> ports(1, &library_ports(s->stem).front());  // which passes
    for (auto const& wrong : wrong_ports(s->stem).first(briefly ? 1 : wrong_ports(s->stem).size()))
      ports.push_back(&wrong);
    auto const all = costs_of(system, ports);
    if (all.empty()) {
      std::fprintf(stderr, "failing_bench: a process that judges ports of %s failed\n", std::string(s->stem).c_str());
      return not_measured;
    }
    auto const passing = all.front().costs.seconds;
    auto const failing = std::span(all).subspan(1);
    for (auto const& [port, costs] : each ? failing : failing.first(0)) {
      std::printf("%s %s: calls %.2f, CPU time %.2f, %zu calls shown\n", std::string(s->stem).c_str(),
                  std::string(port.name).c_str(), costs.calls, costs.seconds / passing, costs.calls_shown);
    }
    print_worst(*s, "calls", failing, [](cost const& c) { return c.calls; });
    print_worst(*s, "CPU time", failing, [&](cost const& c) { return c.seconds / passing; });
  }
  return measured;
}
