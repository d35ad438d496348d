// What a failing run asks beyond a passing one: the calls put to each wrong port while the histories that show its
// broken claims are shrunk, over the calls of the plan. Counts, so that a busy machine changes nothing. Prints the
// worst port of each system; with --each every port, and how many calls its smallest histories have.
// Exit: 0 the target is met, 1 missed.
#include <algorithm>
#include <cstdio>
#include <string>

#include "histories/systems.hpp"
#include "judge/counterexample.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::bench;
using namespace backoff::ports;

constexpr double target = 3;  // with the plan itself, 4 times a passing run
constexpr std::uint64_t cases = 10'000;

class counted final : public subject {
 public:
  counted(shape const& s, built_in const& port) : port_(s, port) {}
  [[nodiscard]] capabilities const& describes() const noexcept override { return port_.describes(); }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) noexcept override {
    for (auto const& h : histories) calls += h.steps.size() + 1;
    return port_.run(histories);
  }
  std::uint64_t calls = 0;

 private:
  built_in_subject port_;
};

struct cost {
  std::string port;
  double ratio = 0;
  std::size_t calls_shown = 0;
};

cost cost_of(judged_system const& system, built_in const& wrong) {
  counted port(system.shape(), wrong);
  auto judged = std::get<run>(run::begin(system, port.describes(), {}));
  drive(judged, port, cases, 1);
  judged.settle_blame();
  auto const planned = port.calls;
  cost c{std::string(wrong.name)};
  for (auto const& b : judged.breaches()) {
    if (!b.is_a_finding() || !judged.refutes(b)) continue;
    for (auto const& e : minimise(judged, port, b).histories) c.calls_shown += e.tried.steps.size();
  }
  c.ratio = static_cast<double>(port.calls - planned) / static_cast<double>(planned);
  return c;
}

}  // namespace

int main(int argc, char** argv) {
  bool const each = argc == 2 && std::string_view(argv[1]) == "--each";
  bool met = true;
  for (auto const* s : shapes()) {
    auto const& system = *find_judged_system(s->stem);
    cost worst;
    for (auto const& wrong : wrong_ports(s->stem)) {
      auto const c = cost_of(system, wrong);
      if (each) {
        std::printf("%s %s %.2f, %zu calls shown\n", std::string(s->stem).c_str(), c.port.c_str(), c.ratio,
                    c.calls_shown);
      }
      if (c.ratio > worst.ratio) worst = c;
    }
    bool const fits = worst.ratio <= target;
    met &= fits;
    std::printf("%-6s shrinking, calls over those of the plan: %s, %s: %.2f, target at most %.0f\n",
                fits ? "met" : "MISSED", std::string(s->stem).c_str(), worst.port.c_str(), worst.ratio, target);
  }
  return met ? 0 : 1;
}
