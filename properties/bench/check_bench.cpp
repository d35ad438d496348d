// How much of the time of a check is judging: histories of 5 steps sent to a port and judged, against the same without
// judging, in turns; medians. Usage: check_bench PORT      PORT: scanner_port, which costs as little as a port can.
// Exit: 0 the target is met, 1 missed.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <variant>

#include "history/generate.hpp"
#include "judge/plan.hpp"
#include "oracle/port_session.hpp"

namespace {

using namespace backoff::conformance;

constexpr std::size_t chunks = 64;
constexpr std::size_t chunk = 2'048;
constexpr int rounds = 9;
constexpr double target = 0.5;

std::vector<history> generated(shape const& s, domain const& takes) {
  std::vector<history> all;
  for (std::uint64_t i = 0; all.size() < chunks * chunk; ++i) {
    random_bits random(1, i);
    auto h = generate(s, takes, random);
    if (h.steps.size() < 5) continue;
    h.steps.resize(5);
    all.push_back(std::move(h));
  }
  return all;
}

template <class Work>
double seconds(Work work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: check_bench PORT\n");
    return 2;
  }
  auto const& system = *find_judged_system("aws_backoff_algorithm");
  backoff::oracle::port_session port(system.shape(), {argv[1]}, std::chrono::seconds(10));
  auto const histories = generated(system.shape(), port.describes().takes);
  std::array<double, rounds> driven{};
  std::array<double, rounds> judged{};
  for (int round = 0; round < rounds; ++round) {  // side by side, so that a busy machine slows both
    auto const at = static_cast<std::size_t>(round);
    driven[at] = seconds([&] {
      for (std::size_t from = 0; from < histories.size(); from += chunk)
        static_cast<void>(port.run(std::span(histories).subspan(from, chunk)));
    });
    judged[at] = seconds([&] {
      auto held = std::get<run>(run::begin(system, port.describes(), {}));
      auto const probes = mapping_probes(held, 1);
      held.settle_mapping(probes, port.run(probes));
      for (std::size_t from = 0; from < histories.size(); from += chunk) {
        auto const part = std::span(histories).subspan(from, chunk);
        auto const results = port.run(part);
        for (std::size_t i = 0; i < part.size(); ++i) held.absorb(part[i], results[i]);
      }
    });
  }
  port.stop();
  std::ranges::sort(driven);
  std::ranges::sort(judged);
  auto const count = static_cast<double>(histories.size());
  double const without = count / driven[rounds / 2];
  double const with = count / judged[rounds / 2];
  bool const met = with / without >= target;
  std::printf("%-6s check, 5 steps a history: %.0f/s judged, %.0f/s only driven: %.3f, target at least %.3f\n",
              met ? "met" : "MISSED", with, without, with / without, target);
  return met ? 0 : 1;
}
