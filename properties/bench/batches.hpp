// What the benchmarks of a port are driven with: histories of 5 steps on one instance, in batches, timed.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "histories/generate.hpp"

namespace backoff::bench {

inline constexpr std::size_t chunk = 2'048;  // histories of a batch
inline constexpr std::size_t steps = 5;
inline constexpr std::size_t rounds = 9;

inline std::vector<history> generated(shape const& s, domain const& takes) {
  constexpr std::size_t chunks = 64;
  std::vector<history> all;
  for (std::uint64_t i = 0; all.size() < chunks * chunk; ++i) {
    random_bits random(1, i);
    auto h = generate(s, takes, random);
    if (h.steps.size() < steps) continue;
    h.steps.resize(steps);
    for (auto& call : h.steps) call.on = 0;  // the scanner knows one instance
    all.push_back(std::move(h));
  }
  return all;
}

// Each batch in turn.
template <class Visit>
void for_each_batch(std::span<history const> histories, Visit visit) {
  for (std::size_t from = 0; from < histories.size(); from += chunk) visit(histories.subspan(from, chunk));
}

template <class Work>
double seconds(Work work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace backoff::bench
