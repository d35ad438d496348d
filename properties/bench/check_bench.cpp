// How much of the time of a check is judging: histories of 5 steps sent to a port and judged, against the same without
// judging, in turns; medians. Usage: check_bench PORT      PORT: scanner_port, which costs as little as a port can.
// Exit: 0 the target is met, 1 missed.
#include <algorithm>
#include <array>
#include <cstdio>
#include <variant>

#include "bench/batches.hpp"
#include "judge/plan.hpp"
#include "transport/port_session.hpp"

using namespace backoff::bench;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: check_bench PORT\n");
    return 2;
  }
  auto const& system = *find_judged_system("aws_backoff_algorithm");
  backoff::transport::port_session port(system.shape(), {argv[1]}, std::chrono::seconds(10));
  auto const histories = generated(system.shape(), port.describes().takes);
  std::array<double, rounds> driven{};
  std::array<double, rounds> judged{};
  for (std::size_t round = 0; round < rounds; ++round) {  // side by side, so that a busy machine slows both
    driven[round] =
        seconds([&] { for_each_batch(histories, [&](auto const& batch) { static_cast<void>(port.run(batch)); }); });
    judged[round] = seconds([&] {
      auto held = std::get<run>(run::begin(system, port.describes(), {}));
      auto const probes = mapping_probes(held, 1);
      held.settle_mapping(probes, port.run(probes));
      for_each_batch(histories, [&](auto const& batch) {
        auto const results = port.run(batch);
        for (std::size_t i = 0; i < batch.size(); ++i) held.judge(batch[i], results[i]);
      });
    });
  }
  if (auto const wrong = port.stop()) {
    std::fprintf(stderr, "check_bench: %s\n", wrong->c_str());
    return 2;
  }
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
