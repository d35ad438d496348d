// The readings of iothub_client_retry_control: all alternatives of each on a history that tells them apart, against
// answers worked out by hand; what the model still holds for possible where it cannot know; and what it says of a step
// besides its answer.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "azure_c_retry_control/model.hpp"
#include "tests/checks.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::azure_c_retry_control {
namespace {

constexpr integer top = 4'294'967'295;
constexpr integer earliest = std::numeric_limits<integer>::min();
constexpr integer latest = std::numeric_limits<integer>::max();
draw const hidden{};
draw drawn(std::uint64_t r, std::uint64_t rand_max) { return {draw::kind::rand, r, rand_max + 1}; }
draw const undrawn = drawn(0, 1);

// ---- Histories, and what is admitted as text ----

using call = std::function<outcome(state&, chooser&)>;

call make(policy p, integer max_retry_time) {
  return [=](state& s, chooser&) { return create(p, max_retry_time, {}, s); };
}
call retry(std::vector<integer> const& clock, draw const& from = undrawn) {
  return [=](state& s, chooser& choices) { return should_retry({.clock = clock, .from = from}, s, choices); };
}
call set(option name, integer number) {
  return [=](state& s, chooser&) { return set_option(name, {number, {}}, {}, s); };
}
call set_wait(integer secs) { return set(option::initial_wait_time_in_secs, secs); }
call set_jitter(integer percent) { return set(option::max_jitter_percent, percent); }
call feed(saved_options const& all, bool fails = false) {
  return [=](state& s, chooser&) {
    return set_option(option::retry_control_options, {0, all}, {.clock = {}, .option_feed_fails = fails}, s);
  };
}
call start_again() {
  return [](state& s, chooser& choices) { return reset({}, s, choices); };
}
call retrieve() {
  return [](state& s, chooser&) { return retrieve_options({}, s); };
}
call timeout(integer start, integer secs, integer now) {
  return [=](state& s, chooser& choices) { return is_timeout_reached(start, secs, {.clock = {&now, 1}}, s, choices); };
}

std::string text(admissible const& a) {
  using kind = admissible::kind;
  if (a.is() == kind::unjudged) return "?";
  if (a.is() == kind::not_zero) return "fails";
  if (a.count() == 1) return std::to_string(a.first());
  auto const step = a.step() == 1 ? "" : " by " + std::to_string(a.step());
  return std::to_string(a.first()) + ".." + std::to_string(a.first() + a.step() * (a.count() - 1)) + step;
}

// "now 2/1": RETRY_NOW, two readings of the clock, one draw.
std::string text(expectation const& e) {
  if (e[field_status].is() == admissible::kind::unjudged) return "undefined";
  if (e[field_status] == admissible::word(static_cast<std::uint8_t>(status::ok))) return "ok";
  constexpr std::array<std::string_view, 3> actions{"now", "later", "stop"};
  constexpr std::array<std::string_view, 2> booleans{"false", "true"};
  std::string result;
  if (!(e[field_result] == admissible::exactly(0)) || e[field_clock_reads] == admissible::nothing()) {
    result = text(e[field_result]);
  }
  for (std::uint32_t left = e[field_action].words(); left != 0; left &= left - 1) {
    result += (result.empty() ? "" : "|") + std::string(actions[static_cast<std::size_t>(std::countr_zero(left))]);
  }
  if (e[field_timed_out].is() == admissible::kind::keyword) result = booleans[e[field_timed_out].word()];
  if (!(e[field_initial_wait] == admissible::nothing())) {
    return text(e[field_initial_wait]) + " s, " + text(e[field_max_jitter]) + " %";
  }
  if (!(e[field_clock_reads] == admissible::nothing())) result += ' ' + text(e[field_clock_reads]);
  if (!(e[field_draws_used] == admissible::nothing())) result += '/' + text(e[field_draws_used]);
  return result;
}

// An answer of the port's own choosing, "now", "later", "fails", "fails later", or a number for the first of several.
using answers = std::vector<std::string>;

answer played(expectation const& e, std::string_view choice) {
  answer a;
  for (std::size_t k = 0; k < e.size(); ++k) {
    using kind = admissible::kind;
    if (e[k].is() == kind::not_zero) a[k] = observed::of(1);
    if (e[k].is() == kind::lattice) a[k] = observed::of(e[k].first());
    if (e[k].is() == kind::keyword) a[k] = observed::word(e[k].word());
  }
  if (choice.ends_with("later")) a[field_action] = observed::word(1);
  if (choice == "now") a[field_action] = observed::word(0);
  if (choice == "later" || choice == "now") a[field_result] = observed::of(0);
  if (choice.starts_with("fails")) a[field_result] = observed::of(7);
  for (std::size_t k = 0; k < e.size(); ++k) EXPECT_TRUE(e[k].admits(a[k])) << choice << ", field " << k;
  return a;
}

// What is admitted at each call, where the port answers with `choices`; without a choice, with the first admitted.
answers admitted(std::vector<call> const& history, std::vector<pin> const& pins, answers const& choices = {}) {
  return under(readings(), pinned(readings(), pins), [&](chooser& chosen) {
    state s;
    answers result;
    for (std::size_t i = 0; i < history.size(); ++i) {
      auto const e = history[i](s, chosen).answer;
      result.push_back(text(e));
      if (result.back() == "undefined") break;
      observe(s, played(e, i < choices.size() ? choices[i] : ""));
    }
    return result;
  });
}

struct answers_under {
  std::string_view alternative;
  answers are;
};

// All alternatives, in the order of the table.
void expect_told_apart(std::string_view reading, std::vector<call> const& history,
                       std::vector<answers_under> const& expected) {
  auto const& alternatives = readings().readings()[readings().find(reading).value()].alternatives;
  ASSERT_EQ(alternatives.size(), expected.size());
  for (std::size_t a = 0; a < expected.size(); ++a) {
    EXPECT_EQ(alternatives[a].name, expected[a].alternative);
    EXPECT_EQ(admitted(history, {{reading, expected[a].alternative}}), expected[a].are) << expected[a].alternative;
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(expected[a].are, expected[b].are);
  }
}

constexpr auto jitter = policy::exponential_backoff_with_jitter;

TEST(azure_reading_quotients, decide_whether_half_of_the_jitter_is_any) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032");
  expect_told_apart("quotients",
                    {make(jitter, 0), set_jitter(100), set_wait(10), retry({0}, drawn(1, 2)), retry({10}), retry({14})},
                    {{"real", {"ok", "0", "0", "now 2/1", "later 1/0", "later 1/0"}},
                     {"integer", {"ok", "0", "0", "now 2/1", "now 2/1", "later 1/0"}}});
}

TEST(azure_reading_quotients, leave_jitter_at_the_very_end_alone) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033");
  std::vector<pin> const integer{{"quotients", "integer"}};
  auto const wait_of = [&](policy p, std::int64_t percent, draw const& from) {
    std::vector<call> history{make(p, 0), set_jitter(percent), set_wait(10), retry({0}, from)};
    for (spec::integer t = 0; t < 21; ++t) history.push_back(retry({t}, from));
    auto const all = admitted(history, integer);
    return std::ranges::find(all.begin() + 4, all.end(), "now 2/1") - (all.begin() + 4);
  };
  EXPECT_EQ(wait_of(jitter, 100, drawn(5, 5)), 20);
  EXPECT_EQ(wait_of(jitter, 100, drawn(4, 5)), 10);
  EXPECT_EQ(wait_of(jitter, 99, drawn(5, 5)), 10);
  EXPECT_EQ(wait_of(policy::random, 5, drawn(5, 5)), 10);
  EXPECT_EQ(wait_of(policy::random, 5, drawn(4, 5)), 0);
}

TEST(azure_reading_wait_rounding, decides_about_four_and_six_tenths_of_a_second) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033");
  expect_told_apart("wait-rounding",
                    {make(policy::random, 0), set_wait(1), retry({0}, drawn(6, 10)), retry({0}, drawn(4, 10)),
                     retry({1}, drawn(4, 10)), retry({1}, drawn(0, 10))},
                    {{"truncate", {"ok", "0", "now 2/1", "now 2/1", "now 2/1", "now 2/1"}},
                     {"nearest", {"ok", "0", "now 2/1", "later 1/0", "now 2/1", "now 2/1"}},
                     {"ceil", {"ok", "0", "now 2/1", "later 1/0", "now 2/1", "later 1/0"}}});
}

TEST(azure_reading_wait_rounding, takes_either_neighbour_of_a_half_where_it_is_nearest) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033");
  std::vector<call> const half{make(policy::random, 0), retry({0}, drawn(1, 2)), retry({1}), retry({2}), retry({3})};
  EXPECT_EQ(admitted(half, {{"wait-rounding", "nearest"}}, {"", "", "", "later"}),
            (answers{"ok", "now 2/1", "later 1/0", "now|later 1..2/0..1", "now 2/1"}))
      << "2.5 is 2 or 3";
  std::vector<call> const tiny{make(policy::random, 0), set_wait(1), retry({0}, drawn(1, 2)), retry({0}), retry({1})};
  EXPECT_EQ(admitted(tiny, {{"wait-rounding", "nearest"}}, {"", "", "", "later"}),
            (answers{"ok", "0", "now 2/1", "now|later 1..2/0..1", "now 2/1"}))
      << "0.5 is 0 or 1";
}

TEST(azure_reading_wait_rounding, rounds_the_least_fraction_up_and_two_thirds_to_one) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033");
  auto const after = [](std::string_view how, draw const& from) {
    auto const all = admitted({make(policy::random, 0), set_wait(1), retry({0}, from), retry({0}), retry({1})},
                              {{"wait-rounding", how}});
    return answers(all.begin() + 3, all.end());
  };
  EXPECT_EQ(after("ceil", drawn(1, 10)), (answers{"later 1/0", "now 2/1"}));
  EXPECT_EQ(after("nearest", drawn(2, 3)), (answers{"later 1/0", "now 2/1"}));
}

TEST(azure_reading_wait_rounding, rounds_each_end_of_what_is_possible) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_031");
  // Half of the initial wait, which is what it was or what a feed that failed may have set.
  auto const half_of = [](integer secs, integer fed) {
    auto const all = admitted({make(policy::exponential_backoff, 0), set_wait(secs), feed({fed, std::nullopt}, true),
                               retry({0}), retry({2}), retry({3})},
                              {{"count-origin", "zero"}, {"wait-rounding", "ceil"}}, {"", "", "", "", "later"});
    return answers(all.begin() + 4, all.end());
  };
  EXPECT_EQ(half_of(5, 5), (answers{"later 1/0", "now 2/0"})) << "2.5";
  EXPECT_EQ(half_of(5, 6), (answers{"later 1/0", "now 2/0"})) << "2.5 or 3";
  EXPECT_EQ(half_of(4, 5), (answers{"now|later 1..2/0", "now 2/0"})) << "2 or 2.5";
}

TEST(azure_reading_product_rounding, decides_about_a_product_that_doubles_miss) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032");
  std::vector<call> const history{make(jitter, 0), set_wait(25), set_jitter(16), retry({0}, drawn(1, 1)),
                                  retry({27}),     retry({28}),  retry({29})};
  expect_told_apart("product-rounding", history,
                    {{"exact", {"ok", "0", "0", "now 2/1", "later 1/0", "later 1/0", "now 2/1"}},
                     {"doubles", {"ok", "0", "0", "now 2/1", "later 1/0", "now|later 1..2/0..1", "later 1/0"}}});
  EXPECT_EQ(admitted(history, {{"product-rounding", "doubles"}, {"wait-rounding", "ceil"}}).at(6),
            "now|later 1..2/0..1")
      << "29 or 30, up";
  EXPECT_EQ(admitted(history, {{"product-rounding", "doubles"}, {"wait-rounding", "nearest"}}).at(5), "later 1/0");
}

// 25 · 1.16 is missed; 25 is not, nor is 50.
TEST(azure_reading_product_rounding, decides_about_one_end_of_what_is_possible) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032");
  pin const doubles{"product-rounding", "doubles"};
  pin const ceil{"wait-rounding", "ceil"};
  auto const answered = [](std::vector<call> history, std::vector<pin> const& pins, integer secs) {
    history.insert(history.begin(), {make(jitter, 0), set_wait(25), set_jitter(16)});
    history.push_back(retry({secs}));
    return admitted(history, pins).back();
  };
  std::vector<call> const upper{retry({0}, hidden)};  // 25 to 29
  EXPECT_EQ(answered(upper, {doubles}, 24), "later 1/0");
  EXPECT_EQ(answered(upper, {doubles}, 25), "now|later 1..2/0..1");
  EXPECT_EQ(answered(upper, {ceil}, 29), "now 2/1");
  EXPECT_EQ(answered(upper, {doubles, ceil}, 29), "now|later 1..2/0..1");
  EXPECT_EQ(answered(upper, {doubles, ceil}, 30), "now 2/1");
  std::vector<call> const lower{feed({std::nullopt, 100}, true), retry({0}, drawn(1, 1))};  // 29 to 50
  EXPECT_EQ(answered(lower, {doubles}, 27), "later 1/0");
  EXPECT_EQ(answered(lower, {doubles}, 28), "now|later 1..2/0..1");
  EXPECT_EQ(answered(lower, {}, 28), "later 1/0");
  EXPECT_EQ(answered(lower, {doubles, ceil}, 49), "now|later 1..2/0..1");
  EXPECT_EQ(answered(lower, {doubles, ceil}, 50), "now 2/1");
}

// RAND_MAX = 2^32 - 1 = M: 2^18 · (1 + 2^14 / M) = 2^18 + 1 + 1 / M, of which 2^-50 is more than 1 / M; of half as
// much, it is less.
TEST(azure_reading_product_rounding, forgives_one_part_in_two_to_the_50) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032");
  auto const answered = [](std::string_view rounding, integer initial, std::uint64_t r, integer secs) {
    draw const from = drawn(r, 0xffff'ffff);
    return admitted({make(jitter, 0), set_jitter(100), set_wait(initial), retry({0}, from), retry({secs}, from)},
                    {{"product-rounding", "doubles"}, {"wait-rounding", rounding}})
        .back();
  };
  EXPECT_EQ(answered("truncate", 1 << 18, 1 << 14, (1 << 18) - 1), "later 1/0");
  EXPECT_EQ(answered("truncate", 1 << 18, 1 << 14, 1 << 18), "now|later 1..2/0..1");
  EXPECT_EQ(answered("truncate", 1 << 18, 1 << 14, (1 << 18) + 1), "now 2/1");
  EXPECT_EQ(answered("truncate", 1 << 17, 1 << 15, 1 << 17), "later 1/0");
  EXPECT_EQ(answered("truncate", 1 << 17, 1 << 15, (1 << 17) + 1), "now 2/1");
  // M - r for r: 2^19 - 1 - 1 / M, and half as much
  EXPECT_EQ(answered("ceil", 1 << 18, 0xffff'ffff - (1 << 14), (1 << 19) - 2), "later 1/0");
  EXPECT_EQ(answered("ceil", 1 << 18, 0xffff'ffff - (1 << 14), (1 << 19) - 1), "now|later 1..2/0..1");
  EXPECT_EQ(answered("ceil", 1 << 18, 0xffff'ffff - (1 << 14), 1 << 19), "now 2/1");
  EXPECT_EQ(answered("ceil", 1 << 17, 0xffff'ffff - (1 << 15), (1 << 18) - 2), "later 1/0");
  EXPECT_EQ(answered("ceil", 1 << 17, 0xffff'ffff - (1 << 15), (1 << 18) - 1), "now 2/1");
}

TEST(azure_reading_product_rounding, leaves_alone_what_doubles_compute_exactly) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_031", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033");
  std::vector<pin> const doubles{{"product-rounding", "doubles"}};
  for (policy const p : {policy::random, jitter, policy::exponential_backoff, policy::linear_backoff}) {
    for (std::uint64_t const r : {0U, 1U}) {
      if (p == policy::random && r == 0) continue;
      integer const secs = p == jitter && r == 1 ? 100 : 50;
      auto const all = admitted(
          {make(p, 0), set_wait(50), set_jitter(100), retry({0}, drawn(r, 1)), retry({secs - 1}), retry({secs})},
          doubles);
      EXPECT_EQ(all.at(4).substr(0, 7), "later 1");
      EXPECT_EQ(all.at(5).substr(0, 5), "now 2");
    }
  }
}

TEST(azure_reading_count_origin, decides_about_the_first_wait) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_015", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_017");
  expect_told_apart("count-origin",
                    {make(policy::exponential_backoff, 0), retry({0}), retry({0}), retry({1}), retry({2})},
                    {{"one", {"ok", "now 2/0", "later 1/0", "now 2/0", "later 1/0"}},
                     {"zero", {"ok", "now 2/0", "now 2/0", "now 2/0", "later 1/0"}}});
  std::vector<pin> const zero{{"count-origin", "zero"}};
  EXPECT_EQ(admitted({make(policy::linear_backoff, 0), retry({0}), retry({0}), retry({4}), retry({5})}, zero),
            (answers{"ok", "now 2/0", "now 2/0", "later 1/0", "now 2/0"}))
      << "0, then 5";
  EXPECT_EQ(admitted({make(jitter, 0), set_wait(5), retry({0}), retry({1}), retry({2})}, zero),
            (answers{"ok", "0", "now 2/1", "later 1/0", "now 2/1"}))
      << "half of 5";
  EXPECT_EQ(admitted({make(policy::interval, 0), retry({0}), retry({4}), retry({5})}, zero),
            (answers{"ok", "now 2/0", "later 1/0", "now 2/0"}));
}

TEST(azure_reading_overflow, decides_about_twice_two_to_the_31) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_030");
  expect_told_apart("overflow",
                    {make(policy::linear_backoff, 0), set_wait(0x8000'0000), retry({0}), retry({0x8000'0000}),
                     retry({0x8000'0000}), retry({0x8000'0000 + top - 1})},
                    {{"saturates", {"ok", "0", "now 2/0", "now 2/0", "later 1/0", "later 1/0"}},
                     {"wraps", {"ok", "0", "now 2/0", "now 2/0", "now 2/0", "now 2/0"}},
                     {"undefined", {"ok", "0", "now 2/0", "undefined"}}});
}

TEST(azure_reading_overflow, wraps_modulo_two_to_the_32) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_031");
  // 3, 6, … 3 · 2^30, then 3 · 2^31 - 2^32 = 2^31, then nothing
  std::vector<call> history{make(policy::exponential_backoff, 0), set_wait(3)};
  integer time = 0;
  for (int n = 0; n < 33; ++n) {
    history.push_back(retry({time}));
    time += n < 31 ? integer{3} << n : integer{1} << 31;
  }
  history.push_back(retry({time - 1}));
  auto all = admitted(history, {{"overflow", "wraps"}});
  EXPECT_EQ(all.at(34), "now 2/0") << "3 · 2^31 wrapped to 2^31";
  EXPECT_EQ(all.at(35), "now 2/0") << "3 · 2^32 wrapped to 0";
  history.assign({make(policy::exponential_backoff, 0), set_wait(top)});
  for (int n = 0; n < 32; ++n) history.push_back(retry({n * top}));
  history.push_back(retry({31 * top + 0x7fff'ffff}));
  history.push_back(retry({31 * top + 0x8000'0000}));
  history.push_back(retry({31 * top + 0x8000'0000}));
  all = admitted(history, {{"overflow", "wraps"}});
  EXPECT_EQ(all.at(34), "later 1/0") << "(2^32 - 1) · 2^31 wrapped to 2^31";
  EXPECT_EQ(all.at(35), "now 2/0");
  EXPECT_EQ(all.at(36), "now 2/0") << "(2^32 - 1) · 2^32 wrapped to 0";
}

TEST(azure_reading_overflow, leaves_open_what_one_of_several_waits_wrapped_to) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_030");
  constexpr integer wait = 0x8000'0000;
  EXPECT_EQ(admitted({make(policy::linear_backoff, 0), set_wait(wait), feed({wait + 1, std::nullopt}, true), retry({0}),
                      retry({wait + 1}), retry({wait + 1})},
                     {{"overflow", "wraps"}})
                .back(),
            "now|later 1..2/0")
      << "0 or 2";
  // The least and the greatest of three initial waits, 2^32 - 3 and 2^32 - 1, times 2^31 leave 2^31; the other leaves
  // 0.
  std::vector<call> history{make(policy::exponential_backoff, 0), set_wait(top), feed({top - 1, std::nullopt}, true),
                            feed({top - 2, std::nullopt}, true)};
  for (int n = 0; n < 32; ++n) history.push_back(retry({n * top}));
  history.push_back(retry({31 * top}));
  EXPECT_EQ(admitted(history, {{"overflow", "wraps"}}).back(), "now|later 1..2/0");
}

TEST(azure_reading_overflow, leaves_a_wrapped_jitter_open) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032");
  std::vector<call> const history{make(jitter, 0), set_wait(top), retry({0}, drawn(1, 1)), retry({0}), retry({top})};
  EXPECT_EQ(admitted(history, {{"overflow", "wraps"}}, {"", "", "", "later"}),
            (answers{"ok", "0", "now 2/1", "now|later 1..2/0..1", "now 2/1"}));
  EXPECT_EQ(admitted(history, {}), (answers{"ok", "0", "now 2/1", "later 1/0", "now 2/1"}));
  auto const wrapped = [](draw const& from, integer secs) {
    return admitted({make(jitter, 0), set_wait(top), retry({10}, from), retry({10 + secs}, from)},
                    {{"overflow", "wraps"}})
        .back();
  };
  EXPECT_EQ(wrapped(drawn(1, 1), -1), "later 1/0") << "it is no less than 0";
  EXPECT_EQ(wrapped(drawn(0, 1), top - 1), "later 1/0") << "2^32 - 1 itself is not wrapped";
  EXPECT_EQ(wrapped(drawn(0, 1), top), "now 2/1");
}

TEST(azure_reading_failed_016, decides_what_a_failing_clock_leaves_behind) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_016", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_020");
  expect_told_apart("failed-016",
                    {make(policy::interval, 10), retry({100, -1}), retry({109}), retry({110}), retry({120})},
                    {{"fails", {"ok", "fails 2/0", "fails 0/0", "fails 0/0", "fails 0/0"}},
                     {"rolled-back", {"ok", "fails 2/0", "now 2/0", "later 1/0", "stop 1/0"}},
                     {"uncounted", {"ok", "fails 2/0", "now 1/0", "stop 1/0", "stop 1/0"}},
                     {"returns-zero", {"ok", "now 2/0", "fails 0/0", "fails 0/0", "fails 0/0"}}});
}

TEST(azure_reading_failed_016, draws_where_the_call_goes_on) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_016");
  std::vector<call> const history{make(policy::random, 0), retry({100, -1})};
  EXPECT_EQ(admitted(history, {{"failed-016", "returns-zero"}}).at(1), "now 2/1");
  EXPECT_EQ(admitted(history, {{"failed-016", "uncounted"}}).at(1), "fails 2/0..1") << "017 names no order";
  EXPECT_EQ(admitted(history, {}).at(1), "fails 2/0..1");
  EXPECT_EQ(admitted({make(policy::interval, 0), retry({100, -1})}, {}).at(1), "fails 2/0")
      << "nothing is drawn for it";
  EXPECT_EQ(admitted({make(policy::random, 0), retry({-1})}, {}).at(1), "fails 1/0") << "no retry was granted";
}

TEST(azure_reading_clock_backwards, decides_about_a_negative_difference) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_024", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_025");
  expect_told_apart("clock-backwards", {make(policy::interval, 0), retry({100}), retry({99}), retry({50})},
                    {{"signed", {"ok", "now 2/0", "later 1/0", "later 1/0"}},
                     {"unsigned", {"ok", "now 2/0", "now 2/0", "now 2/0"}},
                     {"absolute", {"ok", "now 2/0", "later 1/0", "now 2/0"}}});
}

TEST(azure_reading_clock_backwards, concerns_every_difference) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_023", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_061");
  auto const answered = [](std::string_view how, call const& last) {
    std::vector<call> const history{make(policy::immediate, 10), retry({100}), last};
    return admitted(history, {{"clock-backwards", how}}).back();
  };
  EXPECT_EQ(answered("signed", retry({91})), "now 1/0");
  EXPECT_EQ(answered("absolute", retry({91})), "now 1/0");
  EXPECT_EQ(answered("absolute", retry({90})), "stop 1/0");
  EXPECT_EQ(answered("unsigned", retry({99})), "stop 1/0");
  EXPECT_EQ(answered("absolute", retry({earliest + 100})), "stop 1/0") << "2^63 seconds less than 100 s after it";
  EXPECT_EQ(answered("unsigned", retry({earliest + 100})), "stop 1/0");
  EXPECT_EQ(answered("signed", timeout(100, 10, 90)), "false 1");
  EXPECT_EQ(answered("absolute", timeout(100, 10, 90)), "true 1");
  EXPECT_EQ(answered("unsigned", timeout(100, 10, 99)), "true 1");
  EXPECT_EQ(answered("unsigned", timeout(100, 10, 100)), "false 1");
}

TEST(azure_reading_first_call, decides_about_a_limit_reached_at_once) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_019", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_023");
  expect_told_apart("first-call", {make(policy::interval, 10), retry({0, 10})},
                    {{"ends", {"ok", "now 2/0"}}, {"limit-first", {"ok", "stop 2/0"}}});
  std::vector<pin> const limit_first{{"first-call", "limit-first"}};
  EXPECT_EQ(admitted({make(policy::interval, 10), retry({0, 9}), retry({13})}, limit_first),
            (answers{"ok", "now 3/0", "stop 1/0"}));
  EXPECT_EQ(admitted({make(policy::interval, 0), retry({0, 10})}, limit_first).at(1), "now 3/0");
  EXPECT_EQ(admitted({make(policy::immediate, 10), retry({0, 9})}, limit_first).at(1), "now 2/0");
  EXPECT_EQ(admitted({make(policy::interval, 10), retry({0, -1})}, limit_first).at(1), "fails 2/0");
}

TEST(azure_reading_stop_sticky, decides_about_a_clock_that_goes_back) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_023");
  std::vector<call> const history{
      make(policy::interval, 10), retry({100}), retry({110}), retry({109}), retry({109}), start_again(), retry({109})};
  expect_told_apart("stop-sticky", history,
                    {{"re-evaluated", {"ok", "now 2/0", "stop 1/0", "now 2/0", "later 1/0", "ok", "now 2/0"}},
                     {"sticky", {"ok", "now 2/0", "stop 1/0", "stop 0..1/0", "stop 0..1/0", "ok", "now 2/0"}}});
  EXPECT_EQ(admitted({make(policy::interval, 10), retry({100}), retry({110}), retry({-1})}, {{"stop-sticky", "sticky"}})
                .at(3),
            "? 0..1/0")
      << "whether a clock that decides nothing is read is open";
}

TEST(azure_reading_immediate_limit, decides_about_the_limit_of_immediate) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_023", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_028");
  expect_told_apart("immediate-limit", {make(policy::immediate, 10), retry({100}), retry({110}), retry({111})},
                    {{"limit-first", {"ok", "now 1/0", "stop 1/0", "stop 1/0"}},
                     {"immediate-first", {"ok", "now 1/0", "now 1/0", "now 1/0"}}});
}

TEST(azure_reading_reset_options, decides_whether_options_survive) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_035", "AZ-RC-U01");
  expect_told_apart("reset-options", {make(policy::interval, 0), set_wait(7), start_again(), retrieve()},
                    {{"survive", {"ok", "0", "ok", "7 s, 5 %"}}, {"defaults", {"ok", "0", "ok", "5 s, 5 %"}}});
  std::vector<pin> const defaults{{"reset-options", "defaults"}};
  EXPECT_EQ(admitted({make(jitter, 0), set_jitter(7), start_again(), retrieve()}, defaults).back(), "1 s, 5 %");
}

// 2^63 seconds are one more than a difference can say; 2^63 - 1 are not.
TEST(azure_reading_difference_overflow, decides_about_times_too_far_apart) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_025");
  expect_told_apart("difference-overflow",
                    {make(policy::interval, 0), retry({earliest}), retry({-2}), retry({latest}), retry({0})},
                    {{"undefined", {"ok", "now 2/0", "now 2/0", "undefined"}},
                     {"exact", {"ok", "now 2/0", "now 2/0", "now 2/0", "later 1/0"}}});
}

TEST(azure_reading_difference_overflow, concerns_every_difference_that_is_looked_at) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_023", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_024",
         "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_061", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_062");
  auto const answered = [](std::string_view how, std::vector<call> const& history) {
    return admitted(history, {{"difference-overflow", how}}).back();
  };
  std::vector<call> const forwards{make(policy::interval, 10), retry({-2}), retry({latest})};
  std::vector<call> const back{make(policy::interval, 0), retry({latest}), retry({-2})};
  EXPECT_EQ(answered("undefined", forwards), "undefined") << "since the first retry";
  EXPECT_EQ(answered("exact", forwards), "stop 1/0");
  EXPECT_EQ(answered("undefined", back), "undefined") << "since the last one, backwards";
  EXPECT_EQ(answered("exact", back), "later 1/0");
  EXPECT_EQ(answered("undefined", {make(policy::immediate, 0), retry({-2}), retry({latest})}), "now 1/0")
      << "without a limit or a wait nothing is subtracted";
  EXPECT_EQ(answered("undefined", {make(policy::immediate, 10), retry({-2}), retry({latest})}), "undefined");
  EXPECT_EQ(answered("undefined", {make(policy::interval, 0), retry({1}), retry({earliest + 1})}), "later 1/0")
      << "the least difference that there is";
  EXPECT_EQ(answered("undefined", {make(policy::interval, 0), retry({1}), retry({earliest})}), "undefined");
  EXPECT_EQ(answered("undefined", {make(policy::interval, 0), timeout(-2, 10, latest)}), "undefined");
  EXPECT_EQ(answered("exact", {make(policy::interval, 0), timeout(-2, 10, latest)}), "true 1");
  EXPECT_EQ(answered("undefined", {make(policy::interval, 0), timeout(0, 10, latest)}), "true 1");
  EXPECT_EQ(answered("exact", {make(policy::interval, 0), timeout(latest, 10, -2)}), "false 1");
  std::vector<pin> const absolute{{"difference-overflow", "exact"}, {"clock-backwards", "absolute"}};
  EXPECT_EQ(admitted({make(policy::interval, 0), timeout(latest, top, earliest)}, absolute).back(), "true 1");
}

// ---- What cannot be seen ----

TEST(azure_hidden_draws, leave_every_wait_of_the_range_possible) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033");
  std::vector<call> const history{make(policy::random, 0), retry({0}, hidden), retry({0}, hidden), retry({3}, hidden),
                                  retry({4}, hidden),      retry({4}, hidden), retry({5}, hidden)};
  EXPECT_EQ(
      admitted(history, {}, {"", "", "later", "later", "later"}),
      (answers{"ok", "now 2/?", "now|later 1..2/?", "now|later 1..2/?", "now|later 1..2/?", "later 1/?", "now 2/?"}));
  EXPECT_EQ(admitted(history, {}, {"", "", "later", "now", "later"}),
            (answers{"ok", "now 2/?", "now|later 1..2/?", "now|later 1..2/?", "now|later 1..2/?", "later 1/?",
                     "now|later 1..2/?"}))
      << "a retry draws anew";
}

TEST(azure_hidden_draws, keep_to_the_ends_of_the_jitter) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032");
  std::vector<call> const history{make(jitter, 0),    set_wait(10),        set_jitter(55),      retry({0}, hidden),
                                  retry({9}, hidden), retry({10}, hidden), retry({14}, hidden), retry({15}, hidden)};
  answers const later{"", "", "", "", "", "later", "later"};
  EXPECT_EQ(admitted(history, {}, later),
            (answers{"ok", "0", "0", "now 2/?", "later 1/?", "now|later 1..2/?", "now|later 1..2/?", "now 2/?"}))
      << "15.5 at most, rounded down";
  EXPECT_EQ(admitted(history, {{"wait-rounding", "ceil"}}, later).back(), "now|later 1..2/?");
  EXPECT_EQ(admitted(history, {{"wait-rounding", "nearest"}}, later).back(), "now|later 1..2/?");
  EXPECT_EQ(admitted(history, {{"quotients", "integer"}}).at(5), "now 2/?") << "55 / 100 is 0";
}

TEST(azure_hidden_draws, overflow_only_where_the_wait_may_be_that_long) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032");
  std::vector<call> const history{make(jitter, 0),
                                  set_wait(4'200'000'000),
                                  retry({0}, hidden),
                                  retry({4'199'999'999}, hidden),
                                  retry({4'200'000'000}, hidden),
                                  retry({top}, hidden)};
  EXPECT_EQ(admitted(history, {}, {"", "", "", "", "later"}),
            (answers{"ok", "0", "now 2/?", "later 1/?", "now|later 1..2/?", "now 2/?"}));
  EXPECT_EQ(admitted(history, {{"overflow", "wraps"}}, {"", "", "", "later", "later"}),
            (answers{"ok", "0", "now 2/?", "now|later 1..2/?", "now|later 1..2/?", "now 2/?"}));
  EXPECT_EQ(admitted(history, {{"overflow", "undefined"}}), (answers{"ok", "0", "undefined"}));
}

TEST(azure_hidden_draws, leave_a_failing_clock_open_where_nothing_may_be_granted) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_016");
  std::vector<call> const history{make(policy::random, 0), retry({0}, hidden), retry({2, -1}, hidden),
                                  retry({2}, hidden), retry({3}, hidden)};
  auto const answered = [&](std::string_view how, std::string const& choice) {
    auto const all = admitted(history, {{"failed-016", how}}, {"", "", choice});
    return answers(all.begin() + 2, all.end());
  };
  EXPECT_EQ(answered("fails", "fails"), (answers{"? 1..2/?", "fails 0/?", "fails 0/?"}));
  EXPECT_EQ(answered("fails", "fails later"), (answers{"? 1..2/?", "fails 0/?", "fails 0/?"}))
      << "an action beside a failure says nothing";
  EXPECT_EQ(answered("fails", "later"), (answers{"? 1..2/?", "later 1/?", "now|later 1..2/?"}));
  EXPECT_EQ(answered("uncounted", "fails"), (answers{"? 1..2/?", "now 2/?", "now|later 1..2/?"}))
      << "it has failed, so the wait was over";
  EXPECT_EQ(answered("rolled-back", "fails"), (answers{"? 1..2/?", "now 2/?", "now|later 1..2/?"}));
  EXPECT_EQ(answered("returns-zero", "now"), (answers{"now|later 1..2/?", "fails 0/?", "fails 0/?"}));
  EXPECT_EQ(answered("returns-zero", "later"), (answers{"now|later 1..2/?", "later 1/?", "now|later 1..2/?"}));
}

TEST(azure_draws, of_every_kind_are_parts_of_their_range) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033");
  std::uint64_t const size = std::uint64_t{1} << 32;
  struct {
    draw from;
    integer wait;  // of a hundred seconds
  } const rows[]{
      {{draw::kind::u32, size - 1, size}, 100},  // the top draw is all of it
      {{draw::kind::u32, size / 2, size}, 50},   // and 2^31 a little more than half
      {{draw::kind::u32, size / 2 - 1, size}, 49}, {{draw::kind::rand, 32'767, 32'768}, 100},
      {{draw::kind::unit, size - 1, size}, 99},  // a unit draw never reaches 1
      {{draw::kind::unit, size / 2, size}, 50},    {{draw::kind::unit, 0, size}, 0},
  };
  for (auto const& row : rows) {
    auto const all = admitted({make(policy::random, 0), set_wait(100), retry({10}, row.from),
                               retry({9 + row.wait}, row.from), retry({10 + row.wait}, row.from)},
                              {});
    EXPECT_EQ(all.at(3), "later 1/0") << row.from.value;
    EXPECT_EQ(all.at(4), "now 2/1") << row.from.value;
  }
}

TEST(azure_failed_feed, may_have_set_any_of_the_options) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_042");
  auto const after = [](std::vector<call> history) {
    history.insert(history.begin(), {make(policy::interval, 0), set_wait(7)});
    history.push_back(retrieve());
    return admitted(history, {}).back();
  };
  EXPECT_EQ(after({feed({9, 9}, true)}), "7..9 by 2 s, 5..9 by 4 %");
  EXPECT_EQ(after({feed({3, std::nullopt}, true)}), "3..7 by 4 s, 5 %");
  EXPECT_EQ(after({feed({8, 101})}), "7..8 s, 5 %") << "one of them refused";
  EXPECT_EQ(after({feed({0, 9})}), "7 s, 5..9 by 4 %");
  EXPECT_EQ(after({feed({7, 5}, true)}), "7 s, 5 %") << "what it set was so before";
  EXPECT_EQ(after({feed({9, std::nullopt}, true), feed({13, std::nullopt}, true)}), "7..13 by 2 s, 5 %");
  EXPECT_EQ(after({feed({11, std::nullopt}, true), feed({7, std::nullopt}, true)}), "7..11 by 4 s, 5 %");
  EXPECT_EQ(after({feed({9, 9}, true), feed({9, 9})}), "9 s, 9 %") << "one that succeeds";
  EXPECT_EQ(after({feed({9, 9}, true), retrieve()}), "7 s, 5 %") << "what was retrieved is known";
}

TEST(azure_failed_feed, leaves_sets_that_differ_where_their_steps_do) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_042");
  EXPECT_EQ((values{3, 7, 2}), (values{3, 7, 2}));
  EXPECT_NE((values{3, 7, 2}), (values{3, 7, 4})) << "3, 5, 7 and 3, 7";
}

TEST(azure_failed_feed, leaves_the_wait_open_between_both) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_042");
  EXPECT_EQ(admitted({make(policy::interval, 0), feed({9, 9}, true), retry({0}), retry({4}), retry({5}), retry({9})},
                     {}, {"", "", "", "", "later"}),
            (answers{"ok", "fails", "now 2/0", "later 1/0", "now|later 1..2/0", "now 2/0"}));
  EXPECT_EQ(admitted({make(jitter, 0), set_wait(100), feed({std::nullopt, 50}, true), retry({0}, drawn(1, 1)),
                      retry({104}), retry({105}), retry({150})},
                     {}, {"", "", "", "", "", "later"}),
            (answers{"ok", "0", "fails", "now 2/1", "later 1/0", "now|later 1..2/0..1", "now 2/1"}));
}

TEST(azure_live, is_whatever_an_instance_takes_and_stays_so) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_002", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_056");
  auto const live = [](outcome const& o) { return o.answer[field_live]; };
  state s;
  auto const made = create(policy::none, 0, {}, s);
  EXPECT_EQ(live(made), admissible::integers(1, 1, top));
  answer port;
  port[field_live] = observed::of(3);
  observe(s, port);
  EXPECT_EQ(live(retrieve_options({.clock = {}, .option_add_fails = true}, s)), admissible::exactly(3));
  EXPECT_EQ(live(destroy({.clock = {}, .null_handle = true}, s)), admissible::exactly(3));
  EXPECT_EQ(live(destroy({}, s)), admissible::exactly(0));
  EXPECT_EQ(live(destroy({}, s)), admissible::exactly(0)) << "there is only a NULL handle left";
}

// ---- What claims speak about ----

facts facts_of(std::vector<call> const& history, std::vector<pin> const& pins = {}) {
  return under(readings(), pinned(readings(), pins), [&](chooser& choices) {
    state s;
    facts last;
    for (auto const& c : history) {
      auto const o = c(s, choices);
      last = o.facts;
      observe(s, played(o.answer, ""));
    }
    return last;
  });
}

TEST(azure_facts, say_where_a_call_stands) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_023", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_024",
         "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_025");
  std::vector<call> const start{make(policy::interval, 10), retry({100})};
  auto const first = facts_of(start);
  EXPECT_TRUE(first.first && first.may_grant);
  EXPECT_FALSE(first.may_wait || first.past_limit || first.backwards || first.fails || first.null_argument ||
               first.after_reset);
  EXPECT_EQ(first.policy, policy::interval);
  auto const then = [&](call const& next) {
    auto history = start;
    history.push_back(next);
    return facts_of(history);
  };
  auto const waiting = then(retry({102}));
  EXPECT_TRUE(waiting.may_wait);
  EXPECT_FALSE(waiting.may_grant || waiting.first);
  EXPECT_EQ(waiting.retry_count, 1);
  EXPECT_EQ(waiting.wait, (values{5, 5}));
  EXPECT_EQ(waiting.elapsed_secs, 2);
  EXPECT_EQ(
      facts_of({make(policy::interval, 10), retry({100, -1}), retry({101})}, {{"failed-016", "returns-zero"}}).wait,
      (values{5, 5}))
      << "calculated all the same";
  EXPECT_TRUE(then(retry({99})).backwards);
  EXPECT_TRUE(then(retry({110})).past_limit);
  EXPECT_TRUE(then(retry({-1})).fails);
  EXPECT_TRUE(then(retry({105, -1})).fails);
  EXPECT_FALSE(facts_of({make(policy::random, 0), retry({0}, hidden), retry({2, -1}, hidden)}).fails)
      << "it may wait instead";
  EXPECT_TRUE(then(timeout(50, 10, 49)).backwards);
  EXPECT_TRUE(then(timeout(-1, 10, 49)).fails);
  EXPECT_TRUE(then(set_wait(0)).fails);
  EXPECT_TRUE(facts_of({make(policy::none, 0), start_again(), retry({100})}).after_reset);
  state none;
  EXPECT_TRUE(retrieve_options({}, none).facts.null_argument);
  auto const asked = under(readings(), pinned(readings(), {}), [&](chooser& choices) {
    return should_retry({.clock = {}, .from = drawn(1, 1)}, none, choices).answer;
  });
  EXPECT_EQ(asked[field_clock_reads], admissible::exactly(0));
  EXPECT_EQ(asked[field_draws_used], admissible::exactly(0));
  EXPECT_FALSE(facts_of({timeout(50, 10, 49)}).null_argument) << "it takes no handle";
  state some;
  auto const made = create(policy::interval, 10, {}, some).facts;
  EXPECT_FALSE(made.null_argument || made.fails);
  EXPECT_FALSE(set_option(option::initial_wait_time_in_secs, {7, {}}, {.clock = {}, .option_feed_fails = true}, some)
                   .facts.fails)
      << "nothing is fed";
  static_cast<void>(destroy({}, some));
  EXPECT_TRUE(retrieve_options({}, some).facts.null_argument) << "destroyed";
  auto const unmade = create(policy::interval, 10, {.clock = {}, .malloc_fails = true}, some).facts;
  EXPECT_TRUE(unmade.fails && !unmade.null_argument);
}

TEST(azure_timeout, answers_in_its_own_field_alone) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_054");
  for (integer const now : {-1, 60}) {
    auto const answer = under(readings(), pinned(readings(), {}), [&](chooser& choices) {
      state s;
      static_cast<void>(create(policy::interval, 10, {}, s));
      return is_timeout_reached(50, 10, {.clock = {&now, 1}}, s, choices).answer;
    });
    EXPECT_EQ(answer[field_timed_out], now == -1 ? admissible::unjudged() : admissible::word(1)) << now;
    for (field const other : {field_action, field_initial_wait, field_max_jitter, field_draws_used}) {
      EXPECT_EQ(answer[other], admissible::nothing()) << now << ", field " << other;
    }
    EXPECT_EQ(answer[field_live].is(), admissible::kind::lattice);
  }
}

// ---- Forks ----

// How many alternatives a history leaves to be explored, with every reading open.
std::size_t forks(std::vector<call> const& history) {
  std::vector<cube> elsewhere;
  chooser choices(readings(), assignments(draw::kind::u32).front(), elsewhere);
  state s;
  for (auto const& c : history) observe(s, played(c(s, choices).answer, ""));
  return elsewhere.size();
}

TEST(azure_readings, are_consulted_only_where_they_matter) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_013");
  EXPECT_EQ(assignments(draw::kind::hidden), (std::vector{readings().admitting(standing::hazard)}));
  EXPECT_EQ(forks({make(policy::none, 10), retry({0}), retry({20})}), 0U);
  EXPECT_EQ(forks({make(policy::interval, 10), set_wait(5), start_again(), retry({0})}), 1U) << "first-call";
  EXPECT_EQ(forks({make(policy::interval, 10), retry({0}), retry({5}), retry({15})}), 1U);
  EXPECT_EQ(forks({make(policy::interval, 10), retry({0}), retry({5}), retry({15}), retry({15})}), 2U) << "stop-sticky";
  EXPECT_EQ(forks({make(policy::linear_backoff, 0), retry({0})}), 2U) << "and count-origin";
  EXPECT_EQ(forks({make(policy::random, 0), retry({0}, drawn(1, 1))}), 2U) << "and quotients";
  EXPECT_EQ(forks({make(policy::random, 0), retry({0}, drawn(1, 3))}), 3U) << "and wait-rounding";
  EXPECT_EQ(forks({make(policy::immediate, 10), retry({0}), retry({9})}), 1U);
  EXPECT_EQ(forks({make(policy::immediate, 10), retry({0}), retry({10})}), 2U) << "and immediate-limit";
  EXPECT_EQ(forks({make(policy::interval, 0), set_wait(7), start_again()}), 1U) << "reset-options";
}

}  // namespace
}  // namespace backoff::spec::azure_c_retry_control
