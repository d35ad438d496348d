// Ports of the shelf's policies with one fault each: the diagnosis names the fault, and says nothing of a fault that it
// does not know.
#include "policies/variations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "explain/judged_port_test.hpp"
#include "judge/model_subject.hpp"
#include "policies/drawing_port_test.hpp"
#include "policies/shelf_test.hpp"

namespace backoff::policies {
namespace {

using namespace explain;

constexpr draw_source draws{};

// The policy's first reading under which a draw decides the delay.
spec::cube played(judged_system const& system) {
  auto const& table = system.readings();
  spec::cube const plain{table.admitting(spec::standing::open).bits & spec::exactly_mapped(table).bits};
  return table.simplest(spec::common_cubes(table, system.assignments(draws.kind), {plain}).front());
}

struct told {
  verdict judged;
  std::string name;
};
told diagnosed(judged_system const& right, judged_system const& wrong) {
  model_subject port(wrong, played(right), draws, 1);
  judged_port const judged(right, port, 300);
  auto const probable = judged.diagnosed();
  return {judged.judged.verdict(), probable ? probable->name : ""};
}

told diagnosed_of_hidden_draws(judged_system const& right, judged_system const& wrong) {
  drawing_port port(wrong, played(right), 1);
  judged_port const judged(right, port, 600);
  auto const probable = judged.diagnosed();
  return {judged.judged.verdict(), probable ? probable->name : ""};
}

class each_policy : public testing::TestWithParam<std::string> {};

// What a fault is called does not depend on who draws. Where draws are hidden, it may be told nothing.
TEST_P(each_policy, is_told_the_same_variations_of_hidden_draws) {
  auto const& right = shelf(GetParam());
  if (!right.shows_draws() || right.shape().draws_are_hidden) GTEST_SKIP() << "it draws nothing, or several times";
  auto const all = right.variants();
  constexpr std::size_t tried = 5;
  int faults = 0;
  int told = 0;
  for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(1, all.size() / tried)) {
    auto const given = diagnosed(right, *all[i].system);
    if (given.judged != verdict::does_not_conform || given.name.empty()) continue;
    auto const hidden = diagnosed_of_hidden_draws(right, *all[i].system);
    faults += hidden.judged == verdict::does_not_conform ? 1 : 0;
    told += hidden.name.empty() ? 0 : 1;
    EXPECT_TRUE(hidden.name.empty() || hidden.name == given.name) << all[i].name << ": " << hidden.name;
  }
  EXPECT_GE(told * 3, faults) << told << " of " << faults;
}

// A fault that another one answers alike is told as that one. What no answer shows is no fault. Some are told nothing:
// what is rounded may go either way in doubles, and other readings may explain more of the port.
TEST_P(each_policy, is_told_each_of_its_variations) {
  auto const& right = shelf(GetParam());
  int faults = 0;
  int by_name = 0;
  auto const all = right.variants();
  constexpr std::size_t tried = 40;  // of the rules by turns: there are many
  for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(1, all.size() / tried)) {
    auto const& v = all[i];
    auto const [judged, name] = diagnosed(right, *v.system);
    if (judged != verdict::does_not_conform) continue;
    ++faults;
    by_name += name == v.name ? 1 : 0;
  }
  EXPECT_GE(faults, 5);
  EXPECT_GE(by_name * 5, faults * 3) << by_name << " of " << faults;
}

INSTANTIATE_TEST_SUITE_P(shelf, each_policy, testing::ValuesIn(shelf_names()),
                         [](auto const& tested) { return tested.param; });

// Faults as people make them, written into the text of the policy.
TEST(variations, are_what_ports_of_policies_do) {
  unsigned count = 0;
  for (auto const& [name, from, to, expected] :
       {std::array{"aws_blog_full_jitter", "base * 2^n", "base * 2^(n + 1)", "count-ahead"},
        std::array{"grpc_connection_backoff", "initial * multiplier^n", "initial * multiplier^max(0, n - 1)",
                   "count-behind"},
        std::array{"aws_blog_full_jitter", "min(cap, base * 2^n)", "base * 2^n", "never-caps"},
        std::array{"kafka_reconnect_backoff", "real: uniform(0.8 * window, 1.2 * window)",
                   "real: min(reconnect_backoff_max_ms, uniform(0.8 * window, 1.2 * window))", "caps-twice"},
        std::array{"google_cloud_truncated", "whole: min(1000 * 2^n + integer(0, 1000), maximum_backoff)",
                   "whole: min(1000 * 2^n, maximum_backoff) + integer(0, 1000)", "caps-before-the-draw"},
        std::array{"aws_blog_equal_jitter", "window / 2 + uniform(0, window / 2)", "window", "no-jitter"},
        std::array{"kafka_reconnect_backoff", "real: uniform(0.8 * window, 1.2 * window)",
                   "real: uniform(window, 1.2 * window)", "upper-half"},
        std::array{"aws_blog_equal_jitter", "window / 2 + uniform(0, window / 2)",
                   "if(window == cap, window, window / 2 + uniform(0, window / 2))", "no-jitter-at-the-cap"},
        std::array{"temporal_retry_policy", "initial_interval * backoff_coefficient^n",
                   "initial_interval * floor(backoff_coefficient)^n", "truncated-backoff_coefficient"},
        std::array{"temporal_retry_policy", "attempts: maximum_retries", "attempts: maximum_retries\nfirst: 0",
                   "first-at-once"},
        std::array{"temporal_retry_policy", "initial_interval * backoff_coefficient^n", "initial_interval * (n + 1)",
                   "linear"},
        std::array{"tcp_rto_backoff", "rto * 2^(n + 1)", "rto^(n + 1)", "power-of-base"},
        std::array{"aws_sdk_standard_retry", "max_attempts - 1", "max_attempts", "one-attempt-too-many"},
        std::array{"aws_sdk_standard_retry", "max_attempts - 1", "max_attempts - 2", "one-attempt-too-few"},
        std::array{"urllib3_retry", "first: 0", "first: min(backoff_max, backoff_factor + uniform(0, backoff_jitter))",
                   "first-as-the-others"},
        std::array{"aws_blog_equal_jitter", "min(cap, base * 2^n)", "base * 2^n", "never-caps"},
        std::array{"aws_blog_equal_jitter", "min(cap, base * 2^n)", "min(cap, base * min(2^n, 32))", "stops-counting"},
        std::array{"aws_blog_equal_jitter", "window / 2 + uniform(0, window / 2)", "uniform(0, window)", "full-jitter"},
        std::array{"aws_blog_equal_jitter", "uniform(0, window / 2)", "uniform(0, window)", "width"},
        std::array{"google_cloud_truncated", "integer(0, 1000)", "integer(0, 999)", "end-off"},
        std::array{"google_cloud_truncated", "integer(0, 1000)", "integer(0, 100)", "width"},
        std::array{"temporal_retry_policy", "delay: min(maximum_interval, initial_interval * backoff_coefficient^n)",
                   "delay: floor(min(maximum_interval, initial_interval * backoff_coefficient^n))", "rounded"},
        std::array{"temporal_retry_policy", "backoff_coefficient^n", "2^n", "doubles"},
        std::array{"temporal_retry_policy", "backoff_coefficient^n", "(1 + (backoff_coefficient - 1) * n)", "linear"},
        std::array{"temporal_retry_policy", "min(maximum_interval", "min(maximum_interval * 1000",
                   "unit-of-maximum_interval"},
        std::array{"urllib3_retry", "min(backoff_max", "min(120", "ignored-backoff_max"},
        std::array{"urllib3_retry", "uniform(0, backoff_jitter)", "uniform(0, 0)", "no-jitter-at-all"},
        std::array{"aws_blog_decorrelated_jitter", "prev * 3)", "prev * 2)", "other-factor"},
        std::array{"aws_blog_decorrelated_jitter", "uniform(base, prev", "uniform(prev, prev", "draws-from-prev"},
        std::array{"aws_blog_full_jitter", "base * 2^n", "base * 2^n + 1", ""},
        std::array{"aws_blog_decorrelated_jitter", "prev * 3)", "prev * 2.99)", ""}}) {
    auto text = shelf_text(name);
    auto const other = "faulty_" + std::to_string(++count);
    auto const replace = [&](std::string const& old, std::string const& by) {
      auto const at = text.find(old);
      ASSERT_NE(at, std::string::npos) << old;
      text.replace(at, old.size(), by);
    };
    replace("\nname: " + std::string(name), "\nname: " + other);
    replace(from, to);
    auto const& right = shelf(name);
    auto const [judged, found] = diagnosed(right, known(other, text));
    EXPECT_EQ(judged, verdict::does_not_conform) << name << ": " << to;
    EXPECT_EQ(found, expected) << name << ": " << to;
  }
}

// Where a larger draw makes the delay shorter, the words for its ends change places.
TEST(variations, of_a_draw_that_is_subtracted_have_their_own_words) {
  for (auto const& [delay, high, one_side] :
       {std::array{"window + uniform(0, 0.3 * window)", "longest", "subtracts the random part instead of adding it"},
        std::array{"window - uniform(0, 0.3 * window)", "shortest", "adds the random part instead of subtracting it"},
        std::array{"window - (window - uniform(0, window))", "longest",
                   "subtracts the random part instead of adding it"}}) {
    auto const all = variations_of(
        read_policy("p", std::string("name: p\nunit: ms\nparameters:\n  base: {default: 1, range: [1, 9]}\n"
                                     "window: base * 2^n\ndelay: ") +
                             delay));
    auto const says = [&](std::string const& name) {
      auto const at = std::ranges::find(all, name, &variation::name);
      return at == all.end() ? std::string() : at->sentence;
    };
    EXPECT_EQ(says("no-jitter"), std::string("does not draw: it always waits the ") + high + " delay") << delay;
    EXPECT_EQ(says("one-side"), one_side) << delay;
  }
}

}  // namespace
}  // namespace backoff::policies
