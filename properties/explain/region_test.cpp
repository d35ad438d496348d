// Regions that are learnt from histories of the plan in which known faults are planted.
#include "explain/region.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/generate.hpp"
#include "histories/present.hpp"
#include "histories/systems.hpp"

namespace {

using namespace backoff::explain;

std::string text_of(shape const& s, region const& r) {
  std::string text;
  for (auto const& c : r.where) text += (text.empty() ? "" : ",") + to_text(s, c);
  return text;
}

std::vector<constraint> parsed(shape const& s, std::string_view fault) {
  std::vector<constraint> all;
  for (std::size_t from = 0; from != std::string_view::npos;) {
    auto const comma = fault.find(',', from);
    all.push_back(parse_constraint(s, fault.substr(from, comma - from)));
    from = comma == std::string_view::npos ? comma : comma + 1;
  }
  return all;
}

// Of faults that break a claim exactly there; one history in `spared` holds all the same, as by chance.
examples seen_with(shape const& s, domain const& takes, std::vector<std::string_view> const& faults,
                   std::uint64_t spared = 0) {
  std::vector<std::vector<constraint>> regions;
  regions.reserve(faults.size());
  for (auto const fault : faults) regions.push_back(parsed(s, fault));
  examples seen(s, takes);
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    random_bits random(7, i);
    auto h = generate(s, takes, random);
    bool const inside = std::ranges::any_of(regions, [&](auto const& where) { return matches(s, where, h); });
    bool const broke = inside && (spared == 0 || !random.one_in(spared));
    seen.add(std::move(h), broke);
  }
  return seen;
}

// Where a fault is that breaks a claim exactly there.
region learnt(shape const& s, domain const& takes, std::string_view fault) {
  return learn(seen_with(s, takes, {fault}));
}

TEST(region, a_fault_in_a_region_is_learnt_as_that_region) {
  for (auto const& [stem, fault] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"aws_backoff_algorithm", "base_ms=0"},
           {"aws_backoff_algorithm", "base_ms>max_ms"},
           {"aws_backoff_algorithm", "base_ms=max_ms"},
           {"aws_backoff_algorithm", "max_ms%2=1"},
           {"aws_backoff_algorithm", "max_attempts=forever"},
           {"aws_backoff_algorithm", "max_attempts!=forever"},
           {"aws_backoff_algorithm", "calls.reset>0"},
           {"aws_backoff_algorithm", "draw=0"},
           {"aws_backoff_algorithm", "draw=4294967295"},
           {"aws_backoff_algorithm", "base_ms*2^(attempts-1)>max_ms"},
           {"aws_backoff_algorithm", "base_ms=0,max_ms%2=1"},
           {"aws_prescriptive_sample", "http_status=429"},
           {"azure_java_retry_policy", "policy=no_retry"},
           {"azure_java_retry_policy", "retryable=true,policy=no_retry"}}) {
    auto const& s = *find_shape(stem);
    auto const takes = documented_domain(s, {});
    auto const r = learnt(s, takes, fault);
    std::string swapped;  // two constraints may stand in the other order
    if (r.where.size() == 2) swapped = to_text(s, r.where[1]) + "," + to_text(s, r.where[0]);
    auto const text = text_of(s, r);
    EXPECT_TRUE(text == fault || swapped == fault) << stem << " " << fault << ": learnt " << text;
  }
}

// A history that broke is known up to that call, where the attempts equal the limit: longer ones break there too.
TEST(region, what_only_grows_has_lower_bounds_alone) {
  auto const& s = *find_shape("aws_backoff_algorithm");
  auto takes = documented_domain(s, {});
  takes.operations = 1;  // no resets
  constexpr std::size_t limit = 2;
  examples seen(s, takes);
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    random_bits random(7, i);
    auto h = generate(s, takes, random);
    for (auto& call : h.steps) call.on = 0;
    auto const& n = h.params[limit];
    bool const broke = n.kind == value_kind::integer && n.n > 0 && h.steps.size() >= static_cast<std::size_t>(n.n);
    if (broke) h.steps.resize(static_cast<std::size_t>(n.n));
    seen.add(std::move(h), broke);
  }
  auto const text = text_of(s, learn(seen));
  EXPECT_NE(text.find("attempts>=max_attempts"), text.npos) << text;
  EXPECT_EQ(text.find("attempts=max_attempts"), text.npos) << text;
}

TEST(region, several_faults_are_learnt_as_a_region_each) {
  for (auto const& [stem, faults] : std::initializer_list<std::pair<std::string_view, std::vector<std::string_view>>>{
           {"aws_backoff_algorithm", {"base_ms>max_ms", "attempts>9"}},
           {"aws_backoff_algorithm", {"base_ms=0", "max_attempts=forever"}},
           {"aws_backoff_algorithm", {"max_ms<100", "calls.reset>0"}},
           {"aws_backoff_algorithm", {"max_ms%2=1", "instances>1"}},
           {"aws_retry_utils", {"max_backoff_s=0", "calls.reset>2"}}}) {
    auto const& s = *find_shape(stem);
    auto takes = documented_domain(s, {});
    takes.features = s.features;
    for (auto const spared : {0U, 40U}) {
      std::vector<std::string> texts;
      for (auto const& r : learn_parts(seen_with(s, takes, faults, spared))) texts.push_back(text_of(s, r));
      std::ranges::sort(texts);
      ASSERT_EQ(texts.size(), 2U) << stem << " " << faults[0] << ", " << faults[1] << ", " << spared << ": "
                                  << texts[0];
      for (auto const fault : faults) {
        auto const of = fault.substr(0, fault.find_first_of("<>=") + 1);
        EXPECT_TRUE(std::ranges::any_of(texts, [&](auto const& t) { return t.starts_with(of); }))
            << fault << ": learnt " << texts[0] << " and " << texts[1];
      }
    }
  }
}

// One that no region tells, and one of which draws spare a part: what is pure of it is no fault of its own.
TEST(region, one_fault_is_one_region) {
  auto const& s = *find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(s, {});
  for (auto const fault : {"base_ms>max_ms", "base_ms*2^(attempts-1)>max_ms", "calls>=0", "max_attempts!=forever"}) {
    for (auto const spared : {0U, 2U, 10U})
      EXPECT_EQ(learn_parts(seen_with(s, takes, {fault}, spared)).size(), 1U) << fault << " " << spared;
  }
  // The more draws a history has, the less they spare it.
  examples seen(s, takes);
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    random_bits random(7, i);
    auto h = generate(s, takes, random);
    bool const broke = !random.one_in(h.steps.size() + 1);
    seen.add(std::move(h), broke);
  }
  EXPECT_EQ(learn_parts(seen).size(), 1U);
  // Values of one argument.
  auto const& sample = *find_shape("aws_prescriptive_sample");
  EXPECT_EQ(learn_parts(seen_with(sample, documented_domain(sample, {}),
                                  {"http_status=408", "http_status=502", "http_status=503"}))
                .size(),
            1U);
}

TEST(region, bounds_lie_between_what_broke_and_the_nearest_that_held) {
  auto const& s = *find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(s, {});
  for (auto const fault : {"base_ms>65535", "max_ms<100", "calls>17", "attempts>9"}) {
    auto const r = learnt(s, takes, fault);
    auto const planted = parse_constraint(s, fault);
    ASSERT_EQ(r.where.size(), 1U) << fault;
    EXPECT_EQ(r.where[0].left, planted.left) << fault;
    EXPECT_EQ(r.where[0].op, planted.op) << fault;
    ASSERT_TRUE(r.nearest[0]);
    bool const above = planted.op == constraint::relation::above;
    auto const beyond = [above](std::int64_t a, std::int64_t b) { return above ? a >= b : a <= b; };
    EXPECT_TRUE(beyond(r.where[0].with.n, planted.with.n)) << fault;
    EXPECT_TRUE(beyond(planted.with.n, present(r.nearest[0]))) << fault;
  }
}

TEST(region, a_fault_everywhere_and_one_by_chance_have_no_constraint) {
  auto const& s = *find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(s, {});
  EXPECT_TRUE(learnt(s, takes, "calls>=0").where.empty());
  examples seen(s, takes);
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    random_bits random(7, i);
    auto h = generate(s, takes, random);
    seen.add(std::move(h), random.one_in(2));
  }
  EXPECT_TRUE(learn(seen).where.empty());
}

}  // namespace
