// What a verdict says of a port outside the regions in which its findings break.
#include "explain/outside.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "judge/plan.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::explain;
using namespace backoff::ports;

constexpr std::uint64_t seed = 1;

judged_system const& full_jitter() { return *find_judged_system("aws_backoff_algorithm"); }

constraint parsed(std::string_view text) { return parse_constraint(full_jitter().shape(), text); }

// Of the wrong port whose delays wrap where they do not fit 31 bits; `seen`: histories of the run that are known.
outside tried(std::string_view region, std::size_t seen = 0) {
  auto const& system = full_jitter();
  auto const ports = wrong_ports(system.shape().stem);
  auto const wraps = std::ranges::find(ports, "timer-wraps", &built_in::name);
  built_in_subject port(system.shape(), *wraps);
  auto const judged = std::get<run>(run::begin(system, port.describes(), {}));
  std::vector<evidence> known;
  plan histories(system.shape(), judged.about().takes, seen, seed);
  for (auto const& h : histories.next(seen)) known.push_back({known.size(), h, port.run({&h, 1}).front()});
  return try_outside(judged, port, {{parsed(region)}}, known, seed, {});
}

TEST(outside, is_tried_on_histories_of_another_seed) {
  auto const found = tried("max_ms>2147483647");
  EXPECT_GE(found.tried, outside::most);
  EXPECT_LE(found.tried, outside::most + 64);
  EXPECT_TRUE(found.conforms()) << found.held << " of " << found.tried;
}

TEST(outside, does_not_conform_where_the_region_is_too_small) {
  auto const found = tried("max_ms>4000000000");
  EXPECT_LT(found.held, found.tried);
  EXPECT_FALSE(found.conforms());
}

TEST(outside, is_not_tried_where_a_history_of_the_run_breaks_there) {
  EXPECT_EQ(tried("max_ms>4000000000", 300).tried, 1U);
  EXPECT_TRUE(tried("max_ms>2147483647", 300).conforms()) << "all that break lie in that region";
}

TEST(outside, is_not_said_of_few_histories) {
  outside const few{{{parsed("max_ms>3")}}, outside::least - 1, outside::least - 1};
  EXPECT_FALSE(few.conforms());
}

TEST(outside, is_written_as_the_opposite_of_its_regions) {
  auto const words = [](std::vector<std::vector<constraint>> regions) {
    return to_words(full_jitter().shape(), documented_domain(full_jitter().shape(), {}), {std::move(regions)});
  };
  EXPECT_EQ(words({{parsed("max_ms>3")}}), "max_ms <= 3");
  EXPECT_EQ(words({{parsed("max_ms%2=1")}}), "max_ms even");
  EXPECT_EQ(words({{parsed("max_attempts=forever")}}), "max_attempts != forever");
  EXPECT_EQ(words({{parsed("max_ms>3")}, {parsed("max_ms>3")}}), "max_ms <= 3");
  EXPECT_EQ(words({{parsed("max_ms>3")}, {parsed("calls>=40")}}), "max_ms <= 3 and calls < 40");
  EXPECT_EQ(words({{parsed("max_ms>3"), parsed("calls>=40")}}), "not (max_ms > 3 and calls >= 40)");
  EXPECT_EQ(words({{parsed("draw=7")}}), "no call has draw = 7");
}

}  // namespace
