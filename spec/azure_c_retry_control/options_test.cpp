// The options of iothub_client_retry_control: set_option, retrieve_options, and the table of what they may hold. Held
// against the library and against the model.
#include <gtest/gtest.h>

#include "azure_c_retry_control/subjects_test.hpp"
#include "tests/checks.hpp"

namespace backoff::spec::azure_c_retry_control {
namespace {

using enum option;

constexpr integer longest = 4'294'967'295;  // 2^32 - 1, the largest unsigned int

TEST(SRS_09_036, set_option_fails_on_null) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_036");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    for (option const name : {initial_wait_time_in_secs, max_jitter_percent, retry_control_options}) {
      for (auto const null : {&surroundings::null_handle, &surroundings::null_name, &surroundings::null_value}) {
        auto const s = fresh();
        EXPECT_FALSE(s->set_option(name, {7, saved({7, 7})}, where(null)));
        EXPECT_EQ(s->retrieve_options(), (options{5, 5})) << "nothing has changed";
      }
    }
  });
}

TEST(SRS_09_037, initial_wait_of_zero_is_refused) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_037", "AZ-RC-U02");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_FALSE(s->set(initial_wait_time_in_secs, 0));
    EXPECT_EQ(s->retrieve_options(), (options{5, 5}));
    EXPECT_TRUE(s->set(initial_wait_time_in_secs, 3));
    EXPECT_FALSE(s->set(initial_wait_time_in_secs, 0));
    EXPECT_EQ(s->retrieve_options(), (options{3, 5})) << "the last good one stays";
  });
}

TEST(SRS_09_038, initial_wait_is_saved_and_used_from_the_next_retry_on) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_038");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_TRUE(s->set(initial_wait_time_in_secs, 7));
    EXPECT_EQ(s->retrieve_options(), (options{7, 5}));
    EXPECT_EQ(s->should_retry(at({100})), now(2));
    EXPECT_TRUE(s->set(initial_wait_time_in_secs, 2));
    EXPECT_EQ(s->should_retry(at({106})), later(1)) << "the wait that has begun is 7 seconds";
    EXPECT_EQ(s->should_retry(at({107})), now(2));
    EXPECT_EQ(s->should_retry(at({108})), later(1));
    EXPECT_EQ(s->should_retry(at({109})), now(2)) << "the next one 2";
  });
}

TEST(AZ_RC_U02, initial_wait_is_any_unsigned_number_from_one_on) {
  checks("AZ-RC-U02");
  for (integer const secs : {integer{1}, integer{2}, integer{3600}, integer{0x8000'0000}, longest}) {
    each_control(policy::interval, 0, [&](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_TRUE(s->set(initial_wait_time_in_secs, secs));
      EXPECT_EQ(s->retrieve_options(), (options{secs, 5}));
      EXPECT_EQ(s->should_retry(at({100})), now(2));
      EXPECT_EQ(s->should_retry(at({100 + secs - 1})), later(1));
      EXPECT_EQ(s->should_retry(at({100 + secs})), now(2));
    });
  }
}

TEST(AZ_RC_U03, initial_wait_is_one_second_for_exponential_policies_and_five_for_others) {
  checks("AZ-RC-U03");
  for (policy const p : policies) {
    bool const exponential = p == policy::exponential_backoff || p == policy::exponential_backoff_with_jitter;
    each_control(p, 0, [&](fresh_subject const& fresh) {
      EXPECT_EQ(fresh()->retrieve_options(), (options{exponential ? 1 : 5, 5}));
    });
  }
}

TEST(SRS_09_039, jitter_above_a_hundred_is_refused) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_039", "AZ-RC-U04");
  each_control(policy::exponential_backoff_with_jitter, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    for (integer const percent : {integer{101}, integer{1000}, integer{0x8000'0000}, longest}) {
      EXPECT_FALSE(s->set(max_jitter_percent, percent)) << percent;
      EXPECT_EQ(s->retrieve_options(), (options{1, 5}));
    }
  });
}

TEST(SRS_09_040, jitter_is_saved_and_used) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_040");
  each_control(policy::exponential_backoff_with_jitter, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_TRUE(s->set(initial_wait_time_in_secs, 100));
    EXPECT_TRUE(s->set(max_jitter_percent, 30));
    EXPECT_EQ(s->retrieve_options(), (options{100, 30}));
    EXPECT_EQ(s->should_retry(at({0}, drawn(9, 9))), now(2, 1));
    EXPECT_EQ(s->should_retry(at({129})), later(1));
    EXPECT_EQ(s->should_retry(at({130})), now(2, 1));
  });
}

TEST(AZ_RC_U04, jitter_is_any_percentage_and_five_by_default) {
  checks("AZ-RC-U04");
  for (policy const p : policies) {
    each_control(p, 0, [](fresh_subject const& fresh) {
      auto const s = fresh();
      EXPECT_EQ(s->retrieve_options().value().max_jitter_percent, 5);
      for (integer const percent : {0, 1, 50, 99, 100}) {
        EXPECT_TRUE(s->set(max_jitter_percent, percent));
        EXPECT_EQ(s->retrieve_options().value().max_jitter_percent, percent);
      }
    });
  }
}

TEST(SRS_09_041, saved_options_are_fed_to_the_instance) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_041");
  each_control(policy::linear_backoff, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_TRUE(s->feed(saved({7, 30})));
    EXPECT_EQ(s->retrieve_options(), (options{7, 30}));
    EXPECT_TRUE(s->feed({8, std::nullopt}));
    EXPECT_EQ(s->retrieve_options(), (options{8, 30}));
    EXPECT_TRUE(s->feed({std::nullopt, 40}));
    EXPECT_EQ(s->retrieve_options(), (options{8, 40}));
    EXPECT_TRUE(s->feed({})) << "nothing to feed";
    EXPECT_EQ(s->retrieve_options(), (options{8, 40}));
    auto const other = fresh();
    EXPECT_TRUE(other->feed(saved(s->retrieve_options().value()))) << "from one instance to another";
    EXPECT_EQ(other->retrieve_options(), (options{8, 40}));
  });
}

TEST(SRS_09_042, set_option_fails_where_the_feed_does) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_042");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_FALSE(s->feed(saved({5, 5}), where(&surroundings::option_feed_fails)));
    EXPECT_FALSE(s->feed(saved({0, 5}))) << "an option that is refused";
    EXPECT_FALSE(s->feed(saved({5, 101})));
    EXPECT_FALSE(s->feed({std::nullopt, 101}));
    EXPECT_FALSE(s->feed({0, std::nullopt}));
    EXPECT_EQ(s->retrieve_options(), (options{5, 5}));
    EXPECT_TRUE(s->feed(saved({6, 6})));
    EXPECT_EQ(s->retrieve_options(), (options{6, 6}));
  });
}

TEST(SRS_09_043, unknown_option_is_refused) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_043");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_FALSE(s->set(unsupported, 7));
    EXPECT_EQ(s->retrieve_options(), (options{5, 5}));
  });
}

TEST(SRS_09_044, set_option_answers_zero) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_044");
  for (policy const p : policies) {
    each_control(p, 10, [](fresh_subject const& fresh) {
      auto const s = fresh();
      for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(s->set(initial_wait_time_in_secs, 9));
        EXPECT_TRUE(s->set(max_jitter_percent, 0));
        EXPECT_TRUE(s->feed(saved({9, 0})));
        static_cast<void>(s->should_retry(at({100})));
      }
    });
  }
}

TEST(AZ_RC_U05, saved_options_are_not_null_and_there_are_none_by_default) {
  checks("AZ-RC-U05");
  each_control(policy::exponential_backoff, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->retrieve_options(), (options{1, 5})) << "nothing was fed";
    EXPECT_FALSE(s->feed(saved({7, 7}), where(&surroundings::null_value)));
    EXPECT_EQ(s->retrieve_options(), (options{1, 5}));
    EXPECT_TRUE(s->feed(saved({7, 7})));
    EXPECT_EQ(s->retrieve_options(), (options{7, 7}));
  });
}

TEST(SRS_09_045, options_of_null_are_null) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_045");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->retrieve_options(where(&surroundings::null_handle)), std::nullopt);
    EXPECT_EQ(s->live(), 1);
  });
}

TEST(SRS_09_046, options_are_a_set_of_their_own) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_046", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_054");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    auto const before = s->retrieve_options();
    EXPECT_TRUE(s->set(initial_wait_time_in_secs, 9));
    EXPECT_EQ(before, (options{5, 5}));
    EXPECT_EQ(s->retrieve_options(), (options{9, 5}));
    EXPECT_EQ(s->live(), 1) << "what was retrieved is the caller's";
  });
}

TEST(SRS_09_047, options_are_null_where_none_can_be_created) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_047");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->retrieve_options(where(&surroundings::option_create_fails)), std::nullopt);
    EXPECT_EQ(s->retrieve_options(), (options{5, 5})) << "the instance is as it was";
  });
}

TEST(SRS_09_050, initial_wait_is_among_the_options) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_050");
  each_control(policy::random, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->retrieve_options().value().initial_wait_time_in_secs, 5);
    EXPECT_TRUE(s->set(initial_wait_time_in_secs, longest));
    EXPECT_EQ(s->retrieve_options().value().initial_wait_time_in_secs, longest);
  });
}

TEST(SRS_09_051, jitter_is_among_the_options) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_051");
  each_control(policy::random, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_EQ(s->retrieve_options().value().max_jitter_percent, 5);
    EXPECT_TRUE(s->set(max_jitter_percent, 100));
    EXPECT_EQ(s->retrieve_options().value().max_jitter_percent, 100);
  });
}

TEST(SRS_09_052, options_are_null_where_one_cannot_be_added) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_052");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    EXPECT_EQ(fresh()->retrieve_options(where(&surroundings::option_add_fails)), std::nullopt);
  });
}

TEST(SRS_09_053, failing_retrieval_leaves_nothing_allocated) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_053", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_052");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    for (auto const fault : {&surroundings::option_create_fails, &surroundings::option_add_fails}) {
      auto const s = fresh();
      EXPECT_EQ(s->retrieve_options(where(fault)), std::nullopt);
      EXPECT_EQ(s->live(), 1);
    }
  });
  library_subject second;
  EXPECT_TRUE(second.create(policy::interval, 0, {}));
  second.environment().adds_before_failure = 1;
  EXPECT_EQ(second.retrieve_options(where(&surroundings::option_add_fails)), std::nullopt);
  EXPECT_EQ(second.live(), 1) << "the second of them";
}

TEST(SRS_09_035, options_survive_a_reset) {
  checks("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_035");
  each_control(policy::interval, 0, [](fresh_subject const& fresh) {
    auto const s = fresh();
    EXPECT_TRUE(s->set(initial_wait_time_in_secs, 7));
    EXPECT_TRUE(s->set(max_jitter_percent, 9));
    s->reset();
    EXPECT_EQ(s->retrieve_options(), (options{7, 9}));
  });
}

}  // namespace
}  // namespace backoff::spec::azure_c_retry_control
