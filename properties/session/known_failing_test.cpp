// A list of known failures that a run writes excuses the port: with the same seed and with others. At every change two
// ports and seeds; with BACKOFF_PATIENCE all wrong ports whose draws are given, and ten other seeds.
#include "session/known_failing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "judge/patience_test.hpp"
#include "ports/built_in.hpp"
#include "report/report.hpp"
#include "session/intake.hpp"

namespace {

using namespace backoff::conformance;
using namespace backoff::oracle;

constexpr std::uint64_t cases = 1'000;

struct judged_once {
  judged_once(judged_system const& system, subject& port, known_failing known, std::uint64_t seed)
      : taken(std::get<run>(run::begin(system, port.describes(), {})), std::move(known), 0, false) {
    taken.keep_answers();
    auto const probes = mapping_probes(taken.judged(), seed);
    taken.judged().settle_mapping(probes, port.run(probes));
    plan histories(system.shape(), port.describes().takes, cases, seed);
    for (auto some = histories.next(500); !some.empty(); some = histories.next(500)) {
      auto const results = port.run(some);
      for (std::size_t i = 0; i < some.size(); ++i) static_cast<void>(taken.take(some[i], results[i], false));
    }
    taken.judged().settle_blame();
    taken.settle(true);
  }
  [[nodiscard]] report reported() {
    invocation called;
    called.known = taken.known().lines();
    return make_report(taken.judged(), {}, {}, std::move(called));
  }

  intake taken;
};

std::vector<std::string> lines_of(std::string const& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string written(judged_system const& system, subject& port) {
  judged_once first(system, port, {}, 1);
  auto& judged = first.taken.judged();
  std::map<unsigned, tested_region> regions;
  for (auto const& b : judged.breaches()) {
    if (!b.fails) continue;
    auto seen = first.taken.answers()->about(judged, b);
    regions[b.claim] = find_region(judged, port, b.claim, std::move(seen), 1, {});
  }
  return failing_lines(judged, {}, *first.taken.answers(), regions, true);
}

void comes_round(judged_system const& system, built_in const& wrong, std::uint64_t seeds) {
  built_in_subject port(system.shape(), wrong);
  auto const text = written(system, port);
  EXPECT_FALSE(text.empty());
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    judged_once again(system, port, known_failing::parse(system, "written", lines_of(text)), seed);
    auto const r = again.reported();
    EXPECT_EQ(r.ends_with, conforms) << system.shape().stem << " " << wrong.name << " seed " << seed << "\n"
                                     << text << verdict_text(r);
  }
}

TEST(known_failing, what_a_run_writes_excuses_the_port_with_any_seed) {
  for (auto const name : {"not-a-number", "cap-after-jitter"})
    comes_round(*find_judged_system("aws_backoff_algorithm"), *find_built_in("aws_backoff_algorithm", name), 2);
  if (patience() == 1) return;
  for (auto const* system : judged_systems()) {
    for (auto const& wrong : wrong_ports(system->shape().stem)) comes_round(*system, wrong, 11);
  }
}

}  // namespace
