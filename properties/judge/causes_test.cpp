// Of all that is broken: what is told first, and what only follows from it.
#include "judge/causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/text.hpp"
#include "judge/begun_test.hpp"

namespace {

using namespace backoff::judge;
namespace spec = backoff::spec;
using countdown::after;
using countdown::asked;
using countdown::begun;
using countdown::said;

TEST(causes, shows_first_of_what_is_broken_as_often_the_claim_that_stands_first) {
  result const failed{result_kind::answered, {countdown::fails}, ""};
  auto const judged = after({{asked(5, 1), failed},  // no_call_fails, in two of four
                             {asked(5, 1), failed},
                             {asked(5, 1), said({9})},  // counts_down, in one of two
                             {asked(5, 1), said({5})}});
  auto const breaches = judged.breaches();
  ASSERT_EQ(breaches.size(), 2U);
  EXPECT_EQ(breaches[0].claim, countdown::no_call_fails);
  EXPECT_EQ(breaches[1].claim, countdown::counts_down);
}

TEST(causes, shows_first_what_is_broken_in_the_largest_share_of_what_puts_it_at_stake) {
  auto about = countdown::about_port();
  about.takes.params[0].declared = true;
  for (int const rejected : {1, 3}) {
    run judged = countdown::begun(countdown::system, about);
    auto const h = countdown::asked(5, 2);
    judged.judge(h, countdown::said({5, 9}));  // counts_down, in one of three
    judged.judge(h, countdown::said({5, 4}));
    judged.judge(h, {result_kind::answered, {countdown::fails}, "no"});  // no_call_fails, in one of four
    for (int i = 0; i < rejected; ++i)
      judged.judge(h, {result_kind::rejected, {}, "no"});              // in one of five, or three of seven
    judged.judge(countdown::asked(0, 3), countdown::said({0, 7, 0}));  // stops_at_zero, of the interface, in the one
    std::vector<unsigned> claims;
    for (auto const& b : judged.breaches()) claims.push_back(b.claim);
    auto const expected = rejected == 1 ? std::vector<unsigned>{countdown::counts_down, countdown::no_call_fails,
                                                                breach::no_answer, countdown::stops_at_zero}
                                        : std::vector<unsigned>{breach::no_answer, countdown::counts_down,
                                                                countdown::no_call_fails, countdown::stops_at_zero};
    EXPECT_EQ(claims, expected);
  }
}

TEST(causes, an_interface_claim_broken_after_the_run_has_failed_comes_after_those_of_the_document) {
  for (bool const document_only : {false, true}) {
    auto const judged =
        after({{asked(5, 1), said({9})}, {asked(0, 2), said({0, 3})}}, {.document_only = document_only});
    EXPECT_EQ(judged.failing_histories(), document_only ? 1U : 2U);
    auto const breaches = judged.breaches();
    ASSERT_EQ(breaches.size(), 2U);
    EXPECT_EQ(breaches[0].claim, countdown::counts_down);
    EXPECT_EQ(breaches[1].claim, countdown::stops_at_zero);
    EXPECT_EQ(breaches[1].fails, !document_only);
    EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
  }
}

// The claims that are broken by these answers to a base of 2 ms, 9 ms at most and 3 attempts, and what each follows
// from; a delay of -1 stands for exhaustion, one of -2 for an error.
std::vector<std::pair<std::string_view, std::string_view>> consequences(
    std::initializer_list<std::vector<spec::integer>> all, run_options options = {}) {
  auto const about = about_drawing({});
  auto judged = begun(backoff_algorithm(), about, std::move(options));
  for (auto const& delays : all) {
    history h;
    h.params = {value::of(2), value::of(9), value::of(3)};
    result r;
    for (auto const delay : delays) {
      h.steps.push_back({});
      h.steps.back().args[0] = value::of(0);
      if (delay == -2) {
        r.answers.push_back({observed::word(backoff_algorithm().shape().error_word)});
        continue;
      }
      r.answers.push_back(delay < 0 ? answer{observed::word(1)} : answer{observed::word(0), observed::of(delay)});
    }
    judged.judge(h, r);
  }
  std::vector<std::pair<std::string_view, std::string_view>> result;
  auto const claims = backoff_algorithm().claims();
  for (auto const& b : judged.breaches())
    result.emplace_back(claims[b.claim].name, b.follows_from ? claims[*b.follows_from].name : "");
  EXPECT_EQ(judged.draws().attempts().drawn, 0U);
  return result;
}

using names = std::vector<std::pair<std::string_view, std::string_view>>;

TEST(causes, of_claims_that_always_break_together_the_first_explains_the_others) {
  EXPECT_EQ(consequences({{100}}), (names{{"delay_never_exceeds_cap", ""},
                                          {"first_delay_is_drawn_from_the_base", "delay_never_exceeds_cap"}}));
}

TEST(causes, what_breaks_more_often_explains_what_breaks_beside_it_and_after_it) {
  EXPECT_EQ(consequences({{100, -1}, {3}}),
            (names{{"first_delay_is_drawn_from_the_base", ""},
                   {"delay_never_exceeds_cap", "first_delay_is_drawn_from_the_base"},
                   {"retries_until_max_attempts", "first_delay_is_drawn_from_the_base"}}));
}

TEST(causes, what_one_history_breaks_alone_follows_from_nothing) {
  EXPECT_EQ(consequences({{100, -1}, {-1}}), (names{{"delay_never_exceeds_cap", ""},
                                                    {"first_delay_is_drawn_from_the_base", "delay_never_exceeds_cap"},
                                                    {"retries_until_max_attempts", ""}}));
}

TEST(causes, a_call_that_fails_follows_from_nothing_before_it) {
  EXPECT_EQ(consequences({{100, -2}}), (names{{"no_call_fails", ""},
                                              {"delay_never_exceeds_cap", ""},
                                              {"first_delay_is_drawn_from_the_base", "delay_never_exceeds_cap"}}));
}

// The claims broken by these answers to histories of the Java policy, in the order of findings; what each follows from,
// or is told with.
struct decided {
  std::string token;                    // of a history of one call
  std::optional<spec::integer> answer;  // the delay; none: no retry
};
names findings_of(std::initializer_list<decided> all) {
  auto const& java = *find_judged_system("azure_java_retry_policy");
  capabilities about;
  about.takes = documented_domain(java.shape(), {});
  auto judged = begun(java, about);
  for (auto const& [token, delay] : all) {
    auto const set = parse_token("azure_java_retry_policy/policy=exponential_backoff_with_jitter," + token);
    result r;
    r.answers.push_back({observed::word(0), observed::word(delay ? 1 : 0)});
    if (delay) r.answers.back()[2] = observed::of(*delay);
    judged.judge(set.cases.front(), r);
  }
  names found;
  auto const claims = java.claims();
  for (auto const& b : judged.breaches()) {
    auto const named_by = b.follows_from ? b.follows_from : b.told_with;
    found.emplace_back(claims[b.claim].name, named_by ? claims[*named_by].name : "");
    EXPECT_EQ(b.is_a_finding(), !named_by);
  }
  return found;
}
// One call with x = 1, whose delay is cmin_ms = 100, after so many milliseconds of 1,000.
decided at(int elapsed_ms, std::optional<spec::integer> delay) {
  return {"total_time_ms=1000/decide:1::0:protocol:" + std::to_string(elapsed_ms), delay};
}
decided const wrong_delay{"total_time_ms=1000000/decide:1::0:protocol:0", 101};

TEST(causes, parts_of_a_rule_that_break_apart_are_one_finding) {
  EXPECT_EQ(findings_of({wrong_delay, {"total_time_ms=1000000/decide:40::0:protocol:0", 101}}),
            (names{{"first_delay_is_cmin", ""}, {"delay_stays_at_cmax", "first_delay_is_cmin"}}));
}

TEST(causes, a_part_of_a_rule_that_breaks_seldom_is_told_with_one_that_breaks_often) {
  auto const& algorithm = *find_judged_system("aws_backoff_algorithm");
  capabilities about;
  about.takes = documented_domain(algorithm.shape(), {});
  auto const finding = [&](int often) {
    auto judged = begun(algorithm, about);
    auto const judge = [&](int max_ms, int second) {
      auto const set = parse_token("aws_backoff_algorithm/base_ms=4,max_ms=" + std::to_string(max_ms) +
                                   ",max_attempts=9/next:1,next:1");
      result r;
      for (int const delay : {1, second}) r.answers.push_back({observed::word(0), observed::of(delay)});
      judged.judge(set.cases.front(), r);
    };
    for (int i = 0; i < often; ++i) judge(100, 20);
    judge(4, 9);
    auto const all = judged.breaches();
    auto const found = std::ranges::find_if(all, [](breach const& b) { return b.is_a_finding(); });
    return std::string(algorithm.claims()[found->claim].name);
  };
  EXPECT_EQ(finding(8), "delay_never_exceeds_cap");
  EXPECT_EQ(finding(9), "window_doubles_with_each_retry");
}

// A first window that is wrong is doubled as it should be: each delay of one cycle is too long, whether it shows or
// not.
TEST(causes, a_wrong_first_call_is_told_before_the_calls_that_start_from_it) {
  auto const& utilities = *find_judged_system("aws_retry_utils");
  capabilities about;
  about.takes = documented_domain(utilities.shape(), {});
  auto const told = [&](std::initializer_list<std::array<int, 3>> cycles) {  // the draw of each call, and its sleeps
    auto judged = begun(utilities, about);
    for (auto const& [draw, first, second] : cycles) {
      auto const number = std::to_string(draw);
      auto const set = parse_token(
          "aws_retry_utils/initial_backoff_s=4,max_backoff_s=100,max_jitter_s=0,max_attempts=0/reset:0,backoff:" +
          number + ",backoff:" + number);
      result r;
      r.answers.push_back({observed::word(2), {}});
      for (int const slept : {first, second}) r.answers.push_back({observed::word(0), observed::of(slept)});
      judged.judge(set.cases.front(), r);
    }
    std::vector<std::string> found;
    for (auto const& b : judged.breaches()) {
      auto const claims = utilities.claims();
      found.emplace_back(claims[b.claim].name);
      if (b.told_with) found.back() += std::string(" with ") + std::string(claims[*b.told_with].name);
    }
    return found;
  };
  // Windows of 8 and 16 in place of 4 and 8: 3 mod 9 is right, and 3 mod 17 too; 12 mod 9 is not 12 mod 5.
  std::string const first = "first_sleep_is_drawn_from_the_base";
  std::string const later = "window_doubles_after_each_sleep";
  EXPECT_EQ(told({{3, 3, 3}, {12, 3, 12}, {45, 0, 11}, {90, 0, 5}}), (std::vector{first, later + " with " + first}));
  EXPECT_EQ(told({{3, 3, 3}, {12, 2, 12}, {45, 0, 11}}), std::vector{later});
  EXPECT_EQ(told({{12, 7, 3}}), std::vector{first});
}

TEST(causes, what_leans_on_a_broken_claim_follows_from_it) {
  EXPECT_EQ(findings_of({wrong_delay, at(900, {})}),
            (names{{"first_delay_is_cmin", ""}, {"total_time_ends_retries", "first_delay_is_cmin"}}))
      << "with 101 ms it is right to stop";
  EXPECT_EQ(findings_of({wrong_delay, at(950, 50)}),
            (names{{"first_delay_is_cmin", ""}, {"total_time_ends_retries", "first_delay_is_cmin"}}))
      << "with 50 ms it is right to go on";
}

TEST(causes, what_could_lean_stands_by_itself_where_nothing_else_is_broken_and_where_it_is_wrong_in_any_case) {
  EXPECT_EQ(findings_of({at(900, {})}), (names{{"total_time_ends_retries", ""}}));
  EXPECT_EQ(findings_of({wrong_delay, at(950, 100)}).size(), 2U);
  for (auto const& [claim, cause] : findings_of({wrong_delay, at(950, 100)})) EXPECT_EQ(cause, "") << claim;
}

// --- of the countdown ---

// A wrong first call is followed by an error: nothing says that one leads to the other.
TEST(causes, is_nothing_that_breaks_at_a_later_call) {
  result r = said({7, 4});
  r.answers.push_back(countdown::fails);
  auto const judged = after({{asked(5, 3), r}, {asked(5, 1), said({9})}});
  auto const breaches = judged.breaches();
  ASSERT_EQ(breaches.size(), 2U);
  for (auto const& b : breaches) {
    EXPECT_EQ(b.leads, b.claim == countdown::counts_down);
    EXPECT_EQ(b.follows_from, std::nullopt);
  }
}

TEST(causes, is_none_where_the_other_is_whole_once) {
  result r = said({7, 4});
  r.answers.push_back(countdown::fails);
  auto const judged = after({{asked(5, 3), r}, {asked(5, 1), {result_kind::answered, {countdown::fails}, ""}}});
  for (auto const& b : judged.breaches()) {
    EXPECT_TRUE(b.leads);
    EXPECT_EQ(b.follows_from, std::nullopt) << b.claim;
  }
}

TEST(causes, what_fails_the_port_never_follows_from_what_does_not) {
  auto const h = asked(0, 3);
  result r = said({0, 7, 7});
  auto judged = countdown::begun(countdown::system, countdown::about_countdown);
  judged.judge(asked(5, 1), said({9}));
  judged.judge(h, r);
  judged.settle_blame();
  for (auto const& b : judged.breaches()) EXPECT_FALSE(b.fails && b.follows_from);
}

}  // namespace
