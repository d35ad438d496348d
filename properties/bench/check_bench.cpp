// What judging adds to a check: histories of 5 steps sent to a port and judged, over the same without judging, in
// turns; medians. Usage: check_bench PORT      PORT: scanner_port, which costs as little as a port can.
#include <algorithm>
#include <array>
#include <cstdio>
#include <variant>

#include "bench/batches.hpp"
#include "figures.hpp"
#include "judge/plan.hpp"
#include "transport/port_session.hpp"

using namespace backoff::bench;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: check_bench PORT\n");
    return not_measured;
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
    return not_measured;
  }
  std::ranges::sort(driven);
  std::ranges::sort(judged);
  double const rate = static_cast<double>(histories.size()) / judged[rounds / 2];
  std::printf("%.0f histories of 5 steps checked in a second\n", rate);
  print_figure(judged[rounds / 2] / driven[rounds / 2], 2, "a check over the same without judging, 5 steps a history");
  return measured;
}
