// Waits of retry control that only RETRY_LATER and RETRY_NOW show, by hand: each lies between the last time that was
// too early and the first that was not, as likely as the seconds between them.
#include <gtest/gtest.h>

#include <algorithm>

#include "judge/hidden_draws.hpp"
#include "judge/judged_system.hpp"
#include "systems/azure_c_retry_control/history.hpp"

namespace {

using namespace backoff::conformance;
namespace model = backoff::spec::azure_c_retry_control;
namespace calls = azure_c_retry_control;
using backoff::spec::cube;
using enum model::policy;

draw_source const hidden{backoff::spec::draw::kind::hidden, 1};
judged_system const& retry_control() { return *find_judged_system("azure_c_retry_control"); }

cube canonical() { return retry_control().readings().admitting(backoff::spec::standing::canonical); }
cube reading(std::string_view name, std::string_view alternative) {
  auto const& table = retry_control().readings();
  unsigned const r = *table.find(name);
  return table.with(canonical(), r, *table.find(r, alternative));
}

answer const succeeded{observed::word(static_cast<std::uint8_t>(model::status::answered)), observed::of(0)};

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
    return hidden_draws(retry_control(), 1e-9, all_tests, {under}).seen_by(under, h_, answers_, hidden);
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
                     .now(369);
  expect_parts(t.draws(), {{10.0 / 40, 30.0 / 40}, {40.0 / 80, 41.0 / 80}});
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

}  // namespace
