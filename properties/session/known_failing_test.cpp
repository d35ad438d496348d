// A list of known failures that a run writes excuses the port: with the same seed and with others. At every change two
// ports and seeds; with BACKOFF_PATIENCE all wrong ports whose draws are given, and ten other seeds.
#include "session/known_failing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "judge/effort_test.hpp"
#include "ports/built_in.hpp"
#include "reports/report.hpp"
#include "reports/text.hpp"
#include "session/exit_codes.hpp"
#include "session/result_feed.hpp"

namespace {

using namespace backoff::reports;
using namespace backoff::ports;

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
      for (std::size_t i = 0; i < some.size(); ++i) static_cast<void>(taken.take(some[i], results[i]));
    }
    taken.judged().settle_blame();
    taken.settle(true);
  }
  [[nodiscard]] report reported() {
    invocation called;
    called.known = taken.known().lines();
    return make_report(taken.judged(), {}, {}, std::move(called));
  }

  result_feed taken;
};

void add_to(failing_list& list, judged_once& seen, subject& port) {
  auto& judged = seen.taken.judged();
  std::map<unsigned, std::vector<tested_region>> regions;
  for (auto const& b : judged.breaches()) {
    if (b.fails && !failing_list::is_rare(b))
      regions[b.claim] = find_regions(judged, port, b.claim, seen.taken.answers()->about(judged, b), 1, {});
  }
  static_cast<void>(list.add(judged, *seen.taken.answers(), regions));
}

// As `check` writes it: with the seeds that follow.
failing_list written(judged_system const& system, subject& port, std::uint64_t seeds) {
  failing_list list({}, true);
  judged_once first(system, port, {}, 1);
  add_to(list, first, port);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    judged_once again(system, port, known_failing::parse(system, "written", list.lines()), seed);
    static_cast<void>(list.note(again.taken.known()));
    add_to(list, again, port);
  }
  return list;
}

void comes_round(judged_system const& system, built_in const& wrong, std::uint64_t seeds) {
  built_in_subject port(system.shape(), wrong);
  auto const lines = written(system, port, seeds).lines();
  EXPECT_FALSE(lines.empty());
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    judged_once again(system, port, known_failing::parse(system, "written", lines), seed);
    auto const r = again.reported();
    bool const leaves_nothing =
        std::ranges::any_of(lines, [](auto const& l) { return l.find(" sometimes # what is known") != l.npos; });
    EXPECT_EQ(r.ends_with, leaves_nothing ? inconclusive : conforms)
        << system.shape().stem << " " << wrong.name << " seed " << seed << "\n"
        << fmt::format("{}", fmt::join(lines, "\n")) << verdict_text(r);
  }
}

TEST(known_failing, what_a_run_writes_excuses_the_port_with_any_seed) {
  for (auto const name : {"not-a-number", "cap-after-jitter", "negative-beyond-i32"})
    comes_round(*find_judged_system("aws_backoff_algorithm"), *find_built_in("aws_backoff_algorithm", name), 2);
  if (effort_multiplier() == 1) return;
  for (auto const* system : judged_systems()) {
    for (auto const& wrong : wrong_ports(system->shape().stem)) comes_round(*system, wrong, 3);
  }
}

judged_system const& algorithm() { return *find_judged_system("aws_backoff_algorithm"); }

// What a fault breaks in passing is listed where the fault is, and need not fail in each run.
TEST(known_failing, a_claim_that_is_rarely_broken_takes_the_region_of_one_that_covers_it) {
  built_in_subject port(algorithm().shape(), *find_built_in("aws_backoff_algorithm", "negative-beyond-i32"));
  auto const lines = written(algorithm(), port, 2).lines();
  auto const rare = std::ranges::find_if(lines, [](auto const& l) { return l.starts_with("window_doubles"); });
  ASSERT_NE(rare, lines.end());
  EXPECT_TRUE(rare->starts_with("window_doubles_with_each_retry max_ms>2147483647 sometimes # ")) << *rare;
  EXPECT_EQ(std::ranges::count_if(lines, [](auto const& l) { return l.find(" * ") != l.npos; }), 0);
}

// It excuses nothing outside: a port with another fault still fails.
TEST(known_failing, the_list_of_one_fault_does_not_excuse_another) {
  built_in_subject late(algorithm().shape(), *find_built_in("aws_backoff_algorithm", "negative-beyond-i32"));
  auto const known = known_failing::parse(algorithm(), "written", written(algorithm(), late, 2).lines());
  for (auto const name : {"cap-ignored", "no-jitter", "linear", "mixed-growth"}) {
    built_in_subject other(algorithm().shape(), *find_built_in("aws_backoff_algorithm", name));
    EXPECT_EQ(judged_once(algorithm(), other, known, 1).reported().ends_with, does_not_conform) << name;
  }
}

TEST(known_failing, only_a_line_that_says_so_may_fail_sometimes) {
  built_in_subject right(algorithm().shape(), *find_built_in("aws_backoff_algorithm", "library"));
  auto const ended = [&](std::string const& line) {
    return judged_once(algorithm(), right, known_failing::parse(algorithm(), "list", {line}), 1).reported().ends_with;
  };
  EXPECT_EQ(ended("no_call_fails * # 7"), does_not_conform);
  EXPECT_EQ(ended("no_call_fails * sometimes # 7"), conforms);
  EXPECT_THROW(ended("no_call_fails * sometimes"), usage_error);
  EXPECT_THROW(ended("no_call_fails * never # 7"), usage_error);
}

TEST(known_failing, histories_that_break_the_port_are_held_back_unless_they_are_all) {
  history h;
  h.params = {value::of(7), value::of(9), value::of(3)};
  auto known = known_failing::parse(algorithm(), "list", {"no_history_breaks_the_port base_ms=7 # 7"});
  EXPECT_TRUE(known.holds_back(h));
  EXPECT_FALSE(known.may_break_anywhere());
  EXPECT_EQ(known.excused(h), 0U);
  EXPECT_FALSE(known.lines().front().seen());
  EXPECT_TRUE(known.note_break(h));
  EXPECT_TRUE(known.lines().front().seen());
  h.params[0] = value::of(8);
  EXPECT_FALSE(known.holds_back(h));
  EXPECT_FALSE(known.note_break(h));
  auto everywhere = known_failing::parse(algorithm(), "list", {"no_history_breaks_the_port * # 7"});
  EXPECT_TRUE(everywhere.may_break_anywhere());
  EXPECT_FALSE(everywhere.holds_back(h));
  EXPECT_TRUE(everywhere.note_break(h));
}

}  // namespace
