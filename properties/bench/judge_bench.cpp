// How fast histories of five steps are generated, answered by the library, judged and decoded, on one core in one
// process.
#include <bit>

#include "histories/decode.hpp"
#include "histories/generate.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"
#include "ratios.hpp"

namespace {

using namespace backoff::bench;
using namespace backoff::ports;

constexpr std::size_t steps = 5;
constexpr std::size_t cycled = 4'096;  // prepared histories, taken in turns; a power of two

// The library, and a run that has settled which readings it follows.
struct bench_set {
  judged_system const& system = *find_judged_system("aws_backoff_algorithm");
  built_in const& port = *find_built_in("aws_backoff_algorithm", "library");
  built_in_subject subject{system.shape(), port};
  domain const& takes = subject.describes().takes;
  run judged = std::get<run>(run::begin(system, subject.describes(), {}));
  std::vector<history> histories = std::vector<history>(cycled);
  std::vector<result> results;
  std::vector<std::vector<std::uint8_t>> encoded;

  bench_set() {
    drive(judged, subject, 10'000, 1);
    for (std::size_t i = 0; i < cycled; ++i) generate_five(histories[i], i);
    results = subject.run(histories);
    for (auto const& h : histories) encoded.push_back(encode(system.shape(), takes, h));
  }
  void generate_five(history& h, std::uint64_t index) const {
    random_bits random(1, index);
    generate(h, system.shape(), takes, random, steps);
  }
};

bench_set& prepared() {
  static bench_set set;
  return set;
}

void generating(benchmark::State& state) {
  auto const& set = prepared();
  history h;
  std::uint64_t i = 0;
  for (auto _ : state) {
    set.generate_five(h, i++);
    benchmark::DoNotOptimize(h);
  }
}

void answering(benchmark::State& state) {
  auto const& set = prepared();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(set.port.run(set.histories[i++ % cycled]));
}

void judging(benchmark::State& state) {
  auto& set = prepared();
  std::size_t i = 0;
  for (auto _ : state) {
    set.judged.judge(set.histories[i % cycled], set.results[i % cycled]);
    ++i;
  }
}

// All of it: what judging a library in this process costs.
void generating_answering_judging(benchmark::State& state) {
  auto& set = prepared();
  history h;
  result r;
  std::uint64_t i = 0;
  for (auto _ : state) {
    set.generate_five(h, i++);
    r.answers = set.port.run(h);
    set.judged.judge(h, r);
  }
}

// A fuzz target's body without the library and the claims, and with them: fuzz/library_target.cpp.
void decoding(benchmark::State& state) {
  auto const& set = prepared();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(decode(set.system.shape(), set.takes, set.encoded[i++ % cycled]));
}

void fuzzing(benchmark::State& state) {
  auto const& set = prepared();
  examiner examines(set.system);
  auto const canonical = set.system.readings().admitting(backoff::spec::standing::canonical);
  std::size_t i = 0;
  for (auto _ : state) {
    auto const h = decode(set.system.shape(), set.takes, set.encoded[i++ % cycled]);
    auto const answers = set.port.run(h);
    benchmark::DoNotOptimize(examines.broken_claims(h, answers, set.takes.draws, canonical).broken);
  }
}

BENCHMARK(generating);
BENCHMARK(answering);
BENCHMARK(judging);
BENCHMARK(generating_answering_judging);
BENCHMARK(decoding);
BENCHMARK(fuzzing);

}  // namespace

int main(int argc, char** argv) {
  backoff::bench::ratio const ratios[] = {
      {"ns to generate a history of 5 steps, answer it by the library and judge it", "generating_answering_judging", "",
       600},
      {"a fuzz target's body over decoding alone", "fuzzing", "decoding", 2},
  };
  return backoff::bench::run_and_compare(argc, argv, ratios);
}
