// What a record keeps, what is no record, and what its slack admits.
#include "waits/watched_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "files/policy_file.hpp"
#include "histories/present.hpp"
#include "session/exit_codes.hpp"
#include "waits/watched_report.hpp"

namespace backoff::waits {
namespace {

watched_program example() {
  watched_program p;
  p.system = "curl_retry";
  p.document = "1";
  p.params = {"retry=3"};
  p.command = {"curl", "\"\xff\n", "{url}"};
  p.retry_after_s = 2;
  p.slack_ms = 40;
  p.known_failing_name = "known";
  p.known_failing = {"retries_are_made * # later"};
  p.runs = 2;
  p.attempts = 5;
  p.cut = 1;
  failed_cycle one;
  one.waits = {{1'000, 5'000}, {2'000, 8'000, 40}};
  one.gave_up = failed_cycle::end{22, 3'000};
  failed_cycle open;
  open.open_ns = 7'000;
  open.first = 3;
  open.method = "POST";
  p.cycles = {one, open};
  p.slack = {{1'000, 5}, {9'000, 7}};
  return p;
}

// One run that waited so, of curl without Retry-After, on a machine without slack.
watched_program waited(std::vector<failed_cycle::wait> waits) {
  know_the_shelf();
  auto p = example();
  p.slack_ms.reset();
  p.retry_after_s.reset();
  p.known_failing.clear();
  p.cycles.resize(1);
  p.cycles[0].waits = std::move(waits);
  p.slack.assign(200, {1'000, 0});
  return p;
}
std::vector<failed_cycle::wait> const right_waits{
    {1'000'000'000, 1'000'000'000}, {2'000'000'000, 3'000'000'000}, {4'000'000'000, 7'000'000'000}};

std::string refused(std::string const& text) {
  try {
    static_cast<void>(read_results(text, "r.json"));
  } catch (session::usage_error const& e) {
    return e.what();
  }
  return "";
}

TEST(watched_program, is_what_it_was_when_it_is_read_again) {
  auto const text = to_results(example());
  EXPECT_TRUE(are_results_of_watch(text));
  auto const again = read_results(text, "r.json");
  EXPECT_EQ(to_results(again), text);
  EXPECT_EQ(again.cycles[0].waits[1].ended_ns, 8'000);
  ASSERT_TRUE(again.cycles[0].gave_up);
  EXPECT_EQ(backoff::histories::present(again.cycles[0].gave_up).status, 22);
  EXPECT_EQ(backoff::histories::present(again.cycles[0].gave_up).after_ns, 3'000);
  EXPECT_FALSE(again.cycles[1].gave_up);
  EXPECT_EQ(again.cycles[1].open_ns, 7'000);
  EXPECT_EQ(again.cycles[0].waits[1].tried_ns, 40);
  EXPECT_EQ(again.cycles[1].first, 3U);
  EXPECT_EQ(again.cycles[1].method, "POST");
  EXPECT_EQ(again.slack[1].slack_ns, 7);
}

TEST(watched_program, is_refused_where_a_part_is_missing_or_of_another_kind) {
  auto const text = to_results(example());
  EXPECT_FALSE(are_results_of_watch("{\"results\":1}"));
  for (std::string_view const part : {"\"runs\"", "\"cycles\"", "\"slack\"", "\"known_failing\"", "\"open\""}) {
    auto changed = text;
    changed.replace(changed.find(part), part.size(), "\"x\"");
    EXPECT_NE(refused(changed).find("'r.json': expected a file of `watch --results`"), std::string::npos) << part;
  }
  EXPECT_NE(refused(text.substr(0, text.size() / 2)), "");
}

TEST(watched_program, takes_the_runs_of_another_record) {
  auto all = example();
  add_runs(all, example(), "r.json");
  EXPECT_EQ(all.runs, 4U);
  EXPECT_EQ(all.attempts, 10U);
  ASSERT_EQ(all.cycles.size(), 4U);
  EXPECT_EQ(all.slack.size(), 4U);
  EXPECT_EQ(all.cycles[2].waits[0].ns, 1'000);
  EXPECT_GT(all.cycles[2].waits[0].ended_ns, 1'000'000'000);
  auto other = example();
  other.params = {"retry=4"};
  EXPECT_THROW(add_runs(all, other, "r.json"), session::usage_error);
}

// A program may count its delay from the start of an attempt, which a busy server sees late.
TEST(watched_program, may_wait_less_by_the_greatest_slack_but_not_each_time) {
  auto seen = example();
  seen.system = "aws_step_functions";
  seen.params = {"interval_s=1", "backoff_rate=2", "max_attempts=1"};
  seen.known_failing.clear();
  seen.cycles.resize(1);
  seen.cycles[0].waits = {{992'000'000, 5'000'000'000}};
  seen.slack.assign(200, {1'000, 0});
  ASSERT_EQ(judged(seen).judged.findings.size(), 1U);
  EXPECT_EQ(judged(seen).judged.findings[0].what, wait_finding::fault::early);
  seen.slack.push_back({2'000, 9'000'000});
  EXPECT_TRUE(judged(seen).judged.findings.empty());
  auto const one = seen.cycles[0];
  for (int i = 1; i < 20; ++i) {
    seen.cycles.push_back(one);
    seen.cycles.back().waits[0].ended_ns += i * 1'000'000'000LL;
  }
  EXPECT_EQ(judged(seen).judged.findings.size(), 1U);
}

// On a machine that is often slower than that, waits without jitter would pass for late ones.
TEST(watched_program, does_not_judge_waits_that_end_where_the_slack_exceeds_its_limit) {
  auto seen = waited({{1'000'000'000, 5'000'000'000}, {2'000'000'000, 7'000'000'000}, {4'000'000'000, 11'000'000'000}});
  seen.slack_ms = 40;
  seen.slack.clear();
  for (std::int64_t at = 0; at < 100; ++at)
    seen.slack.push_back({at * 1'000'000'000, at % 10 == 5 ? 250'000'000 : 1'000});
  EXPECT_EQ(judged(seen).judged.in_stalls, 1U);
  EXPECT_EQ(judged(seen).judged.waits, 2U);
}

TEST(watched_program, says_before_which_retries_the_slack_hides_a_wait_that_is_twice_as_long) {
  auto seen = waited(right_waits);
  seen.slack_ms = 2'500;
  auto const told = not_judged(judged(seen));
  EXPECT_NE(
      std::ranges::find(told, "whether waits before retry 1, 2 are twice as long: a wait may be 2500.0 ms too long"),
      told.end());
  EXPECT_EQ(verdict_of(judged(seen)), "conforms, by 3 waits in 2 runs");
}

// Where waits were left out, they may be those that fail as known.
TEST(watched_program, has_a_stale_line_only_where_all_retries_were_judged) {
  auto seen = waited(right_waits);
  seen.known_failing = {"waits_are_not_too_short * # later"};
  EXPECT_EQ(verdict_of(judged(seen)), "known to fail, but nothing failed there: waits_are_not_too_short * (known:1)");
  EXPECT_EQ(code_of(judged(seen)), session::does_not_conform);
  seen.slack.push_back({3'000'000'000, 300'000'000});
  auto const stalled = judged(seen);
  EXPECT_EQ(verdict_of(stalled),
            "inconclusive: no wait before retry 2 was judged, as the machine was slow; more --runs tell");
  EXPECT_EQ(code_of(stalled), session::inconclusive);
  EXPECT_TRUE(stalled.stale.empty());
}

}  // namespace
}  // namespace backoff::waits
