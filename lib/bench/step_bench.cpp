// A step of the library beside a plain C transcription of the document, both at -O2: it costs no more, and half as much
// where the transcription computes in doubles.
#include <array>
#include <cstdio>

#include "full_jitter.h"
#include "full_jitter.hpp"
#include "ratios.hpp"
#include "retry_control.h"
#include "retry_control.hpp"

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

void core_cycles(benchmark::State& state) {
  bench::core_cycle const fresh({base_ms, max_ms, aws_backoff_algorithm::attempt_limit::of(max_attempts)});
  std::size_t at = 0;
  for (auto _ : state) {
    auto cycle = fresh;
    benchmark::DoNotOptimize(cycle);
    for (int i = 0; i < calls; ++i) benchmark::DoNotOptimize(bench::core_next(cycle, draws[at++ % draws.size()]));
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

BENCHMARK(core_cycles);
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

}  // namespace

int main(int argc, char** argv) {
  if (!same_delays() || !same_waits()) {
    std::fprintf(stderr, "step_bench: the library and the C transcription differ\n");
    return 2;
  }
  bench::ratio const ratios[] = {
      {"17 steps of the library over those of plain C", "core_cycles", "plain_cycles", 1},
      {"17 jittered retries of the library over those of plain C with doubles", "core_retries", "plain_retries", 0.5}};
  return bench::run_and_compare(argc, argv, ratios);
}
