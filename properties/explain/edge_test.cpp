// Fresh histories lie on both sides of a region, and close to its edge.
#include "explain/edge.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/generate.hpp"
#include "histories/systems.hpp"

namespace {

using namespace backoff::explain;

TEST(edge, fresh_histories_lie_on_both_sides_and_reach_the_edge) {
  struct row {
    std::string_view stem, edge;
    std::int64_t first_outside;
  };
  for (auto const& [stem, edge, first_outside] :
       std::initializer_list<row>{{"aws_backoff_algorithm", "base_ms>65535", 65'535},
                                  {"aws_backoff_algorithm", "max_ms<100", 100},
                                  {"aws_backoff_algorithm", "calls>9", 9},
                                  {"aws_backoff_algorithm", "attempts>9", 9},
                                  {"aws_backoff_algorithm", "base_ms*2^(attempts-1)>1000", 1'000},
                                  {"aws_backoff_algorithm", "base_ms*max_ms>10", 10},
                                  {"aws_backoff_algorithm", "calls.reset>0", 0},
                                  {"aws_backoff_algorithm", "instances>1", 1},
                                  {"aws_backoff_algorithm", "draw>100", 100},
                                  {"aws_step_functions", "backoff_rate<2", 2'000},
                                  {"aws_prescriptive_sample", "http_status>499", 499}}) {
    auto const& s = *find_shape(stem);
    auto takes = documented_domain(s, {});
    takes.features = s.features;
    auto const c = parse_constraint(s, edge);
    examples seen(s, takes);
    for (std::uint64_t i = 0; i < 200; ++i) {
      random_bits random(3, i);
      auto h = generate(s, takes, random);
      bool const broke = matches(s, c, h);
      seen.add(std::move(h), broke);
    }
    region const r{{c}, {first_outside}};
    random_bits random(5);
    std::size_t inside = 0;
    std::size_t last = 0;
    std::size_t first = 0;
    for (int i = 0; i < 2'000; ++i) {
      auto const h = near_edge(seen, r, random);
      inside += static_cast<std::size_t>(matches(s, c, h));
      auto const values = values_of(s, h, c.left);
      bool const above = c.op == constraint::relation::above;
      auto const is = [&](std::int64_t n) {
        return std::ranges::any_of(values, [&](value const& v) { return is_number(v) && v.n == n; });
      };
      first += static_cast<std::size_t>(is(first_outside));
      last += static_cast<std::size_t>(is(above ? first_outside + 1 : first_outside - 1));
    }
    EXPECT_GT(inside, 300U) << edge;
    EXPECT_LT(inside, 1'900U) << edge;
    EXPECT_GT(first, 3U) << edge;
    EXPECT_GT(last, 3U) << edge;
  }
}

TEST(edge, two_parameters_are_set_beside_each_other_and_words_are_changed) {
  auto const& s = *find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(s, {});
  for (auto const edge : {"base_ms>max_ms", "base_ms*2^(attempts-1)>max_ms", "max_attempts=forever"}) {
    auto const c = parse_constraint(s, edge);
    examples seen(s, takes);
    for (std::uint64_t i = 0; i < 200; ++i) {
      random_bits random(3, i);
      auto h = generate(s, takes, random);
      bool const broke = matches(s, c, h);
      seen.add(std::move(h), broke);
    }
    random_bits random(5);
    std::size_t beside = 0;
    std::size_t inside = 0;
    for (int i = 0; i < 2'000; ++i) {
      auto const h = near_edge(seen, {{c}, {{}}}, random);
      inside += static_cast<std::size_t>(matches(s, c, h));
      auto const left = values_of(s, h, c.left).front();
      auto const right = value_of(s, h, c.param.value_or(0));
      beside += static_cast<std::size_t>(is_number(left) && is_number(right) && std::abs(left.n - right.n) < 2);
    }
    EXPECT_GT(inside, 300U) << edge;
    EXPECT_LT(inside, 1'700U) << edge;
    if (c.param) {
      EXPECT_GT(beside, 200U) << edge;
    }
  }
}

TEST(edge, the_same_stream_gives_the_same_histories) {
  auto const& s = *find_shape("azure_c_retry_control");
  auto takes = documented_domain(s, {});
  takes.features = s.features;
  examples seen(s, takes);
  for (std::uint64_t i = 0; i < 20; ++i) {
    random_bits random(3, i);
    seen.add(generate(s, takes, random), i % 2 == 0);
  }
  random_bits one(9);
  random_bits other(9);
  for (int i = 0; i < 200; ++i) {
    auto const h = near_edge(seen, {}, one);
    EXPECT_EQ(h, near_edge(seen, {}, other));
    EXPECT_TRUE(allowed(s, h));
  }
}

}  // namespace
