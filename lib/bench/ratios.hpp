// Benchmarks that are held to targets. Each is run many times, in turns with the others; the least disturbed run of
// each counts, because what else the machine does can only slow a run down. Exit: 0 all targets met, 1 some missed.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace backoff::bench {

// CPU time of `measured` over that of `reference`: at most `target`. Without a reference: nanoseconds.
struct ratio {
  std::string_view sentence;
  std::string measured;
  std::string reference;
  double target;
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

  // Not a number where it did not run.
  [[nodiscard]] double least(std::string const& name) const {
    auto const at = times_.find(name);
    return at == times_.end() ? std::numeric_limits<double>::quiet_NaN() : std::ranges::min(at->second);
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
  std::string defaults[] = {"--benchmark_repetitions=25", "--benchmark_enable_random_interleaving=true",
                            "--benchmark_min_time=0.1"};
  int at = 1;
  for (auto& one : defaults) arguments.insert(arguments.begin() + at++, one.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  collected times;
  benchmark::RunSpecifiedBenchmarks(&times);
  times.print();
  bool all_met = true;
  for (auto const& r : ratios) {
    double const value = times.least(r.measured) / (r.reference.empty() ? 1 : times.least(r.reference));
    bool const met = std::round(100 * value) <= 100 * r.target;  // finer than that, no two runs agree
    all_met = all_met && met;
    std::printf("%-6s %.*s: %.3f, target at most %.3f\n", met ? "met" : "MISSED", static_cast<int>(r.sentence.size()),
                r.sentence.data(), value, r.target);
  }
  return all_met ? 0 : 1;
}

}  // namespace backoff::bench
