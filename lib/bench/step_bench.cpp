// A step of the library beside a plain C transcription of the document, both at -O2: it costs less.
#include <array>
#include <cstdio>

#include "backoff.h"
#include "backoff_algorithm.h"
#include "full_jitter.h"
#include "full_jitter.hpp"
#include "ratios.hpp"
#include "retry_control.h"
#include "retry_control.hpp"
#include "samples.h"
#include "samples.hpp"

namespace {

using namespace backoff;

constexpr std::uint32_t base_ms = 100;
constexpr std::uint32_t max_ms = 1'000'000;
constexpr std::uint32_t max_attempts = 16;
constexpr int calls = 17;  // of a cycle: all its retries, then exhausted

// Prepared, so that the time is that of the steps. A multiplicative generator of full period.
auto const draws = [] {
  std::array<std::uint32_t, 4'096> all{};
  std::uint32_t x = 1;
  for (auto& draw : all) draw = x = x * 1'664'525U + 1'013'904'223U;
  return all;
}();

// NOLINTBEGIN(clang-analyzer-deadcode.DeadStores): Google Benchmark counts rounds with a variable that is not read

void core_cycles(benchmark::State& state) {
  bench::core_cycle const fresh({base_ms, max_ms, aws_backoff_algorithm::attempt_limit::of(max_attempts)});
  std::size_t at = 0;
  for (auto _ : state) {
    auto cycle = fresh;
    benchmark::DoNotOptimize(cycle);
    for (int i = 0; i < calls; ++i) benchmark::DoNotOptimize(bench::core_next(cycle, draws[at++ % draws.size()]));
  }
}

void c_cycles(benchmark::State& state) {
  backoff_aws_backoff_algorithm fresh{};
  backoff_aws_backoff_algorithm_init(&fresh, base_ms, max_ms, max_attempts);
  std::size_t at = 0;
  for (auto _ : state) {
    auto cycle = fresh;
    benchmark::DoNotOptimize(cycle);
    for (int i = 0; i < calls; ++i) {
      std::uint32_t delay_ms = 0;
      benchmark::DoNotOptimize(backoff_aws_backoff_algorithm_next(&cycle, draws[at++ % draws.size()], &delay_ms));
      benchmark::DoNotOptimize(delay_ms);
    }
  }
}

// The drop-in, which is 16 bits wide: the same retries up to a smaller cap.
void drop_in_cycles(benchmark::State& state) {
  BackoffAlgorithmContext_t fresh{};
  BackoffAlgorithm_InitializeParams(&fresh, base_ms, 0xffff, max_attempts);
  std::size_t at = 0;
  for (auto _ : state) {
    auto cycle = fresh;
    benchmark::DoNotOptimize(cycle);
    for (int i = 0; i < calls; ++i) {
      std::uint16_t delay_ms = 0;
      benchmark::DoNotOptimize(BackoffAlgorithm_GetNextBackoff(&cycle, draws[at++ % draws.size()], &delay_ms));
      benchmark::DoNotOptimize(delay_ms);
    }
  }
}

void plain_cycles(benchmark::State& state) {
  plain_cycle fresh{};
  plain_start(&fresh, base_ms, max_ms, max_attempts, false);
  std::size_t at = 0;
  for (auto _ : state) {
    auto cycle = fresh;
    benchmark::DoNotOptimize(cycle);
    for (int i = 0; i < calls; ++i) benchmark::DoNotOptimize(plain_next(&cycle, draws[at++ % draws.size()]));
  }
}

// Retries with jitter, each granted: the wait doubles, and so does the time.
constexpr std::int64_t reading(int call) { return std::int64_t{2} << call; }
constexpr std::uint32_t draw_max = 0xffff'ffff;

void core_retries(benchmark::State& state) {
  auto const fresh = azure_c_retry_control::create(azure_c_retry_control::policy::exponential_backoff_with_jitter, 0);
  std::size_t at = 0;
  for (auto _ : state) {
    auto control = fresh;
    benchmark::DoNotOptimize(control);
    for (int i = 0; i < calls; ++i)
      benchmark::DoNotOptimize(bench::core_should_retry(control, reading(i), {draws[at++ % draws.size()], draw_max}));
  }
}

void plain_retries(benchmark::State& state) {
  plain_control fresh{};
  plain_create(&fresh, 0);
  std::size_t at = 0;
  for (auto _ : state) {
    auto control = fresh;
    benchmark::DoNotOptimize(control);
    for (int i = 0; i < calls; ++i)
      benchmark::DoNotOptimize(plain_should_retry(&control, reading(i), draws[at++ % draws.size()], draw_max));
  }
}

// Retry Utilities, as the drop-in is compiled: 1 s, 128 s, jitter 5 s.
aws_retry_utils::parameters<std::uint32_t> const utils_parameters{1, 128, 5, max_attempts};

void core_utils(benchmark::State& state) {
  bench::core_utils const fresh(utils_parameters, draws[7]);
  std::size_t at = 0;
  for (auto _ : state) {
    auto cycle = fresh;
    benchmark::DoNotOptimize(cycle);
    for (int i = 0; i < calls; ++i)
      benchmark::DoNotOptimize(bench::core_utils_back_off(cycle, draws[at++ % draws.size()]));
  }
}

void c_utils(benchmark::State& state) {
  backoff_aws_retry_utils fresh{};
  backoff_aws_retry_utils_parameters const p{utils_parameters.initial_backoff_s, utils_parameters.max_backoff_s,
                                             utils_parameters.max_jitter_s, max_attempts};
  backoff_aws_retry_utils_init(&fresh, &p, draws[7]);
  std::size_t at = 0;
  for (auto _ : state) {
    auto cycle = fresh;
    benchmark::DoNotOptimize(cycle);
    for (int i = 0; i < calls; ++i) {
      std::uint32_t sleep_s = 0;
      benchmark::DoNotOptimize(backoff_aws_retry_utils_back_off(&cycle, draws[at++ % draws.size()], &sleep_s));
      benchmark::DoNotOptimize(sleep_s);
    }
  }
}

plain_utils fresh_utils() {
  plain_utils fresh{utils_parameters.initial_backoff_s,
                    utils_parameters.max_backoff_s,
                    utils_parameters.max_jitter_s,
                    max_attempts,
                    0,
                    0};
  plain_utils_reset(&fresh, draws[7]);
  return fresh;
}

void plain_utils(benchmark::State& state) {
  auto const fresh = fresh_utils();
  std::size_t at = 0;
  for (auto _ : state) {
    auto cycle = fresh;
    benchmark::DoNotOptimize(cycle);
    for (int i = 0; i < calls; ++i) benchmark::DoNotOptimize(plain_utils_back_off(&cycle, draws[at++ % draws.size()]));
  }
}

// The example of the document, 3 s at 1.5, with more retries.
auto const fresh_core_run = bench::core_run::with(3, {3, 2}, max_attempts).value;
plain_run const fresh_plain_run{3, 1.5, max_attempts, 0};

void core_runs(benchmark::State& state) {
  for (auto _ : state) {
    auto run = fresh_core_run;
    benchmark::DoNotOptimize(run);
    for (int i = 0; i < calls; ++i) benchmark::DoNotOptimize(bench::core_run_next(run));
  }
}

void plain_runs(benchmark::State& state) {
  for (auto _ : state) {
    auto run = fresh_plain_run;
    benchmark::DoNotOptimize(run);
    for (int i = 0; i < calls; ++i) benchmark::DoNotOptimize(plain_run_next(&run));
  }
}

void core_samples(benchmark::State& state) {
  for (auto _ : state)
    for (std::uint32_t i = 0; i < calls; ++i) benchmark::DoNotOptimize(bench::core_sample_delay_ms(i));
}

void plain_samples(benchmark::State& state) {
  for (auto _ : state)
    for (std::uint32_t i = 0; i < calls; ++i) benchmark::DoNotOptimize(plain_sample_delay_ms(i));
}

// The documented defaults.
bench::core_java const core_policy;
plain_java const plain_policy{100, 100, 10'000, 0.5, 0.25};

void core_java(benchmark::State& state) {
  std::size_t at = 0;
  for (auto _ : state)
    for (std::uint32_t x = 1; x <= calls; ++x)
      benchmark::DoNotOptimize(bench::core_java_delay(core_policy, x, draws[at++ % draws.size()]));
}

void plain_java_delays(benchmark::State& state) {
  std::size_t at = 0;
  for (auto _ : state)
    for (std::uint32_t x = 1; x <= calls; ++x)
      benchmark::DoNotOptimize(plain_java_delay_ns(&plain_policy, x, draws[at++ % draws.size()]));
}

// NOLINTEND(clang-analyzer-deadcode.DeadStores)

BENCHMARK(core_cycles);
BENCHMARK(c_cycles);
BENCHMARK(drop_in_cycles);
BENCHMARK(c_utils);
BENCHMARK(core_utils);
BENCHMARK(plain_utils);
BENCHMARK(core_runs);
BENCHMARK(plain_runs);
BENCHMARK(core_samples);
BENCHMARK(plain_samples);
BENCHMARK(core_java);
BENCHMARK(plain_java_delays);
BENCHMARK(plain_cycles);
BENCHMARK(core_retries);
BENCHMARK(plain_retries);

// The comparison means something only where both do the same.
bool same_delays() {
  bench::core_cycle core({base_ms, max_ms, aws_backoff_algorithm::attempt_limit::of(max_attempts)});
  plain_cycle plain{};
  plain_start(&plain, base_ms, max_ms, max_attempts, false);
  for (int i = 0; i < calls; ++i) {
    auto const one = bench::core_next(core, draws[static_cast<std::size_t>(i)]);
    auto const other = plain_next(&plain, draws[static_cast<std::size_t>(i)]);
    if (static_cast<std::uint8_t>(one.status) != other.status || one.delay_ms != other.delay_ms) return false;
  }
  return true;
}

// Doubles may miss a whole number by one.
bool same_waits() {
  auto core = azure_c_retry_control::create(azure_c_retry_control::policy::exponential_backoff_with_jitter, 0);
  plain_control plain{};
  plain_create(&plain, 0);
  for (int i = 0; i < calls; ++i) {
    auto const draw = draws[static_cast<std::size_t>(i)];
    bool const granted = bench::core_should_retry(core, reading(i), {draw, draw_max}) == 0;
    if (!granted || plain_should_retry(&plain, reading(i), draw, draw_max) != 0) return false;
    auto const more = std::int64_t{core.current_wait_time_in_secs} - plain.wait_s;
    if (more < -1 || more > 1) return false;
  }
  return true;
}

bool within(std::uint64_t one, std::uint64_t other, std::uint64_t apart) {
  return one > other ? one - other <= apart : other - one <= apart;
}

// Here a double has room for a microsecond.
bool same_samples() {
  bench::core_utils utils(utils_parameters, draws[7]);
  auto other_utils = fresh_utils();
  auto run = fresh_core_run;
  auto other_run = fresh_plain_run;
  for (int i = 0; i < calls; ++i) {
    auto const draw = draws[static_cast<std::size_t>(i)];
    auto const x = static_cast<std::uint32_t>(i);
    auto const slept = bench::core_utils_back_off(utils, draw);
    auto const plain_slept = plain_utils_back_off(&other_utils, draw);
    if (static_cast<std::uint8_t>(slept.status) != plain_slept.status || slept.sleep_s != plain_slept.sleep_s)
      return false;
    auto const waited = bench::core_run_next(run);
    auto const plain_waited = plain_run_next(&other_run);
    if (static_cast<std::uint8_t>(waited.status) != plain_waited.status ||
        !within(waited.delay, plain_waited.delay_ns, 1'000))
      return false;
    if (bench::core_sample_delay_ms(x) != static_cast<std::uint32_t>(plain_sample_delay_ms(x))) return false;
    auto const delay = bench::core_java_delay(core_policy, x + 1U, draw);
    if (!within(delay.ns, plain_java_delay_ns(&plain_policy, x + 1U, draw), 1'000)) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (!same_delays() || !same_waits() || !same_samples()) {
    std::fprintf(stderr, "step_bench: the library and the C transcription differ\n");
    return bench::not_measured;
  }
  bench::ratio const ratios[] = {
      {"17 steps of the library over those of plain C", "core_cycles", "plain_cycles", 0.95},
      {"17 steps of the C interface over those of plain C", "c_cycles", "plain_cycles", 1},
      {"17 steps of the drop-in over those of plain C", "drop_in_cycles", "plain_cycles", 1},
      {"17 back-offs of Retry Utilities by the C interface over those of plain C", "c_utils", "plain_utils", 1},
      {"17 jittered retries of the library over those of plain C with doubles", "core_retries", "plain_retries", 0.95},
      {"17 back-offs of Retry Utilities over those of plain C", "core_utils", "plain_utils", 0.95},
      {"17 delays of the prescriptive sample over those of plain C with pow", "core_samples", "plain_samples", 0.95},
      {"17 delays of the default policy for Java over those of plain C with pow", "core_java", "plain_java_delays",
       0.95},
      {"17 exact delays of Step Functions over those of plain C with pow", "core_runs", "plain_runs", 0.95}};
  return bench::run_and_compare(argc, argv, ratios);
}
