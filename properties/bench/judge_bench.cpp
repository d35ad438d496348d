// How fast histories of five steps are generated, answered by the library, judged and decoded, on one core in one
// process. Then how long a policy takes to judge the answers of the library to the histories that a run tries, beside
// the document that says the same.
#include <bit>
#include <memory>

#include "histories/decode.hpp"
#include "histories/generate.hpp"
#include "judge/plan.hpp"
#include "policies/restated_test.hpp"
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

// NOLINTBEGIN(clang-analyzer-deadcode.DeadStores): Google Benchmark counts rounds with a variable that is not read

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

// Both runs have the answers of the library to the same histories.
struct judged_pair {
  backoff::policies::judged_both_ways both;
  std::vector<result> documented = both.as_documented.run(both.documented_histories);
  std::vector<result> declared = both.as_declared.run(both.stated_histories);

  explicit judged_pair(backoff::policies::restated const& r) : both(r, library_ports(r.stem).front(), 1'000) {}
};

void judge_all(benchmark::State& state, run& by, std::span<history const> histories, std::span<result const> results) {
  for (auto _ : state) {
    for (std::size_t i = 0; i < histories.size(); ++i) by.judge(histories[i], results[i]);
  }
}

// NOLINTEND(clang-analyzer-deadcode.DeadStores)

ratio ratio_of(judged_pair& pair) {
  auto const stem = std::string(pair.both.document.shape().stem);
  auto const by_document = stem + "/document";
  auto const by_policy = stem + "/policy";
  benchmark::RegisterBenchmark(by_document.c_str(), [&](benchmark::State& state) {
    judge_all(state, pair.both.by_document, pair.both.documented_histories, pair.documented);
  });
  benchmark::RegisterBenchmark(by_policy.c_str(), [&](benchmark::State& state) {
    judge_all(state, pair.both.by_policy, pair.both.stated_histories, pair.declared);
  });
  return {"judging by a policy over judging by its document, " + stem, by_policy, by_document, 2};
}

BENCHMARK(generating);
BENCHMARK(answering);
BENCHMARK(judging);
BENCHMARK(generating_answering_judging);
BENCHMARK(decoding);
BENCHMARK(fuzzing);

}  // namespace

int main(int argc, char** argv) {
  using namespace backoff::policies;
  std::vector<backoff::bench::ratio> ratios{
      {"ns to generate a history of 5 steps, answer it by the library and judge it", "generating_answering_judging", "",
       600},
      {"a fuzz target's body over decoding alone", "fuzzing", "decoding", 2},
  };
  // Whole draws, a factor that is a fraction, real draws between fractions, and no draw.
  std::vector<std::unique_ptr<judged_pair>> pairs;
  for (auto const* r : {&full_jitter_again, &step_functions_again, &retry_policy_again, &sample_again})
    ratios.push_back(ratio_of(*pairs.emplace_back(std::make_unique<judged_pair>(*r))));
  return backoff::bench::run_and_compare(argc, argv, ratios);
}
