// Benchmarks that have goals. Each is run many times, in turns with the others; the least disturbed run of each counts,
// because what else the machine does can only slow a run down.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "figures.hpp"

namespace backoff::bench {

// CPU time of `measured` over that of `reference`. Without a reference: nanoseconds.
struct ratio {
  std::string sentence;
  std::string measured;
  std::string reference;
  double goal;
};

// Nanoseconds of CPU time of every run, by benchmark.
class collected final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const& runs) override {
    for (auto const& r : runs) {
      if (r.run_type == Run::RT_Iteration) times_[r.run_name.function_name].push_back(r.GetAdjustedCPUTime());
    }
  }

  // Empty where it did not run.
  [[nodiscard]] std::optional<double> least(std::string const& name) const {
    auto const at = times_.find(name);
    return at == times_.end() ? std::nullopt : std::optional(std::ranges::min(at->second));
  }
  void print() {
    std::printf("%-32s %10s %10s %10s\n", "ns of CPU time", "least", "median", "most");
    for (auto& [name, times] : times_) {
      std::ranges::sort(times);
      std::printf("%-32s %10.2f %10.2f %10.2f\n", name.c_str(), times.front(), times[times.size() / 2], times.back());
    }
  }

 private:
  std::map<std::string, std::vector<double>> times_;
};

inline int run_and_compare(int argc, char** argv, std::span<ratio const> ratios) {
  std::vector<char*> arguments(argv, argv + argc);
  std::string defaults[] = {"--benchmark_repetitions=15", "--benchmark_enable_random_interleaving=true",
                            "--benchmark_min_time=0.05"};
  int at = 1;
  for (auto& one : defaults) arguments.insert(arguments.begin() + at++, one.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return not_measured;
  collected times;
  benchmark::RunSpecifiedBenchmarks(&times);
  times.print();
  for (auto const& r : ratios) {
    auto const time = times.least(r.measured);
    auto const reference = r.reference.empty() ? std::optional(1.0) : times.least(r.reference);
    if (time && reference) print_figure(*time / *reference, r.goal, r.sentence);
  }
  return measured;
}

}  // namespace backoff::bench
