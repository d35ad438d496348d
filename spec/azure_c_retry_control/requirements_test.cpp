// The requirements of iothub_client_retry_control, one test or more each, named by their ids in the catalogue, but for
// the waits of calculate_next_wait_time and the options, which have files of their own. Every one is held against the
// library and against the model. Expected numbers are worked out by hand.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "azure_c_retry_control/subjects_test.hpp"
#include "tests/checks.hpp"

namespace backoff::spec::azure_c_retry_control {
namespace {

constexpr integer earliest = std::numeric_limits<integer>::min();
constexpr integer latest = std::numeric_limits<integer>::max();
constexpr integer longest = 4'294'967'295;  // 2^32 - 1 seconds

bool draws_at_a_grant(policy p) { return p == policy::exponential_backoff_with_jitter || p == policy::random; }

// What the first call answers under each policy.
retried first_answer(policy p) {
  if (p == policy::none) return stop(0);
  if (p == policy::immediate) return now(1);
  return now(2, draws_at_a_grant(p) ? 1 : 0);
}

TEST(SRS_09_002, create_allocates_the_instance) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_002");
  for (policy const p : policies) {
    each_subject([&](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_EQ(s->live(), 0);
      EXPECT_TRUE(s->create(p, 10));
      EXPECT_EQ(s->live(), 1);
    });
  }
}

TEST(SRS_09_003, create_answers_null_without_memory) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_003");
  each_subject([](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_FALSE(s->create(policy::interval, 10, where(&surroundings::malloc_fails)));
    EXPECT_EQ(s->live(), 0);
    EXPECT_EQ(s->should_retry(at({100})), failed(0)) << "there is only a NULL handle";
  });
}

TEST(SRS_09_004, create_saves_policy_and_limit) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_004");
  for (integer const limit : {integer{7}, integer{20}, longest}) {
    each_control(policy::immediate, limit, [&](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_EQ(s->should_retry(at({100})), now(1)) << "no other policy reads the clock just once";
      EXPECT_EQ(s->should_retry(at({100 + limit - 1})), now(1));
      EXPECT_EQ(s->should_retry(at({100 + limit})), stop(1));
    });
  }
  for (policy const p : policies) {
    each_control(p, 10,
                 [&](fresh_subject const& fresh) { EXPECT_EQ(fresh()->should_retry(at({100})), first_answer(p)); });
  }
}

TEST(SRS_09_005, exponential_policies_begin_with_a_second) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_005");
  for (policy const p : {policy::exponential_backoff, policy::exponential_backoff_with_jitter}) {
    each_control(p, 0, [](fresh_subject const& fresh) {
      EXPECT_EQ(fresh()->retrieve_options().value().initial_wait_time_in_secs, 1);
      auto const s = fresh();
      static_cast<void>(s->should_retry(at({100})));
      EXPECT_EQ(s->should_retry(at({100})), later(1));
      EXPECT_EQ(s->should_retry(at({101})).what, action::retry_now);
    });
  }
}

TEST(SRS_09_006, other_policies_begin_with_five_seconds) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_006");
  for (policy const p : {policy::none, policy::immediate, policy::interval, policy::linear_backoff, policy::random}) {
    each_control(p, 0, [](fresh_subject const& fresh) {
      EXPECT_EQ(fresh()->retrieve_options().value().initial_wait_time_in_secs, 5);
    });
  }
  for (policy const p : {policy::interval, policy::linear_backoff, policy::random}) {
    each_control(p, 0, [](fresh_subject const& fresh) {
      auto const s = fresh();
      static_cast<void>(s->should_retry(at({100}, drawn(1, 1))));
      EXPECT_EQ(s->should_retry(at({104})), later(1));
      EXPECT_EQ(s->should_retry(at({105})).what, action::retry_now);
    });
  }
}

TEST(SRS_09_007, jitter_begins_with_five_percent) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_007");
  for (policy const p : policies) {
    each_control(
        p, 0, [](fresh_subject const& fresh) { EXPECT_EQ(fresh()->retrieve_options().value().max_jitter_percent, 5); });
  }
}

TEST(SRS_09_008, create_initialises_the_rest_as_reset_does) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_008");
  for (policy const p : policies) {
    each_control(p, 3, [&](fresh_subject const& fresh) {
      auto const created = fresh();
      auto const reset = fresh();
      reset->reset();
      for (auto const& s : {&created, &reset}) {
        EXPECT_EQ((*s)->should_retry(at({100, 101})), first_answer(p));
        if (p == policy::none) continue;
        EXPECT_EQ((*s)->should_retry(at({103})), stop(1)) << "the limit counts from 100";
      }
    });
  }
}

TEST(SRS_09_009, create_answers_a_handle) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_009");
  for (policy const p : policies) {
    for (integer const limit : {integer{0}, integer{1}, longest}) {
      each_subject([&](fresh_subject const& fresh) {
        auto const one = fresh();
        auto const other = fresh();
        EXPECT_TRUE(one->create(p, limit));
        EXPECT_TRUE(other->create(p, limit));
        EXPECT_EQ(one->should_retry(at({100})), first_answer(p));
        EXPECT_EQ(other->should_retry(at({100})), first_answer(p)) << "instances share nothing";
      });
    }
  }
}

TEST(SRS_09_010, should_retry_fails_on_null) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_010");
  for (policy const p : policies) {
    each_control(p, 10, [&](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_EQ(s->should_retry(where(&surroundings::null_handle, at({100}))), failed(0));
      EXPECT_EQ(s->should_retry(where(&surroundings::null_out, at({100}))), failed(0));
      EXPECT_EQ(s->should_retry(at({200})), first_answer(p)) << "nothing has happened yet";
    });
  }
}

TEST(SRS_09_027, none_stops_at_once) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_027");
  each_control(policy::none, 10, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100})), stop(0));
    EXPECT_EQ(s->should_retry(at({-1})), stop(0)) << "a clock that nobody reads cannot fail";
    s->reset();
    EXPECT_EQ(s->should_retry(at({100})), stop(0));
  });
}

TEST(SRS_09_011, first_call_sets_first_retry_time_from_its_first_reading) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_011");
  each_control(policy::interval, 10, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100, 102})), now(2));
    EXPECT_EQ(s->should_retry(at({106})), later(1)) << "once set it is not set again";
    EXPECT_EQ(s->should_retry(at({109})), now(2)) << "nine seconds since 100";
    EXPECT_EQ(s->should_retry(at({110})), stop(1));
  });
}

TEST(SRS_09_012, should_retry_fails_where_the_first_reading_does) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_012");
  for (policy const p : policies) {
    if (p == policy::none) continue;
    each_control(p, 10, [&](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_EQ(s->should_retry(at({-1, 100})), failed(1));
      EXPECT_EQ(s->should_retry(at({-1})), failed(1));
      EXPECT_EQ(s->should_retry(at({-2})), first_answer(p)) << "-1 alone is no time";
      EXPECT_EQ(s->should_retry(at({8})), stop(1)) << "ten seconds since -2, not since a call that failed";
    });
  }
}

TEST(SRS_09_013, should_retry_answers_what_the_evaluation_decides) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_013");
  each_control(policy::interval, 10, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100})), now(2));
    EXPECT_EQ(s->should_retry(at({101})), later(1));
    EXPECT_EQ(s->should_retry(at({105})), now(2));
    EXPECT_EQ(s->should_retry(at({110})), stop(1));
  });
}

TEST(SRS_09_014, should_retry_fails_where_the_evaluation_does) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_014");
  each_control(policy::linear_backoff, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100})), now(2));
    EXPECT_EQ(s->should_retry(at({-1, 200})), failed(1));
    EXPECT_EQ(s->should_retry(at({104})), later(1)) << "nothing has changed";
    EXPECT_EQ(s->should_retry(at({105})), now(2));
    EXPECT_EQ(s->should_retry(at({114})), later(1)) << "the second retry, and no third";
    EXPECT_EQ(s->should_retry(at({115})), now(2));
  });
}

TEST(SRS_09_015, only_a_granted_retry_is_counted) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_015");
  each_control(policy::linear_backoff, 100, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({1000})), now(2));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(s->should_retry(at({1004})), later(1));
    EXPECT_EQ(s->should_retry(at({1005})), now(2));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(s->should_retry(at({1100})), stop(1));
    EXPECT_EQ(s->should_retry(at({1014})), later(1)) << "ten seconds: two were counted";
    EXPECT_EQ(s->should_retry(at({1015})), now(2));
    EXPECT_EQ(s->should_retry(at({1029})), later(1)) << "fifteen: three";
    EXPECT_EQ(s->should_retry(at({1030})), now(2));
  });
}

TEST(SRS_09_016, granted_retry_sets_last_retry_time_from_a_reading_of_its_own) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_016");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100, 103})), now(2));
    EXPECT_EQ(s->should_retry(at({107})), later(1)) << "five seconds from 103";
    EXPECT_EQ(s->should_retry(at({108, 120})), now(2));
    EXPECT_EQ(s->should_retry(at({124, 0})), later(1)) << "and from 120";
    EXPECT_EQ(s->should_retry(at({125, 125})), now(2));
  });
  each_control(policy::immediate, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100, -1})), now(1));
    EXPECT_EQ(s->should_retry(at({100, -1})), now(1)) << "it has no wait to time";
  });
}

TEST(SRS_09_016, retry_whose_time_cannot_be_read_fails_up_to_the_next_reset) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_016", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_020");
  for (policy const p : policies) {
    if (p == policy::none || p == policy::immediate) continue;
    each_control(p, 10, [&](fresh_subject const& fresh) {
      for (bool const at_first : {true, false}) {
        auto const s = fresh();
        if (!at_first) {
          EXPECT_EQ(s->should_retry(at({95})), first_answer(p));
        }
        EXPECT_EQ(s->should_retry(at({100, -1})), failed(2)) << "no draw either";
        EXPECT_EQ(s->should_retry(at({101})), failed(0));
        EXPECT_EQ(s->should_retry(at({200})), failed(0)) << "even beyond the limit";
        s->reset();
        EXPECT_EQ(s->should_retry(at({300})), first_answer(p));
      }
    });
  }
}

TEST(SRS_09_017, granted_retry_sets_the_next_wait) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_017");
  for (policy const p : policies) {
    if (p == policy::none) continue;
    each_control(p, 0, [&](fresh_subject const& fresh) {
      auto const s = fresh();
      integer const drawn_a_call = draws_at_a_grant(p) ? 1 : 0;
      integer const reads = p == policy::immediate ? 1 : 2;
      EXPECT_EQ(s->should_retry(at({1000}, drawn(1, 1))), now(reads, drawn_a_call));
      if (p != policy::immediate) {
        EXPECT_EQ(s->should_retry(at({1000})), later(1)) << "waiting draws nothing";
      }
      EXPECT_EQ(s->should_retry(at({2000}, drawn(1, 1))), now(reads, drawn_a_call));
      if (p != policy::immediate) {
        EXPECT_EQ(s->should_retry(at({2001})), later(1)) << "a new wait, from 2000";
      }
    });
  }
  each_control(policy::random, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100}, drawn(4, 5))), now(2, 1));
    EXPECT_EQ(s->should_retry(at({103}, drawn(0, 5))), later(1)) << "the draw of a poll is not taken";
    EXPECT_EQ(s->should_retry(at({104}, drawn(1, 5))), now(2, 1));
    EXPECT_EQ(s->should_retry(at({104}, drawn(1, 5))), later(1));
    EXPECT_EQ(s->should_retry(at({105}, drawn(0, 5))), now(2, 1));
    EXPECT_EQ(s->should_retry(at({105}, drawn(5, 5))), now(2, 1)) << "a wait of 0 seconds";
  });
}

TEST(SRS_09_018, should_retry_answers_zero_with_every_action) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_018", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_026");
  for (policy const p : policies) {
    if (p == policy::none) continue;
    each_control(p, 3, [&](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_EQ(s->should_retry(at({100}, drawn(1, 1))), first_answer(p));
      if (p != policy::immediate) {
        EXPECT_EQ(s->should_retry(at({100})), later(1));
      }
      EXPECT_EQ(s->should_retry(at({103})), stop(1));
    });
  }
}

TEST(SRS_09_019, first_retry_is_granted_without_looking_at_the_limit) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_019");
  for (policy const p : policies) {
    if (p == policy::none) continue;
    each_control(p, 10, [&](fresh_subject const& fresh) {
      EXPECT_EQ(fresh()->should_retry(at({0, 10})), first_answer(p)) << "a reading for 011 and one for 016";
      EXPECT_EQ(fresh()->should_retry(at({earliest, latest})), first_answer(p));
    });
  }
}

TEST(SRS_09_020, evaluation_fails_without_last_retry_time_but_for_immediate) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_020");
  each_control(policy::exponential_backoff, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100, -1})), failed(2));
    EXPECT_EQ(s->should_retry(at({200})), failed(0)) << "before any reading";
    EXPECT_EQ(s->should_retry(at({-1})), failed(0));
  });
  each_control(policy::immediate, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100})), now(1));
    EXPECT_EQ(s->should_retry(at({100})), now(1)) << "it never sets last_retry_time";
  });
}

TEST(SRS_09_021, evaluation_reads_the_clock_once) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_021");
  each_control(policy::interval, 20, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100})), now(2));
    EXPECT_EQ(s->should_retry(at({104, 500})), later(1)) << "one reading for the limit and for the wait";
    EXPECT_EQ(s->should_retry(at({120, 500})), stop(1));
    EXPECT_EQ(s->should_retry(at({105, 106})), now(2));
  });
  each_control(policy::immediate, 20, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100})), now(1));
    EXPECT_EQ(s->should_retry(at({119, 500})), now(1));
    EXPECT_EQ(s->should_retry(at({120, 500})), stop(1));
  });
}

TEST(SRS_09_022, evaluation_fails_where_its_reading_does) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_022");
  for (policy const p : policies) {
    if (p == policy::none) continue;
    each_control(p, 10, [&](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_EQ(s->should_retry(at({100})), first_answer(p));
      EXPECT_EQ(s->should_retry(at({-1, 110})), failed(1));
      EXPECT_EQ(s->should_retry(at({110})), stop(1)) << "the clock works again";
      EXPECT_EQ(s->should_retry(at({-1})), failed(1)) << "stopped or not";
    });
  }
}

TEST(SRS_09_023, retries_stop_when_the_limit_is_reached) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_023");
  struct {
    integer limit;
    integer first;
    integer now;
    bool stops;
  } const rows[]{
      {10, 100, 109, false},
      {10, 100, 110, true},
      {10, 100, 111, true},
      {1, 100, 100, false},
      {1, 100, 101, true},
      {1, -2, -1'000'000, false},           // the clock went back
      {10, -5, 5, true},                    // across 0
      {10, -5, 4, false},                   //
      {0, 100, latest, false},              // 0: no limit
      {0, earliest, latest, false},         //
      {longest, 0, longest - 1, false},     //
      {longest, 0, longest, true},          //
      {10, earliest, latest, true},         // a difference wider than 64 bits
      {longest, earliest, latest, true},    //
      {longest, latest, earliest, false},   //
      {10, latest - 9, latest, false},      //
      {10, latest - 10, latest, true},      //
      {10, earliest, earliest + 9, false},  //
      {10, earliest, earliest + 10, true},  //
      {10, latest, earliest + 100, false},  // wraps to a small positive number
      {10, latest, 100, false},             //
      {10, 0, earliest, false},             //
      {10, -3, latest, true},               //
      {10, 1, earliest, false},             //
  };
  for (auto const& row : rows) {
    each_control(policy::immediate, row.limit, [&](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_EQ(s->should_retry(at({row.first})), now(1));
      EXPECT_EQ(s->should_retry(at({row.now})), row.stops ? stop(1) : now(1))
          << "limit " << row.limit << ", from " << row.first << " to " << row.now;
    });
  }
}

TEST(SRS_09_023, stopping_comes_before_waiting_and_is_evaluated_anew) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_023");
  for (policy const p : policies) {
    if (p == policy::none || p == policy::immediate) continue;
    each_control(p, 10, [&](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_EQ(s->should_retry(at({100, 200}, drawn(1, 1))), first_answer(p));
      EXPECT_EQ(s->should_retry(at({110})), stop(1)) << "though the wait from 200 is not over";
      EXPECT_EQ(s->should_retry(at({109})), later(1)) << "the clock went back";
      EXPECT_EQ(s->should_retry(at({110})), stop(1));
    });
  }
}

TEST(SRS_09_028, immediate_retries_at_once_until_the_limit) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_028");
  each_control(policy::immediate, 5, [](fresh_subject const& fresh) {
    auto const s = fresh();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(s->should_retry(at({100})), now(1));
    EXPECT_EQ(s->should_retry(at({104})), now(1));
    EXPECT_EQ(s->should_retry(at({105})), stop(1));
    EXPECT_EQ(s->should_retry(at({50})), now(1)) << "the clock went back";
  });
}

TEST(SRS_09_024, retry_comes_later_while_the_wait_is_not_over) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_024");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    struct {
      integer granted;
      integer now;
    } const rows[]{{100, 100},  {100, 101},    {100, 104},
                   {100, 99},   {100, -1000},  {latest, earliest},
                   {latest, 0}, {0, earliest}, {latest, earliest + 5},
                   {-3, 1},     {1, earliest}, {latest - 4, latest}};
    for (auto const& row : rows) {
      auto const s = fresh();
      EXPECT_EQ(s->should_retry(at({row.granted})), now(2));
      EXPECT_EQ(s->should_retry(at({row.now})), later(1)) << "from " << row.granted << " to " << row.now;
    }
  });
  each_control(policy::random, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100}, drawn(0, 1))), now(2, 1));
    EXPECT_EQ(s->should_retry(at({99})), later(1)) << "less than 0 seconds, so even a wait of 0 is not over";
    EXPECT_EQ(s->should_retry(at({100})), now(2, 1));
  });
}

TEST(SRS_09_025, retry_is_granted_when_the_wait_is_over) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_025");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    struct {
      integer granted;
      integer now;
    } const rows[]{{100, 105}, {100, 106},           {100, latest}, {earliest, latest}, {earliest, earliest + 5},
                   {-3, 2},    {latest - 5, latest}, {earliest, 0}, {-2, latest}};
    for (auto const& row : rows) {
      auto const s = fresh();
      EXPECT_EQ(s->should_retry(at({row.granted})), now(2));
      EXPECT_EQ(s->should_retry(at({row.now})), now(2)) << "from " << row.granted << " to " << row.now;
    }
  });
}

TEST(SRS_09_034, reset_of_null_does_nothing) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_034");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->should_retry(at({100})), now(2));
    s->reset(where(&surroundings::null_handle));
    EXPECT_EQ(s->should_retry(at({104})), later(1));
    EXPECT_EQ(s->live(), 1);
  });
}

TEST(SRS_09_035, reset_clears_counter_wait_and_times) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_035", "AZ-RC-U01");
  for (policy const p : policies) {
    if (p == policy::none) continue;
    each_control(p, 10, [&](fresh_subject const& fresh) {
      for (int calls = 0; calls < 4; ++calls) {
        auto const s = fresh();
        for (int i = 0; i < calls; ++i) static_cast<void>(s->should_retry(at({100 + 6 * i}, drawn(1, 1))));
        s->reset();
        EXPECT_EQ(s->should_retry(at({50})), first_answer(p)) << "both times are set anew, after " << calls << " calls";
        EXPECT_EQ(s->should_retry(at({59})).what, action::retry_now) << "the limit counts from 50";
        EXPECT_EQ(s->should_retry(at({60})), stop(1));
      }
    });
  }
  each_control(policy::linear_backoff, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    for (integer const t : {100, 105, 115}) EXPECT_EQ(s->should_retry(at({t})), now(2));
    s->reset();
    s->reset();
    EXPECT_EQ(s->should_retry(at({116})), now(2)) << "no wait";
    EXPECT_EQ(s->should_retry(at({120})), later(1));
    EXPECT_EQ(s->should_retry(at({121})), now(2)) << "one was counted: 5 seconds";
  });
}

TEST(AZ_RC_U01, reset_lets_the_next_call_answer_as_the_first) {
  checks("AZ-RC-U01");
  for (policy const p : policies) {
    each_control(p, 10, [&](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_EQ(s->should_retry(at({100, -1})).reads, p == policy::none ? 0 : p == policy::immediate ? 1 : 2);
      EXPECT_EQ(s->should_retry(at({110})).what.has_value(), p == policy::none || p == policy::immediate);
      s->reset();
      EXPECT_EQ(s->should_retry(at({110})), first_answer(p));
    });
  }
}

TEST(SRS_09_055, destroy_of_null_does_nothing) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_055");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    s->destroy(where(&surroundings::null_handle));
    EXPECT_EQ(s->live(), 1);
    EXPECT_EQ(s->should_retry(at({100})), now(2));
  });
}

TEST(SRS_09_056, destroy_frees_the_instance) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_056");
  for (policy const p : policies) {
    each_control(p, 0, [](fresh_subject const& fresh) {
      auto const s = fresh();
      static_cast<void>(s->should_retry(at({100})));
      s->destroy();
      EXPECT_EQ(s->live(), 0);
    });
  }
}

TEST(SRS_09_057, timeout_fails_without_a_start) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_057", "AZ-RC-U06");
  each_control(policy::none, 0, [](fresh_subject const& fresh) {
    EXPECT_EQ(fresh()->is_timeout_reached(-1, 10, at({100})), (timed{std::nullopt, 0}));
    EXPECT_EQ(fresh()->is_timeout_reached(-2, 10, at({100})), (timed{true, 1})) << "a time like any other";
  });
}

TEST(SRS_09_058, timeout_fails_on_null) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_058");
  each_control(policy::none, 0, [](fresh_subject const& fresh) {
    EXPECT_EQ(fresh()->is_timeout_reached(50, 10, where(&surroundings::null_out, at({100}))), (timed{std::nullopt, 0}));
  });
}

TEST(SRS_09_059, timeout_reads_the_clock_once) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_059");
  each_control(policy::none, 0, [](fresh_subject const& fresh) {
    EXPECT_EQ(fresh()->is_timeout_reached(50, 10, at({59, 60})), (timed{false, 1}));
    EXPECT_EQ(fresh()->is_timeout_reached(50, 10, at({60, 59})), (timed{true, 1}));
  });
}

TEST(SRS_09_060, timeout_fails_where_the_clock_does) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_060");
  each_control(policy::none, 0, [](fresh_subject const& fresh) {
    EXPECT_EQ(fresh()->is_timeout_reached(50, 10, at({-1, 60})), (timed{std::nullopt, 1}));
  });
}

void expect_timeouts(bool reached, std::vector<std::vector<integer>> const& rows) {
  each_control(policy::none, 0, [&](fresh_subject const& fresh) {
    for (auto const& row : rows) {
      EXPECT_EQ(fresh()->is_timeout_reached(row[0], row[1], at({row[2]})), (timed{reached, 1}))
          << row[1] << " s from " << row[0] << " to " << row[2];
    }
  });
}

TEST(SRS_09_061, timeout_is_reached_at_its_end) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_061");
  expect_timeouts(true, {{50, 10, 60},
                         {50, 10, 61},
                         {50, 0, 50},
                         {-10, 10, 0},
                         {0, longest, longest},
                         {earliest, longest, latest},
                         {earliest, 0, earliest},
                         {latest, 0, latest},
                         {-2, 10, latest},
                         {latest - 10, 10, latest}});
}

TEST(SRS_09_062, timeout_is_not_reached_before) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_062");
  expect_timeouts(false, {{50, 10, 59},
                          {50, 10, 50},
                          {50, 10, 49},
                          {50, 0, 49},
                          {0, longest, longest - 1},
                          {latest, 0, earliest},
                          {latest, longest, earliest},
                          {latest, 1, latest},
                          {0, 0, earliest},
                          {latest - 9, 10, latest}});
}

TEST(SRS_09_063, timeout_answers_zero_without_an_instance) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_063");
  each_subject([](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->is_timeout_reached(50, 10, at({60})), (timed{true, 1})) << "it takes no handle";
    EXPECT_EQ(s->is_timeout_reached(50, 10, at({59})), (timed{false, 1}));
  });
}

TEST(AZ_RC_U06, indefinite_time_is_minus_one) {
  checks("AZ-RC-U06");
  static_assert(core::indefinite_time == -1);
  for (policy const p : policies) {
    if (p == policy::none || p == policy::immediate) continue;
    each_control(p, 0, [&](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_EQ(s->should_retry(at({0, -2}, drawn(1, 1))), first_answer(p)) << "0 and -2 are times";
      EXPECT_EQ(s->should_retry(at({-2})), later(1));
      EXPECT_EQ(s->should_retry(at({100, -1})), failed(2)) << "-1 is none";
    });
  }
}

}  // namespace
}  // namespace backoff::spec::azure_c_retry_control
