// What a C library costs in its host: histories of 5 steps given to the host of a library, over a port that costs as
// little as a port can, in turns; medians. Usage: host_bench PORT HOST LIBRARY      PORT: scanner_port
#include <algorithm>
#include <array>
#include <cstdio>

#include "bench/batches.hpp"
#include "figures.hpp"
#include "histories/systems.hpp"
#include "transport/port_session.hpp"

namespace {

using namespace backoff::bench;
using backoff::transport::port_session;

double seconds_of(port_session& port, std::span<history const> histories) {
  return seconds([&] { for_each_batch(histories, [&](auto const& batch) { static_cast<void>(port.run(batch)); }); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: host_bench PORT HOST LIBRARY\n");
    return not_measured;
  }
  auto const& s = *find_shape("aws_backoff_algorithm");
  port_session scanner(s, {argv[1]}, std::chrono::seconds(10));
  port_session host(s, {argv[2], argv[3]}, std::chrono::seconds(10));
  auto const histories = generated(s, host.describes().takes);
  std::array<double, rounds> least{};
  std::array<double, rounds> hosted{};
  for (std::size_t round = 0; round < rounds; ++round) {  // side by side, so that a busy machine slows both
    least[round] = seconds_of(scanner, histories);
    hosted[round] = seconds_of(host, histories);
  }
  if (auto const wrong = scanner.stop()) {
    std::fprintf(stderr, "host_bench: %s\n", wrong->c_str());
    return not_measured;
  }
  if (auto const wrong = host.stop()) {
    std::fprintf(stderr, "host_bench: %s\n", wrong->c_str());
    return not_measured;
  }
  std::ranges::sort(least);
  std::ranges::sort(hosted);
  double const per_second = static_cast<double>(histories.size() * steps) / hosted[rounds / 2];
  std::printf("%.0f steps of a C library in its host in a second\n", per_second);
  print_figure(hosted[rounds / 2] / least[rounds / 2], 2,
               "a C library in its host over the least port, 5 steps a history");
  return measured;
}
