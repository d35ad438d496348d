// The requirements on the sample loop, one test or more each, named by their ids in the catalogue. Every one is held
// against the library and against the model. Expected numbers are worked out by hand. What the document asks of the
// caller is in aws_prescriptive_sample_hosted_test.cpp.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "aws_prescriptive_sample/subjects_test.hpp"
#include "tests/checks.hpp"

namespace backoff::spec::aws_prescriptive_sample {
namespace {

constexpr integer many = 2'147'483'647;  // 2^31 - 1 requests: no test gets there

TEST(AWS_PS_003, each_wait_is_longer_than_the_one_before) {
  checks("AWS-PS-003");
  each_subject(many, [](fresh_run const& fresh) {
    auto const running = fresh();
    integer before = -1;
    for (int n = 0; n < 25; ++n) {
      integer const wait = running->attempt(429).delay_ms;
      EXPECT_GT(wait, before) << "retry " << n;
      before = wait;
    }
  });
}

TEST(AWS_PS_011, no_request_after_a_success) {
  checks("AWS-PS-011");
  each_subject(9, [](fresh_run const& fresh) {
    EXPECT_EQ(answers(*fresh(), {429, 504, 200}), (std::vector{goes_on(0), goes_on(100), stops(300)}));
  });
}

TEST(AWS_PS_012, no_request_after_the_last_that_is_allowed) {
  checks("AWS-PS-012");
  each_subject(3, [](fresh_run const& fresh) {
    EXPECT_EQ(answers(*fresh(), {504, 429, 504}), (std::vector{goes_on(0), goes_on(100), stops(300)}));
  });
}

TEST(AWS_PS_013, wait_is_a_hundred_times_two_to_the_n_less_one) {
  checks("AWS-PS-013");
  std::vector<integer> const waits{
      0,          100,        300,         700,         1'500,       3'100,       6'300,        12'700,    25'500,
      51'100,     102'300,    204'700,     409'500,     819'100,     1'638'300,   3'276'700,    6'553'500, 13'107'100,
      26'214'300, 52'428'700, 104'857'500, 209'715'100, 419'430'300, 838'860'700, 1'677'721'500};
  each_subject(many, [&](fresh_run const& fresh) {
    auto const running = fresh();
    for (integer const wait : waits) EXPECT_EQ(running->attempt(429), goes_on(wait));
  });
}

TEST(AWS_PS_014, every_request_is_waited_for_and_the_first_not_at_all) {
  checks("AWS-PS-014");
  for (integer const limit : {0, 1, 2, 40}) {
    for (int const status : {200, 429, 503, 504}) {
      each_subject(limit, [&](fresh_run const& fresh) { EXPECT_EQ(fresh()->attempt(status).delay_ms, 0); });
    }
  }
}

TEST(AWS_PS_015, waits_past_31_bits_fail) {
  checks("AWS-PS-015");
  each_subject(many, [](fresh_run const& fresh) {
    auto const running = fresh();
    for (int n = 0; n < 25; ++n) EXPECT_TRUE(running->attempt(504).retry) << "retry " << n;
    EXPECT_EQ(running->attempt(504), failed);
  });
}

TEST(AWS_PS_016, an_answer_of_200_ends_the_run) {
  checks("AWS-PS-016");
  for (integer const limit : {0, 1, 2, 40}) {
    each_subject(limit, [](fresh_run const& fresh) { EXPECT_EQ(fresh()->attempt(200), stops(0)); });
  }
}

TEST(AWS_PS_017, answers_of_429_and_504_call_for_another_request) {
  checks("AWS-PS-017", "AWS-PS-004");
  each_subject(4, [](fresh_run const& fresh) {
    for (int const status : {429, 504}) EXPECT_EQ(fresh()->attempt(status), goes_on(0)) << status;
    EXPECT_EQ(answers(*fresh(), {429, 504, 429}), (std::vector{goes_on(0), goes_on(100), goes_on(300)}));
  });
}

TEST(AWS_PS_018, every_other_answer_ends_the_run) {
  checks("AWS-PS-018");
  each_subject(many, [](fresh_run const& fresh) {
    std::set<int> retried;
    for (int status = -1; status <= 1'200; ++status) {
      if (fresh()->attempt(status).retry) retried.insert(status);
      auto const later = fresh();
      EXPECT_EQ(later->attempt(429), goes_on(0));
      EXPECT_EQ(later->attempt(status).retry, status == 429 || status == 504) << status << " as the second answer";
    }
    EXPECT_EQ(retried, (std::set{429, 504}));
  });
}

TEST(AWS_PS_019, limit_counts_requests_and_the_first_is_always_made) {
  checks("AWS-PS-019");
  struct {
    integer limit;
    int requests;
  } const rows[]{{0, 1}, {1, 1}, {2, 2}, {3, 3}, {24, 24}, {25, 25}};
  for (auto const& row : rows) {
    each_subject(row.limit, [&](fresh_run const& fresh) {
      auto const running = fresh();
      for (int made = 1; made < row.requests; ++made) EXPECT_TRUE(running->attempt(429).retry) << "request " << made;
      EXPECT_FALSE(running->attempt(429).retry) << "request " << row.requests;
    });
  }
}

TEST(AWS_PS_020, each_run_counts_for_itself_from_zero) {
  checks("AWS-PS-020");
  each_subject(3, [](fresh_run const& fresh) {
    auto const one = fresh();
    auto const other = fresh();
    EXPECT_EQ(answers(*one, {429, 429}), (std::vector{goes_on(0), goes_on(100)}));
    EXPECT_EQ(answers(*other, {504, 504, 504}), (std::vector{goes_on(0), goes_on(100), stops(300)}));
    EXPECT_EQ(one->attempt(429), stops(300));
    EXPECT_EQ(fresh()->attempt(429), goes_on(0));
  });
}

}  // namespace
}  // namespace backoff::spec::aws_prescriptive_sample
