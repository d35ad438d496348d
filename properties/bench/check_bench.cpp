// What judging adds to a check: histories of 5 steps sent to a port and judged, over the same without judging, in
// turns; medians. Usage: check_bench [--rate] PORT [ARG…]      PORT: scanner_port, which costs as little as a port can.
// --rate: only how many histories are checked in a second, in the better of two rounds; any port.
#include <algorithm>
#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "bench/batches.hpp"
#include "figures.hpp"
#include "judge/plan.hpp"
#include "transport/port_session.hpp"

using namespace backoff::bench;

int main(int argc, char** argv) {
  std::vector<std::string> port_words(argv + 1, argv + argc);
  bool const only_rate = !port_words.empty() && port_words.front() == "--rate";
  if (only_rate) port_words.erase(port_words.begin());
  if (port_words.empty()) {
    std::fprintf(stderr, "usage: check_bench [--rate] PORT [ARG…]\n");
    return not_measured;
  }
  auto const& system = *find_judged_system("aws_backoff_algorithm");
  backoff::transport::port_session port(system.shape(), port_words, std::chrono::seconds(10));
  auto const histories = generated(system.shape(), port.describes().takes);
  std::vector<double> driven(only_rate ? 2 : rounds);
  std::vector<double> judged(driven.size());
  for (std::size_t round = 0; round < driven.size(); ++round) {  // side by side, so that a busy machine slows both
    if (!only_rate)
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
  auto const shown = only_rate ? 0 : driven.size() / 2;
  double const rate = static_cast<double>(histories.size()) / judged[shown];
  std::printf("%.0f histories of 5 steps checked in a second\n", rate);
  if (!only_rate)
    print_figure(judged[shown] / driven[shown], 2, "a check over the same without judging, 5 steps a history");
  return measured;
}
