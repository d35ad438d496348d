// The shelf's policies, played as ports: each conforms to itself under every one of its readings, with every kind of
// draw, and does not conform to what it is after one small change of its formulas.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "judge/model_subject.hpp"
#include "judge/plan.hpp"
#include "policy/declare.hpp"

namespace backoff::declared {
namespace {

using namespace conformance;

std::string shelf_text(std::string const& name) {
  std::ifstream file(std::string(BACKOFF_SHELF "/") + name + ".yaml");
  return {std::istreambuf_iterator<char>(file), {}};
}

judged_system const& known(std::string const& name, std::string const& text) {
  auto const* system = find_judged_system(name);
  return system != nullptr ? *system : declare(read_policy(name, text), "1");
}

judged_system const& shelf(std::string const& name) { return known(name, shelf_text(name)); }

// The same policy with one word of it changed, under another name.
judged_system const& changed(std::string const& name, std::string const& from, std::string const& to) {
  static unsigned count = 0;
  auto text = shelf_text(name);
  auto const other = "changed_" + std::to_string(++count);
  auto const replace = [&](std::string const& old, std::string const& by) {
    auto const at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    text.replace(at, old.size(), by);
  };
  replace("\nname: " + name, "\nname: " + other);
  replace(from, to);
  return known(other, text);
}

verdict verdict_on(judged_system const& system, subject& port, std::uint64_t cases) {
  auto begun = run::begin(system, port.describes(), {});
  auto& judged = std::get<run>(begun);
  drive(judged, port, cases, 1);
  return judged.verdict();
}

constexpr std::array<draw_source, 3> sources{draw_source{spec::draw::kind::u32, std::uint64_t{1} << 32},
                                             draw_source{spec::draw::kind::unit, std::uint64_t{1} << 32},
                                             draw_source{spec::draw::kind::hidden, 1}};

class policies : public testing::TestWithParam<char const*> {};

TEST_P(policies, conform_to_themselves_under_each_reading) {
  auto const& system = shelf(GetParam());
  for (auto const& draws : sources) {
    bool const hidden = draws.is == spec::draw::kind::hidden;
    // A model plays hidden draws evenly over what is possible, which a bound that cuts them makes wrong.
    auto const is = [](char const* name) { return std::string_view(GetParam()) == name; };
    bool const evenly = is("aws_blog_full_jitter") || is("aws_blog_equal_jitter");
    if (hidden && !evenly) continue;
    auto const& table = system.readings();
    for (auto const cube : system.assignments(draws.is)) {
      auto const admitted = table.common(cube, table.admitting(spec::standing::open));
      ASSERT_TRUE(admitted);
      auto const played = table.simplest(*admitted);
      auto const mapping = table.find("draw-mapping");
      // A port that maps draws in a way of its own is judged as if they were hidden.
      bool const other = !hidden && mapping && (played.bits & table.bit(*mapping, *table.find(*mapping, "other"))) != 0;
      if (other) continue;
      model_subject port(system, played, draws, 1);
      EXPECT_EQ(verdict_on(system, port, hidden ? 2'000 : 300), verdict::conforms) << static_cast<int>(draws.is);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(shelf, policies,
                         testing::Values("aws_blog_full_jitter", "aws_blog_equal_jitter",
                                         "aws_blog_decorrelated_jitter", "grpc_connection_backoff",
                                         "google_cloud_truncated", "kubernetes_crash_loop", "temporal_retry_policy",
                                         "kafka_reconnect_backoff", "tcp_rto_backoff", "urllib3_retry",
                                         "aws_sdk_standard_retry", "opentelemetry_collector_exporter"),
                         [](auto const& tested) { return std::string(tested.param); });

TEST(policies, do_not_conform_to_what_differs_in_one_place) {
  for (auto const& [name, from, to] :
       {std::array{"aws_blog_full_jitter", "base * 2^n", "base * 2^n + 1"},
        std::array{"aws_blog_full_jitter", "min(cap, base * 2^n)", "min(cap, base * 3^n)"},
        std::array{"aws_blog_equal_jitter", "window / 2 + uniform", "window / 3 + uniform"},
        std::array{"aws_blog_equal_jitter", "uniform(0, window / 2)", "uniform(0, window / 3)"},
        std::array{"aws_blog_decorrelated_jitter", "prev * 3)", "prev * 2.99)"},
        std::array{"aws_blog_decorrelated_jitter", "prev: base", "prev: base + 1"},
        std::array{"grpc_connection_backoff", "multiplier^n", "multiplier^(n + 1)"},
        std::array{"grpc_connection_backoff", "(1 + jitter)", "(1 + jitter / 2)"},
        std::array{"google_cloud_truncated", "integer(0, 1000)", "integer(0, 999)"},
        std::array{"kubernetes_crash_loop", "min(300", "min(301"},
        std::array{"temporal_retry_policy", "attempts: maximum_retries", "attempts: maximum_retries\nfirst: 1"},
        std::array{"kafka_reconnect_backoff", "reconnect_backoff_ms * 2^n", "reconnect_backoff_ms * 2^min(n, 10)"},
        std::array{"tcp_rto_backoff", "n + 1", "n"}, std::array{"urllib3_retry", "first: 0", "first: 0.001"},
        std::array{"aws_sdk_standard_retry", "max_attempts - 1", "max_attempts"},
        std::array{"aws_sdk_standard_retry", "from-0: min(max_backoff, uniform(0, 1)",
                   "from-0: min(max_backoff, uniform(0, 0.9)"},
        std::array{"opentelemetry_collector_exporter", "initial_interval * multiplier^n",
                   "initial_interval * multiplier^(n + 1)"}}) {
    SCOPED_TRACE(std::string(name) + ": " + to);
    auto const& right = shelf(name);
    auto const& wrong = changed(name, from, to);
    auto const source = sources[1];
    auto const& table = wrong.readings();
    auto const possible = wrong.assignments(source.is);
    model_subject port(wrong, table.simplest(possible.front()), source, 1);
    EXPECT_EQ(verdict_on(right, port, 1'000), verdict::does_not_conform);
  }
}

}  // namespace
}  // namespace backoff::declared
