// Waits of retry control that only RETRY_LATER and RETRY_NOW show, by hand. Each wait lies between the last time that
// was too early and the first that was not; it is as likely as the seconds between these.
#include <gtest/gtest.h>

#include <algorithm>

#include "histories/present.hpp"
#include "histories/text.hpp"
#include "judge/hidden_draws.hpp"
#include "judge/judged_system.hpp"
#include "judge/plan.hpp"
#include "systems/azure_c_retry_control/history.hpp"

namespace {

using namespace backoff::systems;
namespace model = backoff::spec::azure_c_retry_control;
namespace calls = backoff::systems::azure_c_calls;
using backoff::spec::cube;
using enum model::policy;

draw_source const hidden{backoff::spec::draw_kind::hidden, 1};
judged_system const& retry_control() { return *find_judged_system("azure_c_retry_control"); }

cube canonical() { return retry_control().readings().admitting(backoff::spec::standing::canonical); }
cube reading(std::string_view name, std::string_view alternative) {
  auto const& table = retry_control().readings();
  unsigned const r = present(table.find(name));
  return table.with(canonical(), r, present(table.find(r, alternative)));
}

answer const succeeded{observed::word(static_cast<std::uint8_t>(model::status::answered)), observed::of(0)};

constexpr std::size_t feed_at = 5;  // which of the words of set_option says that a feed fails

// A history and what a port answered in it.
class told {
 public:
  told& create(model::policy which, std::int64_t limit = 0, std::uint8_t on = 0) {
    auto const ok = observed::word(static_cast<std::uint8_t>(model::status::ok));
    return add({calls::create, on, {value::word(static_cast<std::int64_t>(which)), value::of(limit)}}, {ok});
  }
  told& set(model::option which, std::int64_t number, std::uint8_t on = 0) {
    return add({calls::set_option, on, {value::word(static_cast<std::int64_t>(which)), value::of(number)}}, succeeded);
  }
  told& save(std::int64_t wait, std::int64_t percent, bool fails) {
    step s{calls::set_option, 0, {value::word(2)}};
    s.args[calls::saved_wait_at] = value::of(wait);
    s.args[calls::saved_jitter_at] = value::of(percent);
    answer a = succeeded;
    if (fails) {
      s.args[feed_at] = value::words(calls::fail_option_feed);
      a[model::field_result] = observed::of(1);
    }
    return add(s, a);
  }
  told& reset() { return add({calls::reset, 0, {}}, {observed::word(static_cast<std::uint8_t>(model::status::ok))}); }
  told& retry(std::int64_t at, model::action acted, std::uint8_t on = 0) {
    answer a = succeeded;
    a[model::field_action] = observed::word(static_cast<std::uint8_t>(acted));
    return add({calls::should_retry, on, {value::of(at)}}, a);
  }
  told& now(std::int64_t at, std::uint8_t on = 0) { return retry(at, model::action::retry_now, on); }
  told& later(std::int64_t at, std::uint8_t on = 0) { return retry(at, model::action::retry_later, on); }

  [[nodiscard]] bool puts_at_stake(std::string_view claim) const {
    auto const report = retry_control().broken_claims(h_, answers_, hidden, canonical());
    auto const claims = retry_control().claims();
    auto const at = std::ranges::find(claims, claim, &claim_text::name);
    return includes(report.at_stake, static_cast<unsigned>(at - claims.begin()));
  }
  [[nodiscard]] draw_sequence draws(cube under = canonical()) const {
    constexpr draw_tests_mask all_tests = (draw_tests_mask{1} << draw_tests) - 1;
    return hidden_draws(retry_control(), 1e-9, all_tests, {under}).seen_by(under, h_, answers_);
  }

 private:
  told& add(step const& s, answer const& a) {
    h_.steps.push_back(s);
    answers_.push_back(a);
    return *this;
  }
  history h_;
  std::vector<answer> answers_;
};

void expect_parts(draw_sequence const& seen, std::vector<std::pair<double, double>> const& expected) {
  ASSERT_EQ(seen.size(), expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_NEAR(seen[i].part.below, expected[i].first, 1e-12) << i;
    EXPECT_NEAR(seen[i].part.upto, expected[i].second, 1e-12) << i;
  }
}

TEST(hidden_waits, end_between_two_answers) {
  // Whole seconds 0 to 4, each a fifth.
  auto const seen = told().create(random).now(100).later(101).later(102).now(104).now(104).later(105).now(107).draws();
  expect_parts(seen, {{3.0 / 5, 1}, {0, 1.0 / 5}, {2.0 / 5, 4.0 / 5}});
  EXPECT_EQ(seen[0].part.cells, 5U);
  EXPECT_EQ(seen[0].part.values, 0U);
  EXPECT_EQ(seen[0].part.lowest, 0);
  EXPECT_EQ(seen[0].part.highest, 0);
}

TEST(hidden_waits, are_rounded_as_the_reading_has_it) {
  auto const t = told().create(random).now(100).later(101).now(102).later(105);
  expect_parts(t.draws(), {{2.0 / 5, 3.0 / 5}, {4.0 / 5, 1}});
  expect_parts(t.draws(reading("wait-rounding", "nearest")), {{1.5 / 5, 2.5 / 5}, {3.5 / 5, 1}});
  expect_parts(t.draws(reading("wait-rounding", "ceil")), {{1.0 / 5, 2.0 / 5}, {3.0 / 5, 1}});
  expect_parts(t.draws(reading("quotients", "integer")), {});  // no rand() but the last gives a wait
}

TEST(hidden_waits, with_jitter_begin_at_the_doubled_wait) {
  using enum model::option;
  auto const t = told()
                     .create(exponential_backoff_with_jitter)
                     .set(initial_wait_time_in_secs, 100)
                     .set(max_jitter_percent, 40)
                     .now(0)
                     .later(99)
                     .later(109)
                     .now(129)
                     .later(368)
                     .now(370);
  expect_parts(t.draws(), {{10.0 / 40, 30.0 / 40}, {40.0 / 80, 42.0 / 80}});
  EXPECT_EQ(t.draws()[0].part.cells, static_cast<std::uint64_t>(calls::sampled_cells));
}

TEST(hidden_waits, that_nobody_waited_for_were_longer_than_the_last_time) {
  expect_parts(told().create(random).now(100).later(103).draws(), {{4.0 / 5, 1}});
  expect_parts(told().create(random).now(100).later(102).reset().now(104).draws(), {{3.0 / 5, 1}});
  expect_parts(told().create(random).now(100).later(102).later(101).draws(), {{3.0 / 5, 1}});
  auto const stopped = told().create(random, 3).now(100).later(102).retry(103, model::action::stop_retrying);
  expect_parts(stopped.draws(), {{3.0 / 5, 1}});
}

TEST(hidden_waits, that_another_call_asked_for_are_told_once) {
  expect_parts(
      told().create(random).now(100).later(102).set(model::option::max_jitter_percent, 10).later(103).now(105).draws(),
      {{3.0 / 5, 1}});
}

TEST(hidden_waits, tell_nothing_where_nothing_was_drawn_or_seen) {
  expect_parts(told().create(interval).now(100).later(102).now(105).draws(), {});
  expect_parts(told().create(interval).now(100).later(104).now(105).draws(), {});
  expect_parts(told().create(random).now(100).draws(), {});
  expect_parts(told().create(random).now(100).reset().draws(), {});
  expect_parts(told().create(random).now(100).now(105).draws(), {});
  expect_parts(told().create(random).now(100).later(104).now(105).draws(), {});  // no fifth of rand() waits 5 s
}

// A wait on one instance ends with the last call on it, whatever is called on another.
TEST(hidden_waits, end_with_the_last_call_on_their_instance) {
  auto const seen = told().create(random).create(random, 0, 1).now(0).now(0, 1).later(3).later(1, 1).draws();
  expect_parts(seen, {{4.0 / 5, 1}, {2.0 / 5, 1}});
}

// That a retry was asked for too early is forgotten at the next decision, and not at another call.
TEST(hidden_waits, know_whether_one_was_asked_for_before) {
  std::string_view const again = "asking_again_redraws_nothing";
  EXPECT_FALSE(told().create(interval).now(100).now(105).puts_at_stake(again));
  EXPECT_TRUE(told().create(interval).now(100).later(102).now(105).puts_at_stake(again));
  EXPECT_TRUE(told()
                  .create(interval)
                  .now(100)
                  .later(102)
                  .set(model::option::max_jitter_percent, 10)
                  .now(105)
                  .puts_at_stake(again));
}

// Which of two is over first is decided by the draws, so their order must not depend on it.
TEST(hidden_waits, of_two_instances_stand_by_number) {
  auto const seen =
      told().create(random).create(random, 0, 1).now(0).now(0, 1).now(1, 1).later(1).later(2, 1).now(2).draws();
  expect_parts(seen, {{2.0 / 5, 3.0 / 5}, {0, 2.0 / 5}, {2.0 / 5, 1}});
  EXPECT_EQ(seen[0].on, 0U);
  EXPECT_EQ(seen[1].on, 1U);
  EXPECT_EQ(seen[2].number, 1U);
}

// RAND_MAX may be 32,767, which makes a smaller part more likely, or less, than it is long. Whether the wait was over
// by then must not decide what is told.
TEST(hidden_waits, of_which_a_64th_or_less_would_be_told_are_told_as_they_stood_before) {
  using enum model::option;
  auto const waits = [] { return told().create(random).set(initial_wait_time_in_secs, 1'000).now(0); };
  expect_parts(waits().later(14).draws(), {});
  expect_parts(waits().now(14).draws(), {});
  expect_parts(waits().later(15).draws(), {{0.016, 1}});
  expect_parts(waits().now(15).draws(), {{0, 0.016}});
  for (auto const soon : {510, 514}) {
    expect_parts(waits().later(500).later(soon).later(999).draws(), {{0.501, 1}});
    expect_parts(waits().later(500).now(soon).draws(), {{0.501, 1}});
  }
  expect_parts(waits().later(500).now(516).draws(), {{0.501, 0.517}});
  expect_parts(waits().later(500).later(984).draws(), {{0.501, 1}});
  expect_parts(waits().later(500).now(984).draws(), {{0.501, 1}});
  expect_parts(waits().later(500).now(983).draws(), {{0.501, 0.984}});
  expect_parts(waits().later(500).now(999).draws(), {{0.501, 1}});
}

TEST(hidden_waits, are_no_longer_than_32_bits_say) {
  using enum model::option;
  auto const waits = [](std::int64_t wait) {
    return told()
        .create(exponential_backoff_with_jitter)
        .set(initial_wait_time_in_secs, wait)
        .set(max_jitter_percent, 100)
        .now(0);
  };
  constexpr std::int64_t top = 0xffff'ffff, most = 0xc000'0000;
  expect_parts(waits(most).later(top - 1).now(top).draws(), {{0x3fff'ffff.0p0 / most, 1}});
  expect_parts(waits(most).later(top - 1).now(top).draws(reading("overflow", "wraps")), {});
  expect_parts(waits(top).later(top - 1).now(top).draws(), {});
  auto const shorter = waits(1 << 30).later((1 << 30) + (1 << 29) - 1).now(0x7fff'ffff);
  expect_parts(shorter.draws(reading("overflow", "wraps")), {{0.5, 1}});
}

TEST(hidden_waits, of_options_that_nobody_knows_tell_nothing) {
  using enum model::option;
  auto const waits = [](auto const& which, std::int64_t wait, std::int64_t percent, bool fails) {
    return told().create(which).save(100, 100, false).save(wait, percent, fails).now(0).later(150).now(300).draws();
  };
  expect_parts(waits(exponential_backoff_with_jitter, 100, 50, false), {});
  expect_parts(waits(exponential_backoff_with_jitter, 100, 100, true), {{0.51, 1}});
  expect_parts(waits(exponential_backoff_with_jitter, 100, 90, true), {});
  expect_parts(waits(exponential_backoff_with_jitter, 120, 100, true), {});
  expect_parts(waits(random, 300, 100, false), {{151.0 / 300, 1}});
  expect_parts(waits(random, 300, 100, true), {});
  expect_parts(waits(exponential_backoff_with_jitter, 150, 0, false), {});
}

// Half of an odd wait is rounded before anyone sees it.
TEST(hidden_waits, that_begin_at_half_a_wait_are_not_told) {
  auto const t = told()
                     .create(exponential_backoff_with_jitter)
                     .set(model::option::initial_wait_time_in_secs, 100)
                     .set(model::option::max_jitter_percent, 100)
                     .now(0)
                     .later(74)
                     .now(100)
                     .later(249)
                     .now(300);
  expect_parts(t.draws(reading("count-origin", "zero")), {{0.5, 1}});
}

// ---- Which histories tell of waits ----

domain takes(draw_source draws) { return documented_domain(retry_control().shape(), draws); }
bool tells(step const& s) { return retry_control().shape().tells_draws.in(history{{}, {s}}); }
step asked(std::int64_t first, std::optional<std::int64_t> second = {}) {
  step s{calls::should_retry, 0, {value::of(first)}};
  if (second) s.args[calls::clock_at + 1] = value::of(*second);
  return s;
}

TEST(histories_with_hidden_waits, tell_of_them_unless_the_clock_decides_what_is_told) {
  constexpr std::int64_t far = std::int64_t{1} << 62;
  EXPECT_TRUE(tells(asked(100)));
  EXPECT_TRUE(tells(asked(-1)));
  EXPECT_TRUE(tells(asked(100, 101)));
  EXPECT_FALSE(tells(asked(100, -1)));
  EXPECT_TRUE(tells(asked(far, -far)));
  EXPECT_FALSE(tells(asked(far + 1)));
  EXPECT_FALSE(tells(asked(100, -far - 1)));
  EXPECT_TRUE(tells({calls::is_timeout_reached, 0, {value::of(0), value::of(0), value::of(far + 1)}}));
}

struct seen_histories {
  std::size_t drawn = 0;  // of a policy that draws
  std::size_t unlimited = 0;
  std::size_t odd_percent = 0;
  std::size_t reset = 0;
};
seen_histories generated(domain const& d) {
  seen_histories seen;
  plan all(retry_control().shape(), d, 2'000, 7);
  for (auto const& h : all.next(2'000)) {
    EXPECT_TRUE(inside(retry_control().shape(), d, h)) << to_token({&retry_control().shape(), {h}});
    auto const& first = h.steps.front();
    if (first.op != calls::create || first.args[calls::policy_at].n < static_cast<int>(exponential_backoff_with_jitter))
      continue;
    ++seen.drawn;
    seen.unlimited += first.args[calls::limit_at].n == 0 ? 1 : 0;
    seen.odd_percent += std::ranges::any_of(h.steps,
                                            [](step const& s) {
                                              return s.op == calls::set_option && s.args[calls::name_at].n == 1 &&
                                                     s.args[calls::number_at].n % 10 == 3;
                                            })
                            ? 1
                            : 0;
    seen.reset += std::ranges::any_of(h.steps, [](step const& s) { return s.op == calls::reset; }) ? 1 : 0;
  }
  return seen;
}

TEST(histories_with_hidden_waits, ask_for_drawn_ones_everywhere) {
  auto const seen = generated(takes(hidden));
  EXPECT_GT(seen.drawn, generated(takes({})).drawn * 3 / 2);
  EXPECT_GT(seen.unlimited, 50U);
  EXPECT_GT(seen.odd_percent, 10U);
  EXPECT_GT(seen.reset, 50U);
}

// What the port does not take is not asked of it.
TEST(histories_with_hidden_waits, keep_to_what_the_port_takes) {
  auto d = takes(hidden);
  d.args[calls::create][calls::policy_at].words = 1U << static_cast<unsigned>(interval);
  EXPECT_EQ(generated(d).drawn, 0U);
  d = takes(hidden);
  d.args[calls::set_option][calls::name_at].words = 2;
  d.args[calls::set_option][calls::number_at].high = 50;
  d.args[calls::should_retry][calls::clock_at].high = 5'000;
  EXPECT_GT(generated(d).drawn, 100U);
}

}  // namespace
