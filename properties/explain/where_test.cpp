// Regions found by asking ports with planted faults, also where the port stops answering.
#include "explain/where.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "explain/judged_port_test.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::explain;
using namespace backoff::ports;

constexpr std::string_view full_jitter = "aws_backoff_algorithm";

// The model of a port that answers as documented, but not where a constraint holds.
class faulty_subject final : public subject {
 public:
  faulty_subject(shape const& s, built_in const& right, std::string_view fault, std::string_view other = {})
      : shape_(&s), right_(s, right), faults_{parse_constraint(s, fault)} {
    if (!other.empty()) faults_.push_back(parse_constraint(s, other));
  }
  [[nodiscard]] capabilities const& describes() const noexcept override { return right_.describes(); }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    auto results = right_.run(histories);
    for (std::size_t i = 0; i < results.size(); ++i) {
      asked += 1;
      if (silent_after != 0 && asked > silent_after) results[i] = {result_kind::broke, {}, "silent"};
      bool const fails =
          std::ranges::any_of(faults_, [&](constraint const& fault) { return matches(*shape_, fault, histories[i]); });
      if (fails) results[i] = {result_kind::rejected, {}, "refused"};
    }
    return results;
  }
  std::uint64_t asked = 0;
  std::uint64_t silent_after = 0;

 private:
  shape const* shape_;
  built_in_subject right_;
  std::vector<constraint> faults_;
};

struct searched_port : judged_port {
  explicit searched_port(subject& port, std::string_view stem = full_jitter)
      : judged_port(*find_judged_system(stem), port, 3'000) {}
  [[nodiscard]] breach broken(std::string_view claim) const {
    auto const all = judged.breaches();
    auto const at = std::ranges::find_if(all, [&](breach const& b) {
      return claim.empty() ? b.claim == breach::no_answer
                           : b.is_of_a_claim() && judged.system().claims()[b.claim].name == claim;
    });
    EXPECT_NE(at, all.end()) << claim;
    return at == all.end() ? breach{} : *at;
  }
};

std::vector<tested_region> all_asked(searched_port& of, subject& port, std::string_view claim,
                                     search_limits const& limits = {}) {
  auto const b = of.broken(claim);
  return find_regions(of.judged, port, b.claim, of.kept.about(of.judged, b), 1, limits);
}

tested_region asked(searched_port& of, subject& port, std::string_view claim, search_limits const& limits = {}) {
  auto const all = all_asked(of, port, claim, limits);
  EXPECT_LE(all.size(), 1U) << claim;
  return all.empty() ? tested_region{} : all.front();
}

TEST(where, a_fault_that_is_planted_in_a_region_is_told_as_that_region) {
  auto const& s = find_judged_system(full_jitter)->shape();
  for (auto const fault :
       {"base_ms=0", "base_ms>70000", "max_ms<100", "base_ms>max_ms", "max_ms%2=1", "max_attempts=forever", "calls>12",
        "attempts>9", "calls.reset>0", "instances>1", "draw=4294967295", "base_ms*2^(attempts-1)>max_ms"}) {
    faulty_subject port(s, library_ports(full_jitter).front(), fault);
    searched_port of(port);
    auto const found = asked(of, port, "");
    std::string text;
    for (auto const& c : found.where) text += to_text(s, c) + " ";
    EXPECT_EQ(text, std::string(fault) + " ");
    EXPECT_EQ(found.broke, found.inside) << fault;
    EXPECT_EQ(found.held, found.elsewhere) << fault;
    EXPECT_GE(found.inside + found.elsewhere, 1'000U) << fault;
    EXPECT_TRUE(found.separates());
  }
}

TEST(where, two_faults_of_one_claim_are_told_as_two_regions) {
  auto const& s = find_judged_system(full_jitter)->shape();
  for (auto const& [fault, other] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"base_ms>max_ms", "attempts>9"}, {"max_ms<100", "calls.reset>0"}, {"base_ms=0", "max_attempts=forever"}}) {
    faulty_subject port(s, library_ports(full_jitter).front(), fault, other);
    searched_port of(port);
    auto const found = all_asked(of, port, "");
    ASSERT_EQ(found.size(), 2U) << fault << ", " << other;
    std::vector<std::string> texts;
    for (auto const& r : found) {
      ASSERT_EQ(r.where.size(), 1U);
      texts.push_back(to_text(s, r.where.front()));
      EXPECT_EQ(r.broke, r.inside);
      EXPECT_EQ(r.held, r.elsewhere);
      EXPECT_GE(r.inside, 400U);
      EXPECT_GE(r.elsewhere, 400U);
      EXPECT_FALSE(r.with_some_draws);
    }
    for (auto const planted : {fault, other}) EXPECT_EQ(std::ranges::count(texts, planted), 1) << planted;
    search_limits one;
    one.parts = false;
    EXPECT_EQ(all_asked(of, port, "", one).size(), 1U);
  }
}

// A wrong delay may be the right one for the draws of a history, and not for others.
TEST(where, a_history_that_holds_is_tried_with_other_draws) {
  auto const& s = find_judged_system(full_jitter)->shape();
  built_in_subject port(s, *find_built_in(full_jitter, "constant"));
  searched_port of(port);
  auto const found = asked(of, port, "jitter_survives_the_cap");
  EXPECT_TRUE(found.with_some_draws);
  EXPECT_GE(100 * found.broke, 80 * found.inside);
}

TEST(where, wrong_ports_break_where_their_fault_is) {
  struct row {
    std::string_view stem, port, claim, where;
  };
  for (auto const& [stem, name, claim, where] : std::initializer_list<row>{
           {full_jitter, "cap-ignored", "delay_never_exceeds_cap", "base_ms*2^(attempts-1)>max_ms"},
           {full_jitter, "ends-after-ten", "forever_never_exhausts", "attempts>10"},
           {full_jitter, "reset-says-exhausted", "reset_is_acknowledged", ""}}) {
    auto const& s = find_judged_system(stem)->shape();
    built_in_subject port(s, *find_built_in(stem, name));
    searched_port of(port, stem);
    auto const found = asked(of, port, claim);
    std::string text;
    for (auto const& c : found.where) text += (text.empty() ? "" : ",") + to_text(s, c);
    EXPECT_EQ(text, where) << name;
    EXPECT_TRUE(found.separates()) << name;
  }
}

TEST(where, the_same_seed_tells_the_same) {
  auto const& s = find_judged_system(full_jitter)->shape();
  built_in_subject port(s, *find_built_in(full_jitter, "cap-ignored"));
  searched_port of(port);
  EXPECT_EQ(asked(of, port, "delay_never_exceeds_cap"), asked(of, port, "delay_never_exceeds_cap"));
}

TEST(where, a_port_that_is_slow_or_falls_silent_is_asked_less) {
  auto const& s = find_judged_system(full_jitter)->shape();
  faulty_subject port(s, library_ports(full_jitter).front(), "base_ms=0");
  searched_port of(port);
  auto const before = port.asked;
  search_limits few;
  few.calls = 4'000;
  EXPECT_LT(asked(of, port, "", few).inside, 500U);
  EXPECT_LT(port.asked, before + 4'000);
  search_limits none;
  none.is_over = [] { return true; };
  EXPECT_FALSE(asked(of, port, "", none).separates());
  port.silent_after = port.asked;
  EXPECT_EQ(asked(of, port, "").elsewhere, 0U);
}

TEST(where, what_has_no_region_is_not_separable) {
  EXPECT_FALSE(tested_region{}.separates());
  EXPECT_FALSE((tested_region{{}, 100, 50, 0, 0}.separates()));
  EXPECT_FALSE((tested_region{{}, 100, 99, 0, 0}.separates()));
  EXPECT_TRUE((tested_region{{}, 100, 100, 0, 0}.separates()));
  EXPECT_TRUE((tested_region{{constraint{}}, 100, 1, 9, 9}.separates()));
  EXPECT_FALSE((tested_region{{constraint{}}, 100, 1, 9, 8}.separates()));
  EXPECT_FALSE((tested_region{{constraint{}}, 100, 0, 9, 9}.separates()));
}

}  // namespace
